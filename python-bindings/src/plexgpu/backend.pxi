# plexgpubackend.h

cdef extern from "plexgpu.h" nogil:
    struct _p_PlexBackend
    ctypedef _p_PlexBackend *PlexBackend
    ctypedef enum PlexPrecision:
        pass
    const char *const PlexPrecisions[]
    PetscErrorCode PlexGPUInitializePackage()
    PetscErrorCode PlexBackendCreate(const char *, PlexBackend *)
    PetscErrorCode PlexBackendGetType(PlexBackend, const char **)
    PetscErrorCode PlexBackendView(PlexBackend, PetscViewer)
    PetscErrorCode PlexBackendIsAvailable(const char *, PetscBool *)
    PetscErrorCode PlexGPUSetTakeOver(PetscBool)
    PetscErrorCode PlexGPUGetVersion(char *, size_t)


cdef class Backend(Object):
    """Where assembly runs: memory, compiled kernels and their launches.

    `Backend(type)` makes one: "auto" ("cuda" where a GPU is, else "host"), "cuda", "host" or "emulate".
    """
    cdef PlexBackend backend

    def __cinit__(self, *args, **kwargs):
        self.backend = NULL
        self.obj = <PetscObject *> &self.backend

    cdef PlexBackend get(self) except NULL:
        """C's object; an error where there is none (any more)."""
        if self.backend == NULL:
            raise ValueError("the Backend was destroyed, or never created")
        return self.backend

    def __init__(self, str type=None):
        if type is not None:
            CHKERR(PlexBackendCreate(type.encode(), &self.backend))

    @property
    def type(self):
        """Its name: "cuda", "host" or "emulate"."""
        cdef const char *name = NULL
        CHKERR(PlexBackendGetType(self.get(), &name))
        return text(name)

    @staticmethod
    def available(str type):
        """Whether this machine has a backend of this name."""
        cdef PetscBool is_ = PETSC_FALSE
        CHKERR(PlexBackendIsAvailable(type.encode(), &is_))
        return is_ == PETSC_TRUE

    def view(self, Viewer viewer=None):
        """Prints it; default viewer: standard output."""
        CHKERR(PlexBackendView(self.get(), viewer.vwr if viewer is not None else NULL))

    def view_text(self):
        """What `view` prints, as text; empty on all processes but the first."""
        return view_text(self, self.view)


cdef Backend borrowed_backend(PlexBackend b):
    cdef Backend out = Backend()
    if b == NULL:
        return None
    CHKERR(PetscObjectReference(<PetscObject> b))
    out.backend = b
    return out


def take_over(bint on=True):
    """Whether PlexGPU takes over from PETSc's own assembly wherever this process asks for it. PlexGPUSetTakeOver()."""
    CHKERR(PlexGPUSetTakeOver(PETSC_TRUE if on else PETSC_FALSE))


def version():
    """The version of the library that is loaded, such as "0.2.0". PlexGPUGetVersion()."""
    cdef char out[32]
    CHKERR(PlexGPUGetVersion(out, sizeof(out)))
    return text(out)
