# PetscDS and DM: pointwise functions, constants, boundary conditions, callbacks. None of this needs PlexGPU's assembly.

cdef PetscDS ds_of(object where) except? NULL:
    cdef PetscDS ds = NULL
    if isinstance(where, DS):
        return (<DS> where).ds
    if isinstance(where, DM):
        CHKERR(DMGetDS((<DM> where).dm, &ds))
        return ds
    raise TypeError(f"{where!r} is neither a DM nor a DS")


cdef PetscDS ds_with(object where, PetscInt field, PetscInt trial=0) except? NULL:
    """The DS, which has to have these fields."""
    cdef PetscDS ds = ds_of(where)
    cdef PetscInt n = 0
    CHKERR(PetscDSGetNumFields(ds, &n))
    for f in (field, trial):
        if not 0 <= f < n:
            raise ValueError(f"field {f} is none of the {n} of the DS")
    return ds


def set_residual(where, PetscInt field, f0=None, f1=None):
    """Sets the functions of the residual, integral of f0 . v + f1 : grad v.

    Parameters
    ----------
    where
        The `DM`, its discrete system made, or the `DS`.
    field
        The test function's field.
    f0, f1
        Pointwise functions (`Pointwise`, an address, or None) with PETSc's parameters: f0[Nc], f1[Nc][dim].

    PetscDSSetResidual().
    """
    CHKERR(PetscDSSetResidual(ds_with(where, field), field, pointer(f0), pointer(f1)))


def set_rhs_residual(where, PetscInt field, f0=None, f1=None):
    """Sets the functions of the explicit part of a time-dependent problem, as `set_residual` does for the implicit one.

    They count for a field that `set_implicit` says is not. PetscDSSetRHSResidual().
    """
    CHKERR(PetscDSSetRHSResidual(ds_with(where, field), field, pointer(f0), pointer(f1)))


def set_implicit(where, PetscInt field, bint implicit):
    """Sets whether a field of a `DM` or `DS` is implicit in time, as it is at first, or computed by the explicit part
    of `set_rhs_residual`. PetscDSSetImplicit()."""
    CHKERR(PetscDSSetImplicit(ds_with(where, field), field, PETSC_TRUE if implicit else PETSC_FALSE))


def set_jacobian(where, PetscInt field, PetscInt trial, g0=None, g1=None, g2=None, g3=None):
    """Sets the functions of the Jacobian, integral of v g0 w + v g1 grad w + grad v g2 w + grad v g3 grad w.

    Parameters
    ----------
    where
        The `DM` or the `DS`.
    field, trial
        The fields of the test function v and of the trial function w.
    g0, g1, g2, g3
        Pointwise functions: g0[Nc][Mc], g1[Nc][Mc][dim], g2[Nc][Mc][dim], g3[Nc][Mc][dim][dim], v's index first.

    PetscDSSetJacobian().
    """
    CHKERR(PetscDSSetJacobian(ds_with(where, field, trial), field, trial, pointer(g0), pointer(g1), pointer(g2),
                              pointer(g3)))


def set_jacobian_preconditioner(where, PetscInt field, PetscInt trial, g0=None, g1=None, g2=None, g3=None):
    """Sets the functions of the matrix that the preconditioner is made from, as `set_jacobian`.

    PetscDSSetJacobianPreconditioner().
    """
    CHKERR(PetscDSSetJacobianPreconditioner(ds_with(where, field, trial), field, trial, pointer(g0), pointer(g1),
                                            pointer(g2), pointer(g3)))


def set_dynamic_jacobian(where, PetscInt field, PetscInt trial, g0=None, g1=None, g2=None, g3=None):
    """Sets the functions of the Jacobian for u_t, which are multiplied by the shift, as `set_jacobian`.

    PetscDSSetDynamicJacobian().
    """
    CHKERR(PetscDSSetDynamicJacobian(ds_with(where, field, trial), field, trial, pointer(g0), pointer(g1), pointer(g2),
                                     pointer(g3)))


