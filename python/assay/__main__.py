"""`python -m assay import MODEL.onnx [-o MODEL.tp]`: the tensor program of an ONNX model."""

import argparse
import re
import shutil
import sys
from pathlib import Path

import torch

from .equality import SPECIFICATIONS, suppose_alike
from .errors import AssayError
from .exporting import export
from .onnx_model import from_onnx
from .program import RESERVED, Extents
from .translate import Translator


def import_model(path, out):
    """Writes the program of a model, and beside it the specifications that it uses.  Extents that
    the model leaves open are sizes; where it cannot be stated so, numbers."""
    model = from_onnx(path)
    try:
        exported = export(model, model.examples())
        translator = _translated(path.stem, exported, Extents(exact=True))
    except AssayError:
        exported = export(model, model.examples(), fixed=True)
        translator = _translated(path.stem, exported, Extents())
    program = translator.program
    program.rename(_names_of_the_model(model, exported, translator))
    out.write_text(program.tp(SPECIFICATIONS.name))
    shutil.copy(SPECIFICATIONS, out.parent)


def _translated(name, exported, extents):
    translator = Translator(name, extents)
    translator.run(exported)
    suppose_alike((exported,), translator, extents)
    return translator


def _names_of_the_model(model, exported, translator):
    """What inputs and outputs of a program are called in the model, where that is a name here."""
    kind = torch.export.graph_signature.InputKind.USER_INPUT
    specs = [s for s in exported.graph_signature.input_specs if s.kind == kind]
    given = dict(zip((spec.arg.name for spec in specs), model.input_names))
    made = {
        name: given[node.name]
        for node, (name, *_) in zip(translator.input_nodes, translator.program.inputs)
        if node.name in given
    }
    made |= {name: new for (_, name), new in zip(translator.program.outputs, model.output_names)}
    sizes = translator.program.extents.values
    return {
        old: new
        for old, new in made.items()
        if re.fullmatch(r"[A-Za-z_]\w*", new) and new not in RESERVED and new not in sizes
    }


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
