"""The short way through a call: a program that is one kernel, called with tensors as it wants them.

What a call does for any arguments (binding placeholders, steps, PyTorch's dispatcher) takes longer
than many a kernel.  Where all of it would come to nothing, it is left out: a call goes from the
arguments' addresses to the launch.  Whatever is not as the kernel wants it, in any respect, goes
the long way, which converts it or says what is wrong with it.
"""

import ctypes

import torch
from torch.autograd import forward_ad

from .islands import Island

_PLAIN = (torch.Tensor, torch.nn.Parameter)
_ALIGNED = 15  # bits that addresses do not have


def is_plain_kind(tensor):
    """Is it a tensor, and none of a kind that somebody made of it?"""
    return type(tensor) in _PLAIN


def is_plain(tensor, device):
    """Is it a tensor in the memory of such a device, of which nobody wants a gradient?"""
    wants_gradient = tensor.requires_grad and torch.is_grad_enabled()
    stands_for_others = tensor.is_neg() or tensor._is_zerotensor()  # of which there is no memory
    here = is_plain_kind(tensor) and tensor.device.type == device
    return here and not wants_gradient and not stands_for_others


def is_watched():
    """Does PyTorch want to see the operators of a call: does it trace, or has somebody a mode?"""
    return (
        torch.compiler.is_compiling()
        or torch._C._len_torch_dispatch_stack() > 0
        or torch._C._functorch.peek_interpreter_stack() is not None
        or torch._C._get_tracing_state() is not None
    )


class _Wanted:
    """An input as the kernel wants it, and where it comes from."""

    def __init__(self, port, argument, state):
        self.extents = torch.Size(port.extents)
        self.dtype = port.dtype
        self.argument = argument  # which of the call's; None: a state of the program
        self.state = state  # gives that


class _Made:
    """A result: how it is allocated."""

    def __init__(self, extents, dtype):
        self.extents = tuple(extents)
        self.strides = torch.empty(self.extents, device="meta").stride()
        self.dtype = dtype

    def on(self, device):
        """A function that allocates one on the current device of that kind."""
        guards = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
        quick = getattr(guards, "_empty_strided_cuda", None) if device == "cuda" else None
        if quick is not None:
            return lambda: quick(self.extents, self.strides, self.dtype)
        return lambda: torch.empty(self.extents, dtype=self.dtype, device=device)


class Direct:
    """Calls a kernel; `direct(arguments)` gives the results, or None for what goes the long way."""

    def __init__(self, kernel, wanted, made):
        self._kernel = kernel
        self._cuda = kernel.device == "cuda"
        self._wanted = [(w.argument, w.state, w.extents, w.dtype) for w in wanted]
        self._allocate = [m.on(kernel.device) for m in made]
        self._in = ctypes.c_void_p * max(1, len(wanted))
        self._out = ctypes.c_void_p * max(1, len(made))
        self._bytes = kernel.workspace_bytes

    def __call__(self, arguments):
        if is_watched() or forward_ad._current_level >= 0:
            return None
        device = torch._C._cuda_getDevice() if self._cuda else -1
        graded = torch.is_grad_enabled()
        places = []
        for which, state, extents, dtype in self._wanted:
            tensor = state() if which is None else arguments[which]
            if type(tensor) not in _PLAIN or tensor.layout is not torch.strided:
                return None
            if tensor.dtype is not dtype or tensor.get_device() != device:
                return None
            if (
                not self._cuda and not tensor.is_cpu
            ):  # others without a number, as "meta", are no CPU
                return None
            if tensor.shape != extents or not tensor.is_contiguous():
                return None
            if (tensor.requires_grad and graded) or tensor.is_neg() or tensor._is_zerotensor():
                return None
            place = tensor.data_ptr()
            if place & _ALIGNED:
                return None
            places.append(place)
        results = [allocate() for allocate in self._allocate]
        taken = self._out(*[r.data_ptr() for r in results])
        if self._cuda:
            room = None
            if self._bytes:
                room = torch.empty(self._bytes, dtype=torch.uint8, device="cuda")
            stream = torch._C._cuda_getCurrentRawStream(device)
            at = 0 if room is None else room.data_ptr()
            self._kernel.launch(self._in(*places), taken, at, stream)
        else:
            self._kernel.run_host(self._in(*places), taken)
        return results


def direct_of(pieces, kernels, places, results):
    """How many arguments the short way of a program takes, and that; None where there is none.

    `pieces` are its parts and `kernels` those that were certified, `places` where the values of its
    placeholders come from (Place of compiled.py, with `state_value`), `results` the nodes of its
    results.
    """
    computing = [p for p in pieces if isinstance(p, Island)]
    if len(pieces) != 1 or len(computing) != 1 or len(kernels) != 1:
        return None
    island, kernel = computing[0], kernels[0]
    if island.masked or [p.dtype for p in kernel.outputs] != list(island.types()):
        return None
    return _direct(island, kernel, places, results)


def _direct(island, kernel, places, results):
    given = {}  # node -> (argument, state)
    arguments = 0
    for place in places:
        if place.constant is not None or (place.node is None and place.state is None):
            return None
        if place.lying is not None or place.known is not None:
            return None
        if place.node is not None:
            given[place.node] = (None if place.state else arguments, place.state_value)
        arguments += place.state is None
    if any(node not in given for node in island.reads):
        return None
    reads = list(island.reads)
    checked = set(reads)
    if any(p.state is None and p.node not in checked for p in places):
        return None  # an argument that only the long way looks at
    gives = list(island.gives)
    if [r for r in results if r not in gives] or len(reads) != len(kernel.inputs):
        return None
    wanted = [_Wanted(port, *given[node]) for port, node in zip(kernel.inputs, reads)]
    if any(w.dtype == torch.int32 for w in wanted):
        return None  # which integers are no places is looked at the long way
    for node, want in zip(reads, wanted):
        if node.meta["val"].dtype != want.dtype or node.meta["val"].shape != want.extents:
            return None
    made = [_Made(node.meta["val"].shape, port.dtype) for node, port in zip(gives, kernel.outputs)]
    order = [gives.index(r) for r in results]
    call = Direct(kernel, wanted, made)
    if order == list(range(len(gives))):
        return arguments, call
    return arguments, lambda given: _in_order(call(given), order)


def _in_order(results, order):
    return None if results is None else [results[i] for i in order]
