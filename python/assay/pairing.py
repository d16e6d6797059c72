"""Which input and which result of one exported function is which of another."""

import torch

from .errors import AssayError, ConstantsDiffer
from .shared_constants import is_uniform

_KINDS = torch.export.graph_signature.InputKind


def inputs_of(first, second):
    """For each tensor that `second` takes, by the name of its placeholder, the name of the one of
    `first`; AssayError where they take other things."""
    pairs = _arguments(first, second)
    for kind, what in ((_KINDS.PARAMETER, "parameters"), (_KINDS.BUFFER, "buffers")):
        pairs |= _state(first, second, kind, what)
    return pairs | _constants(first, second)


def _specs(exported, *kinds):
    return [spec for spec in exported.graph_signature.input_specs if spec.kind in kinds]


def _arguments(first, second):
    """Arguments, by position."""
    ours, theirs = (_specs(exported, _KINDS.USER_INPUT) for exported in (first, second))
    if len(ours) != len(theirs):
        raise AssayError(f"{len(ours)} inputs against {len(theirs)}")
    return {b.arg.name: a.arg.name for a, b in zip(ours, theirs)}


def _state(first, second, kind, what):
    """Parameters or buffers: by their names where both have the same ones, otherwise in order."""
    ours, theirs = (_specs(exported, kind) for exported in (first, second))
    if len(ours) != len(theirs):
        raise AssayError(f"{len(ours)} {what} against {len(theirs)}")
    named = {spec.target: spec for spec in ours}
    if named.keys() == {spec.target for spec in theirs}:
        ours = [named[spec.target] for spec in theirs]
    for a, b in zip(ours, theirs):
        values = _value(first, a), _value(second, b)
        if kind == _KINDS.BUFFER and not _are_same(*values):
            raise ConstantsDiffer(f"the buffers {a.target} and {b.target} hold other values")
    return {b.arg.name: a.arg.name for a, b in zip(ours, theirs)}


def _constants(first, second):
    """Tensors that the functions bring along: by what they hold."""
    ours = _specs(first, _KINDS.CONSTANT_TENSOR)
    pairs = {}
    for b in _specs(second, _KINDS.CONSTANT_TENSOR):
        value = _value(second, b)
        same = [a for a in ours if _are_same(_value(first, a), value)]
        if same:
            pairs[b.arg.name] = same[0].arg.name
        elif not is_uniform(value):  # else it is a number of the program
            raise ConstantsDiffer(
                f"{b.target}, a tensor that the second function brings along, is none of the first:"
                " make it an argument of both"
            )
    return pairs


def _value(exported, spec):
    held = exported.state_dict.get(spec.target)
    return exported.constants[spec.target] if held is None else held


def _are_same(x, y):
    """Are these tensors of the same type that hold the same numbers?"""
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    return x.device == y.device and bool(torch.all((x == y) | ((x != x) & (y != y))))


def have_same_parameters(first, second):
    """Do parameters that are paired hold the same values?"""
    pairs = _state(first, second, _KINDS.PARAMETER, "parameters")
    ours, theirs = (
        {spec.arg.name: _value(exported, spec) for spec in _specs(exported, _KINDS.PARAMETER)}
        for exported in (first, second)
    )
    return all(_are_same(ours[a], theirs[b]) for b, a in pairs.items())


def has_constants(exported):
    """Does the function bring tensors along that are no single number?"""
    constants = _specs(exported, _KINDS.CONSTANT_TENSOR)
    return not all(is_uniform(_value(exported, spec)) for spec in constants)


def numbers_of(exported):
    """Arguments that are no tensors, of which a claim about the function takes the values as they
    are: by name."""
    found = {}
    for spec in _specs(exported, _KINDS.USER_INPUT):
        if isinstance(spec.arg, torch.export.graph_signature.ConstantArgument):
            found[spec.arg.name] = spec.arg.value
    return found


def results_of(first, second):
    """For each result of `first` that is a tensor the place of the same one among those of `second`
    that are; AssayError where the two give results of another form."""
    ours, theirs = (_results(exported) for exported in (first, second))
    if ours.keys() != theirs.keys():
        raise AssayError(f"results of another form: {_said(ours)} and {_said(theirs)}")
    for path, result in ours.items():
        if _is_tensor(result) != _is_tensor(theirs[path]):
            raise AssayError(f"result{_at(path)} is a tensor in one and none in the other")
        computed = isinstance(result, torch.fx.Node) or isinstance(theirs[path], torch.fx.Node)
        if computed and not _is_tensor(result):
            raise AssayError(
                f"result{_at(path)} is a number that is computed: return it as a tensor"
            )
        same = type(result) is type(theirs[path]) and result == theirs[path]
        if not _is_tensor(result) and not same:
            raise AssayError(
                f"result{_at(path)} is {result!r} in one and {theirs[path]!r} in the other"
            )
    tensors = [path for path, result in theirs.items() if _is_tensor(result)]
    return [tensors.index(path) for path, result in ours.items() if _is_tensor(result)]


def tensors_of(exported):
    """The nodes of the tensors that a function returns, in the order of its results."""
    return [result for result in _results(exported).values() if _is_tensor(result)]


def _is_tensor(result):
    return isinstance(result, torch.fx.Node) and isinstance(result.meta.get("val"), torch.Tensor)


def _results(exported):
    """What the graph gives for each result, by where it stands in what the function returns."""
    given = exported.graph_module.graph.output_node().args[0]
    form = exported.call_spec.out_spec
    returned = given[len(given) - form.num_leaves :]  # what is updated in place stands before
    made = torch.utils._pytree.tree_unflatten(list(returned), form)
    found, _ = torch.utils._pytree.tree_flatten_with_path(made)
    return {torch.utils._pytree.keystr(path): result for path, result in found}


def _at(path):
    return f" {path}" if path else ""


def _said(results):
    return ", ".join(path or "one" for path in results) or "none"
