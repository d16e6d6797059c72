"""What is made once, whichever thread asks for it first."""


def made_once(made, key, lock, make):
    """The value at a key of `made`, which only grows; where there is none, one thread makes it."""
    if key not in made:
        with lock:
            if key not in made:  # another thread may have made it meanwhile
                made[key] = make()
    return made[key]
