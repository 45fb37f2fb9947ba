# plexgpuhdg.h

cdef extern from "plexgpu.h" nogil:
    struct _p_PlexHDG
    ctypedef _p_PlexHDG *PlexHDG
    ctypedef enum PlexHDGBoundary:
        pass
    const char *const PlexHDGBoundaries[]
    ctypedef enum PlexHDGConvection:
        pass
    const char *const PlexHDGConvections[]
    ctypedef enum PlexHDGSystem:
        pass
    const char *const PlexHDGSystems[]
    ctypedef enum PlexHDGTransport:
        pass
    const char *const PlexHDGTransports[]
    PetscErrorCode PlexHDGCreate(PetscDM, PlexHDG *)
    PetscErrorCode PlexHDGSetDegree(PlexHDG, PetscInt)
    PetscErrorCode PlexHDGGetDegree(PlexHDG, PetscInt *)
    PetscErrorCode PlexHDGSetDegrees(PlexHDG, const PetscInt *)
    PetscErrorCode PlexHDGGetDegrees(PlexHDG, PetscInt *)
    PetscErrorCode PlexHDGSetDegreesByLabel(PlexHDG, const char *)
    PetscErrorCode PlexHDGGetElements(PlexHDG, PetscInt *, const PetscInt **)
    PetscErrorCode PlexHDGComputeErrorIndicator(PlexHDG, PetscReal *, PetscReal *)
    PetscErrorCode PlexHDGAdaptDegrees(PlexHDG, PetscReal, PetscInt, PetscInt *)
    PetscErrorCode PlexHDGSetSystem(PlexHDG, PlexHDGSystem)
    PetscErrorCode PlexHDGGetSystem(PlexHDG, PlexHDGSystem *)
    PetscErrorCode PlexHDGSetLame(PlexHDG, PetscReal, PetscReal)
    PetscErrorCode PlexHDGGetLame(PlexHDG, PetscReal *, PetscReal *)
    PetscErrorCode PlexHDGSetMaterial(PlexHDG, void *, void *)
    PetscErrorCode PlexHDGSetViscosity(PlexHDG, PetscReal)
    PetscErrorCode PlexHDGGetViscosity(PlexHDG, PetscReal *)
    PetscErrorCode PlexHDGSetSymmetricStress(PlexHDG, PetscBool)
    PetscErrorCode PlexHDGGetSymmetricStress(PlexHDG, PetscBool *)
    PetscErrorCode PlexHDGSetDensity(PlexHDG, PetscReal)
    PetscErrorCode PlexHDGGetDensity(PlexHDG, PetscReal *)
    PetscErrorCode PlexHDGSetPicard(PlexHDG, PetscInt)
    PetscErrorCode PlexHDGGetPicard(PlexHDG, PetscInt *)
    PetscErrorCode PlexHDGSetTransport(PlexHDG, PlexHDGTransport)
    PetscErrorCode PlexHDGGetTransport(PlexHDG, PlexHDGTransport *)
    PetscErrorCode PlexHDGGetSNES(PlexHDG, PetscSNES *)
    PetscErrorCode PlexHDGGetPressure(PlexHDG, PetscVec *)
    PetscErrorCode PlexHDGGetSolenoidalVelocity(PlexHDG, PetscVec *)
    PetscErrorCode PlexHDGComputeDivergence(PlexHDG, PetscVec, PetscReal *, PetscReal *)
    PetscErrorCode PlexHDGComputeStatePressure(PlexHDG, PetscVec)
    PetscErrorCode PlexHDGComputePressureError(PlexHDG, void *, void *, PetscReal *)
    PetscErrorCode PlexHDGSetDiffusion(PlexHDG, PetscReal, PetscReal)
    PetscErrorCode PlexHDGGetDiffusion(PlexHDG, PetscReal *, PetscReal *)
    PetscErrorCode PlexHDGSetCoefficients(PlexHDG, void *, void *)
    PetscErrorCode PlexHDGSetPointwise(PlexHDG, void *, PetscBool, void *)
    PetscErrorCode PlexHDGSetConvection(PlexHDG, PlexHDGConvection, void *, void *)
    PetscErrorCode PlexHDGSetVelocity(PlexHDG, PetscInt, const PetscReal *)
    PetscErrorCode PlexHDGGetVelocity(PlexHDG, PetscInt *, PetscReal *)
    PetscErrorCode PlexHDGSetTau(PlexHDG, PetscReal)
    PetscErrorCode PlexHDGGetTau(PlexHDG, PetscReal *)
    PetscErrorCode PlexHDGSetTauFactor(PlexHDG, PetscReal)
    PetscErrorCode PlexHDGGetTauFactor(PlexHDG, PetscReal *)
    PetscErrorCode PlexHDGSetStabilization(PlexHDG, void *, void *)
    PetscErrorCode PlexHDGSetSource(PlexHDG, void *, void *)
    PetscErrorCode PlexHDGAddBoundary(PlexHDG, const char *, PetscInt, PlexHDGBoundary, void *, void *)
    PetscErrorCode PlexHDGAddBoundaryComponents(PlexHDG, const char *, PetscInt, PetscInt, const PetscInt *, void *,
                                                void *)
    PetscErrorCode PlexHDGSetBackend(PlexHDG, const char *)
    PetscErrorCode PlexHDGGetBackend(PlexHDG, PlexBackend *)
    PetscErrorCode PlexHDGSetMemory(PlexHDG, PetscInt64)
    PetscErrorCode PlexHDGGetMemory(PlexHDG, PetscInt64 *)
    PetscErrorCode PlexHDGSetOptionsPrefix(PlexHDG, const char *)
    PetscErrorCode PlexHDGGetOptionsPrefix(PlexHDG, const char **)
    PetscErrorCode PlexHDGSetFromOptions(PlexHDG)
    PetscErrorCode PlexHDGSetSourcePoint(PlexHDG, void *, PetscInt, const PetscScalar *)
    PetscErrorCode PlexHDGSetCoefficientsPoint(PlexHDG, void *, PetscInt, const PetscScalar *)
    PetscErrorCode PlexHDGSetKappaPoint(PlexHDG, void *, void *, PetscInt, const PetscScalar *)
    PetscErrorCode PlexHDGSetConvectionPoint(PlexHDG, PlexHDGConvection, void *, PetscInt, const PetscScalar *)
    PetscErrorCode PlexHDGAddBoundaryPoint(PlexHDG, const char *, PetscInt, PlexHDGBoundary, void *, PetscInt,
                                           const PetscScalar *)
    PetscErrorCode PlexHDGSetPointwiseSource(PlexHDG, const char *)
    PetscErrorCode PlexHDGGetPointwiseSource(PlexHDG, const char **)
    PetscErrorCode PlexHDGUpdate(PlexHDG)
    PetscErrorCode PlexHDGSetUp(PlexHDG)
    PetscErrorCode PlexHDGView(PlexHDG, PetscViewer)
    PetscErrorCode PlexHDGReset(PlexHDG)
    PetscErrorCode PlexHDGGetKSP(PlexHDG, PetscKSP *)
    PetscErrorCode PlexHDGCreateVecs(PlexHDG, PetscVec *, PetscVec *, PetscVec *, PetscVec *)
    PetscErrorCode PlexHDGAssemble(PlexHDG, PetscMat *)
    PetscErrorCode PlexHDGComputeRHS(PlexHDG, PetscVec)
    PetscErrorCode PlexHDGRecover(PlexHDG, PetscVec, PetscVec, PetscVec)
    PetscErrorCode PlexHDGPostprocess(PlexHDG, PetscVec, PetscVec, PetscVec)
    PetscErrorCode PlexHDGSolve(PlexHDG)
    PetscErrorCode PlexHDGSolveMany(PlexHDG, PetscInt, void *, void *, PetscVec *, PetscVec *, PetscVec *, PetscVec *)
    PetscErrorCode PlexHDGSolveTrace(PlexHDG, PetscVec, PetscVec)
    PetscErrorCode PlexHDGGetSolution(PlexHDG, PetscVec *, PetscVec *, PetscVec *, PetscVec *)
    PetscErrorCode PlexHDGGetNodes(PlexHDG, PetscInt *, PetscInt *, const PetscReal **)
    PetscErrorCode PlexHDGComputeNodeValues(PlexHDG, PetscInt, PetscVec, PetscScalar *)
    PetscErrorCode PlexHDGCreateStateVec(PlexHDG, PetscVec *)
    PetscErrorCode PlexHDGProjectState(PlexHDG, void *, void *, PetscVec)
    PetscErrorCode PlexHDGSetState(PlexHDG, PetscVec)
    PetscErrorCode PlexHDGSetTimeVariable(PlexHDG, PetscReal *)
    PetscErrorCode PlexHDGSetSNES(PlexHDG, PetscSNES)
    PetscErrorCode PlexHDGSetTS(PlexHDG, PetscTS)
    PetscErrorCode PlexHDGComputeL2Error(PlexHDG, void *, void *, void *, PetscReal *)
    PetscErrorCode PlexHDGComputeMaxError(PlexHDG, void *, void *, void *, PetscReal *)
    PetscErrorCode PlexHDGComputeFluxJump(PlexHDG, PetscReal *)
    PetscErrorCode PlexHDGWriteVTKHDF(PlexHDG, const char *, void *, void *)


