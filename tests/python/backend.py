"""torch.compile(.., backend="assay") among the other things that users of PyTorch do: transforms,
autocast, checkpoints, caches of keys and values, threads, copies, several processes, no cache."""

import contextlib
import copy
import io
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

import assay
from assay import tool
from assay.backend import assay_backend

_leaves = torch.utils._pytree.tree_leaves


class Block(torch.nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.up, self.down = torch.nn.Linear(width, 16), torch.nn.Linear(16, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Holder(torch.nn.Module):
    """A model that holds a compiled function."""

    def __init__(self, compiled):
        super().__init__()
        self.compiled = compiled
        self.scale = torch.nn.Parameter(torch.ones(4))

    def forward(self, x):
        return self.compiled(x) * self.scale


class Two(NamedTuple):
    first: torch.Tensor
    rest: dict


def weights(x):
    return torch.softmax(torch.tanh(x) * 2 + 1, -1)


def backed(function):
    return torch.compile(function, backend=assay_backend)


class AsUsers(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        torch._dynamo.reset()
        torch.manual_seed(7)
        told = contextlib.redirect_stderr(io.StringIO())
        told.__enter__()
        self.addCleanup(told.__exit__, None, None, None)

    def same(self, ours, theirs, bound=1e-5):
        for a, b in zip(_leaves(ours), _leaves(theirs), strict=True):
            self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape))
            if b.numel():
                self.assertLess((a.double() - b.double()).abs().max(), bound)


class Backend(AsUsers):
    def test_autocast(self):
        model, x = Block().eval(), torch.randn(3, 8)
        fast = backed(model)
        with torch.no_grad():
            for on in (True, False, True):
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=on):
                    self.same(fast(x), model(x), 2e-2 if on else 1e-5)

    def test_types_that_change(self):
        model, x = Block().eval(), torch.randn(3, 8)
        fast = backed(model)
        with torch.no_grad():
            for dtype, bound in ((torch.float32, 1e-5), (torch.bfloat16, 3e-2), (torch.half, 4e-3)):
                model.to(dtype)
                self.same(fast(x.to(dtype)), model(x.to(dtype)), bound)

    def test_transforms(self):
        def loss(w, x):
            return (torch.tanh(x @ w) ** 2).sum()

        x, w = torch.randn(5, 3), torch.randn(3, 4)
        for whole in (
            lambda w, x: torch.func.grad(loss)(w, x),
            lambda w, x: torch.vmap(torch.func.grad(loss), (None, 0))(w, x[:, None]),
            lambda w, x: torch.func.jvp(weights, (x,), (x,)),
        ):
            self.same(backed(whole)(w, x), whole(w, x))
        self.same(torch.func.grad(backed(loss))(w, x), torch.func.grad(loss)(w, x))
        self.same(torch.vmap(backed(weights))(x), torch.vmap(weights)(x))

    def test_checkpoints(self):
        model, x = Block(), torch.randn(3, 8, requires_grad=True)
        inside = backed(lambda x: checkpoint(model, x, use_reentrant=False))
        fast = backed(model)
        outside = lambda x: checkpoint(fast, x, use_reentrant=False)  # noqa: E731
        (wanted,) = torch.autograd.grad(model(x).sum(), x)
        for function in (inside, outside):
            self.same(torch.autograd.grad(function(x).sum(), x)[0], wanted)

    def test_modes(self):
        model, x = Block(), torch.randn(3, 8)
        fast = backed(model)
        for mode in (torch.inference_mode, torch.no_grad, contextlib.nullcontext) * 2:
            with mode():
                got = fast(x)
                self.same(got, model(x))
            self.assertEqual(got.requires_grad, mode is contextlib.nullcontext)

    def test_caches(self):
        def step(x, cache, at):
            cache[:, at] = x * 2
            cache.mul_(0.5)
            return torch.softmax((cache * x[:, None]).sum(-1), -1)

        fast, ours = backed(step), torch.randn(2, 6, 4)
        theirs = ours.clone()
        for at in range(3):
            x = torch.randn(2, 4)
            self.same(fast(x, ours, at), step(x, theirs, at))
        self.same(ours, theirs, 1e-6)

    def test_statistics(self):
        ours = torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU()
        )
        theirs = copy.deepcopy(ours)
        fast = backed(ours)
        for grad in (True, False, True):
            x = torch.randn(2, 3, 5, 5)
            with torch.set_grad_enabled(grad):
                self.same(fast(x), theirs(x))
        self.same(dict(ours.named_buffers()), dict(theirs.named_buffers()))

    def test_an_argument_within_another(self):
        def step(x, y):
            x.add_(1)
            return torch.sigmoid(y * 2) + x

        ours = torch.randn(4, 4)
        theirs = ours.clone()
        self.same(backed(step)(ours, ours[0]), step(theirs, theirs[0]))
        self.same(ours, theirs)
        gated = lambda x, y: torch.sigmoid(y * 2) + x  # noqa: E731
        x = torch.randn(64, 64)
        for y in (x[0], x[32], x[:, 0]):
            self.same(assay.compile(gated, x, y, quiet=True, seconds=2)(x, y), gated(x, y))

    def test_layouts_and_no_elements(self):
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3, padding=1), torch.nn.SiLU()).eval()
        fast, x = backed(model), torch.randn(2, 3, 6, 5)
        views = (
            x.to(memory_format=torch.channels_last),
            torch.randn(2, 3, 6, 10)[..., ::2],
            torch.randn(1, 3, 6, 5).expand(2, 3, 6, 5),
            torch.randn(2 * 3 * 6 * 5 + 3)[3:].view(2, 3, 6, 5),
        )
        with torch.no_grad():
            for view in views:
                self.same(fast(view), model(view))
        product, rows = backed(lambda x, w: torch.relu(x @ w) + 1), backed(weights)
        for first, second in (((0, 4), (4, 3)), ((2, 0), (0, 3)), ((2, 4), (4, 0))):
            a, b = torch.randn(first), torch.randn(second)
            self.same(product(a, b), torch.relu(a @ b) + 1)
        for extents in ((0, 4), (3, 0), (3, 4), (1, 1)):
            x = torch.randn(extents)
            self.same(rows(x), weights(x))

    def test_arguments_and_results(self):
        def function(x, scale=1.0, *, bias=None):
            y = torch.tanh(x) * scale + 1
            return Two(y, {"sum": (y if bias is None else y + bias).sum(-1) * 2})

        fast, x = backed(function), torch.randn(3, 4)
        given = ({}, {"scale": 2}, {"scale": True}, {"bias": torch.randn(4)}, {"scale": -0.5})
        for keywords in given:
            got = fast(x, **keywords)
            self.assertIsInstance(got, Two)
            self.same(got, function(x, **keywords))

    def test_breaks_and_errors(self):
        def function(x):
            y = torch.tanh(x) * 2 + 1
            if x.shape[0] > 3:
                raise ValueError("too many rows")
            return torch.exp(-y) * 2 + 1 if y.sum() > 0 else torch.sigmoid(y) * 3 + 1

        fast = backed(function)
        for x in (torch.ones(2, 3), -torch.ones(2, 3)):
            self.same(fast(x), function(x))
        with self.assertRaisesRegex(ValueError, "too many rows"):
            fast(torch.ones(4, 3))

    def test_options(self):
        function, x = lambda x: torch.tanh(x) * 2 + 1, torch.randn(2, 3)  # noqa: E731
        fast = torch.compile(function, backend=assay_backend, options={"seconds": 1})
        self.same(fast(x), function(x))
        torch._dynamo.reset()
        fast = torch.compile(function, backend=assay_backend, options={"strict": True})
        self.same(fast(x), function(x))
        many = lambda x: torch.sort(x)[0] * 2 + 1  # noqa: E731
        for given, settings, said in (
            (many, {"options": {"strict": True}}, "sort"),
            (function, {"options": {"second": 1}}, "options second"),
            (function, {"mode": "reduce-overhead"}, "leave it out"),
        ):
            torch._dynamo.reset()
            with self.assertRaisesRegex(Exception, said):
                torch.compile(given, backend=assay_backend, **settings)(x)


