# plexgpudg.h

cdef extern from *:
    """
    static const char plexgpu_include_folder[] = PLEXGPU_INCLUDE_FOLDER; /* setup.py */
    """
    const char *plexgpu_include_folder

cdef extern from "plexgpu.h" nogil:
    struct _p_PlexDG
    ctypedef _p_PlexDG *PlexDG
    struct _n_PlexDGProbes
    ctypedef _n_PlexDGProbes *PlexDGProbes
    struct _n_PlexDGFarField
    ctypedef _n_PlexDGFarField *PlexDGFarField
    ctypedef enum PlexDGDiscretization:
        pass
    const char *const PlexDGDiscretizations[]
    PetscErrorCode PlexDGCreate(PetscDM, PlexDG *)
    PetscErrorCode PlexDGSetType(PlexDG, const char *)
    PetscErrorCode PlexDGGetType(PlexDG, const char **)
    PetscErrorCode PlexDGSetDegree(PlexDG, PetscInt)
    PetscErrorCode PlexDGGetDegree(PlexDG, PetscInt *)
    PetscErrorCode PlexDGSetDiscretization(PlexDG, PlexDGDiscretization)
    PetscErrorCode PlexDGGetDiscretization(PlexDG, PlexDGDiscretization *)
    PetscErrorCode PlexDGSetQuadratureDegree(PlexDG, PetscInt)
    PetscErrorCode PlexDGGetQuadratureDegree(PlexDG, PetscInt *)
    PetscErrorCode PlexDGSystemRegister(const char *, void *)
    PetscErrorCode PlexDGSetSystem(PlexDG, const char *)
    PetscErrorCode PlexDGGetSystem(PlexDG, const char **)
    PetscErrorCode PlexDGGetFields(PlexDG, PetscInt *, const char *const **)
    PetscErrorCode PlexDGSetConstant(PlexDG, const char *, PetscInt, const PetscReal *)
    PetscErrorCode PlexDGGetConstant(PlexDG, const char *, PetscInt *, const PetscReal **)
    PetscErrorCode PlexDGSetCoefficients(PlexDG, void *, void *)
    PetscErrorCode PlexDGAddMaterial(PlexDG, const char *, PetscInt, PetscInt, const PetscReal *)
    PetscErrorCode PlexDGSetMaterialFunction(PlexDG, const char *, PetscInt, void *, void *)
    PetscErrorCode PlexDGAddDispersion(PlexDG, const char *, PetscInt, const char *, PetscInt, const PetscReal *)
    PetscErrorCode PlexDGAddBoundary(PlexDG, const char *, PetscInt, const char *)
    PetscErrorCode PlexDGSetPML(PlexDG, const char *, PetscInt, const char *)
    PetscErrorCode PlexDGSetPMLProfile(PlexDG, PetscReal, PetscInt, PetscReal)
    PetscErrorCode PlexDGGetPMLProfile(PlexDG, PetscReal *, PetscInt *, PetscReal *)
    PetscErrorCode PlexDGGetPML(PlexDG, PetscInt *, PetscReal *, PetscReal *)
    PetscErrorCode PlexDGSetLevels(PlexDG, PetscInt)
    PetscErrorCode PlexDGGetLevels(PlexDG, PetscInt *)
    PetscErrorCode PlexDGGetLevelSizes(PlexDG, PetscInt *, PetscInt64 *, PetscReal *)
    PetscErrorCode TSPlexMultirateGetEvaluations(PetscTS, PetscInt64 *)
    PetscErrorCode PlexDGSetCurve(PlexDG, const char *, PetscInt, void *, void *)
    PetscErrorCode PlexDGSetCurveDegree(PlexDG, PetscInt)
    PetscErrorCode PlexDGGetCurveDegree(PlexDG, PetscInt *)
    PetscErrorCode PlexDGGetCurved(PlexDG, PetscInt *)
    PetscErrorCode PlexDGSetBoundarySeries(PlexDG, const char *, PetscInt, PetscInt, const PetscReal *,
                                           const PetscReal *, const PetscReal *)
    PetscErrorCode PlexDGSetBoundaryTide(PlexDG, const char *, PetscInt, const char *)
    PetscErrorCode PlexDGSetBackend(PlexDG, const char *)
    PetscErrorCode PlexDGGetBackend(PlexDG, PlexBackend *)
    PetscErrorCode PlexDGSetPrecision(PlexDG, PlexPrecision)
    PetscErrorCode PlexDGGetPrecision(PlexDG, PlexPrecision *)
    PetscErrorCode PlexDGSetCFL(PlexDG, PetscReal)
    PetscErrorCode PlexDGGetCFL(PlexDG, PetscReal *)
    PetscErrorCode PlexDGSetOptionsPrefix(PlexDG, const char *)
    PetscErrorCode PlexDGGetOptionsPrefix(PlexDG, const char **)
    PetscErrorCode PlexDGSetFromOptions(PlexDG)
    PetscErrorCode PlexDGSetUp(PlexDG)
    PetscErrorCode PlexDGView(PlexDG, PetscViewer)
    PetscErrorCode PlexDGReset(PlexDG)
    PetscErrorCode PlexDGCreateVec(PlexDG, PetscVec *)
    PetscErrorCode PlexDGGetNodes(PlexDG, PetscInt *, PetscInt *, const PetscReal **)
    PetscErrorCode PlexDGProject(PlexDG, PetscReal, void *, void *, PetscVec)
    PetscErrorCode PlexDGComputeRHS(PlexDG, PetscReal, PetscVec, PetscVec)
    PetscErrorCode PlexDGComputeTimeStep(PlexDG, PetscVec, PetscReal *)
    PetscErrorCode PlexDGComputeL2Error(PlexDG, PetscReal, void *, void *, PetscVec, PetscReal *)
    PetscErrorCode PlexDGComputeEnergy(PlexDG, PetscVec, PetscReal *)
    PetscErrorCode PlexDGComputeIntegrals(PlexDG, PetscVec, PetscReal *)
    PetscErrorCode PlexDGSetTS(PlexDG, PetscTS)
    PetscErrorCode PlexDGLimit(PlexDG, PetscVec)
    PetscErrorCode TSPlexLowStorageSetScheme(PetscTS, const char *)
    PetscErrorCode TSPlexLowStorageGetScheme(PetscTS, const char **)
    PetscErrorCode PlexDGSetAdaptiveStep(PlexDG, PetscBool)
    PetscErrorCode PlexDGGetAdaptiveStep(PlexDG, PetscBool *)
    PetscErrorCode PlexDGSetShockCapturing(PlexDG, PetscBool)
    PetscErrorCode PlexDGGetShockCapturing(PlexDG, PetscBool *)
    PetscErrorCode PlexDGSetStabilityCheck(PlexDG, PetscInt)
    PetscErrorCode PlexDGGetStabilityCheck(PlexDG, PetscInt *)
    PetscErrorCode PlexDGSaveCheckpoint(PlexDG, PetscTS, PetscVec, const char *)
    PetscErrorCode PlexDGLoadCheckpoint(PlexDG, PetscTS, const char *, PetscVec)
    PetscErrorCode PlexDGRestartFromOptions(PlexDG, PetscTS, PetscVec, PetscBool *)
    PetscErrorCode PlexDGMonitorCheckpoint(PlexDG, PetscTS, const char *, PetscInt)
    PetscErrorCode PlexDGWriteVTKHDF(PlexDG, const char *, PetscBool, PetscReal, PetscVec)
    PetscErrorCode PlexDGMonitorSolution(PlexDG, PetscTS, const char *, PetscInt)
    PetscErrorCode PlexDGWriteUGRID(PlexDG, const char *, PetscBool, PetscReal, PetscVec)
    PetscErrorCode PlexDGMonitorUGRID(PlexDG, PetscTS, const char *, PetscInt)
    PetscErrorCode PlexDGMonitorEnergy(PlexDG, PetscTS, const char *, PetscInt)
    PetscErrorCode PlexDGMonitorProbes(PlexDG, PetscTS, PetscInt, const PetscReal *, const char *, PetscInt)
    PetscErrorCode PlexDGMonitorExtrema(PlexDG, PetscTS, PetscReal, const char *, PetscInt)
    PetscErrorCode PlexDGGetExtrema(PlexDG, PetscReal *, PetscReal *, PetscReal *)
    PetscErrorCode PlexDGProbesCreate(PlexDG, PetscInt, const PetscReal *, PetscBool *, PlexDGProbes *)
    PetscErrorCode PlexDGProbesEvaluate(PlexDGProbes, PetscVec, PetscReal *)
    PetscErrorCode PlexDGProbesDestroy(PlexDGProbes *)
    PetscErrorCode PlexDGAddSheet(PlexDG, const char *, PetscInt, PetscReal)
    PetscErrorCode PlexDGFitConductor(const PetscReal *, PetscInt *, PetscReal *, PetscReal *, PetscReal *, PetscReal *)
    PetscErrorCode PlexDGSetTotalField(PlexDG, const char *, PetscInt)
    PetscErrorCode PlexDGAddDipole(PlexDG, const PetscReal *, const PetscReal *, const PetscReal *)
    PetscErrorCode PlexDGMonitorFarField(PlexDG, PetscTS, const char *, PetscInt, PetscInt, const PetscReal *,
                                         const char *, PetscInt)
    PetscErrorCode PlexDGFarFieldCreate(PlexDG, const char *, PetscInt, PetscInt, const PetscReal *, PlexDGFarField *)
    PetscErrorCode PlexDGFarFieldSetTS(PlexDGFarField, PetscTS, PetscInt, PetscReal)
    PetscErrorCode PlexDGFarFieldSample(PlexDGFarField, PetscReal, PetscVec)
    PetscErrorCode PlexDGFarFieldReset(PlexDGFarField)
    PetscErrorCode PlexDGFarFieldGetAmplitudes(PlexDGFarField, PetscInt, const PetscReal *, PetscReal *)
    PetscErrorCode PlexDGFarFieldGetSpectrum(PlexDGFarField, PetscReal *)
    PetscErrorCode PlexDGFarFieldGetCrossSections(PlexDGFarField, PetscInt, const PetscReal *, PetscReal *)
    PetscErrorCode PlexDGFarFieldWrite(PlexDGFarField, PetscInt, PetscInt, const char *)
    PetscErrorCode PlexDGFarFieldDestroy(PlexDGFarField *)