ctypedef PetscErrorCode (*HDGFunction)(PetscSNES, PetscVec, PetscVec, void *)
ctypedef PetscErrorCode (*HDGJacobian)(PetscSNES, PetscVec, PetscMat, PetscMat, void *)
ctypedef PetscErrorCode (*HDGIFunction)(PetscTS, PetscReal, PetscVec, PetscVec, PetscVec, void *)
ctypedef PetscErrorCode (*HDGRHSFunction)(PetscTS, PetscReal, PetscVec, PetscVec, void *)
ctypedef PetscErrorCode (*HDGIJacobian)(PetscTS, PetscReal, PetscVec, PetscVec, PetscReal, PetscMat, PetscMat, void *)

# The context of all is a Python object: a function, or a number that stands for one.

cdef int hdg_put(object function, tuple args, PetscInt n, PetscReal *out) except -1:
    """Its values into out[n]."""
    if not broken(n, out):
        try:
            put(function(*args) if callable(function) else function, n, out)
            if not numpy.isfinite(view_array(out, n)).all():
                raise ValueError(f"a function of HDG gives {view_array(out, n)} at {args[0]}")
        except Exception as error:
            keep_error(error, n, out)
    return 0


cdef PetscErrorCode hdg_values(PetscInt dim, const PetscReal *x, PetscInt n, PetscScalar *u,
                               void *ctx) except PETSC_ERR_PYTHON with gil:
    """u[n] by f(x)."""
    hdg_put(<object> <PyObject *> ctx, (view_array(x, dim),), n, u)
    return PETSC_SUCCESS


cdef PetscErrorCode hdg_first(PetscInt dim, const PetscReal *x, PetscInt n, PetscScalar *u,
                              void *ctx) except PETSC_ERR_PYTHON with gil:
    """Of a pair of functions the first one."""
    hdg_put((<object> <PyObject *> ctx)[0], (view_array(x, dim),), n, u)
    return PETSC_SUCCESS


cdef PetscErrorCode hdg_second(PetscInt dim, const PetscReal *x, PetscInt n, PetscScalar *u,
                               void *ctx) except PETSC_ERR_PYTHON with gil:
    hdg_put((<object> <PyObject *> ctx)[1], (view_array(x, dim),), n, u)
    return PETSC_SUCCESS


cdef PetscErrorCode hdg_boundary(PetscInt dim, const PetscReal *x, const PetscReal *normal, PetscInt n, PetscScalar *g,
                                 void *ctx) except PETSC_ERR_PYTHON with gil:
    """g, of Robin's condition alpha besides, by f(x, n)."""
    hdg_put(<object> <PyObject *> ctx, (view_array(x, dim), view_array(normal, dim)), n, g)
    return PETSC_SUCCESS


cdef PetscErrorCode hdg_velocity(PetscInt dim, const PetscReal *x, PetscReal *beta,
                                 void *ctx) except PETSC_ERR_PYTHON with gil:
    """beta[dim] by f(x)."""
    hdg_put(<object> <PyObject *> ctx, (view_array(x, dim),), dim, beta)
    return PETSC_SUCCESS


cdef int put_tensor(object value, PetscInt dim, PetscReal *out) except -1:
    """A number, for that times the identity, or [dim][dim]."""
    cdef PetscInt k
    array = numpy.asarray(value, dtype=float)
    return put(numpy.eye(dim) * array if array.ndim == 0 else array, dim * dim, out)


# What C refuses where a function returns it is an exception here: C's errors are those of one process

cdef int put_kappa(object value, object where, PetscInt dim, PetscReal *kappa) except -1:
    """kappa[dim][dim]: symmetric and positive definite."""
    put_tensor(value, dim, kappa)
    array = view_array(kappa, dim * dim).reshape(dim, dim)
    if not (numpy.isfinite(array).all() and numpy.allclose(array, array.T) and numpy.linalg.eigvalsh(array)[0] > 0):
        raise ValueError(f"kappa = {array.tolist()} {where} is not symmetric and positive definite")
    return 0


