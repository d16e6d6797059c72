"""Both sides of the border run side by side: a function as PyTorch runs it, and as exported.

What is proved is about exported graphs.  That a graph computes what its function does is tested
here, not proved: with the examples, one after the other (what it keeps from call to call), with
other numbers, and with numbers that lie otherwise in memory.  `certify` does it before it says
PROVED, `compile` before it gives anything away.
"""

import contextlib

import torch

from .compare import Comparison, types_in
from .errors import AssayError
from .path import Path, what_changed
from .questions import Questions, answers
from .running import by_place, copied, run, run_apart, state_kept
from .trials import Trials

_KINDS = torch.export.graph_signature.InputKind
_RESULTS = torch.export.graph_signature.OutputKind
_leaves = torch.utils._pytree.tree_leaves
_tree_map = torch.utils._pytree.tree_map

# above so many numbers among arguments and state fewer trials are made
_MANY = 1 << 24
_FEW_TRIALS = 4


class Observed:
    """What was seen of a function where it runs eagerly with the examples, three times in a row."""

    def __init__(self, function, examples, keywords):
        self.paths = []  # of each run, the ways of all calls of the user's code
        self.states = []
        self.problem = None  # what the function raises
        self.is_whole = True
        copies = lambda: _tree_map(copied, (tuple(examples), dict(keywords or {})))  # noqa: E731
        with state_kept(function):
            for _ in range(3):
                given, named = copies()
                path = Path()
                try:
                    with Questions(), path:
                        run(function, given, named)
                except Exception as problem:  # noqa: BLE001  (whatever the user's code raises)
                    self.problem = problem
                    return
                self.paths.append(path.runs)
                self.states.append(path.state)
                self.is_whole &= path.is_whole

    def what_changes(self):
        """What the function changes each time it runs, in words; None where nothing is."""
        if len(self.states) < 3:
            return None
        return what_changed(self.states[1], self.states[2])


def _flipped_gradients():
    return torch.set_grad_enabled(not torch.is_grad_enabled())


@contextlib.contextmanager
def _flipped_autocast():
    devices = ("cpu", "cuda")
    before = [torch.is_autocast_enabled(d) for d in devices]
    try:
        for device, was in zip(devices, before):
            torch.set_autocast_enabled(device, not was)
        yield
    finally:
        for device, was in zip(devices, before):
            torch.set_autocast_enabled(device, was)


@contextlib.contextmanager
def _flipped_default():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64 if before != torch.float64 else torch.float32)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


# modes of PyTorch that a function may ask for: how they are said, asked and changed
MODES = {
    "torch.is_grad_enabled()": (torch.is_grad_enabled, _flipped_gradients),
    "torch.is_inference_mode_enabled()": (
        torch.is_inference_mode_enabled,
        lambda: torch.inference_mode(not torch.is_inference_mode_enabled()),
    ),
    "torch.is_autocast_enabled()": (
        lambda: (torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled("cuda")),
        _flipped_autocast,
    ),
    "torch.get_default_dtype()": (torch.get_default_dtype, _flipped_default),
}


def check_mode(name, wanted):
    """AssayError where a mode that matters is another than when a function was compiled."""
    now = MODES[name][0]()
    if now != wanted:
        raise AssayError(
            f"compiled where {name} was {wanted}, called where it is {now}, and the function asks"
            " for it: compile where it is as at the call"
        )


# what computing in other types, as a mode may ask for, makes of results beyond rounding
_OTHER_TYPES = 1000


def modes_that_matter(function, examples, keywords, observed):
    """The modes in which the function goes another way, or gives something else beyond rounding:
    by their names, what they are now."""
    copies = lambda: _tree_map(copied, (tuple(examples), dict(keywords or {})))  # noqa: E731
    found = {}
    plain, _ = run_apart(function, *copies())
    for name, (now, flipped) in MODES.items():
        path, given = Path(), copies()
        try:
            with flipped(), Questions(), path:
                results, _ = run_apart(function, *given)
        except Exception:  # noqa: BLE001  (it does not run so)
            found[name] = now()
            continue
        other_way = path.runs not in observed.paths
        if other_way or Comparison(_OTHER_TYPES).difference(plain, results):
            found[name] = now()
    return found