def set_objective(where, PetscInt field, function=None):
    """Sets a function of a field of a `DM` or `DS` that `integrate` integrates: its result is one number, f[1].

    PetscDSSetObjective().
    """
    CHKERR(PetscDSSetObjective(ds_with(where, field), field, pointer(function)))


cdef PetscWeakForm boundary_form(object where, PetscInt boundary) except? NULL:
    """The weak form of a boundary condition, which has what is integrated over its facets."""
    cdef PetscWeakForm form = NULL
    cdef PetscDS ds = ds_of(where)
    cdef PetscInt n = 0
    CHKERR(PetscDSGetNumBoundary(ds, &n))
    if not 0 <= boundary < n:
        raise ValueError(f"boundary {boundary} is none of the {n} of this DS: add_boundary() gives its number")
    CHKERR(PetscDSGetBoundary(ds, boundary, &form, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL))
    return form


def set_bd_residual(where, PetscInt boundary, DMLabel label, PetscInt value, PetscInt field, f0=None, f1=None):
    """Sets functions of the residual that are integrated over facets, f0 . v + f1 : grad v.

    Parameters
    ----------
    where
        The `DM` or the `DS`.
    boundary
        The number of a natural boundary condition, of `add_boundary`.
    label, value
        The facets: those of the condition with this value.
    field
        The test function's field.
    f0, f1
        Pointwise functions with PETSc's parameters of the boundary, the normal n[dim] among them.

    PetscWeakFormSetIndexBdResidual().
    """
    ds_with(where, field)
    CHKERR(PetscWeakFormSetIndexBdResidual(boundary_form(where, boundary), label.dmlabel, value, field, 0, 0,
                                           pointer(f0), 0, pointer(f1)))


def set_bd_jacobian(where, PetscInt boundary, DMLabel label, PetscInt value, PetscInt field, PetscInt trial, g0=None,
                    g1=None, g2=None, g3=None):
    """Sets functions of the Jacobian that are integrated over facets; see `set_bd_residual` and `set_jacobian`.

    PetscWeakFormSetIndexBdJacobian().
    """
    ds_with(where, field, trial)
    CHKERR(PetscWeakFormSetIndexBdJacobian(boundary_form(where, boundary), label.dmlabel, value, field, trial, 0, 0,
                                           pointer(g0), 0, pointer(g1), 0, pointer(g2), 0, pointer(g3)))


def set_bd_jacobian_preconditioner(where, PetscInt boundary, DMLabel label, PetscInt value, PetscInt field,
                                   PetscInt trial, g0=None, g1=None, g2=None, g3=None):
    """Sets functions of the preconditioner's matrix that are integrated over facets; see `set_bd_jacobian`.

    PetscWeakFormSetIndexBdJacobianPreconditioner().
    """
    ds_with(where, field, trial)
    CHKERR(PetscWeakFormSetIndexBdJacobianPreconditioner(boundary_form(where, boundary), label.dmlabel, value, field,
                                                         trial, 0, 0, pointer(g0), 0, pointer(g1), 0, pointer(g2), 0,
                                                         pointer(g3)))


def set_exact_solution(DM dm, PetscInt field, value, derivative=None):
    """Sets the exact solution of a field, for `exact_errors` and PETSc's -dmsnes_check, -dmts_check, -ts_monitor_error.

    Parameters
    ----------
    dm
        The `DM`, its fields and discrete system made; it keeps the value.
    field
        The field's number.
    value
        As for `add_boundary`.
    derivative
        Its derivative in time, likewise.

    Returns the `Values`. PetscDSSetExactSolution(), PetscDSSetExactSolutionTimeDerivative().
    """
    cdef PetscInt Nc = field_components(dm, field)
    cdef Values v = value if isinstance(value, Values) else Values(value, Nc), d
    keep(dm, v)
    guard(dm, v)
    CHKERR(PetscDSSetExactSolution(ds_of(dm), field, v.function, v.context))
    if derivative is not None:
        d = derivative if isinstance(derivative, Values) else Values(derivative, Nc)
        keep(dm, d)
        guard(dm, d)
        CHKERR(PetscDSSetExactSolutionTimeDerivative(ds_of(dm), field, d.function, d.context))
    return v