cdef int dg_change(void *ctx, tuple arguments, PetscInt n, PetscReal *k) except -1:
    """k[n] by a Python function f(*arguments, k)."""
    if not broken(n, k, 1.):
        try:
            value = (<object> <PyObject *> ctx)(*arguments, view_array(k, n))
            if value is not None:
                put(value, n, k)
        except Exception as error:
            keep_error(error, n, k, 1.)
    return 0


cdef PetscErrorCode dg_coefficients(PetscInt dim, const PetscReal *x, PetscInt cell, PetscInt n, PetscReal *k,
                                    void *ctx) except PETSC_ERR_PYTHON with gil:
    dg_change(ctx, (view_array(x, dim), cell), n, k)
    return PETSC_SUCCESS


cdef PetscErrorCode dg_material(PetscInt dim, const PetscReal *x, PetscInt n, PetscReal *k,
                                void *ctx) except PETSC_ERR_PYTHON with gil:
    dg_change(ctx, (view_array(x, dim),), n, k)
    return PETSC_SUCCESS


cdef PetscErrorCode dg_curve(PetscInt dim, PetscReal *x, void *ctx) except PETSC_ERR_PYTHON with gil:
    """x[dim] moved by a Python function f(x)."""
    if not broken(dim, x, 1.):
        try:
            value = (<object> <PyObject *> ctx)(view_array(x, dim).copy())
            if value is None:
                raise ValueError("the function of a curve has to return the point")
            put(value, dim, x)
        except Exception as error:
            keep_error(error, dim, x, 1.)
    return PETSC_SUCCESS


cdef object nodes_array(const PetscReal *x, PetscInt Ne, PetscInt Np, PetscInt dim):
    """A copy [Ne][Np][dim] of C's array, which is not there where Ne is 0."""
    if Ne == 0:
        return numpy.zeros((0, Np, dim))
    return view_array(x, Ne * Np * dim).reshape(Ne, Np, dim).copy()


