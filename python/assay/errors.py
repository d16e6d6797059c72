"""What can go wrong, said in the words of the user's own program."""


class AssayError(Exception):
    """Base of all errors of this package."""


class ToolError(AssayError):
    """The `assay` program is missing, or ended in a way that it should not."""


class NotExported(AssayError):
    """A function that torch.export cannot follow; `where` is the user's file and line."""

    def __init__(self, reason, advice, where=None):
        self.reason = reason
        self.where = where
        place = f"{where}: " if where else ""
        super().__init__(f"{place}{reason}; {advice}")


class SizesDiffer(AssayError):
    """Two programs ask different things of the extents of their inputs."""


class ConstantsDiffer(AssayError):
    """Two programs bring along tensors that hold other numbers."""


class Unsupported(AssayError):
    """A construct of the user's program that no operator specification covers.

    `operator` is its ATen name, `where` the user's file and line if the graph knows them.
    """

    def __init__(self, operator, reason, where=None):
        self.operator = operator
        self.reason = reason
        self.where = where
        place = f"{where}: " if where else ""
        super().__init__(f"{place}{operator}: {reason}")


class Consequence(Unsupported):
    """An operator that could be covered, of something that is not."""


class UnsupportedGraph(AssayError):
    """Everything in one graph that is not covered: all of it at once, not the first alone."""

    def __init__(self, problems):
        self.problems = list(problems)
        lines = "\n".join(f"  {problem}" for problem in self.problems)
        super().__init__(f"{len(self.problems)} operators are not covered:\n{lines}")
