# The command.
