"""What a function asks of tensors besides their extents and types, while it is exported.

A claim is about the numbers in tensors, their extents and their types.  A function that asks how a
tensor lies in memory, whether it is a view or wants a gradient, is exported as what it does for the
answer that the examples give: the answer is a hypothesis.  So all that a function calls of PyTorch
is looked at; what gives no tensor is a question.
"""

import sys
from dataclasses import dataclass

import torch
from torch.overrides import TorchFunctionMode

from .frames import is_not_the_users
from .path import untraced

# questions that extents and types answer, which claims state and compiled functions check
_OF_EXTENTS_AND_TYPES = set(
    """shape size dim ndim ndimension numel nelement __len__ dtype device layout is_floating_point
    is_complex is_signed element_size itemsize nbytes is_cuda is_cpu is_xpu is_mps is_meta is_sparse
    is_sparse_csr is_mkldnn is_nested is_quantized is_xla is_ipu is_maia is_mtia is_vulkan is_ort
    get_device result_type is_tensor is_same_size sym_max sym_min sym_int sym_float sym_not sym_ite
    is_conj is_neg resolve_name iinfo finfo can_cast promote_types broadcast_shapes is_nonzero
    _is_zerotensor name names type __hash__ __repr__ __format__ __str__ __dir__ __contains__
    register_hook _set_grad_enabled""".split()
)
# What arguments that answer alike have in common with the examples, for each question that there
# are such for: strides, offset, whether it is a view, wishes for a gradient, inference mode.
_STRIDES, _MEMORY = ("strides",), ("strides", "offset")
_GRADIENT, _VIEW = ("gradient",), ("strides", "offset", "view")
_ALIKE = {
    **dict.fromkeys(
        ("stride", "is_contiguous", "dim_order", "is_non_overlapping_and_dense"), _STRIDES
    ),
    **dict.fromkeys(
        "storage_offset as_strided as_strided_ as_strided_scatter as_strided_copy".split(), _MEMORY
    ),
    **dict.fromkeys("requires_grad is_leaf grad_fn grad retains_grad output_nr".split(), _GRADIENT),
    **dict.fromkeys(("_is_view", "_base"), _VIEW),
    "is_inference": ("inference",),
}
_OF_LAYOUT = set(_ALIKE)


def answers(tensor, questions):
    """What of a tensor decides its answers to questions of layout."""
    wanted = {each for question in questions for each in _ALIKE[question.name]}
    found = {}
    if "strides" in wanted:
        found["strides"] = tensor.stride()
    if "offset" in wanted:
        found["offset"] = tensor.storage_offset()
    if "view" in wanted:
        found["is a view"] = tensor._is_view()
    if "gradient" in wanted:
        found["requires_grad"], found["is a leaf"] = tensor.requires_grad, tensor.is_leaf
    if "inference" in wanted:
        found["is of inference mode"] = tensor.is_inference()
    return found


# reads of numbers: torch.export follows some, what it cannot follow it refuses by itself
_OF_DATA = set("item tolist numpy __array__ __bool__ __float__ __int__ __index__ equal".split())


@dataclass(frozen=True)
class Question:
    """One question about arguments, and where it is asked."""

    name: str
    place: str

    def __str__(self):
        return f"{self.name} at {self.place}"


class Questions(TorchFunctionMode):
    """Within it the calls of a function are looked at.

    `of_layout` are those that tensors lying and wanting gradients as the examples do answer alike;
    `others` are those that nothing answers alike, and `of_data` those that read a number."""

    def __init__(self):
        super().__init__()
        self.of_layout, self.others, self.of_data = [], [], []

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        name = _name(function)
        if name == "data.__set__":
            raise RuntimeError("a tensor is given another memory (x.data = ..): write x.copy_(..)")
        result = untraced(function, *arguments, **(keywords or {}))
        if name not in _OF_EXTENTS_AND_TYPES and self._is_question(name, function, result):
            frame = _asking(sys._getframe(1), getattr(function, "__code__", None))
            if not _is_of_pytorch(frame):
                self._note(name, f"{frame.f_code.co_filename}:{frame.f_lineno}")
        return result

    @staticmethod
    def _is_question(name, function, result):
        if name in _OF_LAYOUT or name in _OF_DATA:
            return True
        if result is None:
            return getattr(function, "__name__", "") == "__get__"
        if result is NotImplemented:
            return False
        return any(not isinstance(x, torch.Tensor) for x in torch.utils._pytree.tree_leaves(result))

    def _note(self, name, place):
        known = self.of_layout if name in _OF_LAYOUT else self.others
        known = self.of_data if name in _OF_DATA else known
        question = Question(name, place)
        if question not in known:
            known.append(question)


# how a call comes from the frame that makes it
_ON_THE_WAY = ("__torch_function__", "handle_torch_function", "untraced")


def _asking(frame, code):
    """The frame that asks, behind those of other modes that a call goes through, and of the
    function's own `code`."""
    while frame.f_back is not None:
        if frame.f_code.co_name not in _ON_THE_WAY and frame.f_code is not code:
            break
        frame = frame.f_back
    return frame


def _is_of_pytorch(frame):
    """Does PyTorch itself ask?  Its results are the same whatever the answer.  What was generated
    from a text counts as the user's where its module is."""
    path = frame.f_code.co_filename
    if path.startswith("<"):
        return frame.f_globals.get("__name__", "torch").split(".")[0] == "torch"
    return is_not_the_users(path)


def _name(function):
    name = getattr(function, "__name__", str(function))
    owner = getattr(getattr(function, "__self__", None), "__name__", None)
    if name == "__get__":
        return owner or name
    return f"{owner}.{name}" if name in ("__set__", "__delete__") else name