def exact_errors(DM dm, Vec vec, double t=0.0):
    """The L2 norm of each field's difference from its exact solution (`set_exact_solution`) at time t: [fields].

    vec is a global vector of the `DM`.

    Essential values are taken from the exact solution, unlike in `l2_error`. DMComputeError().
    """
    cdef PetscInt Nf = 0, number = 0
    cdef PetscReal before = 0.
    CHKERR(DMGetNumFields(dm.dm, &Nf))
    cdef double[::1] out = numpy.zeros(max(1, Nf))
    CHKERR(DMGetOutputSequenceNumber(dm.dm, &number, &before))
    CHKERR(DMSetOutputSequenceNumber(dm.dm, number, t))  # where PETSc looks for the time
    try:
        with _Together(dm):
            CHKERR(DMComputeError(dm.dm, vec.vec, &out[0], NULL))
    finally:
        CHKERR(DMSetOutputSequenceNumber(dm.dm, number, before))
    return numpy.asarray(out)[:Nf]


def set_constants(where, values):
    """Sets the values [n] that pointwise functions get as constants[]; of a `DM` in each discrete system, or of a `DS`.

    PetscDSSetConstants().
    """
    cdef double[::1] array = numpy.ascontiguousarray(values, dtype=float).ravel()
    cdef PetscInt n = <PetscInt> array.shape[0], s, Nds = 0
    cdef PetscScalar *p = &array[0] if n else NULL
    cdef PetscDS ds = NULL
    if isinstance(where, DM):
        CHKERR(DMGetNumDS((<DM> where).dm, &Nds))
        for s in range(Nds):
            CHKERR(DMGetRegionNumDS((<DM> where).dm, s, NULL, NULL, &ds, NULL))
            CHKERR(PetscDSSetConstants(ds, n, p))
    else:
        CHKERR(PetscDSSetConstants(ds_of(where), n, p))


def get_constants(where):
    """The numbers [n] that pointwise functions of a `DM` or `DS` get as constants[]. PetscDSGetConstants()."""
    cdef PetscInt n = 0
    cdef const PetscScalar *p = NULL
    CHKERR(PetscDSGetConstants(ds_of(where), &n, &p))
    return view_array(p, n).copy() if n else numpy.zeros(0)


def keep(Object obj, thing):
    """Keeps a Python object, `thing`, for as long as a PETSc object `obj` lives, which C points to from there; returns
    thing."""
    kept = obj.getAttr("__plexgpu_kept__")
    if kept is None:
        kept = []
        obj.setAttr("__plexgpu_kept__", kept)
    kept.append(thing)
    return thing


