"""Rows of the table for positions that are data, and for what has no equation."""

from . import sequences
from .errors import Unsupported
from .table import ROWS, row
from .values import number


def _read(t, op):
    """The operator that reads at positions.  In a claim there is nothing to be read beside an axis;
    a kernel, which gets its positions at a call, reads 0 there."""
    return f"{op}_at" if t.reading else op


def _from_end(t, at, extent):
    """Positions that count from the end where below 0, as the claim's operators want them."""
    if not t.reading:
        return at
    return t.value(f"torch_from_end({at.text}, n={extent})", at.extents, at.dtype)


@row("gather.default")
def _gather(t, x, axis, index, sparse_grad=False):
    axis %= x.rank
    _check_rows(t, x, index, axis)
    along, whole, most, total = t.less_of_rows.get(x.text, (None, None, None, None))
    if along == axis and not t.reading and index.extents[axis] == "1":
        # of a loss by labels: what is not read is not made
        picked = _gathered(t, whole, axis, index)
        shifted = t.value(f"{picked.text} - {most.text}", index.extents)
        return t.value(f"{shifted.text} - log({total.text})", index.extents)
    return _gathered(t, x, axis, index)


def _gathered(t, x, axis, index):
    return t.value(
        f"{_read(t, 'torch_gather')}({x.text}, {index.text}, axis={axis})", index.extents, x.dtype
    )


@row("embedding.default")
def _embedding(t, weight, indices, padding_idx=-1, scale=False, sparse=False):
    extents = indices.extents + weight.extents[1:]
    return t.value(
        f"{_read(t, 'torch_rows')}({weight.text}, {indices.text})", extents, weight.dtype
    )


@row("index_select.default")
def _index_select(t, x, axis, index):
    return _taken(t, x, axis % x.rank, index)


@row("index.Tensor")
def _index(t, x, positions):
    """x[:, .., at]: one tensor of positions, or one for each of the first two axes."""
    places = [axis for axis, at in enumerate(positions) if at is not None]
    if any(positions[axis].dtype != "int" for axis in places):
        raise Unsupported(t.operator, "by truths: the extent of the result depends on data")
    if len(places) == 1:
        return _taken(t, x, places[0], positions[places[0]])
    if places != [0, 1]:
        raise Unsupported(t.operator, "by several tensors that are not of the first two axes")
    extents = t.broadcast(*positions)
    counted = (_from_end(t, at, extent) for at, extent in zip(positions, x.extents))
    first, second = (t.layouts.expand(at, extents) for at in counted)
    text = f"{_read(t, 'torch_take2')}({x.text}, {first.text}, {second.text})"
    return t.value(text, extents + x.extents[2:], x.dtype)


def _taken(t, x, axis, at):
    extents = x.extents[:axis] + at.extents + x.extents[axis + 1 :]
    at = _from_end(t, at, x.extents[axis])
    return t.value(f"{_read(t, 'torch_take')}({x.text}, {at.text}, axis={axis})", extents, x.dtype)


@row("unfold.default")
def _unfold(t, x, axis, size, step):
    axis %= x.rank
    whole = t.program.extents.value(x.extents[axis])
    if step != size or whole % size != 0:
        raise Unsupported(t.operator, "with windows that overlap or leave something out")
    t.program.extents.fix(x.extents[axis])  # as many windows as it has here
    count = t.size_of(t.result_value(axis))
    parts = (t.program.extents.number(count), t.program.extents.number(size))
    split = t.layouts.view(x, x.extents[:axis] + parts + x.extents[axis + 1 :])
    order = [a for a in range(split.rank) if a != axis + 1] + [axis + 1]
    return t.layouts.permute(split, order)


@row("scatter.value")
def _scatter_value(t, x, axis, index, fill):
    axis %= x.rank
    _check_rows(t, x, index, axis)
    fill = number(t.fill(fill))
    return t.value(
        f"torch_scatter({x.text}, {index.text}, {fill}, axis={axis})", x.extents, x.dtype
    )


@row("scatter_add.default")
def _scatter_add(t, x, axis, index, source):
    return _sent(t, "torch_scatter_add", x, axis, index, source)


def _sent(t, op, x, axis, index, source):
    """Values sent to the positions along an axis, a value for each."""
    axis %= x.rank
    _check_rows(t, x, index, axis)
    if source.extents != index.extents:
        raise Unsupported(t.operator, "with fewer positions than values")
    text = f"{op}({x.text}, {index.text}, {source.text}, axis={axis})"
    return t.value(text, x.extents, _kind_of_sums(x))


