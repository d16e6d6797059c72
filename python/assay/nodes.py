"""New nodes of a graph."""

import contextlib

import torch


def made(graph, like, target, *arguments, **keywords):
    """A new node, of the user's line of another."""
    node = graph.call_function(target, arguments, keywords)
    node.meta = {k: v for k, v in like.meta.items() if k in ("stack_trace", "nn_module_stack")}
    values = torch.fx.node.map_arg(arguments, lambda n: n.meta["val"])
    # tensors made of numbers alone are, like those of the graph, without data
    mode = getattr(like.meta.get("val"), "fake_mode", None) or contextlib.nullcontext()
    with mode:
        node.meta["val"] = target(*values, **keywords)
    return node
