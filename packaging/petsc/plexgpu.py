# PlexGPU by PETSc's configure: build and install it with PETSc, by --download-plexgpu. How to: packaging/README.md
import config.package
import os

class Configure(config.package.Package):
  def __init__(self, framework):
    config.package.Package.__init__(self, framework)
    # A link in PETSc's tree leads to the checkout that it is of; else --download-plexgpu=FOLDER or =TARBALL names one
    checkout                    = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    linked                      = os.path.isfile(os.path.join(checkout, 'include', 'plexgpuversion.h'))
    self.version                = '0.2.0'
    self.versionname            = 'PLEXGPU_VERSION'
    self.versioninclude         = 'plexgpuversion.h'
    self.gitcommit              = 'HEAD'
    self.download               = [checkout] if linked else ['dir://plexgpu']
    self.functions              = []
    self.includes               = ['plexgpu.h']
    self.docsDirs               = ['src', 'include'] # manual pages
    self.providesDocs           = 1
    self.precisions             = ['double']
    self.skippackagewithoptions = 1
    self.useddirectly           = 0
    self.linkedbypetsc          = 0
    self.builtafterpetsc        = 1
    return

  def setupDependencies(self, framework):
    config.package.Package.setupDependencies(self, framework)
    self.sharedLibraries = framework.require('PETSc.options.sharedLibraries', self)
    self.mpi             = framework.require('config.packages.MPI', self)
    self.blasLapack      = framework.require('config.packages.BlasLapack', self)
    self.cuda            = framework.require('config.packages.CUDA', self)
    self.hdf5            = framework.require('config.packages.HDF5', self)
    self.metis           = framework.require('config.packages.METIS', self)
    self.deps            = [self.mpi, self.blasLapack]
    self.odeps           = [self.cuda, self.hdf5, self.metis]
    return

  def Install(self):
    if not self.checkSharedLibrariesEnabled():
      raise RuntimeError('PlexGPU is a plugin and needs a PETSc with shared libraries: add --with-shared-libraries=1')
    if self.mpi.usingMPIUni:
      raise RuntimeError('PlexGPU needs MPI: add --with-mpi=1')
    if self.argDB['prefix'] and not 'package-prefix-hash' in self.argDB:
      prefix = os.path.abspath(os.path.expanduser(self.argDB['prefix']))
      petsc  = 'PETSC_DIR=' + prefix + ' PETSC_ARCH=""'
    else:
      prefix = os.path.join(self.petscdir.dir, self.arch)
      petsc  = 'PETSC_DIR=${PETSC_DIR} PETSC_ARCH=${PETSC_ARCH}'
    self.directory = prefix
    self.include   = [os.path.join(prefix, 'include')]
    self.lib       = [os.path.join(prefix, 'lib', 'libplexgpu.so.0')]
    # Settings of PETSc's makefiles are not PlexGPU's; it takes compiler and flags out of PETSc's own
    env  = 'env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CFLAGS -u CPPFLAGS -u LDFLAGS PLEXGPU_PYTHON=no '
    args = ' ' + petsc + ' prefix=' + prefix
    # By name, or loaded by itself where .petscrc has -dll_append libplexgpu.so
    self.addPost(self.packageDir, [env + '${OMAKE} ' + args + ' all', env + '${OMAKE} ' + args + ' install'])
    self.addMakeCheck(self.packageDir, 'MPICC=${PCC} packaging/check.sh ' + prefix)
    return self.installDir
