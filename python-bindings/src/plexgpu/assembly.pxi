# plexgpuassembly.h

cdef extern from "plexgpu.h" nogil:
    struct _p_PlexAssembly
    ctypedef _p_PlexAssembly *PlexAssembly
    ctypedef enum PlexIntegration:
        pass
    ctypedef enum PlexApply:
        pass
    ctypedef enum PlexTune:
        pass
    ctypedef enum PlexPartitioner:
        pass
    ctypedef struct PlexAssemblyCounts:
        PetscInt residuals
        PetscInt jacobians
        PetscInt residualsLeft
        PetscInt jacobiansLeft
    const char *const PlexIntegrations[]
    const char *const PlexApplies[]
    const char *const PlexTunes[]
    const char *const PlexPartitioners[]
    PetscErrorCode PlexAssemblyCreate(PetscDM, PlexAssembly *)
    PetscErrorCode PlexAssemblySetType(PlexAssembly, const char *)
    PetscErrorCode PlexAssemblyGetType(PlexAssembly, const char **)
    PetscErrorCode PlexAssemblySetResidualType(PlexAssembly, const char *)
    PetscErrorCode PlexAssemblyGetResidualType(PlexAssembly, const char **)
    PetscErrorCode PlexAssemblySetJacobianType(PlexAssembly, const char *)
    PetscErrorCode PlexAssemblyGetJacobianType(PlexAssembly, const char **)
    PetscErrorCode PlexAssemblyGetVariants(PlexAssembly, const char **, const char **)
    PetscErrorCode PlexAssemblySetBackend(PlexAssembly, const char *)
    PetscErrorCode PlexAssemblyGetBackend(PlexAssembly, PlexBackend *)
    PetscErrorCode PlexAssemblySetIntegration(PlexAssembly, PlexIntegration)
    PetscErrorCode PlexAssemblyGetIntegration(PlexAssembly, PlexIntegration *)
    PetscErrorCode PlexAssemblySetApply(PlexAssembly, PlexApply)
    PetscErrorCode PlexAssemblyGetApply(PlexAssembly, PlexApply *)
    PetscErrorCode PlexAssemblySetJacobianDependence(PlexAssembly, PetscBool, PetscBool, PetscBool)
    PetscErrorCode PlexAssemblyGetJacobianDependence(PlexAssembly, PetscBool *, PetscBool *, PetscBool *)
    PetscErrorCode PlexAssemblySetPrecision(PlexAssembly, PlexPrecision)
    PetscErrorCode PlexAssemblyGetPrecision(PlexAssembly, PlexPrecision *)
    PetscErrorCode PlexAssemblySetPointwiseSource(PlexAssembly, const char *)
    PetscErrorCode PlexAssemblyGetPointwiseSource(PlexAssembly, const char **)
    PetscErrorCode PlexAssemblySetSymmetric(PlexAssembly, PetscBool)
    PetscErrorCode PlexAssemblyGetSymmetric(PlexAssembly, PetscBool *, PetscBool *)
    PetscErrorCode PlexAssemblySetMemory(PlexAssembly, PetscInt64)
    PetscErrorCode PlexAssemblyGetMemory(PlexAssembly, PetscInt64 *)
    PetscErrorCode PlexAssemblySetTensorDegree(PlexAssembly, PetscInt)
    PetscErrorCode PlexAssemblyGetTensorDegree(PlexAssembly, PetscInt *)
    PetscErrorCode PlexAssemblySetBlockSize(PlexAssembly, PetscInt)
    PetscErrorCode PlexAssemblyGetBlockSize(PlexAssembly, PetscInt *)
    PetscErrorCode PlexAssemblySetTeamSize(PlexAssembly, PetscInt)
    PetscErrorCode PlexAssemblyGetTeamSize(PlexAssembly, PetscInt *)
    PetscErrorCode PlexAssemblySetPartitionSize(PlexAssembly, PetscInt)
    PetscErrorCode PlexAssemblyGetPartitionSize(PlexAssembly, PetscInt *)
    PetscErrorCode PlexAssemblySetPartitioner(PlexAssembly, PlexPartitioner)
    PetscErrorCode PlexAssemblyGetPartitioner(PlexAssembly, PlexPartitioner *)
    PetscErrorCode PlexAssemblySetSharedMemory(PlexAssembly, PetscInt)
    PetscErrorCode PlexAssemblyGetSharedMemory(PlexAssembly, PetscInt *)
    PetscErrorCode PlexAssemblySetExpectedAssemblies(PlexAssembly, PetscInt)
    PetscErrorCode PlexAssemblyGetExpectedAssemblies(PlexAssembly, PetscInt *)
    PetscErrorCode PlexAssemblySetDeterministic(PlexAssembly, PetscBool)
    PetscErrorCode PlexAssemblyGetDeterministic(PlexAssembly, PetscBool *)
    PetscErrorCode PlexAssemblySetFallback(PlexAssembly, PetscBool)
    PetscErrorCode PlexAssemblyGetFallback(PlexAssembly, PetscBool *)
    PetscErrorCode PlexAssemblySetCheckTolerance(PlexAssembly, PetscReal)
    PetscErrorCode PlexAssemblyGetCheckTolerance(PlexAssembly, PetscReal *)
    PetscErrorCode PlexAssemblySetTune(PlexAssembly, PlexTune)
    PetscErrorCode PlexAssemblyGetTune(PlexAssembly, PlexTune *)
    PetscErrorCode PlexAssemblySetTuneTime(PlexAssembly, PetscReal)
    PetscErrorCode PlexAssemblyGetTuneTime(PlexAssembly, PetscReal *)
    PetscErrorCode PlexAssemblySetTuneArchive(PlexAssembly, const char *)
    PetscErrorCode PlexAssemblyGetTuneArchive(PlexAssembly, const char **)
    PetscErrorCode PlexAssemblySetEssentialRows(PlexAssembly, PetscIS, PetscVec, PetscVec)
    PetscErrorCode PlexAssemblyGetEssentialRows(PlexAssembly, PetscIS *, PetscVec *, PetscVec *)
    PetscErrorCode PlexAssemblySetOptionsPrefix(PlexAssembly, const char *)
    PetscErrorCode PlexAssemblyGetOptionsPrefix(PlexAssembly, const char **)
    PetscErrorCode PlexAssemblySetFromOptions(PlexAssembly)
    PetscErrorCode PlexAssemblySetUp(PlexAssembly)
    PetscErrorCode PlexAssemblyView(PlexAssembly, PetscViewer)
    PetscErrorCode PlexAssemblyReset(PlexAssembly)
    PetscErrorCode PlexAssemblyCreateMatrix(PlexAssembly, PetscMat *)
    PetscErrorCode PlexAssemblyComputeFunction(PlexAssembly, PetscVec, PetscVec, PetscReal, PetscVec)
    PetscErrorCode PlexAssemblyComputeRHSFunction(PlexAssembly, PetscVec, PetscReal, PetscVec)
    PetscErrorCode PlexAssemblyComputeJacobian(PlexAssembly, PetscVec, PetscVec, PetscReal, PetscReal, PetscMat,
                                               PetscMat)
    PetscErrorCode PlexAssemblyAddCohesiveFunction(PlexAssembly, const PetscFormKey *, PetscIS, PetscVec, PetscVec,
                                                   PetscReal, PetscVec)
    PetscErrorCode PlexAssemblyAddCohesiveJacobian(PlexAssembly, const PetscFormKey *, PetscIS, PetscVec, PetscVec,
                                                   PetscReal, PetscReal, PetscMat, PetscMat)
    PetscErrorCode PlexAssemblyGetCounts(PlexAssembly, PlexAssemblyCounts *)
    PetscErrorCode PlexAssemblySetSNESLocal(PetscDM, void *)
    PetscErrorCode PlexAssemblySetTSLocal(PetscDM, void *)
    PetscErrorCode PlexAssemblyGetFromDM(PetscDM, PlexAssembly *)