def add_boundary(DM dm, str name, DMLabel label, values, PetscInt field, value=None, *, components=(), derivative=None,
                 essential=True):
    """Adds a boundary condition.

    Parameters
    ----------
    dm
        The `DM`, its fields and discrete system made.
    name
        Of the condition, for its options.
    label, values
        Where it is: points of the mesh with one of these values (a number or several) of the label.
    field
        Of the unknown.
    value
        Essential conditions: a number; one for each component of the field; a Python function f(x, t), which gets
        x[dim] and the time and gives one or all components; or a C function PetscErrorCode f(PetscInt dim, PetscReal
        t, const PetscReal x[], PetscInt Nc, PetscScalar u[], void *ctx), by `Pointwise` or `Values`. All components
        of the field are given, whichever are constrained.
    components
        Those that are constrained; default: all.
    derivative
        The value's derivative in time, likewise.
    essential
        False: a natural condition, whose functions `set_bd_residual` and `set_bd_jacobian` set.

    Returns
    -------
    number, values
        The condition's number in the `DS`, and the `Values` of an essential one, which may be set again. The `DM`
        keeps them; a `DM` that is made from it must not live longer.

    An exception in a Python function comes back as the cause of a `PETSc.Error`. DMAddBoundary().
    """
    cdef PetscInt[::1] where = numpy.ascontiguousarray(numpy.atleast_1d(values), dtype=numpy.intc)
    cdef PetscInt[::1] which = numpy.ascontiguousarray(components, dtype=numpy.intc).ravel()
    cdef PetscInt number = -1, Nc = field_components(dm, field)
    cdef Values v = None, d = None
    cdef bytes encoded = name.encode()
    if label is None:
        raise ValueError(f"boundary condition {name}: there is no such label")
    if essential:
        v = value if isinstance(value, Values) else Values(0. if value is None else value, Nc)
        keep(dm, v)
        guard(dm, v)
        if derivative is not None:
            d = derivative if isinstance(derivative, Values) else Values(derivative, Nc)
            if v.context != d.context:
                raise ValueError("PETSc gives one context to a value and its derivative: both have to be C functions")
            keep(dm, d)
            guard(dm, d)
    CHKERR(DMAddBoundary(dm.dm, DM_BC_ESSENTIAL if essential else DM_BC_NATURAL, encoded, label.dmlabel,
                         <PetscInt> where.shape[0], &where[0] if where.shape[0] else NULL, field,
                         <PetscInt> which.shape[0], &which[0] if which.shape[0] else NULL,
                         v.function if v is not None else NULL, d.function if d is not None else NULL,
                         v.context if v is not None else NULL, &number))
    return number, v


def field_components(DM dm, PetscInt field):
    """The number of components of a field of a `DM`; a ValueError where it has none of this number."""
    cdef PetscInt n = 0
    CHKERR(DMGetNumFields(dm.dm, &n))
    if not 0 <= field < n:
        raise ValueError(f"field {field} is none of the {n} of this DM")
    return dm.getField(field)[0].getNumComponents()


cdef class _Values:
    """Values of all fields, as PETSc takes them."""
    cdef list values
    cdef uintptr_t[::1] functions, contexts

    def __init__(self, DM dm, values):
        cdef PetscInt Nf = 0, f
        cdef Values v
        CHKERR(DMGetNumFields(dm.dm, &Nf))
        if Nf == 1 and not isinstance(values, (list, tuple)) or Nf == 1 and len(values) != 1:
            values = [values]
        if len(values) != Nf:
            raise ValueError(f"{len(values)} values for the {Nf} fields of the DM")
        self.functions, self.contexts = numpy.zeros(Nf, dtype=numpy.uintp), numpy.zeros(Nf, dtype=numpy.uintp)
        self.values = [None if value is None else
                       value if isinstance(value, Values) else Values(value, field_components(dm, f))
                       for f, value in enumerate(values)]
        for f in range(Nf):
            if self.values[f] is not None:
                v = self.values[f]
                self.functions[f], self.contexts[f] = <uintptr_t> v.function, <uintptr_t> v.context


def project(DM dm, values, Vec vec, double t=0.0, bint local=False):
    """Puts values into a vector: the element's interpolation of each field, or its projection.

    Parameters
    ----------
    dm
        The `DM`.
    values
        One for each field, as for `add_boundary`; None leaves zeros there. Of a single field it may stand alone.
    vec
        A global vector of the `DM`, or a local one.
    t
        The time.
    local
        True: `vec` is a local vector.

    Collective; what a Python function raises on one process is raised on all. DMProjectFunction(),
    DMProjectFunctionLocal().
    """
    cdef _Values all_ = _Values(dm, values)
    with _Together(dm):
        if local:
            CHKERR(DMProjectFunctionLocal(dm.dm, t, <void *> &all_.functions[0], <void **> &all_.contexts[0],
                                          INSERT_ALL_VALUES, vec.vec))
        else:
            CHKERR(DMProjectFunction(dm.dm, t, <void *> &all_.functions[0], <void **> &all_.contexts[0],
                                     INSERT_ALL_VALUES, vec.vec))