class Threads(AsUsers):
    def together(self, work):
        problems = []

        def run(number):
            try:
                work(number)
            except BaseException as problem:  # noqa: BLE001  (to be raised where it is seen)
                problems.append(problem)

        threads = [threading.Thread(target=run, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if problems:
            raise problems[0]

    def test_calls(self):
        fast = backed(weights)
        xs = [torch.randn(4, 5) for _ in range(6)]
        self.together(lambda n: [self.same(fast(xs[n]), weights(xs[n])) for _ in range(4)])

    def test_compilations(self):
        later = assay.compile(weights, torch.randn(4, 5), dynamic=True, quiet=True, seconds=2)
        xs = [torch.randn(4, 6 + number % 2) for number in range(6)]
        self.together(lambda n: self.same(later(xs[n]), weights(xs[n])))
        self.assertEqual(len(later.sizes), 3)
        certify = lambda n: assay.certify(weights, lambda x: weights(x) + n, xs[n])  # noqa: E731
        self.together(lambda n: self.assertEqual(bool(certify(n)), n == 0))


class Copies(AsUsers):
    def test_a_model_with_a_compiled_function(self):
        x = torch.randn(3, 4)
        model = Holder(assay.compile(weights, x, quiet=True, seconds=2))
        saved = io.BytesIO()
        torch.save(model, saved)
        saved.seek(0)
        again = torch.load(saved, weights_only=False)
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), again):
            self.same(other(x), model(x))
            self.assertEqual(len(other.compiled.parts), 1)

    def test_a_copy_has_parameters_of_its_own(self):
        x = torch.randn(3, 8)
        for options in ({}, {"dynamic": True}):
            fast = assay.compile(Block().eval(), x, quiet=True, seconds=2, **options)
            with torch.no_grad():
                both = copy.deepcopy([fast, fast._function if options else None])
                self.same(both[0](x), fast(x))
        module = Block()
        fast = assay.compile(module, x.requires_grad_(), quiet=True, seconds=2)
        other, copied = copy.deepcopy((fast, module))
        with torch.no_grad():
            copied.up.weight.mul_(3)
        self.same(other(x), copied(x))
        self.same(fast(x), module(x))
        self.assertTrue(other(x).requires_grad)

    def test_masks_stay_masks(self):
        scores, mask = torch.randn(3, 4), torch.zeros(3, 4)
        mask[:, 2:] = -torch.inf
        attend = lambda s, m: torch.softmax(s + m, -1) * 2  # noqa: E731
        fast = assay.compile(attend, scores, mask, quiet=True, seconds=2)
        self.same(copy.deepcopy(fast)(scores, mask), attend(scores, mask))