cdef class DG(Object):
    """Discontinuous Galerkin operator of a hyperbolic system on a `DM` of type DMPLEX.

    Parameters
    ----------
    dm
        The mesh, distributed already, of one type of cell.
    system
        "advection", "acoustics", "elastic", "maxwell", "shallow_water_linear", "shallow_water", "euler", or a `System`
        of one's own.
    degree
        Of the polynomials, 1 to 9.
    boundaries
        A dict {(label, value): kind} as for `addBoundary`; None as key: everywhere.
    constants
        A dict of numbers of the system, as for `setConstant`.

    A state is a vector [element][field][node]. Settings are properties, each with its option -plex_dg_<name>.
    """
    cdef PlexDG dg
    cdef DM dm_
    cdef object function  # of coefficients
    cdef dict curves  # functions of curves by label and value
    cdef dict materials  # likewise of coefficients that vary within cells

    def __cinit__(self, *args, **kwargs):
        self.dg = NULL
        self.obj = <PetscObject *> &self.dg
        self.curves = {}
        self.materials = {}

    cdef PlexDG get(self) except NULL:
        """C's object; an error where there is none (any more)."""
        if self.dg == NULL:
            raise ValueError("the DG was destroyed, or never created")
        return self.dg

    cdef PlexDG ready(self) except NULL:
        """The same, set up where that calls a Python function, whose exception is then one of all processes."""
        if self.function is not None or self.curves or self.materials:
            self.setUp()
        return self.get()

    def __init__(self, DM dm=None, system=None, degree=None, boundaries=None, constants=None):
        self.dm_ = dm
        if dm is None:
            return
        CHKERR(PlexDGCreate(dm.dm, &self.dg))
        if system is not None:
            self.system = system
        if degree is not None:
            self.degree = degree
        for name, value in (constants or {}).items():
            self.setConstant(name, value)
        for where, kind in (boundaries or {}).items():
            self.addBoundary(kind, *(where if where is not None else ()))

    # --- settings

    @property
    def type(self):
        """How it is computed: "auto", "host", "plain", "separate", "fused", "quadrature"."""
        cdef const char *name = NULL
        CHKERR(PlexDGGetType(self.get(), &name))
        return text(name)

    @type.setter
    def type(self, str name):
        CHKERR(PlexDGSetType(self.get(), name.encode()))

    @property
    def degree(self):
        """Degree of the polynomials, 1 to 9, with quadrature to 10."""
        cdef PetscInt value = 0
        CHKERR(PlexDGGetDegree(self.get(), &value))
        return value

    @degree.setter
    def degree(self, PetscInt value):
        CHKERR(PlexDGSetDegree(self.get(), value))

    @property
    def discretization(self):
        """"nodal" (straight triangles and tetrahedra) or "quadrature" (all cells, curved too)."""
        cdef PlexDGDiscretization value
        CHKERR(PlexDGGetDiscretization(self.get(), &value))
        return enumerator(PlexDGDiscretizations, <int> value)

    @discretization.setter
    def discretization(self, name):
        CHKERR(PlexDGSetDiscretization(self.get(), <PlexDGDiscretization> enumerated(PlexDGDiscretizations, name,
                                                                                  "discretization")))

    @property
    def quadrature_degree(self):
        """Degree that the quadrature integrates exactly; None: not set."""
        cdef PetscInt value = 0
        CHKERR(PlexDGGetQuadratureDegree(self.get(), &value))
        return None if value == PETSC_DETERMINE else value

    @quadrature_degree.setter
    def quadrature_degree(self, value):
        CHKERR(PlexDGSetQuadratureDegree(self.get(), PETSC_DETERMINE if value is None else <PetscInt> value))

    @property
    def system(self):
        """The system's name; None: none is set. It is set by name, or by a `System`."""
        cdef const char *name = NULL
        CHKERR(PlexDGGetSystem(self.get(), &name))
        return text(name)

    @system.setter
    def system(self, system):
        name = system if isinstance(system, str) else system.name
        CHKERR(PlexDGSetSystem(self.get(), name.encode()))

    @property
    def backend(self):
        """The `Backend`, made if need be; set by name: "auto", "cuda", "host", "emulate"."""
        cdef PlexBackend backend = NULL
        CHKERR(PlexDGGetBackend(self.get(), &backend))
        return borrowed_backend(backend)

    @backend.setter
    def backend(self, str name):
        CHKERR(PlexDGSetBackend(self.get(), name.encode()))

    @property
    def precision(self):
        """Arithmetic: "double" or "single"."""
        cdef PlexPrecision value
        CHKERR(PlexDGGetPrecision(self.get(), &value))
        return enumerator(PlexPrecisions, <int> value)

    @precision.setter
    def precision(self, name):
        CHKERR(PlexDGSetPrecision(self.get(), <PlexPrecision> enumerated(PlexPrecisions, name, "precision")))

    @property
    def cfl(self):
        """Factor of the time step that `setTS` sets."""
        cdef PetscReal value = 0.
        CHKERR(PlexDGGetCFL(self.get(), &value))
        return value

    @cfl.setter
    def cfl(self, PetscReal value):
        CHKERR(PlexDGSetCFL(self.get(), value))

    @property
    def adaptive_step(self):
        """Whether the step of a TS follows the speed of the state. Option -plex_dg_adapt_step."""
        cdef PetscBool value = PETSC_FALSE
        CHKERR(PlexDGGetAdaptiveStep(self.get(), &value))
        return bool(value)

    @adaptive_step.setter
    def adaptive_step(self, value):
        CHKERR(PlexDGSetAdaptiveStep(self.get(), PETSC_TRUE if value else PETSC_FALSE))

    @property
    def shock_capturing(self):
        """Whether elements at shocks are made monotone after each stage. Option -plex_dg_shock_capturing."""
        cdef PetscBool value = PETSC_FALSE
        CHKERR(PlexDGGetShockCapturing(self.get(), &value))
        return bool(value)

    @shock_capturing.setter
    def shock_capturing(self, value):
        CHKERR(PlexDGSetShockCapturing(self.get(), PETSC_TRUE if value else PETSC_FALSE))

    @property
    def stability_check(self):
        """Steps between looks whether the state grows without bound; 0: none. Option -plex_dg_check_steps."""
        cdef PetscInt value = 0
        CHKERR(PlexDGGetStabilityCheck(self.get(), &value))
        return value

    @stability_check.setter
    def stability_check(self, PetscInt value):
        CHKERR(PlexDGSetStabilityCheck(self.get(), value))

    @property
    def levels(self):
        """How many levels of time steps elements may have, 1 to 12, each with steps half as long as those of the level
        before, for a TS of type "multirate"; 1: one step. It makes the order of elements in a state. `level_sizes` says
        what there is. Option -plex_dg_levels."""
        cdef PetscInt value = 0
        CHKERR(PlexDGGetLevels(self.get(), &value))
        return value

    @levels.setter
    def levels(self, PetscInt value):
        CHKERR(PlexDGSetLevels(self.get(), value))

    @property
    def level_sizes(self):
        """The number of elements of each level of time steps, an array of integers [levels], of all processes, those of
        the longest steps first. Collective."""
        cdef PetscInt n = 0
        cdef PetscInt64 elements[16]
        CHKERR(PlexDGGetLevelSizes(self.ready(), &n, elements, NULL))
        return numpy.array([elements[k] for k in range(n)], dtype=numpy.int64)

    @property
    def level_factor(self):
        """The longest step of the levels over `computeTimeStep`. Collective."""
        cdef PetscInt n = 0
        cdef PetscReal factor = 1.
        CHKERR(PlexDGGetLevelSizes(self.ready(), &n, NULL, &factor))
        return factor

    @property
    def curve_degree(self):
        """Degree of the polynomials that elements are bent to; None: that of the operator. Option -plex_dg_curve_degree."""
        cdef PetscInt value = 0
        CHKERR(PlexDGGetCurveDegree(self.get(), &value))
        return None if value == PETSC_DETERMINE else value

    @curve_degree.setter
    def curve_degree(self, value):
        CHKERR(PlexDGSetCurveDegree(self.get(), PETSC_DETERMINE if value is None else <PetscInt> value))

    @property
    def curved(self):
        """Number of curved elements of nodal DG, of all processes."""
        cdef PetscInt n = 0
        CHKERR(PlexDGGetCurved(self.ready(), &n))
        return n

    @property
    def prefix(self):
        """Goes before plex_dg_... in the names of options; None."""
        cdef const char *prefix = NULL
        CHKERR(PlexDGGetOptionsPrefix(self.get(), &prefix))
        return text(prefix)

    @prefix.setter
    def prefix(self, prefix):
        cdef bytes encoded = encode(prefix)
        CHKERR(PlexDGSetOptionsPrefix(self.get(), chars(encoded)))

    def setOptionsPrefix(self, prefix):
        """Sets `prefix`."""
        self.prefix = prefix

    def getOptionsPrefix(self):
        """Gets `prefix`."""
        return self.prefix

    def setFromOptions(self):
        """Sets it from the options -plex_dg_..."""
        CHKERR(PlexDGSetFromOptions(self.get()))

    def setConstant(self, str name, values):
        """Sets the values, a number or [n], of a constant of the system by name, or of a coefficient that is the same
        everywhere."""
        cdef double[::1] array = numpy.atleast_1d(numpy.ascontiguousarray(values, dtype=float)).ravel()
        CHKERR(PlexDGSetConstant(self.get(), name.encode(), <PetscInt> array.shape[0], &array[0]))

    def getConstant(self, str name):
        """The numbers [n] of a constant by name, or of a coefficient that is the same everywhere."""
        cdef PetscInt n = 0
        cdef const PetscReal *values = NULL
        CHKERR(PlexDGGetConstant(self.get(), name.encode(), &n, &values))
        return view_array(values, n).copy()

    def setCoefficients(self, function):
        """Sets the function f(x, cell, k) that gives the coefficients of each element.

        x[dim] is the element's centroid, or one of its nodes where a system's coefficients vary in an element; k[n]
        the values that hold without it, in the order of the system. It returns n numbers, or None after changing k.
        None: no function.
        """
        self.function = function
        if function is None:
            CHKERR(PlexDGSetCoefficients(self.get(), NULL, NULL))
        else:
            CHKERR(PlexDGSetCoefficients(self.get(), <void *> dg_coefficients, <void *> <PyObject *> function))

    def addMaterial(self, values, label=None, value=None):
        """Sets the coefficients of the cells where a label of the mesh has a value.

        Parameters
        ----------
        values
            The coefficients, a number or [n], in the order of the system: epsilon, mu and sigma of "maxwell". Those that
            are left out at the end are what `setConstant` or the system's defaults say.
        label
            Name of the label, such as "Cell Sets"; None: all cells that have no other material.
        value
            Its value; None: any.

        In these cells the function of `setCoefficients` is replaced.
        """
        cdef double[::1] array = numpy.atleast_1d(numpy.ascontiguousarray(values, dtype=float)).ravel()
        cdef PetscReal none = 0
        cdef bytes encoded = encode(label)
        CHKERR(PlexDGAddMaterial(self.get(), chars(encoded), PETSC_DETERMINE if value is None else <PetscInt> value,
                                 <PetscInt> array.shape[0], &array[0] if array.shape[0] else &none))

    def setMaterialFunction(self, function, label=None, value=None):
        """Sets a function f(x, k) of the coefficients within the cells where a label of the mesh has a value: graded media.

        Parameters
        ----------
        function
            x[dim] is a point, k[n] the coefficients that the cell has without it, in the order of the system. It returns n
            numbers, or None after changing k. None: no function.
        label
            Name of the label, such as "Cell Sets"; None: all cells.
        value
            Its value; None: any.

        For "maxwell" and "acoustics". It is called at set-up, and should be smooth in each cell. PlexDGSetMaterialFunction().
        """
        cdef PetscInt number = PETSC_DETERMINE if value is None else value
        cdef bytes encoded = encode(label)
        if function is None:
            CHKERR(PlexDGSetMaterialFunction(self.get(), chars(encoded), number, NULL, NULL))
            self.materials.pop((label, number), None)
        else:
            CHKERR(PlexDGSetMaterialFunction(self.get(), chars(encoded), number, <void *> dg_material,
                                             <void *> <PyObject *> function))
            self.materials[label, number] = function

    def addDispersion(self, str model, numbers, label=None, value=None):
        """Makes the cells where a label of the mesh has a value a dispersive medium of "maxwell".

        Parameters
        ----------
        model
            "debye", "drude" or "lorentz". A cell has the sum of the models that are set for it.
        numbers
            [n] of the poles, one after the other, or [poles][numbers]: of "debye" strength d >= 0 and time tau > 0, of
            "drude" plasma frequency p >= 0 and rate of collisions g >= 0, of "lorentz" strength d >= 0, frequency w0 > 0 and
            rate g >= 0.
        label
            Name of the label, such as "Cell Sets"; None: all cells that are of no other dispersive medium.
        value
            Its value; None: any.

        With fields proportional to exp(-i w t) the permittivity is epsilon + sum d/(1 - i w tau) - sum p^2/(w^2 + i g w) +
        sum d w0^2/(w0^2 - w^2 - i g w), where epsilon is that of `addMaterial`. Frequencies are angular, in units of the
        equations, where the speed is 1/sqrt(epsilon mu): with lengths in micrometres 1.37e16/s is 1.37e16/2.998e14 = 45.7. A
        `TS` has type "lowstorage". PlexDGAddDispersion(). Option -plex_dg_<model>_<label>.
        """
        cdef double[::1] array = numpy.ascontiguousarray(numpy.asarray(numbers, dtype=float).reshape(-1))
        cdef PetscReal none = 0
        cdef bytes encoded = encode(label)
        CHKERR(PlexDGAddDispersion(self.get(), chars(encoded), PETSC_DETERMINE if value is None else <PetscInt> value,
                                   model.encode(), <PetscInt> array.shape[0], &array[0] if array.shape[0] else &none))

    def setPML(self, label, str shape="box", value=None):
        """Makes the cells where a label of the mesh has a value a perfectly matched layer, of "maxwell" or "acoustics".

        Parameters
        ----------
        label
            Name of the label, such as "Cell Sets"; None: there is no layer any more. Cells of several calls are one layer.
        shape
            What the layer is around: "box", that of the other cells; or "box,x,y,z,x,y,z" of the lower and upper corner,
            "sphere,x,y,z,r" of center and radius, in two dimensions "box,x,y,x,y" or "circle,x,y,r", of whose labelled cells
            those that reach beyond it are the layer.
        value
            Of the label; None: any.

        The boundary behind it is best "absorbing". A `TS` has type "lowstorage". PlexDGSetPML(). Option -plex_dg_pml_<label>.
        """
        cdef bytes encoded = encode(label)
        CHKERR(PlexDGSetPML(self.get(), chars(encoded), PETSC_DETERMINE if value is None else <PetscInt> value,
                            shape.encode()))

    def setPMLProfile(self, double reflection=1e-12, power=None, alpha=None):
        """Sets how the perfectly matched layer damps waves.

        Parameters
        ----------
        reflection
            What the layer would reflect of a wave along the normal, between 0 and 1.
        power
            Of the distance from the inner side, to which sigma is proportional, 0 to 6; None: 0 or 3, by degree and mesh.
        alpha
            Of s = 1 + sigma/(alpha + i w), 1/time, not negative; None: the speed over the thickness.

        PlexDGSetPMLProfile(). Options -plex_dg_pml_reflection, -plex_dg_pml_power, -plex_dg_pml_alpha.
        """
        CHKERR(PlexDGSetPMLProfile(self.get(), reflection, PETSC_DETERMINE if power is None else <PetscInt> power,
                                     PETSC_DETERMINE if alpha is None else <PetscReal> alpha))

    @property
    def pml_profile(self):
        """What `setPMLProfile` has set: reflection, power or None, alpha or None."""
        cdef PetscReal reflection = 0., alpha = 0.
        cdef PetscInt power = 0
        CHKERR(PlexDGGetPMLProfile(self.get(), &reflection, &power, &alpha))
        return reflection, None if power == PETSC_DETERMINE else power, None if alpha == PETSC_DETERMINE else alpha

    @property
    def pml(self):
        """The perfectly matched layer that was found: its number of cells, of all processes (0: there is none); its
        thickness, an array [dim][2] at the lower and upper side of each axis, 0 where there is none, of a sphere or circle
        [0][0] alone; and alpha, 1/time. Collective."""
        cdef PetscInt cells = 0
        cdef PetscReal thickness[6]
        cdef PetscReal alpha = 0.
        cdef PetscInt dim = self.dm_.getDimension(), k
        CHKERR(PlexDGGetPML(self.ready(), &cells, thickness, &alpha))
        return cells, numpy.array([thickness[k] for k in range(2 * dim)]).reshape(dim, 2), alpha

    def addBoundary(self, str kind, label=None, value=None):
        """Sets a boundary condition where a label of the mesh has a value.

        Parameters
        ----------
        kind
            A condition of the system, such as "pec" of "maxwell"; "impedance:R" of a resistance R, and
            "conductor:sigma,from,to[,mu[,epsilon]]" of a metal of conductivity sigma, for angular frequencies `from` to `to`.
        label
            Name of the label; None: all of the boundary.
        value
            Its value; None: any.

        Of several conditions that hold for a facet the last one is taken.
        """
        cdef bytes encoded = encode(label)
        CHKERR(PlexDGAddBoundary(self.get(), chars(encoded), PETSC_DETERMINE if value is None else <PetscInt> value,
                                 kind.encode()))

    def addSheet(self, double conductance, str label, value=None):
        """Makes facets inside the mesh with a label a thin sheet, of "maxwell", at which n x H jumps by conductance times E.

        Parameters
        ----------
        conductance
            Conductivity times thickness, >= 0.
        label
            Name of the label.
        value
            Its value; None: any.

        PlexDGAddSheet(). Option -plex_dg_sheet_<label>.
        """
        CHKERR(PlexDGAddSheet(self.get(), label.encode(), PETSC_DETERMINE if value is None else <PetscInt> value,
                              conductance))

    def setCurve(self, function, str label="Face Sets", value=None):
        """Bends the elements at facets of a label to a surface.

        Parameters
        ----------
        function
            f(x), the point of the surface next to x[dim], which is near it; None: the facets are straight again.
        label
            Name of the label of the mesh.
        value
            Its value; None: any.

        The mesh has straight sides; the degree is `curve_degree`. Surfaces by name: -plex_dg_curve_<label> sphere,x,y,z,r.
        """
        cdef PetscInt number = PETSC_DETERMINE if value is None else <PetscInt> value

        if function is None:
            CHKERR(PlexDGSetCurve(self.get(), label.encode(), number, NULL, NULL))
            self.curves.pop((label, number), None)
        else:
            CHKERR(PlexDGSetCurve(self.get(), label.encode(), number, <void *> dg_curve,
                                  <void *> <PyObject *> function))
            self.curves[label, number] = function

    def setBoundarySeries(self, t, values, label=None, value=None, discharge=None):
        """Sets values in time where a label of the mesh has a value, whose boundary condition is "elevation",
        "incoming" or "discharge".

        Parameters
        ----------
        t
            Times [n], ascending; values are linear in between, and those of the first or last time beyond.
        values
            Elevations [n], or discharges of a river, m^3/s.
        label
            Name of the label; None: all of the boundary.
        value
            Its value; None: any.
        discharge
            Inward, m^2/s, [n], of condition "elevation"; None: water outside rests.
        """
        cdef bytes encoded = encode(label)
        cdef double[::1] times = numpy.atleast_1d(numpy.ascontiguousarray(t, dtype=float)).ravel()
        cdef double[::1] first = numpy.atleast_1d(numpy.ascontiguousarray(values, dtype=float)).ravel()
        cdef double[::1] second = numpy.zeros(times.shape[0])
        if discharge is not None:
            second = numpy.atleast_1d(numpy.ascontiguousarray(discharge, dtype=float)).ravel()
        if times.shape[0] != first.shape[0] or times.shape[0] != second.shape[0] or times.shape[0] == 0:
            raise ValueError("t, values and discharge have to have the same number of entries, at least one")
        CHKERR(PlexDGSetBoundarySeries(self.get(), chars(encoded),
                                       PETSC_DETERMINE if value is None else <PetscInt> value,
                                       <PetscInt> times.shape[0], &times[0], &first[0], &second[0]))

    def setBoundaryTide(self, str tide, label=None, value=None):
        """Sets the tide where a label of the mesh has a value (None: everywhere, any value), such as
        "M2,1.2,30,S2,0.4,65": name or period in seconds, amplitude and phase in degrees of each constituent."""
        cdef bytes encoded = encode(label)
        CHKERR(PlexDGSetBoundaryTide(self.get(), chars(encoded),
                                     PETSC_DETERMINE if value is None else <PetscInt> value, tide.encode()))

    # --- work

    def setUp(self):
        """Reads the mesh, makes the reference element, compiles kernels. Called by whatever needs it."""
        with _Together(self, self.reset):
            CHKERR(PlexDGSetUp(self.get()))
        return self

    def reset(self):
        """Frees all that was set up and keeps the settings."""
        CHKERR(PlexDGReset(self.get()))

    def view(self, Viewer viewer=None):
        """Prints system, degree, mesh, how it is computed, time step; default viewer: standard output."""
        CHKERR(PlexDGView(self.ready(), viewer.vwr if viewer is not None else NULL))

    def view_text(self):
        """What `view` prints, as text; empty on all processes but the first."""
        return view_text(self, self.view)

    def createVec(self):
        """A vector for a state, zero: [element][field][node], on the GPU where the operator is."""
        cdef Vec v = Vec()
        CHKERR(PlexDGCreateVec(self.ready(), &v.vec))
        return v

    def array(self, Vec u, *, bint readonly=False):
        """A state u of this process as an `Array` [element][field][node], not copied, on the GPU where the operator is.

        readonly: it is only read, as that of a state that PETSc has locked. `nodes` says where the nodes are. Elements
        are in the operator's own order.
        """
        degree, dim, Nf = self.degree, self.dm_.getDimension(), int(self.number_of_fields())
        Np = math.comb(degree + dim, dim) if self.dm_.isSimplex() else (degree + 1) ** dim
        if u.getLocalSize() % (Nf * Np):
            raise ValueError(f"a vector of {u.getLocalSize()} entries is no state of {Nf} fields at {Np} nodes: take "
                             "createVec()")
        return new_array(u, None, 0, (u.getLocalSize() // (Nf * Np), Nf, Np), readonly)

    def nodes(self):
        """Coordinates of the nodes of this process's elements, an array [element][node][dim] on the host.

            x = dg.nodes()
            numpy.asarray(dg.array(u))[:, 0] = numpy.sin(x[..., 0])   # field 0 at all nodes at once

        In the units of the mesh's coordinates. Collective. PlexDGGetNodes().
        """
        cdef PetscInt Ne = 0, Np = 0
        cdef const PetscReal *x = NULL
        CHKERR(PlexDGGetNodes(self.ready(), &Ne, &Np, &x))
        return nodes_array(x, Ne, Np, self.dm_.getCoordinateDim())

    def project(self, function, Vec u, double t=0.0):
        """Sets a state u to the values that a function f(x, t) has at the nodes at time t: [fields] at x[dim].
        Collective; what the function raises on one process is raised on all."""
        with _Together(self):
            CHKERR(PlexDGProject(self.ready(), t, <void *> values_python, <void *> <PyObject *> function, u.vec))

    def computeRHS(self, Vec u, Vec r, double t=0.0):
        """Computes the time derivative r of the state u at time t, both of `createVec`."""
        CHKERR(PlexDGComputeRHS(self.ready(), t, u.vec, r.vec))

    def computeTimeStep(self, Vec u=None):
        """A time step with which explicit Runge-Kutta methods of order four are stable; of the speeds of the state u,
        or of the zero state."""
        cdef PetscReal dt = 0.
        CHKERR(PlexDGComputeTimeStep(self.ready(), u.vec if u is not None else NULL, &dt))
        return dt

    def computeL2Error(self, function, Vec u, double t=0.0):
        """The L2 norm of the difference between a state u and a function f(x, t) at time t, over all fields."""
        cdef PetscReal error = 0.
        with _Together(self):
            CHKERR(PlexDGComputeL2Error(self.ready(), t, <void *> values_python, <void *> <PyObject *> function, u.vec,
                                        &error))
        return error

    def computeEnergy(self, Vec u):
        """The integral of the system's energy density at the state u."""
        cdef PetscReal energy = 0.
        CHKERR(PlexDGComputeEnergy(self.ready(), u.vec, &energy))
        return energy

    def computeIntegrals(self, Vec u):
        """The integral of each field, an array [fields]."""
        cdef double[::1] out = numpy.zeros(64)
        CHKERR(PlexDGComputeIntegrals(self.ready(), u.vec, &out[0]))
        return numpy.asarray(out)[:self.number_of_fields()]

    def number_of_fields(self):
        """How many fields the system has."""
        cdef PetscInt Nf = 0
        CHKERR(PlexDGGetFields(self.get(), &Nf, NULL))
        return Nf

    @property
    def fields(self):
        """Names of the system's fields, a tuple in the order of a state; empty: no system is set yet."""
        cdef PetscInt Nf = 0, k
        cdef const char *const *names = NULL
        CHKERR(PlexDGGetFields(self.get(), &Nf, &names))
        return tuple(text(names[k]) for k in range(Nf))

    def limit(self, Vec u):
        """Makes no depth of water negative, as wetting and drying does after each stage."""
        CHKERR(PlexDGLimit(self.ready(), u.vec))

    def setTS(self, TS ts):
        """Makes the operator the right-hand side of a `TS`, and sets its time step."""
        CHKERR(PlexDGSetTS(self.ready(), ts.ts))
        ts.setAttr("__plexgpu_dg__", self)

    # --- output

    def saveCheckpoint(self, file, Vec u, TS ts=None):
        """Writes a state u, and where a `TS` stands, to an HDF5 file."""
        CHKERR(PlexDGSaveCheckpoint(self.ready(), ts.ts if ts is not None else NULL, u.vec, os.fsencode(file)))

    def loadCheckpoint(self, file, Vec u, TS ts=None):
        """Reads a state u, and where a `TS` stood, from a file of `saveCheckpoint`. Call it last before `TS.solve`."""
        CHKERR(PlexDGLoadCheckpoint(self.ready(), ts.ts if ts is not None else NULL, os.fsencode(file), u.vec))

    def restartFromOptions(self, TS ts, Vec u):
        """Whether option -plex_dg_restart names a checkpoint: the state u and the `TS` then continue from it."""
        cdef PetscBool restarted = PETSC_FALSE
        CHKERR(PlexDGRestartFromOptions(self.ready(), ts.ts, u.vec, &restarted))
        return bool(restarted)

    def writeVTKHDF(self, file, Vec u, double t=0.0, bint append=False):
        """Writes the state u of time t to a .vtkhdf file that ParaView draws at its degree; append: to what is
        there."""
        CHKERR(PlexDGWriteVTKHDF(self.ready(), os.fsencode(file), PETSC_TRUE if append else PETSC_FALSE, t, u.vec))

    def writeUGRID(self, file, Vec u, double t=0.0, bint append=False):
        """Writes the state u of time t to a NetCDF file with UGRID conventions (.nc), as means of elements, for xarray,
        xugrid and other readers; append: to what is there. Options -plex_dg_ugrid_cells, _sphere and _since say more."""
        CHKERR(PlexDGWriteUGRID(self.ready(), os.fsencode(file), PETSC_TRUE if append else PETSC_FALSE, t, u.vec))

    def monitorCheckpoint(self, TS ts, file, PetscInt every=0):
        """Has a `TS` write checkpoints to a file `every` so many steps and at the end; 0: at the end alone."""
        CHKERR(PlexDGMonitorCheckpoint(self.ready(), ts.ts, os.fsencode(file), every))

    def monitorSolution(self, TS ts, file, PetscInt every=0):
        """Has a `TS` write its states to a .vtkhdf file `every` so many steps and at the end; 0: at the end alone."""
        CHKERR(PlexDGMonitorSolution(self.ready(), ts.ts, os.fsencode(file), every))

    def monitorUGRID(self, TS ts, file, PetscInt every=0):
        """Has a `TS` write its states as `writeUGRID` does `every` so many steps and at the end; 0: at the end alone."""
        CHKERR(PlexDGMonitorUGRID(self.ready(), ts.ts, os.fsencode(file), every))

    def monitorEnergy(self, TS ts, file, PetscInt every=1):
        """Has a `TS` write the energy to a text file `every` so many steps: step,time,energy."""
        CHKERR(PlexDGMonitorEnergy(self.ready(), ts.ts, os.fsencode(file), every))

    def monitorProbes(self, TS ts, points, file, PetscInt every=1):
        """Has a `TS` write the fields at points[n][dim] to a file `every` so many steps: HDF5 (.h5, .hdf5) or text."""
        cdef double[:, ::1] x = points_of(self.dm_, points)
        CHKERR(PlexDGMonitorProbes(self.ready(), ts.ts, <PetscInt> x.shape[0], &x[0, 0], os.fsencode(file), every))

    def monitorExtrema(self, TS ts, file, threshold=None, PetscInt every=0):
        """Has a `TS` keep the greatest elevation and speed of water and its arrival time at each node over all steps,
        and write them to a .vtkhdf file `every` so many steps and at the end; 0: at the end alone. The water arrives
        with a change of elevation by more than `threshold`; None: that of -plex_dg_extrema_threshold, or 0.01."""
        cdef PetscReal least = PETSC_DETERMINE if threshold is None else threshold
        CHKERR(PlexDGMonitorExtrema(self.ready(), ts.ts, least, os.fsencode(file), every))

    def extrema(self):
        """Returns greatest elevation, greatest speed and arrival time of water (NaN: it did not arrive), up to the last step,
        three arrays [elements][nodes] in the order of `nodes`, where `monitorExtrema` keeps them. Of a mesh of one kind of
        cell, as `nodes` is."""
        shape = self.nodes().shape[:2]
        cdef double[:, ::1] highest = numpy.zeros((3, max(1, shape[0] * shape[1])))
        CHKERR(PlexDGGetExtrema(self.ready(), &highest[0, 0], &highest[1, 0], &highest[2, 0]))
        return tuple(numpy.asarray(highest)[k, :shape[0] * shape[1]].reshape(shape) for k in range(3))

    def probes(self, points, bint outside=False):
        """`Probes(self, points, outside)`."""
        return Probes(self, points, outside)

    def setTotalField(self, label, value=None):
        """Has the incident wave enter through a closed surface inside the mesh: of the cells with a label, or of its
        facets, of this value if it is not None. Inside the state is the total field, outside the scattered one. label
        None: nowhere any more."""
        name = None if label is None else label.encode()
        CHKERR(PlexDGSetTotalField(self.get(), NULL if name is None else <const char *> name,
                                   PETSC_DETERMINE if value is None else value))

    def addDipole(self, x, moment, double frequency=0.0, double phase=0.0, double delay=0.0, double width=0.0, double ramp=0.0):
        """Adds a current moment[3] g(t) at the point x[dim], g(t) = cos(frequency s + phase), s = t - delay, times
        exp(-s^2/width^2) where width is not 0, and a smooth ramp from s = 0 to s = ramp where ramp is not 0."""
        cdef double[:, ::1] at = points_of(self.dm_, x)
        cdef double[::1] P = numpy.ascontiguousarray(numpy.asarray(moment, dtype=float).reshape(3))
        cdef double[::1] pulse = numpy.array([frequency, phase, delay, width, ramp])
        if at.shape[0] != 1:
            raise ValueError(f"a dipole is at one point, not {at.shape[0]}")
        CHKERR(PlexDGAddDipole(self.get(), &at[0, 0], &P[0], &pulse[0]))

    def monitorFarField(self, TS ts, str label, frequencies, file, value=None, PetscInt every=1):
        """Has a `TS` transform the fields on a closed surface, of a label and value as `FarField` takes them, at angular
        frequencies, with a sample `every` so many steps, and write the far field to a text file at the end. Options -plex_dg_farfield_angles and _start say more."""
        cdef double[::1] w = numpy.ascontiguousarray(numpy.asarray(frequencies, dtype=float).reshape(-1))
        if not w.shape[0]:
            raise ValueError("a far field has at least one frequency")
        CHKERR(PlexDGMonitorFarField(self.ready(), ts.ts, label.encode(), PETSC_DETERMINE if value is None else value,
                                     <PetscInt> w.shape[0], &w[0], os.fsencode(file), every))

    def farField(self, str label, frequencies, value=None):
        """`FarField(self, label, frequencies, value)`."""
        return FarField(self, label, frequencies, value)


cdef object points_of(DM dm, points):
    dim = dm.getCoordinateDim()
    return numpy.ascontiguousarray(numpy.asarray(points, dtype=float).reshape(-1, dim))


@cython.no_gc_clear
cdef class Probes:
    """Points at which the fields of a `DG` are evaluated.

    Parameters
    ----------
    dg
        The operator, which may not be changed meanwhile.
    points
        [n][dim], the same on all processes.
    outside
        False: a point outside of the mesh is an error. True: `outside` says which are.
    """
    cdef PlexDGProbes p
    cdef DG dg
    cdef object outside_
    cdef PetscInt n

    def __cinit__(self, *args, **kwargs):
        self.p = NULL

    def __init__(self, DG dg, points, bint outside=False):
        cdef double[:, ::1] x = points_of(dg.dm_, points)
        cdef char[::1] flags = numpy.zeros(max(1, x.shape[0]) * sizeof(PetscBool), dtype=numpy.int8)
        self.dg, self.n = dg, <PetscInt> x.shape[0]
        CHKERR(PlexDGProbesCreate(dg.ready(), self.n, &x[0, 0], <PetscBool *> &flags[0] if outside else NULL, &self.p))
        self.outside_ = numpy.asarray(flags).reshape(-1, sizeof(PetscBool)).any(axis=1)[:self.n]

    def __dealloc__(self):
        if self.p != NULL:
            CHKERR(PlexDGProbesDestroy(&self.p))

    @property
    def outside(self):
        """Which points lie in no element, an array of bools [n]."""
        return self.outside_

    def evaluate(self, Vec u):
        """The state's polynomials at the points: [n][fields], on all processes; 0 outside of the mesh."""
        cdef double[:, ::1] out = numpy.zeros((max(1, self.n), self.dg.number_of_fields()))
        CHKERR(PlexDGProbesEvaluate(self.p, u.vec, &out[0, 0]))
        return numpy.asarray(out)[:self.n]


@cython.no_gc_clear
cdef class FarField:
    """Transforms in time of the fields on a closed surface in a mesh of a `DG` of Maxwell's equations, and the far field.

    Parameters
    ----------
    dg
        The operator, which may not be changed meanwhile.
    label
        Of the cells inside the surface, or of its facets.
    frequencies
        Angular ones.
    value
        Of the label; None: any.
    """
    cdef PlexDGFarField x
    cdef object frequencies_

    def __cinit__(self, *args, **kwargs):
        self.x = NULL

    def __init__(self, DG dg, str label, frequencies, value=None):
        cdef double[::1] w = numpy.ascontiguousarray(numpy.asarray(frequencies, dtype=float).reshape(-1))
        if not w.shape[0]:
            raise ValueError("a far field has at least one frequency")
        self.frequencies_ = numpy.array(w)
        CHKERR(PlexDGFarFieldCreate(dg.ready(), label.encode(), PETSC_DETERMINE if value is None else value,
                                    <PetscInt> w.shape[0], &w[0], &self.x))

    def __dealloc__(self):
        if self.x != NULL:
            CHKERR(PlexDGFarFieldDestroy(&self.x))

    @property
    def frequencies(self):
        """The angular frequencies, [n]."""
        return self.frequencies_.copy()

    def setTS(self, TS ts, PetscInt every=1, start=None):
        """Has a `TS` take a sample `every` so many steps, from the time start on; None: all."""
        CHKERR(PlexDGFarFieldSetTS(self.x, ts.ts, every, -1.7976931348623157e308 if start is None else start))
        ts.setAttr(f"__plexgpu_farfield_{id(self):x}__", self)  # which has to live as long

    def sample(self, Vec u, double t):
        """Takes the state u of time t into the transforms."""
        CHKERR(PlexDGFarFieldSample(self.x, t, u.vec))

    def reset(self):
        """Forgets the samples."""
        CHKERR(PlexDGFarFieldReset(self.x))

    def amplitudes(self, directions):
        """Returns the electric far field in directions[n][3], unit vectors: complex [frequencies][n][3], over
        exp(i k |x|)/|x|, of transforms with exp(i w t)."""
        cdef double[:, ::1] r = directions_of(directions)
        cdef double[::1] out = numpy.zeros(max(1, len(self.frequencies_) * r.shape[0] * 6))
        n = r.shape[0]
        CHKERR(PlexDGFarFieldGetAmplitudes(self.x, <PetscInt> n, &r[0, 0], &out[0]))
        return numpy.asarray(out).view(complex).reshape(len(self.frequencies_), n, 3)

    def spectrum(self):
        """Returns the transforms of the incident wave at 0, complex [frequencies], by the same samples."""
        cdef double[::1] out = numpy.zeros(2 * len(self.frequencies_))
        CHKERR(PlexDGFarFieldGetSpectrum(self.x, &out[0]))
        return numpy.asarray(out).view(complex)

    def cross_sections(self, directions):
        """Returns the bistatic cross-sections in directions[n][3], unit vectors: [frequencies][n]."""
        cdef double[:, ::1] r = directions_of(directions)
        cdef double[:, ::1] out = numpy.zeros((len(self.frequencies_), max(1, r.shape[0])))
        CHKERR(PlexDGFarFieldGetCrossSections(self.x, <PetscInt> r.shape[0], &r[0, 0], &out[0, 0]))
        return numpy.asarray(out)

    def write(self, file, PetscInt angles=91, PetscInt halves=0):
        """Writes the pattern to a text file: angles from the wave's direction in half-planes through it; halves 0: those
        of the wave's electric and magnetic field."""
        CHKERR(PlexDGFarFieldWrite(self.x, angles, halves, os.fsencode(file)))


cdef object directions_of(directions):
    r = numpy.ascontiguousarray(numpy.asarray(directions, dtype=float).reshape(-1, 3))
    if not len(r):
        raise ValueError("there is at least one direction")
    return r


def set_low_storage_scheme(TS ts, str scheme):
    """Sets the scheme, "ck45", "williamson3", "midpoint" or "ssp3", of a `TS` of type "lowstorage".
    TSPlexLowStorageSetScheme()."""
    CHKERR(TSPlexLowStorageSetScheme(ts.ts, scheme.encode()))


def get_low_storage_scheme(TS ts):
    """The scheme of a `TS` of type "lowstorage". TSPlexLowStorageGetScheme()."""
    cdef const char *name = NULL
    CHKERR(TSPlexLowStorageGetScheme(ts.ts, &name))
    return text(name)


def multirate_evaluations(TS ts):
    """How many rates of single elements a `TS` of type "multirate" has computed, on all processes. With one step for all
    it is four times the elements a step. TSPlexMultirateGetEvaluations()."""
    cdef PetscInt64 n = 0
    CHKERR(TSPlexMultirateGetEvaluations(ts.ts, &n))
    return n


def fit_conductor(double sigma, double first, double last, double mu=1.0, double epsilon=1.0):
    """The poles of the impedance of a metal's surface: (R, r[n], p[n], error), Z(w) = sqrt(i w mu/(sigma + i w epsilon)) =
    R - sum r p/(i w + p), with a relative error of at most `error` for angular frequencies `first` to `last`; sigma >= 10
    epsilon last."""
    cdef PetscReal[5] given = [sigma, first, last, mu, epsilon]
    cdef PetscReal[16] residues
    cdef PetscReal[16] poles
    cdef PetscReal resistance = 0, error = 0
    cdef PetscInt n = 0
    CHKERR(PlexDGFitConductor(given, &n, &resistance, residues, poles, &error))
    return (resistance, numpy.array([residues[k] for k in range(n)]), numpy.array([poles[k] for k in range(n)]), error)


def register_system(str name, function):
    """Adds a system of equations to those that `DG` knows by name: what `System` does. PlexDGSystemRegister().

    Parameters
    ----------
    name
        Its name; a system that has it is replaced.
    function
        A `Function`, or the address, of C's PetscErrorCode create(PlexDGSystem), which is never unloaded.
    """
    CHKERR(PlexDGSystemRegister(name.encode(), pointer(function)))


def include_folder():
    """The folder of PlexGPU's headers, a string: include/ in the folder that the environment variable PLEXGPU_DIR
    names, else that these bindings were compiled with."""
    named = os.environ.get("PLEXGPU_DIR")
    return os.path.join(named, "include") if named else text(plexgpu_include_folder)
