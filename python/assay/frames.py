"""Whose code a file is: the user's, or of PyTorch, this package and Python."""

import os
import sysconfig

import torch

# frames of PyTorch, of this package and of Python's own library say nothing about the user's program
_NOT_THE_USERS = (os.path.dirname(torch.__file__), os.path.dirname(os.path.abspath(__file__)))
_STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"] + os.sep


def is_not_the_users(path):
    """Is it a file of PyTorch, of this package, of Python's library, or none?"""
    # what is installed by others lies below the standard library
    standard = path.startswith(_STANDARD_LIBRARY) and "-packages" not in path
    return standard or path.startswith(_NOT_THE_USERS) or path.startswith("<")