cdef int form_keys(keys, PetscFormKey *out) except -1:
    """Three keys (label, value, part)."""
    cdef int k
    if len(keys) != 3:
        raise ValueError(f"{len(keys)} keys: cohesive cells have those of the negative side, the positive side, and the "
                         "cells")
    for k in range(3):
        label, value, part = keys[k]
        out[k].label = (<DMLabel?> label).dmlabel if label is not None else NULL
        out[k].value, out[k].field, out[k].part = value, 0, part
    return 0


cdef class Assembly(Object):
    """Residual and Jacobian of the discretized problem that a `DM` of type DMPLEX and its `DS` describe.

    `Assembly(dm)` makes one for `computeFunction` and `computeJacobian`; `Assembly.from_dm(dm)` is the one that a
    solver uses after `set_snes_local` or `set_ts_local`. Settings are properties, each with its option
    -plex_assembly_<name>; a setting that C refuses is a `PETSc.Error` with C's text.
    """
    cdef PlexAssembly asm_
    cdef DM dm_

    def __cinit__(self, *args, **kwargs):
        self.asm_ = NULL
        self.obj = <PetscObject *> &self.asm_

    cdef PlexAssembly get(self) except NULL:
        """C's object; an error where there is none (any more)."""
        if self.asm_ == NULL:
            raise ValueError("the Assembly was destroyed, or never created")
        return self.asm_

    def __init__(self, DM dm=None):
        self.dm_ = dm
        if dm is not None:
            CHKERR(PlexAssemblyCreate(dm.dm, &self.asm_))

    @staticmethod
    def from_dm(DM dm):
        """The assembly that belongs to a `DM`, made and set from options at the first call. PlexAssemblyGetFromDM()."""
        cdef Assembly self = Assembly()
        cdef PlexAssembly asm_ = NULL
        CHKERR(PlexAssemblyGetFromDM(dm.dm, &asm_))
        CHKERR(PetscObjectReference(<PetscObject> asm_))
        self.asm_, self.dm_ = asm_, dm
        return self

    # --- settings

    @property
    def type(self):
        """Strategy of residual and Jacobian: "auto", "element_color", "element_atomic", "global_nz", "global_row",
        "shared_nz", "shared_row", "local_nz", "local_row", each perhaps with ":variant". Reads as the Jacobian's, None
        while it is not chosen."""
        cdef const char *name = NULL
        CHKERR(PlexAssemblyGetType(self.get(), &name))
        return text(name)

    @type.setter
    def type(self, str name):
        CHKERR(PlexAssemblySetType(self.get(), name.encode()))

    @property
    def residual_type(self):
        """Strategy of the residual alone; None while it is not chosen."""
        cdef const char *name = NULL
        CHKERR(PlexAssemblyGetResidualType(self.get(), &name))
        return text(name)

    @residual_type.setter
    def residual_type(self, str name):
        CHKERR(PlexAssemblySetResidualType(self.get(), name.encode()))

    @property
    def jacobian_type(self):
        """Strategy of the Jacobian alone; None while it is not chosen."""
        cdef const char *name = NULL
        CHKERR(PlexAssemblyGetJacobianType(self.get(), &name))
        return text(name)

    @jacobian_type.setter
    def jacobian_type(self, str name):
        CHKERR(PlexAssemblySetJacobianType(self.get(), name.encode()))

    @property
    def variants(self):
        """Names of the variants that compute residual and Jacobian, a pair; None where there is none (yet)."""
        cdef const char *residual = NULL
        cdef const char *jacobian = NULL
        CHKERR(PlexAssemblyGetVariants(self.get(), &residual, &jacobian))
        return text(residual), text(jacobian)

    @property
    def backend(self):
        """The `Backend`, made if need be; set by name: "auto", "cuda", "host", "emulate"."""
        cdef PlexBackend backend = NULL
        CHKERR(PlexAssemblyGetBackend(self.get(), &backend))
        return borrowed_backend(backend)

    @backend.setter
    def backend(self, str name):
        CHKERR(PlexAssemblySetBackend(self.get(), name.encode()))

    @property
    def integration(self):
        """How element data is integrated: "auto", "quadrature", "tensor"."""
        cdef PlexIntegration value
        CHKERR(PlexAssemblyGetIntegration(self.get(), &value))
        return enumerator(PlexIntegrations, <int> value)

    @integration.setter
    def integration(self, name):
        CHKERR(PlexAssemblySetIntegration(self.get(), <PlexIntegration> enumerated(PlexIntegrations, name,
                                                                                  "integration")))

    @property
    def apply(self):
        """What products with a matrix of type plexgpu are made of: "auto", "stored", "evaluated"."""
        cdef PlexApply value
        CHKERR(PlexAssemblyGetApply(self.get(), &value))
        return enumerator(PlexApplies, <int> value)

    @apply.setter
    def apply(self, name):
        CHKERR(PlexAssemblySetApply(self.get(), <PlexApply> enumerated(PlexApplies, name, "apply")))

    @property
    def jacobian_dependence(self):
        """What the functions of the Jacobian depend on: a set out of "solution", "position", "auxiliary"."""
        cdef PetscBool u = PETSC_TRUE, x = PETSC_TRUE, a = PETSC_TRUE
        CHKERR(PlexAssemblyGetJacobianDependence(self.get(), &u, &x, &a))
        return {name for name, is_ in (("solution", u), ("position", x), ("auxiliary", a)) if is_}

    @jacobian_dependence.setter
    def jacobian_dependence(self, names):
        names = {names} if isinstance(names, str) else set(names)
        if names - {"solution", "position", "auxiliary"}:
            raise ValueError(f"{names} has others than solution, position, auxiliary")
        CHKERR(PlexAssemblySetJacobianDependence(self.get(), PETSC_TRUE if "solution" in names else PETSC_FALSE,
                                                 PETSC_TRUE if "position" in names else PETSC_FALSE,
                                                 PETSC_TRUE if "auxiliary" in names else PETSC_FALSE))

    @property
    def precision(self):
        """Arithmetic of element data: "double" or "single"."""
        cdef PlexPrecision value
        CHKERR(PlexAssemblyGetPrecision(self.get(), &value))
        return enumerator(PlexPrecisions, <int> value)

    @precision.setter
    def precision(self, name):
        CHKERR(PlexAssemblySetPrecision(self.get(), <PlexPrecision> enumerated(PlexPrecisions, name, "precision")))

    @property
    def source(self):
        """Path of the C file that has the pointwise functions, several with commas; None. Option
        -plex_assembly_source."""
        cdef const char *path = NULL
        CHKERR(PlexAssemblyGetPointwiseSource(self.get(), &path))
        return text(path)

    @source.setter
    def source(self, path):
        cdef bytes encoded = encode(path)
        CHKERR(PlexAssemblySetPointwiseSource(self.get(), chars(encoded)))

    @property
    def symmetric(self):
        """Whether the Jacobian is symmetric: True, False, or None where the matrix is asked. A wrong True gives a wrong
        matrix."""
        cdef PetscBool is_set = PETSC_FALSE, symmetric = PETSC_FALSE
        CHKERR(PlexAssemblyGetSymmetric(self.get(), &is_set, &symmetric))
        return bool(symmetric) if is_set else None

    @symmetric.setter
    def symmetric(self, bint symmetric):
        CHKERR(PlexAssemblySetSymmetric(self.get(), PETSC_TRUE if symmetric else PETSC_FALSE))

    @property
    def memory(self):
        """Bytes of element data in device memory, at most; 0: half of what is free."""
        cdef PetscInt64 bytes_ = 0
        CHKERR(PlexAssemblyGetMemory(self.get(), &bytes_))
        return bytes_

    @memory.setter
    def memory(self, PetscInt64 bytes_):
        CHKERR(PlexAssemblySetMemory(self.get(), bytes_))

    @property
    def tensor_degree(self):
        """Degree of the polynomials of tensor integration, 0 to 8; -1: 0, or 2 where elements are not affine."""
        cdef PetscInt value = 0
        CHKERR(PlexAssemblyGetTensorDegree(self.get(), &value))
        return value

    @tensor_degree.setter
    def tensor_degree(self, PetscInt value):
        CHKERR(PlexAssemblySetTensorDegree(self.get(), value))

    @property
    def block_size(self):
        """Threads a block, a multiple of 32 up to 1024; 0: the strategy's own."""
        cdef PetscInt value = 0
        CHKERR(PlexAssemblyGetBlockSize(self.get(), &value))
        return value

    @block_size.setter
    def block_size(self, PetscInt value):
        CHKERR(PlexAssemblySetBlockSize(self.get(), value))

    @property
    def team_size(self):
        """Threads an element: 1, 2, 4, 8, 16, 32, or a multiple of 32; 0: by the element's size."""
        cdef PetscInt value = 0
        CHKERR(PlexAssemblyGetTeamSize(self.get(), &value))
        return value

    @team_size.setter
    def team_size(self, PetscInt value):
        CHKERR(PlexAssemblySetTeamSize(self.get(), value))

    @property
    def partition_size(self):
        """Elements of a block or around a partition of the nodes; 0: what fits."""
        cdef PetscInt value = 0
        CHKERR(PlexAssemblyGetPartitionSize(self.get(), &value))
        return value

    @partition_size.setter
    def partition_size(self, PetscInt value):
        CHKERR(PlexAssemblySetPartitionSize(self.get(), value))

    @property
    def partitioner(self):
        """What cuts the mesh: "auto", "metis", "curve"."""
        cdef PlexPartitioner value
        CHKERR(PlexAssemblyGetPartitioner(self.get(), &value))
        return enumerator(PlexPartitioners, <int> value)

    @partitioner.setter
    def partitioner(self, name):
        CHKERR(PlexAssemblySetPartitioner(self.get(), <PlexPartitioner> enumerated(PlexPartitioners, name,
                                                                                  "partitioner")))

    @property
    def shared_memory(self):
        """Bytes of shared memory a block, of "shared_nz" and "shared_row"; 0: the strategy's own."""
        cdef PetscInt value = 0
        CHKERR(PlexAssemblyGetSharedMemory(self.get(), &value))
        return value

    @shared_memory.setter
    def shared_memory(self, PetscInt value):
        CHKERR(PlexAssemblySetSharedMemory(self.get(), value))

    @property
    def expected_assemblies(self):
        """How many residuals and Jacobians there will be, which decides what the type "auto" takes: a number from 1 on,
        math.inf: very many; None: not known. Option -plex_assembly_expected_assemblies."""
        cdef PetscInt value = 0
        CHKERR(PlexAssemblyGetExpectedAssemblies(self.get(), &value))
        return None if value == PETSC_DETERMINE else float("inf") if value == PETSC_UNLIMITED else value

    @expected_assemblies.setter
    def expected_assemblies(self, value):
        cdef PetscInt n = PETSC_DETERMINE
        if value == float("inf"):
            n = PETSC_UNLIMITED
        elif value is not None:
            n = value
        CHKERR(PlexAssemblySetExpectedAssemblies(self.get(), n))

    @property
    def deterministic(self):
        """Whether the type "auto" takes types of which all sums are the same bits in each run, and stays with them.
        Option -plex_assembly_deterministic."""
        cdef PetscBool value = PETSC_FALSE
        CHKERR(PlexAssemblyGetDeterministic(self.get(), &value))
        return bool(value)

    @deterministic.setter
    def deterministic(self, bint value):
        CHKERR(PlexAssemblySetDeterministic(self.get(), PETSC_TRUE if value else PETSC_FALSE))

    @property
    def fallback(self):
        """Whether PETSc assembles what cannot be assembled here (True), or that is an error (False)."""
        cdef PetscBool value = PETSC_TRUE
        CHKERR(PlexAssemblyGetFallback(self.get(), &value))
        return bool(value)

    @fallback.setter
    def fallback(self, bint value):
        CHKERR(PlexAssemblySetFallback(self.get(), PETSC_TRUE if value else PETSC_FALSE))

    @property
    def check_tolerance(self):
        """Everything is compared with PETSc's own, to this tolerance relative to the largest entry; 0: nothing is.
        Option -plex_assembly_check."""
        cdef PetscReal value = 0.
        CHKERR(PlexAssemblyGetCheckTolerance(self.get(), &value))
        return value

    @check_tolerance.setter
    def check_tolerance(self, PetscReal value):
        CHKERR(PlexAssemblySetCheckTolerance(self.get(), value))

    @property
    def tune(self):
        """Which ways to assemble are timed on this mesh: "none", "quick", "full"."""
        cdef PlexTune value
        CHKERR(PlexAssemblyGetTune(self.get(), &value))
        return enumerator(PlexTunes, <int> value)

    @tune.setter
    def tune(self, name):
        CHKERR(PlexAssemblySetTune(self.get(), <PlexTune> enumerated(PlexTunes, name, "tune")))

    @property
    def tune_time(self):
        """Seconds that tuning may take; None: 30 for "quick", 300 for "full"."""
        cdef PetscReal value = 0.
        CHKERR(PlexAssemblyGetTuneTime(self.get(), &value))
        return None if value == PETSC_DECIDE else value

    @tune_time.setter
    def tune_time(self, value):
        CHKERR(PlexAssemblySetTuneTime(self.get(), PETSC_DECIDE if value is None else <PetscReal> value))

    @property
    def tune_archive(self):
        """File of tuning results; None: tuning.txt in the folder of compiled kernels."""
        cdef const char *path = NULL
        CHKERR(PlexAssemblyGetTuneArchive(self.get(), &path))
        return text(path)

    @tune_archive.setter
    def tune_archive(self, path):
        cdef bytes encoded = encode(path)
        CHKERR(PlexAssemblySetTuneArchive(self.get(), chars(encoded)))

    @property
    def prefix(self):
        """Goes before plex_assembly_... in the names of options; None."""
        cdef const char *prefix = NULL
        CHKERR(PlexAssemblyGetOptionsPrefix(self.get(), &prefix))
        return text(prefix)

    @prefix.setter
    def prefix(self, prefix):
        cdef bytes encoded = encode(prefix)
        CHKERR(PlexAssemblySetOptionsPrefix(self.get(), chars(encoded)))

    def setOptionsPrefix(self, prefix):
        """Sets `prefix`."""
        self.prefix = prefix

    def getOptionsPrefix(self):
        """Gets `prefix`."""
        return self.prefix

    def setEssentialRows(self, IS rows, Vec values=None, Vec values_t=None):
        """Says which rows of vectors and matrices hold essential values.

        Parameters
        ----------
        rows
            Global rows, of which each process lists any; None: there are none.
        values, values_t
            Global vectors with the values at these rows, and with their derivatives in time; None: zero. They are read
            at each residual and Jacobian.

        Collective. PlexAssemblySetEssentialRows().
        """
        CHKERR(PlexAssemblySetEssentialRows(self.get(), rows.iset if rows is not None else NULL,
                                            values.vec if values is not None else NULL,
                                            values_t.vec if values_t is not None else NULL))

    def getEssentialRows(self):
        """What `setEssentialRows` set: rows, values, values_t."""
        cdef PetscIS rows = NULL
        cdef PetscVec v = NULL, v_t = NULL
        cdef IS found = None
        cdef Vec values = None, values_t = None
        CHKERR(PlexAssemblyGetEssentialRows(self.get(), &rows, &v, &v_t))
        if rows != NULL:
            found = IS()
            CHKERR(PetscObjectReference(<PetscObject> rows))
            found.iset = rows
        if v != NULL:
            values = Vec()
            CHKERR(PetscObjectReference(<PetscObject> v))
            values.vec = v
        if v_t != NULL:
            values_t = Vec()
            CHKERR(PetscObjectReference(<PetscObject> v_t))
            values_t.vec = v_t
        return found, values, values_t

    def setFromOptions(self):
        """Sets it from the options -plex_assembly_..."""
        CHKERR(PlexAssemblySetFromOptions(self.get()))

    # --- work

    def setUp(self):
        """Reads elements and form. The first computation does it too."""
        CHKERR(PlexAssemblySetUp(self.get()))
        return self

    def reset(self):
        """Frees all that was set up and keeps the settings."""
        CHKERR(PlexAssemblyReset(self.get()))

    def createMatrix(self):
        """A matrix for the Jacobian, of the `DM`'s type, its pattern made from the elements."""
        cdef Mat A = Mat()
        CHKERR(PlexAssemblyCreateMatrix(self.get(), &A.mat))
        return A

    def computeFunction(self, Vec x, Vec f, Vec x_t=None, double t=0.0):
        """Computes the residual f of x at time t, both local vectors of the `DM`, essential values inserted in x; x_t:
        the derivative in time, a local vector."""
        CHKERR(PlexAssemblyComputeFunction(self.get(), x.vec, x_t.vec if x_t is not None else NULL, t, f.vec))

    def computeRHSFunction(self, Vec x, Vec g, double t=0.0):
        """Computes the explicit part g at x and time t, both local vectors."""
        CHKERR(PlexAssemblyComputeRHSFunction(self.get(), x.vec, t, g.vec))

    def computeJacobian(self, Vec x, Mat J, Mat P=None, Vec x_t=None, double t=0.0, double shift=0.0):
        """Computes the Jacobian at the local vectors x and x_t, the derivative in time, and at time t, with shift times
        the derivative by u_t, into P (default: J)."""
        cdef PetscMat p = P.mat if P is not None else J.mat
        CHKERR(PlexAssemblyComputeJacobian(self.get(), x.vec, x_t.vec if x_t is not None else NULL, t, shift, J.mat, p))

    def addCohesiveFunction(self, keys, IS cells, Vec x, Vec f, Vec x_t=None, double t=0.0):
        """Adds the residual of cohesive cells, a fault, to the local vector f.

        Parameters
        ----------
        keys
            Three (label, value, part) of the weak form, label None for all cells: of the negative side, the positive
            side, the cohesive cells.
        cells
            The cohesive cells, all of one `DS`; None: there are none on this process.
        x, x_t, t
            Local vectors of the solution and of its derivative in time, and the time.

        Collective. PlexAssemblyAddCohesiveFunction().
        """
        cdef PetscFormKey found[3]
        form_keys(keys, found)
        CHKERR(PlexAssemblyAddCohesiveFunction(self.get(), found, cells.iset if cells is not None else NULL, x.vec,
                                               x_t.vec if x_t is not None else NULL, t, f.vec))

    def addCohesiveJacobian(self, keys, IS cells, Vec x, Mat J, Mat P=None, Vec x_t=None, double t=0.0,
                            double shift=0.0):
        """Adds the Jacobian of cohesive cells to J, and the functions for a preconditioner to P (default: J); see
        `addCohesiveFunction` and `computeJacobian`. Collective. PlexAssemblyAddCohesiveJacobian()."""
        cdef PetscFormKey found[3]
        cdef PetscMat p = P.mat if P is not None else J.mat
        form_keys(keys, found)
        CHKERR(PlexAssemblyAddCohesiveJacobian(self.get(), found, cells.iset if cells is not None else NULL, x.vec,
                                               x_t.vec if x_t is not None else NULL, t, shift, J.mat, p))

    def counts(self):
        """How often things were computed: a dict of residuals, jacobians, and of those left to PETSc residuals_left,
        jacobians_left."""
        cdef PlexAssemblyCounts c
        CHKERR(PlexAssemblyGetCounts(self.get(), &c))
        return dict(residuals=c.residuals, jacobians=c.jacobians, residuals_left=c.residualsLeft,
                    jacobians_left=c.jacobiansLeft)

    def view(self, Viewer viewer=None):
        """Prints what was chosen, how fast it was, and what was left to PETSc; default viewer: standard output."""
        CHKERR(PlexAssemblyView(self.get(), viewer.vwr if viewer is not None else NULL))

    def view_text(self):
        """What `view` prints, as text; empty on all processes but the first."""
        return view_text(self, self.view)


def set_snes_local(DM dm):
    """Lets a `SNES` on this `DM` assemble residual and Jacobian with PlexGPU. PlexAssemblySetSNESLocal()."""
    CHKERR(PlexAssemblySetSNESLocal(dm.dm, NULL))


def set_ts_local(DM dm):
    """Lets a `TS` on this `DM` assemble its functions and Jacobian with PlexGPU. PlexAssemblySetTSLocal()."""
    CHKERR(PlexAssemblySetTSLocal(dm.dm, NULL))
