"""Pairs of functions that differ where an exported graph does not look: in how tensors lie in memory,
what PyTorch is asked for, what is kept from call to call, what is caught while a function is exported.

Each pair is near to one that is equal.  A pair is never PROVED where the functions, called as a
user calls them, differ; what is PROVED names what it supposes.  In `make check` some of the pairs
are judged, with AS_LONG=1 all of them.
"""

import contextlib
import itertools
import os
import random
import sys
import unittest
import warnings
from collections import deque

import torch
import torch.nn.functional as F

import assay
from assay import cache, tool

X = torch.linspace(-1.5, 2.0, 12).reshape(3, 4)
ALL = bool(os.environ.get("AS_LONG"))
PAIRS = []


def pair(expected, given, other, *examples, supposed="", mode=contextlib.nullcontext, often=False):
    """Adds a pair.  `expected` is a verdict, or "" for anything but PROVED; `supposed` is in what a
    proof names; it is judged within `mode`; `often`: in each `make check`."""
    PAIRS.append((expected, given, other, examples or (X,), supposed, mode, often))


def by(question):
    """A function that does something else by a question."""
    return lambda x: x * 2 if question(x) else x * 3


def double(x):
    return x * 2


def triple(x):
    return x + x + x


# -- how arguments lie in memory, and gradients --------------------------------------------------

LAYOUT = {
    "is_contiguous": lambda x: x.is_contiguous(),
    "stride": lambda x: x.stride(0) >= x.stride(1),
    "storage_offset": lambda x: x.storage_offset() == 0,
    "requires_grad": lambda x: not x.requires_grad,
    "is_leaf": lambda x: x.is_leaf,
    "is_inference": lambda x: not x.is_inference(),
    "grad_fn": lambda x: x.grad_fn is None,
    "dim_order": lambda x: x.dim_order() == (0, 1),
    "_base": lambda x: (x + 0)._base is None,
}
LAYOUT |= {
    f"{name} of a part": lambda x, asks=asks: asks(x[:, :])
    for name, asks in LAYOUT.items()
    if name in ("stride", "requires_grad", "storage_offset")
}
for _name, _asks in LAYOUT.items():
    _said = _name.split(" ")[0]
    pair("PROVED", by(_asks), double, supposed=_said, often=_name == "is_contiguous")
    pair("", by(_asks), triple, often=_name == "stride")
    pair("", triple, by(_asks))

for _asks in (
    lambda x: x._version == 0,
    lambda x: x.data_ptr() % 8 == 0,
    lambda x: x.untyped_storage().size() == 48,
    lambda x: x.untyped_storage().nbytes() < 1000,
    lambda x: "Fake" not in repr(x),
    lambda x: type(x) is torch.Tensor,
    lambda x: x.__class__.__name__ == "Tensor",
):
    pair("", by(_asks), double)
    pair("", by(_asks), triple, often=_asks.__code__.co_firstlineno % 7 == 0)

pair("", lambda x: x.as_strided((3, 4), (4, 1)) * 1, lambda x: x.t() * 1)


def written_part(x):
    (x.t().reshape(-1)).mul_(2)
    return x * 1


def written_copy(x):
    y = x.expand(2, 3, 4).contiguous()
    y.mul_(2)
    return x * 1


def written_if_one(x):
    y = x.to(memory_format=torch.channels_last) if x.dim() == 4 else x.mT.contiguous()
    y.add_(1)
    return x * 1


pair("", written_part, lambda x: x * 1, often=True)
pair("PROVED", written_copy, lambda x: x * 1)
pair("", written_if_one, lambda x: x * 1)
pair("", lambda x, y: x * 2 if x is y else x * 3, lambda x, y: triple(x), X, X + 1)


# -- what PyTorch is asked for -------------------------------------------------------------------

for _mode, _supposed, _asks in (
    (torch.enable_grad, "is_grad_enabled", lambda x: torch.is_grad_enabled()),
    (torch.no_grad, "is_grad_enabled", lambda x: not torch.is_grad_enabled()),
    (torch.no_grad, "", lambda x: not torch.is_inference_mode_enabled()),
    (contextlib.nullcontext, "autocast", lambda x: not torch.is_autocast_enabled()),
    (contextlib.nullcontext, "autocast", lambda x: not torch.is_autocast_enabled("cpu")),
    (contextlib.nullcontext, "default", lambda x: torch.get_default_dtype() == torch.float32),
    (contextlib.nullcontext, "default", lambda x: torch.zeros(1).dtype == torch.float32),
):
    pair("PROVED", by(_asks), double, supposed=_supposed, mode=_mode, often=_mode is torch.no_grad)
    pair("", by(_asks), triple, mode=_mode)