def local_vec(DM dm, Vec vec, double t=0.0):
    """A local vector of a `DM` with the values of a global one, vec, and the essential values at time t.

    It is what `Assembly.computeFunction` takes. DMGlobalToLocal(), DMPlexInsertBoundaryValues().
    """
    cdef Vec out = Vec()
    CHKERR(DMCreateLocalVector(dm.dm, &out.vec))
    CHKERR(DMGlobalToLocal(dm.dm, vec.vec, INSERT_VALUES, out.vec))
    with _Together(dm):
        CHKERR(DMPlexInsertBoundaryValues(dm.dm, PETSC_TRUE, out.vec, t, NULL, NULL, NULL))
    return out


def l2_error(DM dm, values, Vec vec, double t=0.0):
    """The L2 norm of the difference between a global vector vec of a `DM` and values as for `project` at time t.
    DMComputeL2Diff()."""
    cdef _Values all_ = _Values(dm, values)
    cdef PetscReal error = 0.
    with _Together(dm):
        CHKERR(DMComputeL2Diff(dm.dm, t, <void *> &all_.functions[0], <void **> &all_.contexts[0], vec.vec, &error))
    return error


def integrate(DM dm, Vec vec):
    """The integral of each field's objective (`set_objective`) at a global vector vec over the mesh of a `DM`, an array
    [fields]. DMPlexComputeIntegralFEM()."""
    cdef PetscInt Nf = 0
    CHKERR(DMGetNumFields(dm.dm, &Nf))
    cdef double[::1] out = numpy.zeros(Nf)
    CHKERR(DMPlexComputeIntegralFEM(dm.dm, vec.vec, &out[0], NULL))
    return numpy.asarray(out)


cdef object functions_of(DM dm, functions):
    """Addresses of a pointwise function for each field, of a single field it alone."""
    cdef PetscInt Nf = 0
    CHKERR(DMGetNumFields(dm.dm, &Nf))
    if not isinstance(functions, (list, tuple)):
        functions = [functions]
    if len(functions) != Nf:
        raise ValueError(f"{len(functions)} functions for the {Nf} fields of the DM: give one for each, None for none")
    return numpy.array([<uintptr_t> pointer(f) if f is not None else 0 for f in functions], dtype=numpy.uintp)


def integrate_boundary(DM dm, Vec vec, DMLabel label, values, functions):
    """The integral of functions over facets, one number for each field, an array [fields].

    Parameters
    ----------
    dm, vec
        The `DM`, and a global vector of it.
    label, values
        The facets: those with one of these values (a number or several) of the label.
    functions
        A pointwise function for each field, with PETSc's parameters of the boundary (`BD_RESIDUAL`), result f[0]; None
        for zero. Of a single field it may stand alone.

    Over all processes, of a mesh without overlap. Collective. DMPlexComputeBdIntegral().
    """
    cdef PetscInt[::1] where = numpy.ascontiguousarray(numpy.atleast_1d(values), dtype=numpy.intc)
    cdef uintptr_t[::1] all_ = functions_of(dm, functions)
    cdef double[::1] out = numpy.zeros(all_.shape[0])
    CHKERR(DMPlexComputeBdIntegral(dm.dm, vec.vec, label.dmlabel, <PetscInt> where.shape[0],
                                   &where[0] if where.shape[0] else NULL, <void *> &all_[0], &out[0], NULL))
    return total(dm, out)  # PETSc gives each process its own facets' part


def project_field(DM dm, functions, Vec source, Vec vec, double t=0.0):
    """Puts functions of fields and their gradients into a vector, such as a flux or a stress.

    Parameters
    ----------
    dm
        The `DM` of `vec`, on the mesh of `source`: that of `source`, or a clone of it with other fields.
    functions
        A pointwise function for each field of `dm` (`RESIDUAL`), with u and u_x of `source`. It assigns f[Nc], which
        is not zero before. Of a single field it may stand alone.
    source, vec
        Global vectors; `source` knows its `DM`.
    t
        The time.

    DMProjectField().
    """
    cdef uintptr_t[::1] all_ = functions_of(dm, functions)
    CHKERR(DMProjectField(dm.dm, t, source.vec, <void *> &all_[0], INSERT_VALUES, vec.vec))


