# PlexGPU by Spack 1.0 or newer. How to: packaging/README.md
import os

from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Plexgpu(MakefilePackage, CudaPackage):
    """Finite element residuals and Jacobians, nodal and hybridized discontinuous
    Galerkin of PETSc's DMPlex problems, on GPUs."""

    license("BSD-2-Clause")

    # An archive of the sources in the folder that spack is run in; or a checkout, by spack develop
    manual_download = True
    url = f"file://{os.getcwd()}/plexgpu-0.2.0.tar.gz"

    version("0.2.0")

    variant("metis", default=True, description="Partitions of meshes by METIS")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.10:", type="build")
    depends_on("mpi")
    depends_on("elfutils")
    depends_on("metis", when="+metis")
    # It reads private headers of PETSc, which change from one minor version to the next
    depends_on("petsc@3.25:3.26 +mpi +shared +double")
    depends_on("petsc ~cuda", when="~cuda")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"petsc +cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")

    conflicts(
        "cuda_arch=none", when="+cuda", msg="Name the GPU's compute capability: cuda_arch=90"
    )

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        env.set("PETSC_DIR", self.spec["petsc"].prefix)
        env.set("PETSC_ARCH", "")
        env.set("PLEXGPU_PYTHON", "no")
        env.set("PLEXGPU_HIP", "no")
        env.set("PLEXGPU_CACHE", join_path(self.stage.path, "cache"))
        if self.spec.satisfies("+cuda"):
            env.set("PLEXGPU_CUDA", self.spec["cuda"].prefix)
            env.set("PLEXGPU_CUDA_ARCH", self.spec.variants["cuda_arch"].value[0])
        else:
            env.set("PLEXGPU_CUDA", "no")

    @property
    def kernels(self):
        """Of the GPUs for which kernels are compiled now, not when they are first used"""
        if self.spec.satisfies("~cuda"):
            return ""
        return " ".join(f"sm_{arch}" for arch in self.spec.variants["cuda_arch"].value)

    def build(self, spec, prefix):
        make("all")

    def install(self, spec, prefix):
        make("install", f"prefix={prefix}", f"PLEXGPU_KERNELS={self.kernels}")

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable("packaging/check.sh")(self.prefix)

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        env.set("PLEXGPU_DIR", self.prefix)