def _kind_of_sums(x):
    """Truths that are added are counts, which a result of truths takes as such."""
    return "int" if x.dtype == "bool" else x.dtype


def _check_rows(t, x, index, axis):
    rest = [e for k, e in enumerate(x.extents) if k != axis]
    if rest != [e for k, e in enumerate(index.extents) if k != axis]:
        raise Unsupported(t.operator, "with fewer rows of positions than of values")


@row("argmax.default", "argmin.default")
def _argmax(t, x, axis=None, keepdim=False):
    if axis is None:
        whole = t.program.extents.product(x.extents)
        x, axis = t.layouts.view(x, (whole,)), 0
        if keepdim:
            raise Unsupported(t.operator, "over all elements, with their axes kept")
    return place_of_extremum(t, t.operator.split(".")[1], x, axis % x.rank, keepdim)


def place_of_extremum(t, op, x, axis, keepdim):
    """The first place along an axis where its largest (argmax) or smallest (argmin) element is."""
    extents = x.extents[:axis] + x.extents[axis + 1 :]
    found = t.value(f"torch_{op}({x.text}, axis={axis})", extents, "int")
    return t.layouts.unsqueeze(found, axis) if keepdim else found


@row("scatter.src")
def _scatter_source(t, x, axis, index, source):
    """Of several values sent to one place PyTorch takes any; here it is the last one."""
    return _sent(t, "torch_scatter_last", x, axis, index, source)


@row("index_put.default")
def _index_put(t, x, positions, values, accumulate=False):
    """x[:, .., at] = values.  Where two positions are one, PyTorch says nothing of the result; here
    the last value counts."""
    places = [axis for axis, at in enumerate(positions) if at is not None]
    if any(positions[axis].dtype != "int" for axis in places):
        raise Unsupported(t.operator, "by truths: write it by torch.where")
    if len(places) != 1 or positions[places[0]].rank != 1:
        raise Unsupported(t.operator, "at positions that are not one vector for one axis")
    (axis,) = places
    at = positions[axis]
    values = t.layouts.expand(values, x.extents[:axis] + at.extents + x.extents[axis + 1 :])
    op = "torch_put_add" if accumulate else "torch_put"
    kind = _kind_of_sums(x) if accumulate else x.dtype
    return t.value(f"{op}({x.text}, {at.text}, {values.text}, axis={axis})", x.extents, kind)


@row("topk.default")
def _largest(t, x, count, axis=-1, largest=True, sorted=True):
    return _ranked(t, x, t.bound(count), axis, largest, stable=False)


@row("sort.default")
def _in_order(t, x, axis=-1, descending=False):
    return _ranked(t, x, None, axis, descending, stable=False)


@row("sort.stable")
def _in_stable_order(t, x, stable=False, dim=-1, descending=False):
    return _ranked(t, x, None, dim, descending, stable)


def _ranked(t, x, count, axis, descending, stable):
    """Elements in their order, and where they stand."""
    if not t.reading:
        raise Unsupported(t.operator, "its result is a position in an order")
    axis %= x.rank
    count = x.extents[axis] if count is None else count
    extents = x.extents[:axis] + (count,) + x.extents[axis + 1 :]
    source = x if descending else t.value(f"-{x.text}", x.extents, x.dtype)
    settings = f"{source.text}, axis={axis}, size={count}"
    ranked = t.value(f"torch_ranked({settings})", extents, x.dtype)
    ranked = ranked if descending else t.value(f"-{ranked.text}", extents, x.dtype)
    places = None
    if t.takes_result(1):
        places = t.value(f"torch_ranked_places({settings})", extents, "int")
        if not stable:
            t.suppose(f"{t.operator} has of equal elements the first one first")
    return ranked, places


@row("nonzero.default")
def _order(t, *_, **__):
    raise Unsupported(t.operator, "the extent of its result depends on data")


@row("rand.default", "randn.default", "native_dropout.default", "bernoulli.p")
def _random(t, *_, **__):
    raise Unsupported(t.operator, "random numbers have no equation; call eval() on the model")


def _over_a_sequence(t, *_, **__):
    raise Unsupported(
        t.operator, "a network over a sequence of many steps, each of which waits for the last"
    )


for _network in sequences.NETWORKS:
    ROWS[f"assay.{_network}.default"] = _over_a_sequence
