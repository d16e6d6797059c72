"""`python -m assay import MODEL.onnx [-o MODEL.tp]`: the tensor program of an ONNX model."""

import argparse
import shutil
import sys
from pathlib import Path

from .equality import SPECIFICATIONS
from .errors import AssayError
from .exporting import export
from .onnx_model import from_onnx
from .program import Extents
from .translate import Translator


def import_model(path, out):
    """Writes the program of a model, and beside it the specifications that it uses."""
    model = from_onnx(path)
    exported = export(model, model.examples(), fixed=True)
    program = Translator(path.stem, Extents()).run(exported).program
    out.write_text(program.tp(SPECIFICATIONS.name))
    shutil.copy(SPECIFICATIONS, out.parent)


def main():
    parser = argparse.ArgumentParser(prog="python -m assay", description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("import", help="an ONNX model as a tensor program")
    command.add_argument("model", type=Path)
    command.add_argument("-o", "--out", type=Path)
    options = parser.parse_args()
    out = options.out or options.model.with_suffix(".tp")
    try:
        import_model(options.model, out)
    except AssayError as problem:
        print(f"assay import: {problem}", file=sys.stderr)
        return 2
    print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
