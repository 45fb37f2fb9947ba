# Files for ParaView, pictures and windows.

cdef extern from "<plexgpuview.h>" nogil:
    struct _p_PlexImage
    ctypedef _p_PlexImage *PlexImage
    PetscErrorCode PlexVecWriteVTKHDF(PetscVec, const char *, PetscBool, PetscReal)
    PetscErrorCode PlexTSMonitorSolution(PetscTS, const char *, PetscInt)
    PetscErrorCode PlexImageCreate(MPI_Comm, PlexImage *)
    PetscErrorCode PlexImageSetFromOptions(PlexImage)
    PetscErrorCode PlexImageSetField(PlexImage, const char *, PetscInt)
    PetscErrorCode PlexImageSetRange(PlexImage, PetscReal, PetscReal)
    PetscErrorCode PlexImageSetSize(PlexImage, PetscInt, PetscInt)
    PetscErrorCode PlexImageSetWindow(PlexImage, PetscReal, PetscReal, PetscReal, PetscReal)
    PetscErrorCode PlexImageSetPlane(PlexImage, const PetscReal *, const PetscReal *)
    PetscErrorCode PlexImageWrite(PlexImage, PetscObject, PetscVec, PetscReal, const char *)
    PetscErrorCode PlexImageDestroy(PlexImage *)
    PetscErrorCode PlexTSMonitorImage(PetscTS, PetscObject, PlexImage, const char *, PetscInt)


def write_vtkhdf(file, Vec u, double t=0.0, bint append=False):
    """Writes the finite element fields of a global vector u, of time t, to a .vtkhdf file that ParaView draws at their
    degree; append: to what is there. `DG.writeVTKHDF` and `HDG.writeVTKHDF` are those of other methods."""
    CHKERR(PlexVecWriteVTKHDF(u.vec, os.fsencode(file), PETSC_TRUE if append else PETSC_FALSE, t))


def monitor_solution(TS ts, file, PetscInt every=1):
    """Has a `TS` of finite elements write its states to a .vtkhdf file `every` so many steps and at the end; 0: at the
    end alone."""
    CHKERR(PlexTSMonitorSolution(ts.ts, os.fsencode(file), every))


cdef PlexImage image_of(Object owner, field, component, range_, size, window, point, normal) except NULL:
    """Settings of pictures: those of options -plex_image_..., then the arguments that are not None."""
    cdef PlexImage image = NULL
    cdef double[::1] p, n
    CHKERR(PlexImageCreate(GetComm(owner.getComm(), NULL), &image))
    try:
        CHKERR(PlexImageSetFromOptions(image))
        if field is not None or component is not None:
            CHKERR(PlexImageSetField(image, (field or "").encode(), PETSC_DETERMINE if component is None else component))
        if range_ is not None:
            CHKERR(PlexImageSetRange(image, range_[0], range_[1]))
        if size is not None:
            CHKERR(PlexImageSetSize(image, size[0], size[1]))
        if window is not None:
            CHKERR(PlexImageSetWindow(image, window[0], window[1], window[2], window[3]))
        if point is not None or normal is not None:
            p = numpy.array(numpy.zeros(3) if point is None else point, dtype=float).reshape(3)
            n = numpy.array(numpy.zeros(3) if normal is None else normal, dtype=float).reshape(3)
            CHKERR(PlexImageSetPlane(image, NULL if point is None else &p[0], NULL if normal is None else &n[0]))
    except BaseException:
        PlexImageDestroy(&image)
        raise
    return image


def write_image(file, Object source, Vec u=None, double t=0.0, *, field=None, component=None, range=None, size=None,
                window=None, point=None, normal=None):
    """Writes a picture as .png, without ParaView and without a display.

    source: a `DM` with Lagrange elements, a `DG`, or an `HDG` after its solve. u: the state of time t; None of an `HDG`.
    field: its name; None: the first one. component: of a vector, from 0 on; None: its length. range: the values of the
    first and the last colour; None: those of the picture. size: pixels, width and height. window: what is seen, left,
    right, lower, upper. point, normal: [3] of the plane that cuts a mesh in space. What is None is as options
    -plex_image_... say."""
    cdef PlexImage image
    if isinstance(source, DG):
        (<DG> source).ready()
    image = image_of(source, field, component, range, size, window, point, normal)
    try:
        CHKERR(PlexImageWrite(image, source.obj[0], NULL if u is None else u.vec, t, os.fsencode(file)))
    finally:
        PlexImageDestroy(&image)


def monitor_image(TS ts, file, PetscInt every=1, Object source=None, *, field=None, component=None, range=None, size=None,
                  window=None, point=None, normal=None):
    """Has a `TS` write pictures of its states `every` so many steps and at the end; 0: at the end alone.

    file: names, with a %d or %05d for the number of the picture; None: they are drawn into a window of PETSc's. source: the
    `DG` that the `TS` steps; None: the `DM` of the `TS`. field, component, range, size, window, point, normal: as of
    `write_image`."""
    cdef PlexImage image = image_of(ts, field, component, range, size, window, point, normal)
    cdef bytes name = None if file is None else os.fsencode(file)
    try:
        CHKERR(PlexTSMonitorImage(ts.ts, NULL if source is None else source.obj[0], image,
                                  NULL if name is None else <const char *> name, every))
    finally:
        PlexImageDestroy(&image)