_SCRIPT = """
import torch, assay, warnings
def weights(x): return torch.softmax(torch.tanh(x) * 2 + 1, -1)
x = torch.randn(4, 5)
fast = assay.compile(weights, x, seconds=2, quiet=True)
assert (fast(x) - weights(x)).abs().max() < 1e-5
print(len(fast.parts), fast.parts[0].directory.parent if fast.parts else fast.left[0][1])
"""


class Processes(AsUsers):
    def begun(self, **environment):
        return subprocess.Popen(
            [sys.executable, "-c", _SCRIPT],
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def test_one_cache_for_several(self):
        with tempfile.TemporaryDirectory() as cache:
            for process in [self.begun(ASSAY_CACHE=cache) for _ in range(3)]:
                self.assertEqual(process.communicate()[0].split(), ["1", cache])
            (result,) = Path(cache).glob("?" * 32)
            self.assertEqual([p.name for p in result.glob(".*")], [])

    def test_no_cache(self):
        with tempfile.NamedTemporaryFile() as file:
            said, warned = self.begun(ASSAY_CACHE=f"{file.name}/cache").communicate()
        parts, folder = said.split()
        self.assertEqual(parts, "1")
        self.assertFalse(Path(folder).exists())
        self.assertIn("the cache is not used", warned)

    def test_a_cache_that_is_read_alone(self):
        with tempfile.TemporaryDirectory() as cache:
            self.assertEqual(self.begun(ASSAY_CACHE=cache).communicate()[0].split()[0], "1")
            (result,) = Path(cache).glob("?" * 32)
            kept = tool.build(result, "cpu")
            self.assertEqual(kept.parent, result)
            (kept / "interface.json").write_text("{")  # damaged
            self.assertTrue(tool._is_built(tool.build(result, "cpu"), result))
            for file in kept.iterdir():
                file.unlink()
            kept.rmdir()
            writable, os.access = os.access, lambda path, mode: mode != os.W_OK
            try:
                elsewhere = tool.build(result, "cpu")
            finally:
                os.access = writable
            self.assertEqual(elsewhere.parent, tool.own_folder())
            self.assertFalse(kept.exists())

    def test_programs_that_are_not_assay(self):
        x = torch.randn(3, 4)
        with tempfile.TemporaryDirectory() as folder:
            for name, text, said in (
                ("another", "#!/bin/sh\necho hello\n", "is it the `assay` program"),
                ("wrong", "#!/bin/sh\nexit 1\n", "is it the `assay` program"),
                ("foreign", "\x7fELF", "cannot be run"),
                ("missing", None, "no program"),
            ):
                path = Path(folder) / name
                if text is not None:
                    path.write_text(text)
                    path.chmod(0o755)
                program, os.environ["ASSAY"] = os.environ.get("ASSAY"), str(path)
                try:
                    with self.assertRaisesRegex(assay.ToolError, said):
                        assay.certify(weights, weights, x)
                    if text is None:
                        with self.assertRaisesRegex(assay.ToolError, said):
                            assay.compile(weights, x)
                finally:
                    del os.environ["ASSAY"]
                    if program is not None:
                        os.environ["ASSAY"] = program


if __name__ == "__main__":
    unittest.main()