def results_of(exported, arguments, keywords):
    """What the exported graph gives for arguments that lie as its examples did: the results, and
    the arguments as it leaves them."""
    given = iter(_leaves((arguments, keywords)))
    inputs, places = [], {}
    user = _leaves((arguments, keywords))
    for spec in exported.graph_signature.input_specs:
        if spec.kind == _KINDS.USER_INPUT:
            places[getattr(spec.arg, "name", None)] = len(places)
            inputs.append(next(given))
        else:
            held = exported.state_dict.get(spec.target)
            inputs.append(exported.constants[spec.target] if held is None else held)
    with torch.no_grad():
        made = exported.graph_module(*inputs)
    results, after = [], list(user)
    for result, spec in zip(_leaves(made, is_leaf=lambda x: x is None), _specs(exported)):
        if spec.kind == _RESULTS.USER_OUTPUT:
            results.append(result)
        elif spec.kind == _RESULTS.USER_INPUT_MUTATION:
            after[places[spec.target]] = result
    form = exported.call_spec.out_spec
    return by_place(torch.utils._pytree.tree_unflatten(results, form)), after


def _specs(exported):
    return exported.graph_signature.output_specs


class Difference(AssayError):
    """A function does something else where it runs than what was exported of it."""


def check(function, exported, examples, keywords=None):
    """Runs a function and its exported graph on trials; Difference where they differ beyond
    rounding.  Gives what both were tried on: trials with the function's results.  Layouts that
    answer otherwise than the examples what the function asked are left out."""
    asked = exported.seen.of_layout
    wanted = _answers_of((examples, keywords or {}), asked)
    trials = Trials(examples, keywords, _most(function, examples, keywords))
    coarse = types_in(exported.graph_module.graph)
    results, arguments = Comparison(1, coarse), Comparison(1, coarse)
    updates = any(s.kind == _RESULTS.USER_INPUT_MUTATION for s in _specs(exported))
    made = []
    for trial in trials:
        if trial.shares_memory and updates:
            continue  # a call with such arguments is an error
        copies = trial.copies()
        if asked and _answers_of(copies, asked) != wanted:
            made.append((trial, None))
            continue
        try:
            ours, ours_after = run_apart(function, *copies)
        except Exception:  # noqa: BLE001  (there the function is an error)
            made.append((trial, None))
            continue
        theirs, theirs_after = results_of(exported, *trials.as_examples(trial.values))
        found = results.difference(ours, theirs)
        found = found or _after(arguments.difference(ours_after, theirs_after))
        if found:
            raise Difference(
                f"with {trial.differs}, {found}: the first where the function runs, the second of"
                " what torch.export made of it"
            )
        made.append((trial, ours))
    return made


def _answers_of(values, asked):
    return [answers(x, asked) for x in _leaves(values) if isinstance(x, torch.Tensor)]


def _after(found):
    return f"{found.replace('result', 'argument', 1)} after the call" if found else None


def _most(function, examples, keywords):
    """How many trials are made; None for all."""
    tensors = [x for x in _leaves((examples, keywords)) if isinstance(x, torch.Tensor)]
    if isinstance(function, torch.nn.Module):
        tensors += [*function.parameters(), *function.buffers()]
    return _FEW_TRIALS if sum(x.numel() for x in tensors) > _MANY else None


# two functions that are equal may round otherwise
_OTHER_FORMULA = 20


def difference_of(first, second):
    """In words, where two functions, by their trials as `check` gives them, differ beyond rounding;
    None where they do not."""
    comparison = Comparison(_OTHER_FORMULA)
    for (trial, ours), (_, theirs) in zip(first, second):
        if ours is None or theirs is None or not trial.is_modest:
            continue
        found = comparison.difference(ours, theirs, both_finite=True)
        if found:
            return f"with {trial.differs}, {found}"
    return None


def apart(functions, examples):
    """The first trial with modest numbers at which two functions both run, and differ beyond
    rounding, in double precision, too, where they have it; with that in words and what both give.
    None where there is none."""
    trials = Trials(examples, {})
    for trial in trials:
        if not trial.is_modest:
            continue
        given = [
            _results(function, trials.as_examples(trial.values), copied) for function in functions
        ]
        found = _apart(given)
        if found:
            wide = [
                _results(function, trials.as_examples(trial.values), _widened)
                for function in functions
            ]
            if None in wide or _apart(wide):
                return trial, f"with {trial.differs}, {found}", tuple(given)
    return None


def _widened(x):
    is_real = isinstance(x, torch.Tensor) and x.dtype.is_floating_point
    return x.detach().double() if is_real else copied(x)


def _results(function, values, changed):
    """What a function gives, as a flat list; None where it raises."""
    try:
        return run_apart(function, *_tree_map(changed, values))[0]
    except Exception:  # noqa: BLE001  (whatever the user's code raises)
        return None


def _apart(given):
    if None in given:
        return None
    return Comparison(_OTHER_FORMULA).difference(*given, both_finite=True)