for _asks in (
    lambda x: torch.compiler.is_compiling(),
    lambda x: torch.compiler.is_exporting(),
    lambda x: torch.compiler.is_dynamo_compiling() or torch._utils.is_compiling(),
    lambda x: len(torch.overrides._get_current_function_mode_stack()) > 0,
    lambda x: torch._C._len_torch_dispatch_stack() > 0,
    lambda x: sys.gettrace() is None,
):
    pair("", by(_asks), double)
    pair("", by(_asks), triple)
pair("", by(lambda x: isinstance(x.shape[0] + 0, torch.SymInt)), double)
pair("", lambda x: [x * 2, x * 3][torch.compiler.is_compiling()], triple, often=True)
pair("", lambda x: x * (2 + torch.compiler.is_compiling()), triple)
pair("", lambda x: {False: double, True: triple}[torch.compiler.is_exporting()](x), triple)


# -- what is caught ------------------------------------------------------------------------------


def reads_a_number(x):
    try:
        return x * float(x[0, 0])
    except Exception:
        return x * 5


def reads_an_array(x):
    try:
        return x * float(x.numpy()[0, 0])
    except Exception:
        return x * 5


def branches_on_data(x):
    try:
        if x.sum() > 100:
            return x * 3
    except Exception:
        pass
    return x * 5


def branches_on_an_item(x):
    with contextlib.suppress(Exception):
        if x[0, 0].item() > 100:
            return x * 3
    return x * 5


def reads_a_list(x):
    try:
        return x * x.tolist()[0][0]
    except Exception:
        return x * 5


def counts_what_is_not_0(x):
    try:
        return x * 5 if x.nonzero().shape[0] > 100 else x * 3
    except Exception:
        return x * 5


for _function in (
    reads_a_number,
    reads_an_array,
    branches_on_data,
    branches_on_an_item,
    reads_a_list,
    counts_what_is_not_0,
):
    pair("", _function, lambda x: x * 5, often=_function is reads_a_number)
    pair("", lambda x: x * 5, _function)


def catches_its_own(x):
    try:
        return {}["factor"] * x
    except KeyError:
        return x * 2


pair("PROVED", catches_its_own, double, often=True)
pair("REFUTED", catches_its_own, triple)


# -- what is kept from call to call --------------------------------------------------------------


class Counts(torch.nn.Module):
    calls = 0

    def __init__(module):
        super().__init__()
        module.seen, module.factor = [], 2

    def own(module, x):
        module.calls += 1
        return x * (2 if module.calls < 100 else 3)

    def in_a_list(module, x):
        module.seen.append(1)
        return x * (2 if len(module.seen) < 100 else 3)

    def of_the_class(module, x):
        Counts.calls += 1
        return x * (2 if Counts.calls < 100 else 3)

    def kept(module, x):
        module.factor = 2
        return x * module.factor


def of_method(name):
    """A module whose forward is that method."""
    kind = type(name, (Counts,), {"forward": vars(Counts)[name]})
    return kind()


for _name in ("own", "in_a_list", "of_the_class"):
    pair("", of_method(_name), double, often=_name == "own")
pair("PROVED", of_method("kept"), double)

STATE = {"calls": 0}
NUMBERS = itertools.count()
QUEUE = deque([2, 3, 3, 3])
calls = 0


def by_a_global(x):
    global calls
    calls += 1
    return x * (2 if calls < 100 else 3)


def by_a_dictionary(x):
    STATE["calls"] += 1
    return x * (2 if STATE["calls"] < 100 else 3)


def by_an_iterator(x):
    return x * (2 if next(NUMBERS) < 100 else 3)


def by_a_queue(x):
    QUEUE.rotate(1)
    return x * (2 if QUEUE[0] < 100 else 3)


def by_a_default(x, seen=[]):  # noqa: B006
    seen.append(1)
    return x * (2 if len(seen) < 100 else 3)


def by_its_attribute(x):
    by_its_attribute.calls += 1
    return x * (2 if by_its_attribute.calls < 100 else 3)


by_its_attribute.calls = 0


def around():
    count = 0

    def by_the_function_around(x):
        nonlocal count
        count += 1
        return x * (2 if count < 100 else 3)

    return by_the_function_around


