# What processes tell each other, without mpi4py.

cdef extern from "<mpi.h>" nogil:
    ctypedef void *MPI_Datatype_ "MPI_Datatype"
    ctypedef void *MPI_Op_ "MPI_Op"
    MPI_Datatype_ MPI_INT, MPI_BYTE, MPI_DOUBLE
    MPI_Op_ MPI_MIN, MPI_MAX, MPI_SUM
    int MPI_Bcast(void *, int, MPI_Datatype_, int, MPI_Comm)
    int MPI_Allreduce(void *, void *, int, MPI_Datatype_, MPI_Op_, MPI_Comm)


def broadcast(comm, data):
    """The bytes `data` that the first process of a communicator has, on all of them. Collective."""
    cdef MPI_Comm c = GetComm(comm, NULL)
    cdef int n = len(data) if data is not None else 0
    cdef unsigned char[::1] array
    CHKERRMPI(MPI_Bcast(&n, 1, MPI_INT, 0, c))
    array = numpy.zeros(max(1, n), dtype=numpy.uint8)
    if data is not None and comm.getRank() == 0 and n:
        numpy.asarray(array)[:] = numpy.frombuffer(data, dtype=numpy.uint8)
    CHKERRMPI(MPI_Bcast(&array[0], n, MPI_BYTE, 0, c))
    return bytes(array)[:n]


def agree(comm, bint good):
    """Whether `good` is true on all processes of a communicator. Collective."""
    cdef MPI_Comm c = GetComm(comm, NULL)
    cdef int mine = good, all_ = 0
    CHKERRMPI(MPI_Allreduce(&mine, &all_, 1, MPI_INT, MPI_MIN, c))
    return bool(all_)


cdef object total(Object obj, double[::1] values):
    """The sum of the processes' arrays. Collective."""
    cdef double[::1] out = numpy.zeros(values.shape[0])
    CHKERRMPI(MPI_Allreduce(&values[0], &out[0], <int> values.shape[0], MPI_DOUBLE, MPI_SUM,
                            GetComm(obj.getComm(), NULL)))
    return numpy.asarray(out)


def raise_together(comm, error):
    """Raises an exception on all processes of a communicator where one of them has one; `error`: this process's, or
    None. Collective.

    A process with an exception raises its own. The others raise one of the same kind, if that is one of Python's own
    or a `CompileError`, else a RuntimeError; its text names the first process that has one.
    """
    cdef MPI_Comm c = GetComm(comm, NULL)
    cdef int size = comm.getSize(), mine = size if error is None else comm.getRank(), first = 0, n = 0
    cdef unsigned char[::1] array
    if size > 1:
        CHKERRMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, c))
        if first == size:
            return
        said = f"{type(error).__name__}\n{error}".encode() if error is not None else b""
        n = len(said)
        CHKERRMPI(MPI_Bcast(&n, 1, MPI_INT, first, c))
        array = numpy.zeros(n, dtype=numpy.uint8)
        if first == comm.getRank():
            numpy.asarray(array)[:] = numpy.frombuffer(said, dtype=numpy.uint8)
        CHKERRMPI(MPI_Bcast(&array[0], n, MPI_BYTE, first, c))
        if error is None:
            name, _, words = bytes(array).decode().partition("\n")
            kind = CompileError if name == "CompileError" else getattr(builtins, name, None)
            known = isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, UnicodeError)
            error = (kind if known else RuntimeError)(f"process {first}: {words}")
    if error is not None:
        raise error


class CompileError(RuntimeError):
    """A C text does not compile; the text is the compiler's."""


# Exceptions of Python functions that C calls in a collective operation: kept until all processes have come out of it
cdef list held = []
cdef int together = 0  # the depth of _Together's blocks


cdef object release(Object obj):
    """Raises what was kept, on all processes of an object. Collective."""
    global held
    kept, held = held, []
    raise_together(obj.getComm(), kept[0] if kept else None)


cdef class _Together:
    """A block in which C calls Python functions: what one of them raises on one process is raised on all at its end.

    The first exception is kept, and no function is called after it: values are zero. `obj` is the object whose
    processes execute the block, `undo()` is called before an exception leaves it. It is the cause of a PETSc.Error, as
    petsc4py does it; in a callback it is raised as it is. Collective.
    """
    cdef Object obj
    cdef object undo
    cdef bint callback

    def __init__(self, Object obj, undo=None, bint callback=False):
        self.obj, self.undo, self.callback = obj, undo, callback

    def __enter__(self):
        global together
        together += 1

    def __exit__(self, *raised):
        global together
        together -= 1
        try:
            release(self.obj)
        except Exception as error:  # of whatever kind
            if self.undo is not None:
                self.undo()
            if self.callback:
                raise
            raise PETSc.Error(<int> PETSC_ERR_PYTHON) from error


# The same for essential values, which a solver asks for: they are not a number where the function raises. The exception
# is raised on all processes when the DM next brings a global vector to its local ones, as SNES and TS do once essential
# values are there.

cdef PetscErrorCode guard_check(PetscDM dm, PetscVec g, InsertMode mode, PetscVec l,
                                void *ctx) except PETSC_ERR_PYTHON with gil:
    cdef int mine = 1 if held else 0, any_ = 0
    cdef DM obj
    CHKERRMPI(MPI_Allreduce(&mine, &any_, 1, MPI_INT, MPI_MAX, PetscObjectComm(<PetscObject> dm)))
    if any_:
        obj = DM()
        CHKERR(PetscObjectReference(<PetscObject> dm))
        obj.dm = dm
        release(obj)
    return PETSC_SUCCESS


cdef PetscErrorCode guard_other(PetscDM dm, PetscDM other, void *ctx) except PETSC_ERR_PYTHON with gil:
    """The coarser or finer DM has the same functions."""
    guard_levels(other)
    return PETSC_SUCCESS


cdef int guard_levels(PetscDM dm) except -1:
    cdef void *there = NULL
    CHKERR(PetscObjectQueryFunction(<PetscObject> dm, "plexgpu_guard_C", &there))
    if there == NULL:
        CHKERR(PetscObjectComposeFunction(<PetscObject> dm, "plexgpu_guard_C", <void *> guard_check))
        CHKERR(DMGlobalToLocalHookAdd(dm, <void *> guard_check, NULL, NULL))
        CHKERR(DMCoarsenHookAdd(dm, <void *> guard_other, NULL, NULL))
        CHKERR(DMRefineHookAdd(dm, <void *> guard_other, NULL, NULL))
    return 0


cdef int guard(DM dm, Values v) except -1:
    """Makes values of a DM of several processes an error on all of them where their function raises. Collective."""
    if dm.getComm().getSize() > 1 and v.function == <void *> values_python:
        v.function = <void *> values_guarded
        guard_levels(dm.dm)
    return 0
