# Values at points, as PETSc's C functions: numbers, Python's functions, or C's.
#
# A cdef class Values is what C gets as context. Whoever gives it to C keeps it: a DM in its attributes, an operator in
# its own.

cdef object view_array(const PetscReal *x, PetscInt n):
    """An array of n numbers of C's, to be used during a call only."""
    return numpy.asarray(<PetscReal[:n]> <PetscReal *> x)


cdef int put(object value, PetscInt n, PetscReal *out) except -1:
    """One number into out[0], or n of them."""
    cdef PetscInt k
    array = numpy.atleast_1d(numpy.asarray(value, dtype=float)).ravel()
    if array.shape[0] != n:
        raise ValueError(f"{array.shape[0]} values where {n} are needed")
    for k in range(n):
        out[k] = array[k]
    return 0


cdef bint broken(PetscInt n, PetscReal *out, PetscReal value=0.):
    """Whether a function has raised in this block of `_Together`: then out[n] gets a value, and none is called."""
    cdef PetscInt k
    if not together or not held:
        return False
    for k in range(n):
        out[k] = value
    return True


cdef int keep_error(object error, PetscInt n, PetscReal *out, PetscReal value=0.) except -1:
    """In a block of `_Together` keeps what a function raised, and gives out[n] a value; elsewhere raises it."""
    if not together:
        raise error
    held.append(error)
    broken(n, out, value)
    return 0


cdef PetscErrorCode values_numbers(PetscInt dim, PetscReal t, const PetscReal *x, PetscInt n, PetscScalar *u,
                                   void *ctx) noexcept nogil:
    """u[n], the same at all points."""
    cdef PetscInt k
    for k in range(n):
        u[k] = (<PetscScalar *> ctx)[k]
    return PETSC_SUCCESS


cdef PetscErrorCode values_python(PetscInt dim, PetscReal t, const PetscReal *x, PetscInt n, PetscScalar *u,
                                  void *ctx) except PETSC_ERR_PYTHON with gil:
    """u[n] by a Python function f(x, t)."""
    if not broken(n, u):
        try:
            put((<object> <PyObject *> ctx)(view_array(x, dim), t), n, u)
        except Exception as error:  # of whatever kind
            keep_error(error, n, u)
    return PETSC_SUCCESS


cdef PetscErrorCode values_guarded(PetscInt dim, PetscReal t, const PetscReal *x, PetscInt n, PetscScalar *u,
                                   void *ctx) noexcept with gil:
    """The same, with an exception kept for `guard_check` and NaN in its place."""
    cdef PetscInt k
    try:
        put((<object> <PyObject *> ctx)(view_array(x, dim), t), n, u)
    except Exception as error:
        if not held:
            held.append(error)
        for k in range(n):
            u[k] = math.nan
    return PETSC_SUCCESS


cdef class Values:
    """Values at points for C: `number` or numbers, a Python function f(x, t), or a C function that is compiled.

    Numbers are live: `value = 2` counts from the next evaluation on.
    """
    cdef object what      # the number(s), or the callable
    cdef object owner     # keeps a compiled function's library, or the memory of its context
    cdef double[::1] numbers
    cdef void *function
    cdef void *context

    def __init__(self, value, PetscInt n, owner=None, uintptr_t context=0):
        self.what, self.owner, self.numbers = value, owner, None
        self.function = self.context = NULL
        if callable(value):
            self.function, self.context = <void *> values_python, <void *> <PyObject *> value
        elif hasattr(value, "address"):
            self.function, self.context = <void *> <uintptr_t> value.address, <void *> context
        else:
            self.numbers = numpy.zeros(n)
            self.function, self.context = <void *> values_numbers, <void *> &self.numbers[0]
            self.value = value

    @property
    def value(self):
        """The numbers, an array [n]; or the function."""
        return numpy.asarray(self.numbers).copy() if self.numbers is not None else self.what

    @value.setter
    def value(self, value):
        if self.numbers is None:
            raise TypeError("this value is a function: only numbers can be set again")
        array = numpy.asarray(value, dtype=float)
        numpy.asarray(self.numbers)[:] = array if array.ndim == 0 else array.ravel()
        self.what = value


cdef void *pointer(object function) except? NULL:
    """The address of a pointwise function: None, a number, or an object that has an `address`."""
    if function is None:
        return NULL
    if isinstance(function, int):
        return <void *> <uintptr_t> function
    if not hasattr(function, "address"):
        raise TypeError(f"{function!r} is no pointwise function: give one of plexgpu.Pointwise, an address, or None")
    return <void *> <uintptr_t> function.address


cdef bytes encode(object s):
    """A string or path for C, None stays None."""
    return None if s is None else os.fsencode(s)


cdef const char *chars(bytes s) noexcept:
    """Its characters, which live as long as it does; NULL for None."""
    return NULL if s is None else <const char *> <char *> s


cdef object text(const char *s):
    return s.decode() if s != NULL else None


cdef object enumerator(const char *const *names, int value):
    return names[value].decode().lower()


cdef int enumerated(const char *const *names, object name, str what) except -1:
    """The number of a name in PETSc's list of an enum: names, enum's name, prefix, NULL."""
    cdef int n = 0, k
    while names[n] != NULL:
        n += 1
    known = [names[k].decode() for k in range(n - 2)]
    for k in range(n - 2):
        if known[k].lower() == str(name).lower():
            return k
    raise ValueError(f"{what} {name!r} is none of {', '.join(known)}")


cdef object view_text(Object obj, show):
    """What a view prints, as text; of process 0, empty on the others."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "view")
        viewer = PETSc.Viewer().createASCII(path, comm=obj.getComm())
        show(viewer)
        viewer.destroy()
        if not os.path.exists(path):
            return ""
        with open(path) as file:
            return file.read()
