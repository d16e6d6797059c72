"""Certified kernels as callables on tensors.

`assay build` makes a shared library of a result directory, for a GPU or, under its emulation of
the CUDA execution model, for the host; both have the same interface, which `interface.json`
describes: names, types and extents of inputs and outputs in order, and the workspace.
"""

import ctypes
import json
import os
import threading
import warnings
from pathlib import Path

import torch

from . import tool, whole
from .errors import AssayError, ToolError
from .program import RESULT_TYPE

_TYPES = {
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "int": torch.int32,
}
_ALIGNMENT = 16
# ASSAY_LIBRARY_FAILED and ASSAY_BAD_PLACE of the libraries' headers
_LIBRARY_FAILED = -3
_BAD_PLACE = -4


# where kernels look for cuBLASLt before they ask the dynamic linker
_LIBRARY_NAMED = "ASSAY_CUBLASLT"


def _name_loaded_library():
    """Names the cuBLASLt that PyTorch has loaded into this process, unless the user named one.

    The one of PyTorch's packages need not be where the dynamic linker looks, nor of the version
    that the kernels' compiler has.
    """
    if os.environ.get(_LIBRARY_NAMED):
        return
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = Path(line.split(maxsplit=5)[-1])
        if path.name.startswith("libcublasLt.so") and path.exists():
            os.environ[_LIBRARY_NAMED] = str(path)
            return


class _Choices:
    """Which of cuBLASLt's algorithms the products of a built library take: the fastest, found when
    it first runs on a GPU and kept beside it for other processes.

    Algorithms may round differently; with the file, what was chosen once is chosen ever after.
    """

    def __init__(self, library, path):
        self._choosing = library.assay_choosing
        self._choosing.argtypes, self._choosing.restype = [ctypes.c_int], None
        self._choices = library.assay_choices
        self._choices.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        self._choices.restype = ctypes.c_size_t
        take = library.assay_take_choices
        take.argtypes, take.restype = [ctypes.c_char_p], ctypes.c_int
        self._path = path
        # what cannot be read is no choice
        self._known = path.read_text(errors="replace") if path.exists() else ""
        take(self._known.encode())

    def chosen(self, launch):
        """What `launch` gives, with the fastest algorithms for what it meets; it waits for the
        GPU."""
        self._choosing(1)
        try:
            status = launch()
        finally:
            self._choosing(0)
        if status == 0:
            self._keep()
        return status

    def _keep(self):
        """Adds what was chosen to the file, where one can be written; what other machines chose
        stays."""
        room = self._choices(None, 0) + 1
        text = ctypes.create_string_buffer(room)
        self._choices(text, room)
        made = [line for line in text.value.decode().splitlines() if line not in self._known]
        if not made:
            return
        self._known += "".join(line + "\n" for line in made)
        scratch = self._path.with_suffix(f".{os.getpid()}")
        try:
            scratch.write_text(self._known)
            scratch.replace(self._path)
        except OSError as problem:
            warnings.warn(
                f"{self._path}: what was chosen of {_LIBRARY_NAMED} is not kept: {problem}"
            )


