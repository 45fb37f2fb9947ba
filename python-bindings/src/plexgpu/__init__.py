"""PlexGPU from Python: finite element assembly and discontinuous Galerkin methods of PETSc's DMPlex, on GPUs.

Needs petsc4py, whose `petsc4py.init(sys.argv)` is to be called before this is imported where a program takes options.
"""

from ._plexgpu import (
    CSR,
    DG,
    HDG,
    Array,
    Assembly,
    Backend,
    FarField,
    FieldArrays,
    Probes,
    Values,
    add_boundary,
    affine_cell,
    agree,
    array,
    broadcast,
    csr,
    dm_from_arrays,
    exact_errors,
    field_components,
    fit_conductor,
    get_constants,
    get_low_storage_scheme,
    include_folder,
    integrate,
    integrate_boundary,
    keep,
    l2_error,
    local_vec,
    monitor_image,
    monitor_solution,
    multirate_evaluations,
    project,
    project_field,
    raise_together,
    register_system,
    set_bd_jacobian,
    set_bd_jacobian_preconditioner,
    set_bd_residual,
    set_constants,
    set_dynamic_jacobian,
    set_exact_solution,
    set_implicit,
    set_jacobian,
    set_jacobian_preconditioner,
    set_low_storage_scheme,
    set_objective,
    set_residual,
    set_rhs_residual,
    set_snes_local,
    set_snes_local_petsc,
    set_ts_local,
    set_ts_local_petsc,
    tabulate,
    take_over,
    version,
    write_image,
    write_vtkhdf,
)
from .compile import CompileError, Function, Library
from .constants import Constant
from .output import corner_values
from .pointwise import Pointwise, essential
from .system import System

__all__ = [
    name
    for name in dir()
    if not name.startswith("_") and name not in ("comm", "compile", "constants", "output", "pointwise", "system", "ufl")
]
