"""The error of what UFL can say and a PetscDS cannot."""


class Unsupported(NotImplementedError):
    """A term of a form that PetscDS has no pointwise function for; the text names it."""


def short(expression, most=200):
    """A UFL expression as text, cut where it is long."""
    text = str(expression)
    return text if len(text) <= most else text[:most] + " ..."
