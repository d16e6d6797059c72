"""Which extents of a graph are stated as the numbers that they are, and not as size symbols."""

import torch

# an axis of so few elements, of which one is taken by its number, has as many for a reason
_FEW = 16

# operators that take parts of an axis, or put parts together: the place of the axis among their
# arguments
_AT_POSITIONS = {
    "aten.slice.Tensor": 1,
    "aten.select.int": 1,
    "aten.split_with_sizes.default": 2,
    "aten.cat.default": 1,
    "aten.slice_scatter.default": 2,
    "aten.select_scatter.default": 2,
}
_TAKES_PARTS = ("aten.slice.Tensor", "aten.select.int", "aten.split_with_sizes.default")
_PADS = ("aten.constant_pad_nd.default",)
_VIEWS = ("aten.view.default", "aten.reshape.default", "aten._unsafe_view.default")


def window_extents(nodes, all_of_them=False):
    """Extents that are stated as numbers: those of windows, and channels that are in groups.

    What a window leaves of an extent n is said by an expression, such as n + 2 - 3 + 1, which is n
    where the window is a number.  With `all_of_them` the extents that windows slide over are
    numbers, too, for programs where such expressions do not meet.
    """
    found = set()
    for node in nodes:
        target = str(node.target)
        if "convolution" not in target and "_pool" not in target:
            continue
        tensors = [*node.all_input_nodes, node] if all_of_them else node.all_input_nodes[1:2]
        for tensor in tensors:
            found.update(_numbers_of(tensor, 2))
        if "convolution" in target and node.args[8] != 1:
            groups = node.args[8]
            channels = _numbers_of(node.all_input_nodes[0], 1, 2)
            channels += _numbers_of(node.all_input_nodes[1], 0, 2) + _numbers_of(node, 1, 2)
            found.update((groups, *channels, *(e // groups for e in channels)))
    return found


def _numbers_of(node, first, end=None):
    """The extents of a node's axes from `first` on that are numbers."""
    value = node.meta.get("val")
    value = value[0] if isinstance(value, (tuple, list)) else value
    shape = value.shape[first:end] if isinstance(value, torch.Tensor) else ()
    return [e for e in shape if isinstance(e, int)]


def _axis_of(node):
    place = _AT_POSITIONS[str(node.target)]
    return node.args[place] if len(node.args) > place else node.kwargs.get("dim", 0)


def _shapes(node):
    """The extents of what a node reads and of what it gives."""
    found = []
    for each in (*node.all_input_nodes, node):
        value = each.meta.get("val")
        values = value if isinstance(value, (tuple, list)) else [value]
        found += [list(v.shape) for v in values if isinstance(v, torch.Tensor)]
    return found


def _along(node):
    """The extents, along its axis, of what an operator at positions reads and gives."""
    if str(node.target) in _PADS:
        before, after = _shapes(node)[0], _shapes(node)[-1]
        return [e for pair in zip(before, after) if pair[0] != pair[1] for e in pair]
    shapes, axis = _shapes(node), _axis_of(node)
    axis %= max(1, len(shapes[0]))
    return [shape[axis] for shape in shapes if len(shape) > axis]


def extents_of_few(nodes):
    """Extents of axes of few elements that are taken one by one, such as a query, a key and a
    value."""
    found = set()
    for node in nodes:
        target = str(node.target)
        if target in _TAKES_PARTS:
            whole, *parts = _along(node)
            one = target == "aten.select.int" or 1 in parts
            found.update({whole} if one and isinstance(whole, int) and whole <= _FEW else ())
    return found


def divided_extents(nodes):
    """Extents of axes that are divided or joined at fixed positions, of their parts, and what views
    make of these."""
    found = set()
    for node in nodes:
        if str(node.target) in _AT_POSITIONS or str(node.target) in _PADS:
            found.update(e for e in _along(node) if isinstance(e, int))
    views = [node for node in nodes if str(node.target) in _VIEWS]
    segments = [s for node in views for s in _segments(*_shapes(node)[:1], _shapes(node)[-1])]
    while True:
        more = {e for segment in segments if found & set(segment) for e in segment} - found
        if not more:
            return found
        found |= more


def _segments(before, after):
    """The shortest runs of axes that a view makes of each other, as the extents of both sides."""
    if not all(isinstance(e, int) and e > 0 for e in (*before, *after)):
        return
    before, after = ([e for e in shape if e != 1] for shape in (before, after))
    while before and after:
        left, right = [before.pop(0)], [after.pop(0)]
        sizes = [left[0], right[0]]
        while sizes[0] != sizes[1]:
            short = 0 if sizes[0] < sizes[1] else 1
            extent = (before, after)[short].pop(0)
            (left, right)[short].append(extent)
            sizes[short] *= extent
        if len(left) + len(right) > 2:
            yield left + right