def by_chance(x):
    return x * (2 if random.random() < 1 else 3)


for _function in (
    by_a_global,
    by_a_dictionary,
    by_an_iterator,
    by_a_queue,
    by_a_default,
    by_its_attribute,
    around(),
    by_chance,
):
    pair("", _function, double, often=_function in (by_a_dictionary, by_a_default))


def reads_a_global(x):
    return x * STATE.get("factor", 2)


pair("PROVED", reads_a_global, double)
pair("REFUTED", reads_a_global, triple)


# -- points at which PyTorch raises refute nothing -----------------------------------------------

P, T = torch.rand(3, 4) * 0.8 + 0.1, torch.rand(3, 4)


def bce(p, t):
    return F.binary_cross_entropy(p, t, reduction="none")


pair("REFUTED", bce, lambda p, t: 2 * bce(p, t), P, T)
pair("", bce, lambda p, t: torch.where(t > 1, 0, bce(p, t.clamp(0, 1))), P, T)


def only_columns_of_4(x):
    assert x.shape[1] == 4
    return x * 2


pair("PROVED", only_columns_of_4, double, often=True)
pair("REFUTED", only_columns_of_4, triple)


# -- integers and types of few bits --------------------------------------------------------------

BYTES = torch.arange(12).reshape(3, 4).mul(21).to(torch.uint8)
EIGHT = X.to(torch.float8_e4m3fn)


def halves(u):
    return torch.stack((u & 15, u >> 4), -1).float()