def tabulate(FE fe):
    """A finite element's functions and their reference gradients at its quadrature points.

    Returns
    -------
    weights, values, gradients
        [points], [points][functions][components], [points][functions][components][dim]. PetscFEGetCellTabulation().
    """
    cdef PetscTabulation_ *T = NULL
    CHKERR(PetscFEGetCellTabulation(fe.fe, 1, &T))
    n, shape = T.Nr * T.Np, (T.Nr * T.Np, T.Nb, T.Nc)
    values = view_array(T.T[0], n * T.Nb * T.Nc).reshape(shape).copy()
    gradients = view_array(T.T[1], n * T.Nb * T.Nc * T.cdim).reshape(*shape, T.cdim).copy()
    return numpy.array(fe.getQuadrature().getData()[1]).ravel(), values, gradients


def affine_cell(DM dm, PetscInt cell):
    """J[dim][dim], its inverse and its determinant, of x = v0 + J (xi + 1) in a cell of a `DM`, a simplex with straight
    sides.

    DMPlexComputeCellGeometryAffineFEM().
    """
    cdef double[::1] v0 = numpy.zeros(3), J = numpy.zeros(9), inverse = numpy.zeros(9)
    cdef PetscReal determinant = 0.
    dim = dm.getDimension()
    CHKERR(DMPlexComputeCellGeometryAffineFEM(dm.dm, cell, &v0[0], &J[0], &inverse[0], &determinant))
    square = lambda a: numpy.asarray(a)[:dim * dim].reshape(dim, dim)
    return square(J), square(inverse), determinant


def set_snes_local_petsc(DM dm, *, bint objective=False):
    """Lets a `SNES` on this `DM` assemble residual and Jacobian with PETSc's own loops; with `objective` also the
    integral of `set_objective`, for line searches. DMPlexSetSNESLocalFEM()."""
    CHKERR(DMPlexSetSNESLocalFEM(dm.dm, PETSC_TRUE if objective else PETSC_FALSE, NULL))


def set_ts_local_petsc(DM dm):
    """Lets a `TS` on this `DM` assemble its implicit function and Jacobian with PETSc's own loops, and its explicit
    part where `set_rhs_residual` has given one.

    DMTSSetBoundaryLocal(), DMTSSetIFunctionLocal(), DMTSSetIJacobianLocal() and DMTSSetRHSFunctionLocal() with
    DMPlexTSComputeBoundary(), DMPlexTSComputeIFunctionFEM(), DMPlexTSComputeIJacobianFEM() and
    DMPlexTSComputeRHSFunctionFEM().
    """
    cdef PetscDS ds = ds_of(dm)
    cdef PetscInt Nf = 0, f
    cdef void *f0 = NULL
    cdef void *f1 = NULL
    cdef bint implicit = False, explicit = False
    CHKERR(PetscDSGetNumFields(ds, &Nf))
    for f in range(Nf):
        CHKERR(PetscDSGetResidual(ds, f, &f0, &f1))
        implicit = implicit or f0 != NULL or f1 != NULL
        CHKERR(PetscDSGetRHSResidual(ds, f, &f0, &f1))
        explicit = explicit or f0 != NULL or f1 != NULL
    CHKERR(DMTSSetBoundaryLocal(dm.dm, <void *> DMPlexTSComputeBoundary, NULL))
    if implicit or not explicit:
        CHKERR(DMTSSetIFunctionLocal(dm.dm, <void *> DMPlexTSComputeIFunctionFEM, NULL))
        CHKERR(DMTSSetIJacobianLocal(dm.dm, <void *> DMPlexTSComputeIJacobianFEM, NULL))
    if explicit:
        CHKERR(DMTSSetRHSFunctionLocal(dm.dm, <void *> DMPlexTSComputeRHSFunctionFEM, NULL))
