"""The table: an ATen overload, and how it is said in Assay's operators.  One row each.

A row's function gets the translator `t` and the call's arguments as `Value`s and Python numbers.
It returns a `Value`, or a tuple of them for an operator with several results.  The rows stand in
the modules beside this one, by theme: elementwise, operators, windows, indexing.
"""

ROWS = {}


def row(*overloads):
    """Adds the decorated function as the row of these overloads."""

    def add(function):
        for overload in overloads:
            ROWS[f"aten.{overload}"] = function
        return function

    return add
