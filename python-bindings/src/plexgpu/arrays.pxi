# PETSc's memory as arrays that are not copied: DLPack, __cuda_array_interface__, numpy's interface.
#
# petsc4py gives a Vec alone by DLPack, flat and by its first version, which numpy takes as read-only. Here arrays have
# a shape, may be the numbers or the pattern of a matrix, and are written to.

cdef extern from *:
    """
    #include <petscmat.h>
    #include <stdint.h>

    /* DLPack 1.0 and, without `version` and `flags`, 0.x: https://dmlc.github.io/dlpack/latest/c_api.html */
    typedef struct { int32_t type, number; } PlexDLDevice;
    typedef struct { uint8_t code, bits; uint16_t lanes; } PlexDLType;
    typedef struct {
      void        *data;
      PlexDLDevice device;
      int32_t      ndim;
      PlexDLType   dtype;
      int64_t     *shape, *strides;
      uint64_t     offset;
    } PlexDLTensor;
    typedef struct PlexDLManaged_ {
      PlexDLTensor tensor;
      void        *context;
      void (*deleter)(struct PlexDLManaged_ *);
    } PlexDLManaged;
    typedef struct PlexDLVersioned_ {
      uint32_t major, minor;
      void    *context;
      void (*deleter)(struct PlexDLVersioned_ *);
      uint64_t     flags; /* bit 0: read-only */
      PlexDLTensor tensor;
    } PlexDLVersioned;

    /* The numbers of a sequential AIJ matrix, marked as written to unless they are only read */
    static PetscErrorCode PlexMatValues(Mat A, PetscBool readonly, PetscScalar **a, PetscMemType *memtype)
    {
      PetscFunctionBegin;
      PetscCall(MatSeqAIJGetCSRAndMemType(A, NULL, NULL, a, memtype));
      if (readonly) PetscFunctionReturn(PETSC_SUCCESS);
      if (PetscMemTypeHost(*memtype)) {
        PetscCall(MatSeqAIJGetArray(A, a));
        PetscScalar *b = *a;
        PetscCall(MatSeqAIJRestoreArray(A, &b));
    #if PetscDefined(HAVE_CUDA)
      } else {
        PetscCall(MatSeqAIJCUSPARSEGetArray(A, a));
        PetscScalar *b = *a;
        PetscCall(MatSeqAIJCUSPARSERestoreArray(A, &b));
    #endif
      }
      PetscFunctionReturn(PETSC_SUCCESS);
    }

    PETSC_EXTERN PetscErrorCode PlexVecShare(Vec);

    /* The number of the device that PETSc computes on */
    static PetscErrorCode PlexDeviceNumber(PetscInt *number)
    {
      PetscDeviceContext dctx;
      PetscDevice        device;

      PetscFunctionBegin;
      PetscCall(PetscDeviceContextGetCurrentContext(&dctx));
      PetscCall(PetscDeviceContextGetDevice(dctx, &device));
      PetscCall(PetscDeviceGetDeviceId(device, number));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    """
    ctypedef int PetscMemType
    PetscMemType PETSC_MEMTYPE_HOST, PETSC_MEMTYPE_CUDA
    ctypedef struct PlexDLDevice:
        int type, number
    ctypedef struct PlexDLType:
        unsigned char code, bits
        unsigned short lanes
    ctypedef struct PlexDLTensor:
        void *data
        PlexDLDevice device
        int ndim
        PlexDLType dtype
        long long *shape
        long long *strides
        unsigned long long offset
    ctypedef struct PlexDLManaged:
        PlexDLTensor tensor
        void *context
        void (*deleter)(PlexDLManaged *) noexcept nogil
    ctypedef struct PlexDLVersioned:
        unsigned int major, minor
        void *context
        void (*deleter)(PlexDLVersioned *) noexcept nogil
        unsigned long long flags
        PlexDLTensor tensor
    PetscErrorCode PlexMatValues(PetscMat, PetscBool, PetscScalar **, PetscMemType *) nogil
    PetscErrorCode PlexDeviceNumber(PetscInt *) nogil
    PetscErrorCode PlexVecShare(PetscVec) nogil
    PetscErrorCode PetscDeviceContextSynchronize(void *) nogil
    PetscErrorCode VecGetArrayAndMemType(PetscVec, PetscScalar **, PetscMemType *) nogil
    PetscErrorCode VecRestoreArrayAndMemType(PetscVec, PetscScalar **) nogil
    PetscErrorCode VecGetArrayReadAndMemType(PetscVec, const PetscScalar **, PetscMemType *) nogil
    PetscErrorCode VecRestoreArrayReadAndMemType(PetscVec, const PetscScalar **) nogil
    PetscErrorCode MatSeqAIJGetCSRAndMemType(PetscMat, const PetscInt **, const PetscInt **, PetscScalar **,
                                             PetscMemType *) nogil
    PetscErrorCode MatMPIAIJGetSeqAIJ(PetscMat, PetscMat *, PetscMat *, const PetscInt **) nogil

