"""Runs of a user's function as PyTorch does it, that leave its arguments and its module as they
were."""

import contextlib

import torch

_tree_map = torch.utils._pytree.tree_map


def copied(x):
    """A tensor of the same numbers that lies as the given one does; anything else as it is."""
    if not isinstance(x, torch.Tensor):
        return x
    if x.layout is not torch.strided or not x.is_leaf:
        return x.detach().clone()
    return laid_like(x, x)


def laid_like(x, like):
    """The numbers of x in new memory, with the strides, the offset and the wish for a gradient of
    `like`, a tensor of the same extents."""
    with torch.no_grad():
        made = _memory_like(like, x.dtype)
        once = _without_repeats(like)
        made[once].copy_(x.detach()[once])
    if made.dtype.is_floating_point or made.dtype.is_complex:
        made.requires_grad_(like.requires_grad)
    return made


def _memory_like(like, dtype):
    last = sum(d * (n - 1) for n, d in zip(like.shape, like.stride()))
    room = like.storage_offset() + (last + 1 if like.numel() else 0)
    if like.is_contiguous() and like.storage_offset() == 0 and not like._is_view():
        return torch.empty(like.shape, dtype=dtype, device=like.device)
    memory = torch.empty(room, dtype=dtype, device=like.device)
    return memory.as_strided(like.shape, like.stride(), like.storage_offset())


def _without_repeats(like):
    """What of a tensor with strides of 0 has each of its elements once."""
    return tuple(slice(0, 1) if step == 0 else slice(None) for step in like.stride())




@contextlib.contextmanager
def state_kept(function):
    """Within it a module may change its attributes and buffers, and afterwards has those of
    before."""
    parts = list(function.modules()) if isinstance(function, torch.nn.Module) else []
    tables = [
        (table, dict(table))
        for part in parts
        for table in (vars(part), part._parameters, part._buffers, part._modules)
    ]
    written = []
    for part in parts:
        kept = [x for x in (*part._buffers.values(), *vars(part).values())]
        tensors = [x for x in kept if isinstance(x, torch.Tensor) and not x.is_inference()]
        written += [(x, x._version, x.detach().clone()) for x in tensors]
    try:
        yield
    finally:
        for table, before in tables:
            table.clear()
            table.update(before)
        with torch.no_grad():
            for x, version, before in written:
                if x._version != version:
                    x.copy_(before)


def run(function, arguments, keywords):
    """What a function gives; its arguments and state may be changed by that."""
    return function(*arguments, **keywords)


def by_place(results):
    """The leaves of results, in an order that is that of their places (keys, positions)."""
    found, _ = torch.utils._pytree.tree_flatten_with_path(results)
    return [x for _, x in sorted(found, key=lambda pair: torch.utils._pytree.keystr(pair[0]))]


def run_apart(function, arguments, keywords):
    """What a function gives, as a flat list by place, and the flat arguments as it leaves them; these are
    copies that may be written to, and the function's own state stays as it is."""
    with state_kept(function):
        results = run(function, arguments, keywords)
        leaves = [
            x.detach().clone() if isinstance(x, torch.Tensor) else x for x in by_place(results)
        ]
    after = torch.utils._pytree.tree_leaves((arguments, keywords))
    return leaves, [x.detach() if isinstance(x, torch.Tensor) else x for x in after]
