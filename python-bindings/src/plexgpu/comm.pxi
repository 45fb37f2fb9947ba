# What processes tell each other, without mpi4py.

cdef extern from "<mpi.h>" nogil:
    ctypedef void *MPI_Datatype_ "MPI_Datatype"
    ctypedef void *MPI_Op_ "MPI_Op"
    MPI_Datatype_ MPI_INT, MPI_BYTE, MPI_DOUBLE
    MPI_Op_ MPI_MIN, MPI_SUM
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
