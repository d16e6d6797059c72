"""What a compiled function finds where it is called: parameters and buffers of its module, which
may have been replaced since, and whether PyTorch is to compute in other types than the program
says."""

import dis
import inspect

import torch

from .errors import AssayError


def _asks_for_training(kind):
    """Does a method of a class of modules read whether the module is in training?"""
    for parent in kind.__mro__:
        if parent in (torch.nn.Module, object):
            continue
        for method in vars(parent).values():
            if inspect.isfunction(method):
                steps = dis.get_instructions(method)
                if any(s.opname == "LOAD_ATTR" and s.argval == "training" for s in steps):
                    return True
    return False


class Mode:
    """Which parts of a module, of those that compute something else in training, were in training
    when it was compiled."""

    def __init__(self, module):
        parts = module.named_modules() if isinstance(module, torch.nn.Module) else ()
        asking = {}
        self._was = []
        for path, part in parts:
            kind = type(part)
            if asking.setdefault(kind, None) is None:
                asking[kind] = _asks_for_training(kind)
            if asking[kind]:
                self._was.append((part, part.training, path))

    def check(self):
        """AssayError where one of them is not so now: kernels compute what was exported."""
        for part, training, path in self._was:
            if part.training != training:
                now, then = ("train", "eval") if part.training else ("eval", "train")
                raise AssayError(
                    f"{path or 'the module'} ({type(part).__name__}) is in {now}() mode now, and"
                    f" was in {then}() when it was compiled: compile again, or call .{then}()"
                )


class State:
    """Parameters, buffers and constants of an exported program, by their names there: those of the
    module that it was made of, as they are now."""

    def __init__(self, exported, module=None):
        self._places = {name: (exported.constants, name) for name in exported.constants}
        self._places |= {name: (exported.state_dict, name) for name in exported.state_dict}
        if isinstance(module, torch.nn.Module):
            for path, part in module.named_modules(remove_duplicate=False):
                before = f"{path}." if path else ""
                for table in (part._parameters, part._buffers):
                    found = {before + name: (table, name) for name in table}
                    self._places |= {n: p for n, p in found.items() if n in exported.state_dict}

    def get(self, name):
        table, key = self._places[name]
        return table[key]


def autocast(device):
    """The type that PyTorch computes in where it may choose one, or None."""
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None


def check_autocast(device, wanted):
    """AssayError where the function would compute in other types than when it was compiled."""
    if autocast(device) != wanted:
        raise AssayError(
            f"compiled with autocast {_said(wanted)}, called with autocast"
            f" {_said(autocast(device))}: compile where it is as at the call"
        )


def _said(dtype):
    return "off" if dtype is None else f"to {dtype}"