cdef double nothing = 0.

cdef enum:  # DLPack's types of devices
    ON_HOST = 1
    ON_CUDA = 2


cdef void release_managed(PlexDLManaged *managed) noexcept with gil:
    Py_DECREF(<object> <PyObject *> managed.context)
    free(managed.tensor.shape)
    free(managed)


cdef void release_versioned(PlexDLVersioned *managed) noexcept with gil:
    Py_DECREF(<object> <PyObject *> managed.context)
    free(managed.tensor.shape)
    free(managed)


cdef void release_capsule(object capsule) noexcept:
    """A capsule that nobody has taken."""
    if PyCapsule_IsValid(capsule, "dltensor"):
        release_managed(<PlexDLManaged *> PyCapsule_GetPointer(capsule, "dltensor"))
    elif PyCapsule_IsValid(capsule, "dltensor_versioned"):
        release_versioned(<PlexDLVersioned *> PyCapsule_GetPointer(capsule, "dltensor_versioned"))


cdef class Array:
    """Memory of a PETSc object as an array, not copied, for numpy, cupy, torch and others; of `array`, `csr`,
    `DG.array`.

        a = numpy.asarray(plexgpu.array(x))       # on the host
        a = cupy.asarray(plexgpu.array(x))        # on a GPU
        a = torch.from_dlpack(plexgpu.array(x))   # on either

    Where the memory lies is asked each time: an array that was taken before stays what it was, and is valid as long as
    PETSc keeps the memory there. `changed` tells PETSc of a write to it, if PETSc has used the object since it was
    taken. On a GPU PETSc and PlexGPU compute in CUDA's default stream, as cupy and torch do unless they are told
    otherwise.
    """
    cdef Vec vec
    cdef Mat mat
    cdef object kept      # what else has to live
    cdef int part         # of a matrix: 0 values, 1 row offsets, 2 columns
    cdef tuple shape_
    cdef bint readonly_

    def __init__(self):
        raise TypeError("arrays are made by array(), csr() and DG.array()")

    cdef int locate(self, bint touch, void **data, PetscMemType *memtype) except -1:
        """Where the memory is now; touch: it is to be written to, unless it is read-only."""
        cdef PetscScalar *a = NULL
        cdef const PetscInt *i = NULL
        cdef const PetscInt *j = NULL
        cdef bint write = touch and not self.readonly_
        if self.vec is not None:
            if write:
                CHKERR(VecGetArrayAndMemType(self.vec.vec, &a, memtype))
                data[0] = a
                CHKERR(VecRestoreArrayAndMemType(self.vec.vec, &a))
            else:
                CHKERR(VecGetArrayReadAndMemType(self.vec.vec, <const PetscScalar **> &a, memtype))
                data[0] = a
                CHKERR(VecRestoreArrayReadAndMemType(self.vec.vec, <const PetscScalar **> &a))
        elif self.part == 0:
            CHKERR(PlexMatValues(self.mat.mat, PETSC_FALSE if write else PETSC_TRUE, &a, memtype))
            data[0] = a
        else:
            CHKERR(MatSeqAIJGetCSRAndMemType(self.mat.mat, &i, &j, NULL, memtype))
            data[0] = <void *> (i if self.part == 1 else j)
        if memtype[0] != PETSC_MEMTYPE_HOST and memtype[0] != PETSC_MEMTYPE_CUDA:
            raise ValueError("memory that is neither the host's nor CUDA's: take a vector or matrix of type cuda, "
                             "aijcusparse, standard or aij")
        return 0

    @property
    def shape(self):
        """Its shape; C's order, without gaps."""
        return self.shape_

    @property
    def dtype(self):
        """numpy's type of an entry: float64, or int32 of a pattern."""
        return numpy.dtype(numpy.intc if self.part else float)

    @property
    def readonly(self):
        """Whether it may not be written to."""
        return self.readonly_

    @property
    def address(self):
        """Where it begins, on the device or on the host, an integer."""
        cdef void *data = NULL
        cdef PetscMemType memtype = PETSC_MEMTYPE_HOST
        self.locate(False, &data, &memtype)
        return <uintptr_t> data

    def changed(self):
        """Tells PETSc that an array that was taken before was written to: norms are computed anew, and a copy on the
        other side, host or GPU, is out of date."""
        cdef void *data = NULL
        cdef PetscMemType memtype = PETSC_MEMTYPE_HOST
        if self.readonly_:
            raise ValueError("the array is read-only: take one with readonly=False")
        self.locate(True, &data, &memtype)

    def _interface(self, bint cuda):
        cdef void *data = NULL
        cdef PetscMemType memtype = PETSC_MEMTYPE_HOST
        self.locate(False, &data, &memtype)
        if (memtype == PETSC_MEMTYPE_CUDA) != cuda:
            raise AttributeError("the array is on the host: take numpy.asarray()" if cuda else
                                 "the array is on the GPU: take cupy.asarray() or torch.from_dlpack()")
        self.locate(True, &data, &memtype)
        self.share(memtype)
        if data == NULL and not cuda:  # of no entries; numpy takes no address of 0
            data = &nothing
        return dict(shape=self.shape_, typestr=self.dtype.str, data=(<uintptr_t> data, self.readonly_), version=3)

    @property
    def __array_interface__(self):
        """For numpy; AttributeError where the memory is on a GPU."""
        return self._interface(False)

    @property
    def __cuda_array_interface__(self):
        """For cupy, numba and torch; AttributeError where the memory is on the host."""
        return dict(self._interface(True), stream=1)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("the array is on the GPU: take cupy.asarray() or torch.from_dlpack(), or Vec.getArray() for "
                        "a copy on the host")

    def __dlpack_device__(self):
        """DLPack's pair of the device: (1, 0) the host, (2, number) a GPU."""
        cdef void *data = NULL
        cdef PetscMemType memtype = PETSC_MEMTYPE_HOST
        cdef PetscInt number = 0
        self.locate(False, &data, &memtype)
        if memtype == PETSC_MEMTYPE_HOST:
            return (ON_HOST, 0)
        CHKERR(PlexDeviceNumber(&number))
        return (ON_CUDA, number)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A capsule of DLPack, 1.0 or, where max_version is not given, the version before; BufferError where the array
        would have to be copied, or cannot be given away as read-only."""
        cdef bint versioned = max_version is not None and max_version[0] >= 1
        cdef PlexDLManaged *managed
        cdef PlexDLVersioned *v
        cdef void *data = NULL
        cdef PetscMemType memtype = PETSC_MEMTYPE_HOST
        device = self.__dlpack_device__()
        if copy:
            raise BufferError("arrays of PETSc's memory are not copied: copy what you get")
        if dl_device is not None and tuple(dl_device) != device:
            raise BufferError(f"the array is on device {device}, not on {tuple(dl_device)}: copy what you get there")
        if self.readonly_ and not versioned:
            raise BufferError("a read-only array, which DLPack has from 1.0 on: take array(..., readonly=False) or "
                              "__cuda_array_interface__")
        self.locate(True, &data, &memtype)
        self.share(memtype)
        if device[0] == ON_CUDA and stream != -1:
            CHKERR(PetscDeviceContextSynchronize(NULL))
        if versioned:
            v = <PlexDLVersioned *> calloc(1, sizeof(PlexDLVersioned))
            v.major, v.minor, v.flags = 1, 0, 1 if self.readonly_ else 0
            v.deleter = release_versioned
            self.fill(&v.tensor, data, device)
            v.context = <void *> <PyObject *> self
            Py_INCREF(self)
            return PyCapsule_New(v, "dltensor_versioned", release_capsule)
        managed = <PlexDLManaged *> calloc(1, sizeof(PlexDLManaged))
        managed.deleter = release_managed
        self.fill(&managed.tensor, data, device)
        managed.context = <void *> <PyObject *> self
        Py_INCREF(self)
        return PyCapsule_New(managed, "dltensor", release_capsule)

    cdef int share(self, PetscMemType memtype) except -1:
        """What is on the host and may be written to at any time has to be read anew at each use."""
        if self.vec is not None and not self.readonly_ and memtype == PETSC_MEMTYPE_HOST:
            CHKERR(PlexVecShare(self.vec.vec))
        return 0

    cdef int fill(self, PlexDLTensor *tensor, void *data, tuple device) except -1:
        cdef int n = <int> len(self.shape_), k
        cdef long long step = 1
        tensor.data = data
        tensor.device.type, tensor.device.number, tensor.ndim = device[0], device[1], n
        tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = 0 if self.part else 2, 8 * self.dtype.itemsize, 1
        tensor.shape = <long long *> calloc(2 * n + 1, sizeof(long long))
        tensor.strides = tensor.shape + n
        for k in range(n - 1, -1, -1):
            tensor.shape[k], tensor.strides[k] = self.shape_[k], step
            step *= self.shape_[k]
        return 0

    def __repr__(self):
        return f"Array({self.shape_}, {self.dtype}, device={self.__dlpack_device__()}, readonly={self.readonly_})"


cdef Array new_array(Vec vec, Mat mat, int part, tuple shape, bint readonly, kept=None):
    cdef Array a = Array.__new__(Array)
    a.vec, a.mat, a.part, a.shape_, a.readonly_, a.kept = vec, mat, part, shape, readonly, kept
    return a


def array(Vec vec, shape=None, *, bint readonly=False):
    """The part of a vector that this process has as an `Array`, [n] or of the `shape`, which is not copied.

    Parameters
    ----------
    vec
        The vector, on the host or on a GPU.
    shape
        Of as many entries as the part has, one of them -1 for what is left over; default: flat.
    readonly
        Whether the array is only read, as that of a vector that PETSc has locked.

    numpy.from_dlpack(vec) of petsc4py is flat and read-only.
    """
    n = vec.getLocalSize()
    shape = (n,) if shape is None else tuple(int(s) for s in numpy.atleast_1d(shape))
    known = int(numpy.prod([s for s in shape if s != -1], dtype=int))
    if shape.count(-1) == 1 and known and n % known == 0:
        shape = tuple(n // known if s == -1 else s for s in shape)
    elif -1 in shape or known != n:
        raise ValueError(f"the shape {shape} for a vector that has {n} entries on this process")
    return new_array(vec, None, 0, shape, readonly)


CSR = collections.namedtuple("CSR", "rows columns values shape global_columns", module="plexgpu._plexgpu")
CSR.__doc__ = """A sparse matrix as `Array`s, of `csr`.

