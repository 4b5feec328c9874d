"""Classes that an environment's package may name and derive from, but not use here."""

from openenv._left_out import StandInError


class Refusing:
    """Refuses to be made. A package's client is imported together with its server."""

    def __new__(cls, *args, **kwargs):
        refuse(cls)


def refuse(cls):
    raise StandInError(
        f"{cls.__module__}.{cls.__qualname__}",
        f"`{cls.__name__}` cannot be used here: this is the light stand-in of `openenv`, "
        'which serves environments; for clients: pip install "openenv"',
    )
