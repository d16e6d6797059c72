"""Whether two tensors lie in the same memory."""


def may_overlap(x, y):
    """Whether an element of one may lie where one of the other does; False is certain."""
    if x.numel() == 0 or y.numel() == 0 or x.device != y.device:
        return False
    begins, ends = zip(_span(x), _span(y))
    if max(begins) >= min(ends):
        return False
    if x.dtype != y.dtype or (begins[0] - begins[1]) % x.itemsize != 0:
        return True
    return _meet(x, y, (begins[1] - begins[0]) // x.itemsize)


def _span(x):
    """Where its first element begins and its last one ends."""
    begin = x.data_ptr()
    last = sum(stride * (extent - 1) for stride, extent in zip(x.stride(), x.shape))
    return begin, begin + (last + 1) * x.itemsize


def _meet(x, y, distance):
    """Whether elements of x lie `distance` elements behind where y has some: as sums of steps
    along the axes of both, if these have no stride twice."""
    extents = [_extents_by_stride(tensor) for tensor in (x, y)]
    if None in extents:
        return True
    axes = sorted({*extents[0], *extents[1]}, reverse=True)
    # positions along an axis differ by less than the larger extent
    most = {stride: max(known.get(stride, 1) for known in extents) - 1 for stride in axes}
    return _is_reached(distance, [(stride, most[stride]) for stride in axes])


def _is_reached(distance, axes):
    """Whether a distance is a sum of steps along axes, given as (stride, the most steps either
    way), the longest first."""
    if not axes:
        return distance == 0
    (stride, most), smaller = axes[0], axes[1:]
    below = sum(s * m for s, m in smaller)
    if stride <= below:
        return True  # windows that overlap: too many ways
    first, last = -((below - distance) // stride), (distance + below) // stride
    counts = range(max(first, -most), min(last, most) + 1)
    return any(_is_reached(distance - count * stride, smaller) for count in counts)


def _extents_by_stride(x):
    """None where two axes have the same stride, or one repeats its elements."""
    axes = [(stride, extent) for stride, extent in zip(x.stride(), x.shape) if extent > 1]
    found = dict(axes)
    return None if len(found) < len(axes) or 0 in found else found