# memory for an input that nothing reads, and an aligned address in it
_UNREAD_MEMORY = ctypes.create_string_buffer(2 * _ALIGNMENT)
_UNREAD = -(-ctypes.addressof(_UNREAD_MEMORY) // _ALIGNMENT) * _ALIGNMENT

# What is emulated is one machine, whoever asks it.
_ONE_EMULATION = threading.Lock()


def _renew_lock():
    """The thread that held the lock is not there any more in a process that was forked."""
    global _ONE_EMULATION
    _ONE_EMULATION = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


class Kernel:
    """One certified program, built for one kind of device."""

    def __init__(self, directory, device, timed=True):
        """Builds the library of a result directory for "cpu" (emulation) or "cuda".  `timed`:
        products that are calls take the fastest of the library's algorithms."""
        self.directory = Path(directory)
        self.device = device
        made = tool.build(self.directory, device)
        described = json.loads((made / "interface.json").read_text())
        self.calls = described.get("calls")
        ports = [_Port(port) for port in described["inputs"]]
        self._is_typed = bool(ports) and ports[0].name == RESULT_TYPE
        self.inputs = ports[self._is_typed :]
        self.outputs = [_Port(port) for port in described["outputs"]]
        if self.calls and device == "cuda":
            _name_loaded_library()
        self._library = ctypes.CDLL(str(made / described["library"]))
        self._launch = self._library.assay_launch
        self._launch.argtypes = [ctypes.c_void_p] * 4
        self._launch.restype = ctypes.c_int
        # libraries of texts that were made before there was a choice take the first algorithm
        if timed and device == "cuda" and hasattr(self._library, "assay_choosing"):
            self._launch = self._first(_Choices(self._library, made / "algorithms"))
        self._run_host = self._library.assay_run_host
        self._run_host.argtypes = [ctypes.c_void_p] * 2
        self._run_host.restype = ctypes.c_int
        self._library.assay_workspace_bytes.restype = ctypes.c_size_t
        self.workspace_bytes = self._library.assay_workspace_bytes()
        self.most_whole = whole.LARGEST  # integers among the inputs are at most as large

    def _first(self, choices):
        """Launches, and chooses algorithms the first time that no graph is captured."""
        launch = self._launch

        def first(*arguments):
            if torch.cuda.is_current_stream_capturing():
                return launch(*arguments)
            self._launch = launch
            return choices.chosen(lambda: launch(*arguments))

        return first

    def of_types(self, tensors, types):
        """What a call gives, as tensors of these types."""
        made = self(*tensors)
        return [r if r.dtype == dtype else _as_type(r, dtype) for r, dtype in zip(made, types)]

    def check_extents(self, tensors):
        """AssayError where these are not as many tensors as are wanted, or of other extents."""
        if len(tensors) != len(self.inputs):
            raise AssayError(f"{len(self.inputs)} tensors are wanted, not {len(tensors)}")
        for port, tensor in zip(self.inputs, tensors):
            port.check_extents(tensor)

    def place_of(self, tensors):
        """The device on which the kernel runs: that of the first tensor that is on one of its
        kind."""
        here = (tensor.device for tensor in tensors if tensor.device.type == self.device)
        other = tensors[0].device if tensors else torch.device(self.device)
        return next(here, other)

    def _why(self, status):
        """What a library that the kernels call has told of a launch that failed in it."""
        if status != _LIBRARY_FAILED or not self.calls:
            return ""
        told = self._library.assay_library_error
        told.restype = ctypes.c_char_p
        return f": {told().decode()}"

    def launch(self, inputs, outputs, workspace, stream):
        """Launches on a stream of the GPU; arrays of addresses, addresses."""
        self._must(self._launch(self._with_type(inputs), outputs, workspace, stream))

    def run_host(self, inputs, outputs):
        """Runs under the emulation; arrays of addresses."""
        with _ONE_EMULATION:
            status = self._run_host(self._with_type(inputs), outputs)
        self._must(status)

    def _with_type(self, inputs):
        """The addresses of all of the program's inputs: before the tensors', that of what only says
        the results' type."""
        if not self._is_typed:
            return inputs
        return (ctypes.c_void_p * (len(inputs) + 1))(_UNREAD, *inputs)

    def _must(self, status):
        if status == _BAD_PLACE:
            raise AssayError("an integer among the arguments names no place of its tensor")
        if status != 0:
            why = self._why(status)
            raise ToolError(f"the kernel of {self.directory} ended with error {status}{why}")

    def __call__(self, *tensors):
        """Runs on the current stream of the inputs' device; gives a list of new tensors."""
        self.check_extents(tensors)
        where = self.place_of(tensors)
        most = self.most_whole
        ready = [port.prepared(tensor, where, most) for port, tensor in zip(self.inputs, tensors)]
        results = [torch.empty(p.extents, dtype=p.dtype, device=where) for p in self.outputs]
        if where.type == "cuda":
            workspace = torch.empty(self.workspace_bytes, dtype=torch.uint8, device=where)
            arguments = (
                _pointers(ready),
                _pointers(results),
                workspace.data_ptr(),
                _stream_of(where),
            )
            if where.index == torch.cuda.current_device():
                self.launch(*arguments)
            else:
                with torch.cuda.device(where):
                    self.launch(*arguments)
        else:
            self.run_host(_pointers(ready), _pointers(results))
        return results


class _Port:
    """An input or output: its name, element type and extents."""

    def __init__(self, described):
        self.name = described["name"]
        self.dtype = _TYPES[described["type"]]
        self.extents = tuple(described["extents"])

    def check_extents(self, tensor):
        if tensor.shape != self.extents:
            raise AssayError(
                f"{self.name}: extents {tuple(tensor.shape)}, but the kernel is for {self.extents}"
            )

    def prepared(self, tensor, where, most_whole=whole.LARGEST):
        """The tensor as the kernel wants it: on its device, of its type, contiguous, aligned."""
        if tensor.device != where:
            if tensor.dim() or tensor.device.type != "cpu":
                raise AssayError(f"{self.name}: on {tensor.device}, while others are on {where}")
            tensor = tensor.to(where)  # PyTorch, too, takes single numbers from the host
        if not tensor.is_floating_point() and tensor.dtype != torch.bool and tensor.numel():
            least, most = torch.stack(torch.aminmax(tensor)).tolist()  # waits for the device once
            if max(-least, most) > most_whole:
                raise AssayError(
                    f"{self.name}: an integer beyond 2^{most_whole.bit_length() - 1}, up to which"
                    " this kernel counts exactly"
                )
        if tensor.dtype != self.dtype or not tensor.is_contiguous():
            tensor = tensor.detach().to(self.dtype).contiguous()
        return tensor if tensor.data_ptr() % _ALIGNMENT == 0 else tensor.detach().clone()


def _as_type(result, dtype):
    """What a kernel counted in floating point, as a tensor of that type."""
    is_whole = not dtype.is_floating_point and dtype != torch.bool
    if is_whole and result.numel() and result.abs().max().item() >= whole.LARGEST:
        raise AssayError("a result is an integer beyond 2^24, where kernels do not count exactly")
    return result.to(dtype)


def _stream_of(device):
    """The handle of the stream that is current on a device of CUDA."""
    index = torch.cuda.current_device() if device.index is None else device.index
    return torch._C._cuda_getCurrentRawStream(index)


def _pointers(tensors):
    return (ctypes.c_void_p * max(1, len(tensors)))(*(t.data_ptr() for t in tensors))
