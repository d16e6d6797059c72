"""The name that `torch.compile` knows the backend by, where the package is not installed.

PyTorch looks for backends among the entry points of what is installed, once, when the first is
asked for by its name.  A package that is merely on the path has none.  So an import of it stands
for an installation of its name and entry point, which costs nothing until PyTorch looks; where it
has looked already, the backend is registered.
"""

import sys
from importlib.metadata import Distribution, DistributionFinder

LOOKS = "torch._dynamo.backends.registry"


class _OnThePath(Distribution):
    """The entry point of pyproject.toml; an installed package of the name comes before it."""

    texts = {
        "METADATA": "Metadata-Version: 2.1\nName: assay\nVersion: 0\n",
        "entry_points.txt": "[torch_dynamo_backends]\nassay = assay.backend:assay_backend\n",
    }

    def read_text(self, filename):
        return self.texts.get(filename)

    def locate_file(self, path):
        raise FileNotFoundError(path)


class _Finder(DistributionFinder):
    def find_spec(self, fullname, path=None, target=None):
        return None

    def find_distributions(self, context=DistributionFinder.Context()):
        if context.name is None:  # nobody asks for this package: it is not installed
            yield _OnThePath()


def name_backend():
    """Makes "assay" a backend of torch.compile, once; what is of that name already stays."""
    sys.meta_path.append(_Finder())
    if LOOKS not in sys.modules:
        return
    registry = sys.modules[LOOKS]
    if "assay" not in registry.list_backends(exclude_tags=()):
        from .backend import assay_backend

        registry.register_backend(assay_backend, name="assay")
