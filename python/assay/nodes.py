"""New nodes of a graph."""

import contextlib

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

# How a node is run.  What was a view of a tensor as it lay when the graph was made may be a copy of
# one that lies otherwise: kernels give theirs row by row, and arguments lie as they do.
_RUN = {torch.ops.aten.view.default: torch.ops.aten.reshape.default}


def run_as(target):
    """What computes a node's result from tensors that may lie otherwise than the graph says."""
    return _RUN.get(target, target)


# a tensor is evaluated here if it is made of numbers alone by as many steps
_MOST_STEPS = 24


def numbers_of(node, known, most):
    """The tensor that a node always gives, or None where it reads an input, or would take long, as
    one of more than `most` elements."""
    if node in known:
        return known[node]
    known[node] = None
    made = node.meta.get("val")
    if node.op != "call_function" or len(known) > _MOST_STEPS or not isinstance(made, torch.Tensor):
        return None
    if made.numel() > most or torch.Tag.nondeterministic_seeded in node.target.tags:
        return None
    read = {source: numbers_of(source, known, most) for source in node.all_input_nodes}
    if any(value is None for value in read.values()):
        return None
    arguments, keywords = torch.fx.node.map_arg((node.args, node.kwargs), read.get)
    if "device" in keywords:
        keywords = {**keywords, "device": "cpu"}
    with unset_fake_temporarily():
        known[node] = node.target(*arguments, **keywords)
    return known[node]


# of a step that is one of those of attention which is written out: the last of them
OF_ATTENTION = "last_of_attention"

# what a node that is made in the place of another has of it
_KEPT = ("stack_trace", "nn_module_stack", OF_ATTENTION)


def made(graph, like, target, *arguments, **keywords):
    """A new node, of the user's line of another."""
    node = graph.call_function(target, arguments, keywords)
    node.meta = {k: v for k, v in like.meta.items() if k in _KEPT}
    values = torch.fx.node.map_arg(arguments, lambda n: n.meta["val"])
    # tensors made of numbers alone are, like those of the graph, without data
    mode = getattr(like.meta.get("val"), "fake_mode", None) or contextlib.nullcontext()
    with mode:
        node.meta["val"] = target(*values, **keywords)
    return node


def is_made_of_numbers(node):
    """Whether a node gives the same in each call: it is made of no input."""
    return node.op == "call_function" and all(map(is_made_of_numbers, node.all_input_nodes))
