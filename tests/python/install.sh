# The package installed into a virtual environment of its own, and what the README says of it run from elsewhere.  PyTorch and what
# builds packages are lent by the interpreter that has PyTorch, so that nothing is fetched.  Sourced by test_python.sh.
"$python" -m venv --without-pip "$work/venv" || fail "no virtual environment can be made"
lent=$("$python" -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))')
echo "$lent" >"$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/lent.pth"
cp -r "$src/python" "$work/package"
"$python" -m pip --python "$work/venv/bin/python" install -q --no-index --no-deps --no-build-isolation "$work/package" >out 2>err ||
  fail "pip install ./python fails: $(tail -3 err)"
cat >"$work/readme.py" <<'END'
import torch
import assay

def fn(x, g):
    return torch.softmax(x * g, -1)

x, g = torch.randn(4, 8), torch.randn(8)
fast = assay.compile(fn, x, g)
assert (fast(x, g) - fn(x, g)).abs().max() < 1e-5
model = torch.nn.Sequential(torch.nn.Linear(8, 6), torch.nn.ReLU(), torch.nn.Softmax(-1)).eval()
with torch.no_grad():
    assert (torch.compile(model, backend="assay")(x) - model(x)).abs().max() < 1e-5
assert assay.certify(fn, lambda x, g: torch.exp(x * g) / torch.exp(x * g).sum(-1, keepdim=True), x, g)
print(assay.__file__)
END
(cd "$work" && env -u PYTHONPATH "$work/venv/bin/python" readme.py) >out 2>err || fail "what the README says does not run: $(tail -3 err)"
grep -q "^$work/venv/" out || fail "the package that ran is not the one installed: $(cat out)"

# not installed, only on the path: the backend's name is known too, whether PyTorch has looked for names before or not
cat >"$work/named.py" <<'END'
import sys
import torch

if sys.argv[1] == "before":
    import torch._dynamo

    assert "inductor" in torch._dynamo.list_backends() and "assay" not in torch._dynamo.list_backends()
import assay
import assay.named

assay.named.name_backend()
x = torch.randn(4, 8)
model = torch.nn.Softmax(-1)
with torch.no_grad():
    assert (torch.compile(model, backend="assay")(x) - model(x)).abs().max() < 1e-5
assert torch._dynamo.list_backends().count("assay") == 1
END
"$python" -m venv --without-pip "$work/bare" || fail "no virtual environment can be made"
echo "$lent" >"$("$work/bare/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/lent.pth"
for when in before after; do
  (cd "$work" && PYTHONPATH=$src/python "$work/bare/bin/python" named.py $when) >out 2>err ||
    fail "on the path alone the backend has no name ($when): $(tail -3 err)"
done