def by_division(divisor):
    return lambda u: torch.stack((u.int() % 16, u.int() // divisor), -1).float()


pair("PROVED", halves, by_division(16), BYTES, often=True)
pair("REFUTED", halves, by_division(8), BYTES)
pair("PROVED", lambda u: (u & 0x70) * 1, lambda u: (u // 16) % 8 * 16, BYTES.int())
pair("REFUTED", lambda u: (u & 0x70) * 1, lambda u: (u // 16) % 16 * 16, BYTES.int())
pair("PROVED", lambda a: a.float() * 2, lambda a: a.float() + a.float(), EIGHT)
pair("REFUTED", lambda a: a.float() * 2, lambda a: a.float() + 1, EIGHT)
pair(
    "PROVED",
    lambda c, a, b: torch.addmm(c, a, b, beta=0),
    lambda c, a, b: a @ b,
    torch.ones(3, 5),
    X,
    torch.ones(4, 5),
)


# -- any number of arguments ---------------------------------------------------------------------

pair("PROVED", lambda *xs: xs[0] + xs[1], lambda *xs: xs[1] + xs[0], X, X + 1, often=True)
pair("REFUTED", lambda *xs: xs[0] - xs[1], lambda *xs: xs[1] - xs[0], X, X + 1)
pair("REFUTED", lambda *xs: xs[0] * xs[0].shape[0], lambda *xs: xs[0] * 3)


def judged(given, other, examples, mode):
    """The verdict's word, and the verdict; "refused" and the reason where there is none."""
    with mode():
        try:
            verdict = assay.certify(given, other, *examples, seconds=20)
        except assay.AssayError as problem:
            return "refused", problem
    return verdict.verdict, verdict


class Pairs(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def test_pairs(self):
        decided = 0
        wanted = [row for row in PAIRS if ALL or row[-1]]
        for expected, given, other, examples, supposed, mode, _ in wanted:
            word, verdict = judged(given, other, examples, mode)
            line = getattr(getattr(given, "__code__", None), "co_firstlineno", given)
            with self.subTest(line=line, said=str(verdict)[:400]):
                if expected:
                    self.assertEqual(word, expected)
                else:
                    self.assertNotEqual(word, "PROVED")
                if expected == "PROVED":
                    self.assertIn(supposed, " ".join(verdict.supposed))
            decided += word in ("PROVED", "REFUTED")
        print(f"{len(wanted)} of {len(PAIRS)} pairs, {decided} decided", file=sys.stderr)

    def test_sizes_of_any_number_of_arguments(self):
        verdict = assay.certify(lambda *xs: xs[0] * 2, lambda *xs: xs[0] + xs[0], X)
        self.assertTrue(verdict)
        self.assertEqual(verdict.scope, assay.equality.ALL_SIZES)

    def test_nothing_is_left_behind(self):
        verdict = assay.certify(double, triple, X)
        self.assertEqual(verdict.result.directory.parents[2], tool.own_folder())


def compiled(function, *examples):
    return assay.compile(function, *examples, quiet=True, seconds=2, least_work=1)


class Compiled(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def test_layouts_that_were_asked_for(self):
        fast = compiled(lambda x: by(LAYOUT["is_contiguous"])(x) + x * x, X)
        self.assertLess((fast(X) - (X * 2 + X * X)).abs().max(), 1e-5)
        with self.assertRaisesRegex(assay.AssayError, "is_contiguous"):
            fast(X.t().contiguous().t())

    def test_layouts_that_matter_without_a_question(self):
        for function in (written_part, written_if_one):
            with self.assertRaisesRegex(assay.AssayError, "other order in memory"):
                compiled(function, X)
        with self.assertRaisesRegex(assay.AssayError, "given twice"):
            compiled(lambda x, y: (x * 2 if x is y else x * 3) + y, X, X + 1)

    def test_modes(self):
        function = lambda x: by(lambda x: torch.is_grad_enabled())(x) + x * x  # noqa: E731
        fast = compiled(function, X)
        self.assertLess((fast(X) - function(X)).abs().max(), 1e-5)
        with torch.no_grad(), self.assertRaisesRegex(assay.AssayError, "is_grad_enabled"):
            fast(X)
        with torch.no_grad():
            self.assertLess((compiled(double, X)(X) - X * 2).abs().max(), 1e-5)

    def test_what_is_caught_or_kept(self):
        for function in (reads_a_number, of_method("own"), by_a_dictionary):
            with self.assertRaises(assay.AssayError):
                compiled(function, X)

    def test_the_first_call_is_compared(self):
        fast = compiled(lambda x: torch.tanh(x) * 3 + 1, X)
        kernel = fast.parts[0].kernel
        run = kernel.run_host
        kernel.run_host = lambda inputs, outputs: None  # nothing is computed
        with self.assertRaisesRegex(assay.AssayError, "at the first call"):
            fast(X)
        kernel.run_host = run
        self.assertLess((fast(X) - (torch.tanh(X) * 3 + 1)).abs().max(), 1e-5)


class Caches(unittest.TestCase):
    """What is found is what was asked for, and what was built of it."""

    def setUp(self):
        warnings.simplefilter("ignore")
        self.before = os.environ.get("ASSAY_CACHE")
        self.folder = tool.own_folder() / f"cache-{self.id()}"
        os.environ["ASSAY_CACHE"] = str(self.folder)

    def tearDown(self):
        os.environ.pop("ASSAY_CACHE")
        if self.before is not None:
            os.environ["ASSAY_CACHE"] = self.before

    def two(self):
        """Two results of programs with the same inputs and outputs, and what they compute."""
        functions = (lambda x: x * 2 + x * x, lambda x: x * 3 + x * x)
        return functions, [compiled(f, X).parts[0].directory for f in functions]

    def same(self, functions):
        for function in functions:
            self.assertLess((compiled(function, X)(X) - function(X)).abs().max(), 1e-5)

    def test_swapped_entries(self):
        functions, (first, second) = self.two()
        aside = first.with_name("aside")
        first.rename(aside)
        second.rename(first)
        aside.rename(second)
        self.same(functions)

    def test_linked_entries(self):
        functions, (first, second) = self.two()
        second.rename(second.with_name("aside"))
        second.symlink_to(first)
        self.same(functions)

    def test_libraries_of_others(self):
        functions, (first, second) = self.two()
        ours, theirs = (each / "build-cpu" / "libassay_island.so" for each in (first, second))
        right = ours.read_bytes()
        for text in (theirs.read_bytes(), right[: len(right) // 2], b""):
            ours.unlink()
            ours.write_bytes(text)
            self.same(functions[:1])
            self.assertEqual(tool._hash(ours), tool._hashes(ours.parent, first)["library"])
            self.assertTrue(tool._is_built(ours.parent, first))
        whole = ours.parent
        whole.rename(first / "aside")
        (second / "build-cpu").rename(whole)  # with all that it says of itself
        self.assertFalse(tool._is_built(whole, first))
        self.same(functions)

    def test_folders_of_others(self):
        self.two()
        for mode, who in ((0o777, "everybody"), (0o770, "a group"), (0o700, None)):
            self.folder.chmod(mode)
            self.assertEqual(cache.who_else_writes(self.folder), who)
            used = cache._folder_to_use()
            self.assertEqual(used == self.folder, who is None)


if __name__ == "__main__":
    unittest.main()
