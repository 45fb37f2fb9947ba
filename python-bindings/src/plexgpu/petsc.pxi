# What is called of PETSc that petsc4py does not hand on. Pointwise functions are void pointers here.

cdef extern from "<petsc.h>" nogil:
    ctypedef int PetscInt
    ctypedef long long PetscInt64
    ctypedef double PetscReal
    ctypedef double PetscScalar
    ctypedef enum PetscBool:
        PETSC_FALSE
        PETSC_TRUE
    ctypedef enum DMBoundaryConditionType:
        DM_BC_ESSENTIAL
        DM_BC_NATURAL
    ctypedef enum InsertMode:
        INSERT_ALL_VALUES
        INSERT_VALUES
    ctypedef struct PetscFormKey:
        PetscDMLabel label
        PetscInt value, field, part
    struct _p_PetscWeakForm
    ctypedef _p_PetscWeakForm *PetscWeakForm
    ctypedef PetscErrorCode PetscFunction "PetscPointExactSolutionFn"(PetscInt, PetscReal, const PetscReal *, PetscInt,
                                                                      PetscScalar *, void *)
    int PETSC_DECIDE
    int PETSC_DETERMINE
    int PETSC_UNLIMITED

    PetscErrorCode PetscObjectReference(PetscObject)
    PetscErrorCode PetscObjectDestroy(PetscObject *)
    PetscErrorCode PetscObjectComposeFunction(PetscObject, const char *, void *)
    PetscErrorCode PetscObjectQueryFunction(PetscObject, const char *, void **)
    MPI_Comm PetscObjectComm(PetscObject)

    PetscErrorCode PetscDSGetNumFields(PetscDS, PetscInt *)
    PetscErrorCode PetscDSSetResidual(PetscDS, PetscInt, void *, void *)
    PetscErrorCode PetscDSSetImplicit(PetscDS, PetscInt, PetscBool)
    PetscErrorCode PetscDSSetRHSResidual(PetscDS, PetscInt, void *, void *)
    PetscErrorCode PetscDSSetJacobian(PetscDS, PetscInt, PetscInt, void *, void *, void *, void *)
    PetscErrorCode PetscDSSetJacobianPreconditioner(PetscDS, PetscInt, PetscInt, void *, void *, void *, void *)
    PetscErrorCode PetscDSSetDynamicJacobian(PetscDS, PetscInt, PetscInt, void *, void *, void *, void *)
    PetscErrorCode PetscDSSetObjective(PetscDS, PetscInt, void *)
    PetscErrorCode PetscDSSetConstants(PetscDS, PetscInt, PetscScalar *)
    PetscErrorCode PetscDSGetConstants(PetscDS, PetscInt *, const PetscScalar **)
    PetscErrorCode PetscDSGetNumBoundary(PetscDS, PetscInt *)
    PetscErrorCode PetscDSGetBoundary(PetscDS, PetscInt, PetscWeakForm *, void *, void *, void *, void *, void *,
                                      void *, void *, void *, void *, void *, void *)
    PetscErrorCode PetscWeakFormSetIndexBdResidual(PetscWeakForm, PetscDMLabel, PetscInt, PetscInt, PetscInt, PetscInt,
                                                   void *, PetscInt, void *)
    PetscErrorCode PetscWeakFormSetIndexBdJacobian(PetscWeakForm, PetscDMLabel, PetscInt, PetscInt, PetscInt, PetscInt,
                                                   PetscInt, void *, PetscInt, void *, PetscInt, void *, PetscInt,
                                                   void *)

    PetscErrorCode PetscWeakFormSetIndexBdJacobianPreconditioner(PetscWeakForm, PetscDMLabel, PetscInt, PetscInt,
                                                                 PetscInt, PetscInt, PetscInt, void *, PetscInt,
                                                                 void *, PetscInt, void *, PetscInt, void *)
    PetscErrorCode PetscDSGetRHSResidual(PetscDS, PetscInt, void *, void *)
    PetscErrorCode PetscDSGetResidual(PetscDS, PetscInt, void *, void *)
    PetscErrorCode PetscDSSetExactSolution(PetscDS, PetscInt, void *, void *)
    PetscErrorCode PetscDSSetExactSolutionTimeDerivative(PetscDS, PetscInt, void *, void *)
    ctypedef struct PetscTabulation_ "struct _n_PetscTabulation":
        PetscInt Nr, Np, Nb, Nc, cdim
        PetscReal **T
    PetscErrorCode PetscFEGetCellTabulation(PetscFE, PetscInt, PetscTabulation_ **)

    PetscErrorCode DMGetDimension(PetscDM, PetscInt *)
    PetscErrorCode DMGetDS(PetscDM, PetscDS *)
    PetscErrorCode DMGetNumDS(PetscDM, PetscInt *)
    PetscErrorCode DMGetRegionNumDS(PetscDM, PetscInt, void *, void *, PetscDS *, void *)
    PetscErrorCode DMGetNumFields(PetscDM, PetscInt *)
    PetscErrorCode DMAddBoundary(PetscDM, DMBoundaryConditionType, const char *, PetscDMLabel, PetscInt,
                                 const PetscInt *, PetscInt, PetscInt, const PetscInt *, void *, void *, void *,
                                 PetscInt *)
    PetscErrorCode DMProjectFunction(PetscDM, PetscReal, void *, void **, InsertMode, PetscVec)
    PetscErrorCode DMProjectFunctionLocal(PetscDM, PetscReal, void *, void **, InsertMode, PetscVec)
    PetscErrorCode DMComputeL2Diff(PetscDM, PetscReal, void *, void **, PetscVec, PetscReal *)
    PetscErrorCode DMComputeError(PetscDM, PetscVec, PetscReal *, PetscVec *)
    PetscErrorCode DMSetOutputSequenceNumber(PetscDM, PetscInt, PetscReal)
    PetscErrorCode DMGetOutputSequenceNumber(PetscDM, PetscInt *, PetscReal *)
    PetscErrorCode DMProjectField(PetscDM, PetscReal, PetscVec, void *, InsertMode, PetscVec)
    PetscErrorCode DMGlobalToLocal(PetscDM, PetscVec, InsertMode, PetscVec)
    PetscErrorCode DMGlobalToLocalHookAdd(PetscDM, void *, void *, void *)
    PetscErrorCode DMCoarsenHookAdd(PetscDM, void *, void *, void *)
    PetscErrorCode DMRefineHookAdd(PetscDM, void *, void *, void *)
    PetscErrorCode DMCreateLocalVector(PetscDM, PetscVec *)
    PetscErrorCode DMPlexInsertBoundaryValues(PetscDM, PetscBool, PetscVec, PetscReal, PetscVec, PetscVec, PetscVec)
    PetscErrorCode DMPlexComputeIntegralFEM(PetscDM, PetscVec, PetscScalar *, void *)
    PetscErrorCode DMPlexComputeBdIntegral(PetscDM, PetscVec, PetscDMLabel, PetscInt, const PetscInt *, void *,
                                           PetscScalar *, void *)
    PetscErrorCode DMPlexComputeCellGeometryAffineFEM(PetscDM, PetscInt, PetscReal *, PetscReal *, PetscReal *,
                                                      PetscReal *)
    PetscErrorCode SNESGetFunction(PetscSNES, PetscVec *, void *, void **)
    PetscErrorCode SNESSetFunction(PetscSNES, PetscVec, void *, void *)
    PetscErrorCode SNESGetJacobian(PetscSNES, PetscMat *, PetscMat *, void *, void **)
    PetscErrorCode SNESSetJacobian(PetscSNES, PetscMat, PetscMat, void *, void *)
    PetscErrorCode TSGetIFunction(PetscTS, PetscVec *, void *, void **)
    PetscErrorCode TSSetIFunction(PetscTS, PetscVec, void *, void *)
    PetscErrorCode TSGetRHSFunction(PetscTS, PetscVec *, void *, void **)
    PetscErrorCode TSSetRHSFunction(PetscTS, PetscVec, void *, void *)
    PetscErrorCode TSGetIJacobian(PetscTS, PetscMat *, PetscMat *, void *, void **)
    PetscErrorCode TSSetIJacobian(PetscTS, PetscMat, PetscMat, void *, void *)
    PetscErrorCode DMPlexSetSNESLocalFEM(PetscDM, PetscBool, void *)
    PetscErrorCode DMTSSetBoundaryLocal(PetscDM, void *, void *)
    PetscErrorCode DMTSSetIFunctionLocal(PetscDM, void *, void *)
    PetscErrorCode DMTSSetIJacobianLocal(PetscDM, void *, void *)
    PetscErrorCode DMTSSetRHSFunctionLocal(PetscDM, void *, void *)
    PetscErrorCode DMPlexTSComputeRHSFunctionFEM(PetscDM, PetscReal, PetscVec, PetscVec, void *)
    PetscErrorCode DMPlexTSComputeBoundary(PetscDM, PetscReal, PetscVec, PetscVec, void *)
    PetscErrorCode DMPlexTSComputeIFunctionFEM(PetscDM, PetscReal, PetscVec, PetscVec, PetscVec, void *)
    PetscErrorCode DMPlexTSComputeIJacobianFEM(PetscDM, PetscReal, PetscVec, PetscVec, PetscReal, PetscMat, PetscMat,
                                               void *)