cdef PetscErrorCode hdg_coefficients(PetscInt dim, const PetscReal *x, PetscInt cell, PetscReal *kappa,
                                     PetscReal *reaction, void *ctx) except PETSC_ERR_PYTHON with gil:
    try:
        k, r = (1., 0.) if broken(1, reaction) else (<object> <PyObject *> ctx)(view_array(x, dim), cell)
        put_kappa(k, f"in cell {cell}", dim, kappa)
        if not -math.inf < r < math.inf:
            raise ValueError(f"lambda = {r} in cell {cell} is not finite")
        reaction[0] = r
    except Exception as error:
        keep_error(error, 1, reaction)
        put_tensor(1., dim, kappa)
    return PETSC_SUCCESS


cdef PetscErrorCode hdg_material(PetscInt dim, const PetscReal *x, PetscInt cell, PetscReal *first, PetscReal *mu,
                                 void *ctx) except PETSC_ERR_PYTHON with gil:
    try:
        a, b = (1., 1.) if broken(1, mu) else (<object> <PyObject *> ctx)(view_array(x, dim), cell)
        if not (0 < b < math.inf and -2 * b / dim < a <= 1e8 * b):
            raise ValueError(f"lambda = {a}, mu = {b} in cell {cell}: mu > 0 and -2 mu/{dim} < lambda <= 1e8 mu")
        first[0], mu[0] = a, b
    except Exception as error:
        keep_error(error, 1, mu)
        first[0] = mu[0] = 1.
    return PETSC_SUCCESS


cdef PetscErrorCode hdg_problem(PlexHDG hdg, PetscInt k, void *ctx) except PETSC_ERR_PYTHON with gil:
    (<object> <PyObject *> ctx)(k)
    return PETSC_SUCCESS


cdef PetscErrorCode hdg_point(PetscInt dim, const PetscReal *x, PetscReal u, PetscReal *kappa, PetscReal *slope,
                              void *ctx) except PETSC_ERR_PYTHON with gil:
    try:
        value = 1. if broken(0, kappa) else (<object> <PyObject *> ctx)(view_array(x, dim), u)
        if isinstance(value, tuple):
            put_tensor(value[1], dim, slope)
        put_kappa(value[0] if isinstance(value, tuple) else value, f"at {view_array(x, dim)}", dim, kappa)
    except Exception as error:
        keep_error(error, 0, kappa)
        put_tensor(1., dim, kappa)
    return PETSC_SUCCESS


cdef PetscErrorCode hdg_stabilization(PetscInt dim, const PetscReal *x, PetscInt cell, PetscInt face, PetscReal *tau,
                                      void *ctx) except PETSC_ERR_PYTHON with gil:
    if not broken(1, tau, 1.):
        try:
            tau[0] = (<object> <PyObject *> ctx)(view_array(x, dim), cell, face)
            if not 0 < tau[0] < math.inf:
                raise ValueError(f"tau = {tau[0]} of face {face} of cell {cell} is not positive")
        except Exception as error:
            keep_error(error, 1, tau, 1.)
    return PETSC_SUCCESS


# What a SNES or TS calls: C's own functions, as a collective operation with Python functions in it

cdef PetscErrorCode hdg_snes_function(PetscSNES snes, PetscVec X, PetscVec F,
                                      void *ctx) except PETSC_ERR_PYTHON with gil:
    cdef HDG self = <HDG> ctx
    with _Together(self, self.update, True):
        CHKERR((<HDGFunction> self.functions[0])(snes, X, F, self.hdg))
    return PETSC_SUCCESS


cdef PetscErrorCode hdg_snes_jacobian(PetscSNES snes, PetscVec X, PetscMat J, PetscMat P,
                                      void *ctx) except PETSC_ERR_PYTHON with gil:
    cdef HDG self = <HDG> ctx
    with _Together(self, self.update, True):
        CHKERR((<HDGJacobian> self.functions[1])(snes, X, J, P, self.hdg))
    return PETSC_SUCCESS


cdef PetscErrorCode hdg_ts_function(PetscTS ts, PetscReal t, PetscVec X, PetscVec X_t, PetscVec F,
                                    void *ctx) except PETSC_ERR_PYTHON with gil:
    cdef HDG self = <HDG> ctx
    with _Together(self, self.update, True):
        CHKERR((<HDGIFunction> self.functions[2])(ts, t, X, X_t, F, self.hdg))
    return PETSC_SUCCESS


cdef PetscErrorCode hdg_ts_rhs(PetscTS ts, PetscReal t, PetscVec X, PetscVec G,
                               void *ctx) except PETSC_ERR_PYTHON with gil:
    cdef HDG self = <HDG> ctx
    with _Together(self, self.update, True):
        CHKERR((<HDGRHSFunction> self.functions[4])(ts, t, X, G, self.hdg))
    return PETSC_SUCCESS


cdef PetscErrorCode hdg_ts_jacobian(PetscTS ts, PetscReal t, PetscVec X, PetscVec X_t, PetscReal shift, PetscMat J,
                                    PetscMat P, void *ctx) except PETSC_ERR_PYTHON with gil:
    cdef HDG self = <HDG> ctx
    with _Together(self, self.update, True):
        CHKERR((<HDGIJacobian> self.functions[3])(ts, t, X, X_t, shift, J, P, self.hdg))
    return PETSC_SUCCESS


cdef Vec borrowed_vec(PetscVec v):
    cdef Vec out = Vec()
    CHKERR(PetscObjectReference(<PetscObject> v))
    out.vec = v
    return out