Entries rows[i] to rows[i + 1] of columns and values are those of row i. `shape` is the number of rows and of columns,
`global_columns` an array of the global number of each column."""


def csr(Mat mat, *, bint off=False, bint readonly=False):
    """Pattern and numbers of an AIJ matrix as arrays, which are not copied.

    Parameters
    ----------
    mat
        An assembled matrix of type aij or aijcusparse. Of several processes this one's rows.
    off
        False: the block of the columns that this process owns too. True: the other columns that its rows have.
    readonly
        Whether the numbers are only read; the pattern is.

    Returns
    -------
    CSR
        rows[n + 1] and columns[nnz] int32, values[nnz]. They are valid until the pattern changes.

    With cupy: cupyx.scipy.sparse.csr_matrix((values, columns, rows), shape) of their cupy.asarray().
    """
    cdef PetscMat diagonal = NULL, other = NULL
    cdef const PetscInt *found = NULL
    cdef Mat block = mat
    kind = mat.getType() or "no type"
    if not kind.startswith(("seqaij", "mpiaij")):
        raise TypeError(f"a matrix of type {kind} has no rows of numbers: convert it, mat.convert('aij')")
    if not mat.isAssembled():
        raise ValueError("the matrix is not assembled: mat.assemble()")
    first, last = mat.getOwnershipRangeColumn()
    if kind.startswith("mpiaij"):
        CHKERR(MatMPIAIJGetSeqAIJ(mat.mat, &diagonal, &other, &found))
        block = Mat()
        block.mat = other if off else diagonal
        CHKERR(PetscObjectReference(<PetscObject> block.mat))
    elif off:
        raise ValueError("a matrix of one process has no columns of other processes")
    n, m = block.getLocalSize()
    columns = numpy.arange(first, last, dtype=numpy.intc)
    if off:
        columns = numpy.array(<PetscInt[:m]> <PetscInt *> found) if m else columns[:0]
    nonzeros = <object> int(block.getInfo()["nz_used"])
    return CSR(new_array(None, block, 1, (n + 1,), True, mat), new_array(None, block, 2, (nonzeros,), True, mat),
               new_array(None, block, 0, (nonzeros,), readonly, mat), (n, m), columns)
