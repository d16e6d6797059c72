"""The table of ONNX operators: one row each, by the operator's name."""

ROWS = {}


def row(*names):
    """Adds a function as the row of these operators: it takes the call (onnx_model.py), the inputs
    and the attributes, and gives the results."""

    def add(function):
        ROWS.update(dict.fromkeys(names, function))
        return function

    return add