cdef class HDG(Object):
    """Hybridized discontinuous Galerkin discretization of -div(kappa grad u) + beta . grad u + lambda u = f, or of linear
    elasticity and Stokes's equations, on a `DM` of type DMPLEX.

    Parameters
    ----------
    dm
        The mesh, distributed already, of one type of cell or of triangles and quadrilaterals.
    degree
        Of the polynomials, 1 to 9; 3 if it is not given.
    diffusion, reaction
        kappa and lambda, numbers.
    source
        f: a number or a function f(x).
    dirichlet
        A dict {(label, value): u} as for `addBoundary`; None as key: all of the boundary.

    Other settings are properties, which are set after this, each with its option -plex_hdg_<name>.
    """
    cdef PlexHDG hdg
    cdef DM dm_
    cdef list boundaries
    cdef object source_, material_, coefficients_, pointwise_, convection_, stabilization_
    cdef double[::1] time_
    cdef void *functions[5]  # C's, of a SNES and of a TS

    def __cinit__(self, *args, **kwargs):
        self.hdg = NULL
        self.obj = <PetscObject *> &self.hdg
        self.boundaries = []
        self.time_ = None

    cdef PlexHDG get(self) except NULL:
        """C's object; an error where there is none (any more)."""
        if self.hdg == NULL:
            raise ValueError("the HDG was destroyed, or never created")
        return self.hdg

    def __init__(self, DM dm=None, degree=None, diffusion=None, reaction=None, source=None, dirichlet=None):
        self.dm_ = dm
        if dm is None:
            return
        CHKERR(PlexHDGCreate(dm.dm, &self.hdg))
        if degree is not None:
            self.degree = degree
        if diffusion is not None or reaction is not None:
            self.diffusion = (1. if diffusion is None else diffusion, 0. if reaction is None else reaction)
        if source is not None:
            self.source = source
        for where, value in (dirichlet or {}).items():
            self.addBoundary("dirichlet", value, *(where if where is not None else ()))

    # --- settings

    @property
    def degree(self):
        """Degree of the polynomials, 1 to 9."""
        cdef PetscInt value = 0
        CHKERR(PlexHDGGetDegree(self.get(), &value))
        return value

    @degree.setter
    def degree(self, PetscInt value):
        CHKERR(PlexHDGSetDegree(self.get(), value))

    cdef PetscInt cells(self) except -1:
        """How many cells this process's part of the mesh has, those of other processes too."""
        self.get()
        start, end = self.dm_.getHeightStratum(0)
        return end - start

    @property
    def degrees(self):
        """Degree of each element, an array [cells of this process's part of the mesh], 1 to 9. Setting it is collective. Of
        "diffusion", on the host."""
        degrees = numpy.zeros(max(1, self.cells()), dtype=numpy.intc)
        cdef PetscInt[::1] view = degrees
        CHKERR(PlexHDGGetDegrees(self.get(), &view[0]))
        return degrees[:self.cells()]

    @degrees.setter
    def degrees(self, value):
        n = self.cells()
        array = numpy.ascontiguousarray(value, dtype=numpy.intc)
        if array.shape != (n,):
            raise ValueError(f"degrees of {n} cells are an array [{n}], not {list(array.shape)}")
        cdef PetscInt[::1] view = numpy.append(array, numpy.intc(0))
        with _Together(self, self.update):
            CHKERR(PlexHDGSetDegrees(self.get(), &view[0]))

    def setDegreesByLabel(self, name):
        """Sets the degree of each element to the value that a label of the mesh has there; others have `degree`.

        Parameters
        ----------
        name
            Of the label.
        """
        with _Together(self, self.update):
            CHKERR(PlexHDGSetDegreesByLabel(self.get(), name.encode()))

    def getElements(self):
        """The cells of the mesh that are elements of this process, an array [elements], in the order of vectors. Collective."""
        cdef PetscInt n = 0
        cdef const PetscInt *cells = NULL
        with _Together(self, self.update):
            CHKERR(PlexHDGGetElements(self.get(), &n, &cells))
        return numpy.array([cells[e] for e in range(n)], dtype=numpy.intc)

    def computeErrorIndicator(self):
        """Computes |u* - u| in L2 of each element, after `solve`; returns an array [cells of this process's part of the mesh] and the
        root of the sum of their squares over all processes, which estimates the error of u. Of "diffusion". Collective."""
        cdef double[::1] indicator = numpy.zeros(max(1, self.cells()))
        cdef PetscReal norm = 0.
        with _Together(self, self.update):
            CHKERR(PlexHDGComputeErrorIndicator(self.get(), &indicator[0], &norm))
        return numpy.asarray(indicator)[:self.cells()], norm

    def adaptDegrees(self, PetscReal fraction=0.3, PetscInt most=9):
        """Raises the degrees of the elements with the largest errors by one, after `solve`; returns how many.

        Parameters
        ----------
        fraction
            Of the largest indicator of an element: those with at least so much are raised.
        most
            The largest degree, at most 9.
        """
        cdef PetscInt raised = 0
        with _Together(self, self.update):
            CHKERR(PlexHDGAdaptDegrees(self.get(), fraction, most, &raised))
        return raised

    @property
    def system(self):
        """The equations: "diffusion"; "elasticity", of which u is the displacement [dim] and q the stress, xx, xy, yy or
        xx, xy, xz, yy, yz, zz; "stokes" or "navierstokes", of which u is the velocity [dim], q its gradient du_i/dx_j at
        i dim + j, and `getPressure` has the pressure. Functions of source and conditions of the last three give [dim]
        numbers. Option -plex_hdg_system."""
        cdef PlexHDGSystem value = <PlexHDGSystem> 0
        CHKERR(PlexHDGGetSystem(self.get(), &value))
        return text(PlexHDGSystems[<int> value])

    @system.setter
    def system(self, str name):
        CHKERR(PlexHDGSetSystem(self.get(), <PlexHDGSystem> enumerated(PlexHDGSystems, name, "system")))

    @property
    def lame(self):
        """Lame's lambda and mu of "elasticity", in units of a stress, the same everywhere: a pair of numbers, mu > 0. Option
        -plex_hdg_lame."""
        cdef PetscReal first = 0., mu = 0.
        CHKERR(PlexHDGGetLame(self.get(), &first, &mu))
        return first, mu

    @lame.setter
    def lame(self, value):
        try:
            first, mu = value
        except TypeError:
            raise ValueError(f"lame = {value}: a pair of numbers, lambda and mu") from None
        CHKERR(PlexHDGSetLame(self.get(), first, mu))
        self.material_ = None

    @property
    def material(self):
        """A function f(x, cell) -> (lambda, mu) of each element of "elasticity", "stokes" or "navierstokes", where mu is
        the viscosity and lambda is not read, x[dim] its centroid; None."""
        return self.material_

    @material.setter
    def material(self, function):
        self.material_ = function
        CHKERR(PlexHDGSetMaterial(self.get(), NULL if function is None else <void *> hdg_material,
                                  <void *> <PyObject *> function))

    @property
    def viscosity(self):
        """The viscosity of "stokes" and "navierstokes", the same everywhere: a positive number. Option -plex_hdg_viscosity."""
        cdef PetscReal mu = 0.
        CHKERR(PlexHDGGetViscosity(self.get(), &mu))
        return mu

    @viscosity.setter
    def viscosity(self, PetscReal mu):
        CHKERR(PlexHDGSetViscosity(self.get(), mu))
        self.material_ = None

    @property
    def symmetricStress(self):
        """Whether the stress of "stokes" and "navierstokes" is mu (grad u + grad u^T) - p I; False: mu grad u - p I.
        Option -plex_hdg_symmetric_stress."""
        cdef PetscBool value = PETSC_FALSE
        CHKERR(PlexHDGGetSymmetricStress(self.get(), &value))
        return bool(value)

    @symmetricStress.setter
    def symmetricStress(self, value):
        CHKERR(PlexHDGSetSymmetricStress(self.get(), PETSC_TRUE if value else PETSC_FALSE))

    @property
    def density(self):
        """The density of "navierstokes": a number, not negative. Option -plex_hdg_density."""
        cdef PetscReal rho = 0.
        CHKERR(PlexHDGGetDensity(self.get(), &rho))
        return rho

    @density.setter
    def density(self, PetscReal rho):
        CHKERR(PlexHDGSetDensity(self.get(), rho))

    @property
    def picard(self):
        """How many steps are Picard's before those of Newton's method in `solve` of "navierstokes": an integer. Option
        -plex_hdg_picard."""
        cdef PetscInt steps = 0
        CHKERR(PlexHDGGetPicard(self.get(), &steps))
        return steps

    @picard.setter
    def picard(self, PetscInt steps):
        CHKERR(PlexHDGSetPicard(self.get(), steps))

    @property
    def transport(self):
        """How "navierstokes" treat convection: "implicit"; "explicit", in steps of time, where `setTS` makes the `TS` one of
        type arkimex with one matrix for all steps; "none", Stokes's equations, also in steps of time. Option
        -plex_hdg_transport."""
        cdef PlexHDGTransport value = <PlexHDGTransport> 0
        CHKERR(PlexHDGGetTransport(self.get(), &value))
        return text(PlexHDGTransports[<int> value])

    @transport.setter
    def transport(self, str name):
        CHKERR(PlexHDGSetTransport(self.get(), <PlexHDGTransport> enumerated(PlexHDGTransports, name, "transport")))

    @property
    def diffusion(self):
        """kappa and lambda, the same everywhere: a pair of numbers. Options -plex_hdg_kappa, -plex_hdg_lambda."""
        cdef PetscReal kappa = 0., reaction = 0.
        CHKERR(PlexHDGGetDiffusion(self.get(), &kappa, &reaction))
        return kappa, reaction

    @diffusion.setter
    def diffusion(self, value):
        kappa, reaction = value if isinstance(value, tuple) else (value, 0.)
        CHKERR(PlexHDGSetDiffusion(self.get(), kappa, reaction))

    @property
    def coefficients(self):
        """A function f(x, cell) -> (kappa, lambda) of each element: x[dim] its centroid, kappa a number or [dim][dim],
        symmetric and positive definite, lambda of either sign; None."""
        return self.coefficients_

    @coefficients.setter
    def coefficients(self, function):
        self.coefficients_ = function
        CHKERR(PlexHDGSetCoefficients(self.get(), NULL if function is None else <void *> hdg_coefficients,
                                      <void *> <PyObject *> function))

    def setPointwise(self, function, bint nonlinear=False):
        """Sets kappa at points, a function f(x, u) -> kappa, or (kappa, derivative by u) of a nonlinear one; each a
        number or [dim][dim]. None: kappa is that of `diffusion` or `coefficients` again."""
        self.pointwise_ = function
        CHKERR(PlexHDGSetPointwise(self.get(), NULL if function is None else <void *> hdg_point,
                                   PETSC_TRUE if nonlinear else PETSC_FALSE, <void *> <PyObject *> function))

    def setConvection(self, velocity, form="advective"):
        """Sets convection: the velocity beta, a function f(x) -> [dim], x[dim] the point, or [dim] numbers that hold
        everywhere; and its form, \"advective\" for beta . grad u or \"conservative\" for div(beta u). None: no
        convection."""
        cdef PetscInt dim = 0
        cdef PetscReal beta[3]
        cdef bint function = callable(velocity)
        beta[0] = beta[1] = beta[2] = 0.
        CHKERR(PlexHDGGetVelocity(self.get(), &dim, NULL))
        if velocity is not None and not function:
            put(velocity, dim, beta)
        self.convection_ = velocity if function else None
        if not function:
            CHKERR(PlexHDGSetVelocity(self.get(), dim, beta))
        CHKERR(PlexHDGSetConvection(self.get(), <PlexHDGConvection> enumerated(PlexHDGConvections, form, "form"),
                                    <void *> hdg_velocity if function else NULL, <void *> <PyObject *> velocity))

    @property
    def tau(self):
        """Stabilization, the same on all faces, in units of kappa over a length; 0: each face has its own."""
        cdef PetscReal value = 0.
        CHKERR(PlexHDGGetTau(self.get(), &value))
        return value

    @tau.setter
    def tau(self, PetscReal value):
        CHKERR(PlexHDGSetTau(self.get(), value))

    @property
    def tau_factor(self):
        """By what the faces' own stabilization is multiplied."""
        cdef PetscReal value = 0.
        CHKERR(PlexHDGGetTauFactor(self.get(), &value))
        return value

    @tau_factor.setter
    def tau_factor(self, PetscReal value):
        CHKERR(PlexHDGSetTauFactor(self.get(), value))

    @property
    def stabilization(self):
        """A function f(x, cell, face) -> tau > 0 of each face of each element, x[dim] the face's center; None."""
        return self.stabilization_

    @stabilization.setter
    def stabilization(self, function):
        self.stabilization_ = function
        CHKERR(PlexHDGSetStabilization(self.get(), NULL if function is None else <void *> hdg_stabilization,
                                       <void *> <PyObject *> function))

    @property
    def source(self):
        """f: a number or a function f(x); None: zero."""
        return self.source_

    @source.setter
    def source(self, function):
        self.source_ = function
        CHKERR(PlexHDGSetSource(self.get(), NULL if function is None else <void *> hdg_values,
                                <void *> <PyObject *> function))

    @property
    def backend(self):
        """The `Backend`, made if need be; set by name: "auto", "cuda", "host", "emulate"."""
        cdef PlexBackend backend = NULL
        CHKERR(PlexHDGGetBackend(self.get(), &backend))
        return borrowed_backend(backend)

    @backend.setter
    def backend(self, str name):
        CHKERR(PlexHDGSetBackend(self.get(), name.encode()))

    @property
    def memory(self):
        """Bytes of local matrices at once while K is assembled; 0: half of what is free."""
        cdef PetscInt64 value = 0
        CHKERR(PlexHDGGetMemory(self.get(), &value))
        return value

    @memory.setter
    def memory(self, PetscInt64 value):
        CHKERR(PlexHDGSetMemory(self.get(), value))

    @property
    def time(self):
        """The time of a `TS`, which all functions may read, of coefficients too; None: they do not depend on it. Set
        it to a number to have it kept up to date."""
        return None if self.time_ is None else self.time_[0]

    @time.setter
    def time(self, value):
        if value is None:
            CHKERR(PlexHDGSetTimeVariable(self.get(), NULL))
            self.time_ = None
        else:
            if self.time_ is None:
                self.time_ = numpy.zeros(1)
                CHKERR(PlexHDGSetTimeVariable(self.get(), &self.time_[0]))
            self.time_[0] = value

    @property
    def prefix(self):
        """Goes before plex_hdg_... in the names of options; None."""
        cdef const char *prefix = NULL
        CHKERR(PlexHDGGetOptionsPrefix(self.get(), &prefix))
        return text(prefix)

    @prefix.setter
    def prefix(self, prefix):
        cdef bytes encoded = encode(prefix)
        CHKERR(PlexHDGSetOptionsPrefix(self.get(), chars(encoded)))

    def setOptionsPrefix(self, prefix):
        """Sets `prefix`."""
        self.prefix = prefix

    def getOptionsPrefix(self):
        """Gets `prefix`."""
        return self.prefix

    def setFromOptions(self):
        """Sets it from the options -plex_hdg_..."""
        CHKERR(PlexHDGSetFromOptions(self.get()))

    def addBoundary(self, str kind, value=None, label=None, number=None):
        """Sets a boundary condition where a label of the mesh has a value.

        Parameters
        ----------
        kind
            "dirichlet" (u = g), "neumann" (q . n = g), "robin" (q . n + alpha u = g), q = kappa grad u.
        value
            g, of "robin" the pair g, alpha: numbers, or a function f(x, n) of the point and the outward normal.
        label
            Name of the label; None: all of the boundary.
        number
            The label's value; None: any.

        Of "elasticity", "stokes" and "navierstokes" g is [dim]: the displacement or velocity u, the traction (stress) n, the traction with alpha u added, where alpha stands
        behind g. Of several conditions that hold for a facet the last one is taken; one that no facet has is an error.
        """
        cdef bytes encoded = encode(label)
        self.boundaries.append(value)
        CHKERR(PlexHDGAddBoundary(self.get(), chars(encoded), PETSC_DETERMINE if number is None else <PetscInt> number,
                                  <PlexHDGBoundary> enumerated(PlexHDGBoundaries, kind, "boundary condition"),
                                  NULL if value is None else <void *> hdg_boundary, <void *> <PyObject *> value))

    def addBoundaryComponents(self, components, value=None, label=None, number=None):
        """Sets the displacement of some components, and of the others the traction, where a label of the mesh has a value.

        Parameters
        ----------
        components
            [1 to dim - 1] of 0 to dim - 1: those whose displacement is given.
        value
            [dim] numbers, or a function f(x, n) -> [dim] of the point and the outward normal: of these components the
            displacement, of the others the traction; None: zero, a plane of symmetry.
        label
            Name of the label; None: all of the boundary.
        number
            The label's value; None: any.

        Of "elasticity", "stokes" and "navierstokes". PlexHDGAddBoundaryComponents().
        """
        cdef bytes encoded = encode(label)
        cdef PetscInt which[3]
        cdef PetscInt n = len(components)
        if not 1 <= n <= 2:
            raise ValueError(f"components = {components}: 1 to dim - 1 of them; addBoundary() is for all")
        for k in range(n):
            which[k] = components[k]
        self.boundaries.append(value)
        CHKERR(PlexHDGAddBoundaryComponents(self.get(), chars(encoded),
                                            PETSC_DETERMINE if number is None else <PetscInt> number, n, which,
                                            NULL if value is None else <void *> hdg_boundary,
                                            <void *> <PyObject *> value))

    def setPoint(self, str what, function, constants=(), slope=None, str form="advective"):
        """Sets what a pointwise function of PETSc gives, in C: in the place of a Python function.

        Parameters
        ----------
        what
            "source" (f), "coefficients" (kappa[dim][dim] and lambda of an element by its center), "kappa" (kappa[dim][dim]
            at a point, where u[0] is u), "velocity" (beta[dim] of convection).
        function
            One of a `Library`, or an address; None: none.
        constants
            [any number] what it gets as constants.
        slope
            Of "kappa" that depends on u: the function that gives its derivative by u, [dim][dim].
        form
            Of "velocity": "advective" (beta . grad u), "conservative" (div(beta u)).

        `source_file` names the file that defines it, so that kernels evaluate it: `library.path`.
        """
        cdef double[::1] c = numpy.append(numpy.asarray(constants, dtype=float).ravel(), 0.0)
        cdef PetscInt n = <PetscInt> c.shape[0] - 1
        cdef void *f = pointer(function)
        if slope is not None and what != "kappa":
            raise ValueError(f"slope is for kappa, which depends on u, not for {what!r}")
        if what == "source":
            CHKERR(PlexHDGSetSourcePoint(self.get(), f, n, &c[0]))
        elif what == "coefficients":
            CHKERR(PlexHDGSetCoefficientsPoint(self.get(), f, n, &c[0]))
        elif what == "kappa":
            CHKERR(PlexHDGSetKappaPoint(self.get(), f, pointer(slope), n, &c[0]))
        elif what == "velocity":
            CHKERR(PlexHDGSetConvectionPoint(
                self.get(), <PlexHDGConvection> enumerated(PlexHDGConvections, form, "form of convection"), f, n, &c[0]))
        else:
            raise ValueError(f"what = {what!r}: 'source', 'coefficients', 'kappa' or 'velocity'")
        self.boundaries.append((function, slope))

    def addBoundaryPoint(self, str kind, function, label=None, number=None, constants=()):
        """Sets a boundary condition by a pointwise function of PETSc, in C, where a label of the mesh has a value.

        Parameters
        ----------
        kind
            "dirichlet", "neumann", "robin", as in `addBoundary`.
        function
            One of a `Library`, or an address: gives g, of "robin" then alpha, from the point x[] and the normal n[].
        label
            Name of the label; None: all of the boundary.
        number
            The label's value; None: any.
        constants
            [any number] what it gets as constants.
        """
        cdef bytes encoded = encode(label)
        cdef double[::1] c = numpy.append(numpy.asarray(constants, dtype=float).ravel(), 0.0)
        self.boundaries.append(function)
        CHKERR(PlexHDGAddBoundaryPoint(self.get(), chars(encoded),
                                       PETSC_DETERMINE if number is None else <PetscInt> number,
                                       <PlexHDGBoundary> enumerated(PlexHDGBoundaries, kind, "boundary condition"),
                                       pointer(function), <PetscInt> c.shape[0] - 1, &c[0]))

    # --- work

    def setUp(self):
        """Reads the mesh, makes coefficients and the pattern of K, compiles kernels. Called by whatever needs it."""
        with _Together(self, self.update):
            CHKERR(PlexHDGSetUp(self.get()))
        return self

    def update(self):
        """Evaluates again what has been set anew since the set-up: a source, coefficients, boundary values. Called by
        whatever needs it."""
        CHKERR(PlexHDGUpdate(self.get()))

    @property
    def source_file(self):
        """Path of the C file that has the pointwise functions of `setPoint` and `addBoundaryPoint`, which kernels then
        evaluate; None: they are called on the host. Option -plex_hdg_source."""
        cdef const char *path = NULL
        CHKERR(PlexHDGGetPointwiseSource(self.get(), &path))
        return text(path)

    @source_file.setter
    def source_file(self, path):
        cdef bytes encoded = encode(path)
        CHKERR(PlexHDGSetPointwiseSource(self.get(), chars(encoded)))

    def reset(self):
        """Frees all that was set up and keeps the settings."""
        CHKERR(PlexHDGReset(self.get()))

    def view(self, Viewer viewer=None):
        """Prints degree, stabilization, mesh, trace, memory, how it is computed; default viewer: standard output."""
        if viewer is None:
            viewer = PETSc.Viewer.STDOUT(self.getComm())
        with _Together(self, self.update):
            CHKERR(PlexHDGView(self.get(), viewer.vwr))

    def view_text(self):
        """What `view` prints, as text; empty on all processes but the first."""
        return view_text(self, self.view)

    def getSNES(self):
        """The nonlinear solver of "navierstokes" in `solve`, with options -plex_hdg_snes_..."""
        cdef SNES out = SNES()
        cdef PetscSNES snes = NULL
        CHKERR(PlexHDGGetSNES(self.get(), &snes))
        CHKERR(PetscObjectReference(<PetscObject> snes))
        out.snes = snes
        return out

    def getKSP(self):
        """The solver of the trace's equations, with options -plex_hdg_ksp_... and -plex_hdg_pc_..."""
        cdef KSP out = KSP()
        cdef PetscKSP ksp = NULL
        CHKERR(PlexHDGGetKSP(self.get(), &ksp))
        CHKERR(PetscObjectReference(<PetscObject> ksp))
        out.ksp = ksp
        return out

    def createVecs(self):
        """Vectors trace [face][function], u [element][function], q [element][coordinate][function], star
        [element][function of degree P + 1]; functions are orthonormal on the reference cell and its faces. Of "elasticity"
        and "stokes" u is [element][coordinate][function], q [element][entry][function], and star is None."""
        cdef Vec trace = Vec(), u = Vec(), q = Vec(), star = Vec()
        with _Together(self, self.update):
            CHKERR(PlexHDGCreateVecs(self.get(), &trace.vec, &u.vec, &q.vec, &star.vec))
        return trace, u, q, None if star.vec == NULL else star

    def assemble(self):
        """The matrix K of the trace, computed; it stays the discretization's own."""
        cdef Mat out = Mat()
        cdef PetscMat A = NULL
        with _Together(self, self.update):
            CHKERR(PlexHDGAssemble(self.get(), &A))
        CHKERR(PetscObjectReference(<PetscObject> A))
        out.mat = A
        return out

    def computeRHS(self, Vec rhs):
        """Computes the right-hand side of the trace's equations, a vector like the trace."""
        with _Together(self, self.update):
            CHKERR(PlexHDGComputeRHS(self.get(), rhs.vec))

    def solveTrace(self, Vec rhs, Vec trace):
        """Solves the trace's equations with the right-hand side rhs, after `assemble`."""
        with _Together(self, self.update):
            CHKERR(PlexHDGSolveTrace(self.get(), rhs.vec, trace.vec))

    def recover(self, Vec trace, Vec u, Vec q=None):
        """Solves the local problems of a trace for u and its flux q."""
        with _Together(self, self.update):
            CHKERR(PlexHDGRecover(self.get(), trace.vec, u.vec, q.vec if q is not None else NULL))

    def postprocess(self, Vec u, Vec q, Vec star):
        """Finds the polynomials star of degree P + 1 whose gradients fit the flux q and whose means are those of u."""
        with _Together(self, self.update):
            CHKERR(PlexHDGPostprocess(self.get(), u.vec, q.vec, star.vec))

    def solve(self):
        """Solves the problem; returns u and its flux q, which are those of `getSolution`."""
        with _Together(self, self.update):
            CHKERR(PlexHDGSolve(self.get()))
        return self.getSolution()[1:3]

    def getSolution(self):
        """Vectors trace, u, q, star of the solution, which stay the discretization's own; see `createVecs`. Of
        "elasticity" and "stokes" star is None."""
        cdef PetscVec trace = NULL, u = NULL, q = NULL, star = NULL
        with _Together(self, self.update):
            CHKERR(PlexHDGGetSolution(self.get(), &trace, &u, &q, &star))
        return borrowed_vec(trace), borrowed_vec(u), borrowed_vec(q), None if star == NULL else borrowed_vec(star)

    def solveMany(self, PetscInt n, problem):
        """Solves n problems that differ in source and boundary values, with one matrix and one preconditioner.

            def problem(k):
                hdg.source = sources[k]

            for u, q in hdg.solveMany(len(sources), problem): ...

        Parameters
        ----------
        n
            Number of problems.
        problem
            A function problem(k) that sets source and boundary values of problem k.

        Returns a list of pairs of vectors u, q, as of `createVecs`. A problem that would change the matrix is a
        `PETSc.Error`. Of "diffusion". Collective. PlexHDGSolveMany().
        """
        cdef list pairs = [self.createVecs()[1:3] for _ in range(n)]
        cdef size_t[::1] u = numpy.zeros(2 * max(1, n), dtype=numpy.uintp)
        for k in range(n):
            u[k], u[n + k] = <size_t> (<Vec> pairs[k][0]).vec, <size_t> (<Vec> pairs[k][1]).vec
        with _Together(self, self.update):
            CHKERR(PlexHDGSolveMany(self.get(), n, <void *> hdg_problem, <void *> <PyObject *> problem, NULL,
                                    <PetscVec *> &u[0], <PetscVec *> &u[max(0, n)], NULL))
        return pairs

    def nodes(self):
        """Coordinates of nodes of this process's elements, an array [element][node][dim] on the host.

            x, u = hdg.nodes(), hdg.node_values(hdg.getSolution()[1])
            numpy.abs(u[:, 0] - numpy.sin(x[..., 0])).max()

        The nodes of PETSc's Lagrange element of the degree, in the units of the mesh's coordinates. Collective.
        PlexHDGGetNodes().
        """
        cdef PetscInt Ne = 0, Np = 0
        cdef const PetscReal *x = NULL
        with _Together(self, self.update):
            CHKERR(PlexHDGGetNodes(self.get(), &Ne, &Np, &x))
        return nodes_array(x, Ne, Np, self.dm_.getCoordinateDim())

    def node_values(self, Vec v, PetscInt components=1):
        """What u, q or star has at the `nodes`: an array [element][component][node] on the host.

        Parameters
        ----------
        v
            u, q or star of `createVecs` or `getSolution`, which have coefficients of orthonormal functions.
        components
            1 of u and star, the mesh's dimension of q; of "elasticity" dim of u, dim (dim + 1)/2 of q; of
            "stokes" dim of u, dim^2 of q, 1 of the pressure.

        A vector of another length is a `PETSc.Error`. Collective. PlexHDGComputeNodeValues().
        """
        cdef PetscInt Ne = 0, Np = 0
        cdef double[::1] values
        with _Together(self, self.update):
            CHKERR(PlexHDGGetNodes(self.get(), &Ne, &Np, NULL))
        values = numpy.zeros(max(1, Ne * max(1, components) * Np))
        CHKERR(PlexHDGComputeNodeValues(self.get(), components, v.vec, &values[0]))
        return numpy.asarray(values)[:Ne * components * Np].reshape(Ne, components, Np)

    def createStateVec(self):
        """A vector of u, of "navierstokes" the pressure, and the trace: the unknowns of `setSNES` and `setTS`."""
        cdef Vec X = Vec()
        with _Together(self, self.update):
            CHKERR(PlexHDGCreateStateVec(self.get(), &X.vec))
        return X

    def projectState(self, function, Vec X):
        """Finds the state X, of `createStateVec`, that is nearest to a function f(x) in L2: an initial state."""
        with _Together(self, self.update):
            CHKERR(PlexHDGProjectState(self.get(), <void *> hdg_values, <void *> <PyObject *> function, X.vec))

    def setState(self, Vec X):
        """Makes a state the solution, with q and post-processed u."""
        with _Together(self, self.update):
            CHKERR(PlexHDGSetState(self.get(), X.vec))

    def setSNES(self, SNES snes):
        """Makes the discretization the function and the Jacobian of a `SNES`. Call it before `setFromOptions`."""
        cdef PetscVec F = NULL
        cdef PetscMat J = NULL, P = NULL
        with _Together(self, self.update):
            CHKERR(PlexHDGSetSNES(self.get(), snes.snes))
        CHKERR(SNESGetFunction(snes.snes, &F, <void *> &self.functions[0], NULL))
        CHKERR(SNESSetFunction(snes.snes, F, <void *> hdg_snes_function, <void *> <PyObject *> self))
        CHKERR(SNESGetJacobian(snes.snes, &J, &P, <void *> &self.functions[1], NULL))
        CHKERR(SNESSetJacobian(snes.snes, J, P, <void *> hdg_snes_jacobian, <void *> <PyObject *> self))
        snes.setAttr("__plexgpu_hdg__", self)

    def setTS(self, TS ts):
        """Makes it du/dt - div(kappa grad u) + lambda u = f of an implicit `TS`, or of "navierstokes" with their convection
        as `transport` says. Call it before `setFromOptions`."""
        cdef PetscVec F = NULL, G = NULL
        cdef PetscMat J = NULL, P = NULL
        with _Together(self, self.update):
            CHKERR(PlexHDGSetTS(self.get(), ts.ts))
        CHKERR(TSGetIFunction(ts.ts, &F, <void *> &self.functions[2], NULL))
        CHKERR(TSSetIFunction(ts.ts, F, <void *> hdg_ts_function, <void *> <PyObject *> self))
        CHKERR(TSGetIJacobian(ts.ts, &J, &P, <void *> &self.functions[3], NULL))
        CHKERR(TSSetIJacobian(ts.ts, J, P, <void *> hdg_ts_jacobian, <void *> <PyObject *> self))
        if self.system == "navierstokes" and self.transport == "explicit":
            CHKERR(TSGetRHSFunction(ts.ts, &G, <void *> &self.functions[4], NULL))
            CHKERR(TSSetRHSFunction(ts.ts, G, <void *> hdg_ts_rhs, <void *> <PyObject *> self))
        ts.setAttr("__plexgpu_hdg__", self)

    def computeL2Error(self, u, q=None):
        """Errors in L2 of u, its flux (0 without q) and post-processed u, an array [3], after `solve`: functions u(x)
        and q(x) [dim] are exact; of "elasticity" u(x) [dim], q(x) [dim (dim + 1)/2], and the third error is 0; of
        "stokes" likewise with the gradient q(x) [dim^2], du_i/dx_j at i dim + j."""
        cdef double[::1] error = numpy.zeros(3)
        pair = (u, q)
        with _Together(self, self.update):
            CHKERR(PlexHDGComputeL2Error(self.get(), <void *> hdg_first, NULL if q is None else <void *> hdg_second,
                                         <void *> <PyObject *> pair, &error[0]))
        return numpy.asarray(error)

    def getPressure(self):
        """The pressure of "stokes" and "navierstokes", a vector [element][function], which stays the discretization's own, after `solve`."""
        cdef PetscVec pressure = NULL
        with _Together(self, self.update):
            CHKERR(PlexHDGGetPressure(self.get(), &pressure))
        return borrowed_vec(pressure)

    def getSolenoidalVelocity(self):
        """The velocity of "stokes" and "navierstokes" in H(div) without divergence, after `solve` or `setState`: a vector
        [element][coordinate][function of degree P + 1], which stays the discretization's own. On straight triangles and
        tetrahedra."""
        cdef PetscVec v = NULL
        with _Together(self, self.update):
            CHKERR(PlexHDGGetSolenoidalVelocity(self.get(), &v))
        return borrowed_vec(v)

    def computeDivergence(self, Vec v):
        """The L2 norms of the divergence of a velocity v, of `getSolution` or `getSolenoidalVelocity`, in the elements, and of
        the jumps of its normal component between them: a pair of numbers."""
        cdef PetscReal divergence = 0., jump = 0.
        with _Together(self, self.update):
            CHKERR(PlexHDGComputeDivergence(self.get(), v.vec, &divergence, &jump))
        return divergence, jump

    def computeStatePressure(self, Vec X):
        """Computes the pressure of a state X of "navierstokes", at the end of steps in time, from its velocity: with
        `transport` "explicit" it then has the order that the velocity has, else order 1."""
        with _Together(self, self.update):
            CHKERR(PlexHDGComputeStatePressure(self.get(), X.vec))

    def computePressureError(self, p):
        """The error in L2 of the pressure of "stokes", after `solve`: the function p(x), a number, is exact; where the
        pressure has a free constant, of that with the exact one's mean."""
        cdef PetscReal error = 0.
        pair = (p, None)
        with _Together(self, self.update):
            CHKERR(PlexHDGComputePressureError(self.get(), <void *> hdg_first, <void *> <PyObject *> pair, &error))
        return error

    def computeMaxError(self, u, q=None):
        """The largest errors at points of a quadrature, an array [3] as of `computeL2Error`."""
        cdef double[::1] error = numpy.zeros(3)
        pair = (u, q)
        with _Together(self, self.update):
            CHKERR(PlexHDGComputeMaxError(self.get(), <void *> hdg_first, NULL if q is None else <void *> hdg_second,
                                          <void *> <PyObject *> pair, &error[0]))
        return numpy.asarray(error)

    def computeFluxJump(self):
        """The largest jump of the flux through a face."""
        cdef PetscReal jump = 0.
        with _Together(self, self.update):
            CHKERR(PlexHDGComputeFluxJump(self.get(), &jump))
        return jump

    def writeVTKHDF(self, file, exact=None):
        """Writes the solution to a .vtkhdf file that ParaView draws at its degree; with the error of exact(x)."""
        with _Together(self, self.update):
            CHKERR(PlexHDGWriteVTKHDF(self.get(), os.fsencode(file), NULL if exact is None else <void *> hdg_values,
                                      <void *> <PyObject *> exact))
