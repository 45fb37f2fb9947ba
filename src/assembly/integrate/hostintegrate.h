/* The steps of host.h in order, with the dimension known to the compiler */

PLEX_HOST_INLINE void Integrate(PlexHostBatch b, PetscInt dim, const PlexArgs *args, PetscInt e, PetscInt n,
                                const int slots[])
{
  Prepare(b, dim, args, e, n);
  if (b->kind == PLEX_RESIDUAL) Residual(b, dim, args, e, n);
  else if (Jacobian(b, dim, args, e, n, slots)) b->ntensor += n;
}

static void Integrate1(PlexHostBatch b, const PlexArgs *args, PetscInt e, PetscInt n, const int slots[])
{
  Integrate(b, 1, args, e, n, slots);
}

PLEX_HOST_CLONES static void Integrate2(PlexHostBatch b, const PlexArgs *args, PetscInt e, PetscInt n,
                                        const int slots[])
{
  Integrate(b, 2, args, e, n, slots);
}

PLEX_HOST_CLONES static void Integrate3(PlexHostBatch b, const PlexArgs *args, PetscInt e, PetscInt n,
                                        const int slots[])
{
  Integrate(b, 3, args, e, n, slots);
}

/* Actions by functions of their own: the time of a compiler grows faster than what is inlined in one */
PLEX_HOST_INLINE void Apply(PlexHostBatch b, PetscInt dim, const PlexArgs *args, PetscInt e, PetscInt n)
{
  Prepare(b, dim, args, e, n);
  Action(b, dim, args, e, n);
}

static void Apply1(PlexHostBatch b, const PlexArgs *args, PetscInt e, PetscInt n)
{
  Apply(b, 1, args, e, n);
}

PLEX_HOST_CLONES static void Apply2(PlexHostBatch b, const PlexArgs *args, PetscInt e, PetscInt n)
{
  Apply(b, 2, args, e, n);
}

PLEX_HOST_CLONES static void Apply3(PlexHostBatch b, const PlexArgs *args, PetscInt e, PetscInt n)
{
  Apply(b, 3, args, e, n);
}

/* In any dimension: it is computed once where products are many */
static void Diagonals(PlexHostBatch b, const PlexArgs *args, PetscInt e, PetscInt n)
{
  const PetscInt dim = b->elements->dim;

  Prepare(b, dim, args, e, n);
  Diagonal(b, dim, args, e, n);
}

void INTEGRATE(PlexHostBatch b, const PlexArgs *args, PetscInt e, PetscInt n, const int slots[])
{
  const PetscInt dim = b->elements->dim;

  if (b->form->action == PLEX_ACTION_DIAGONAL) Diagonals(b, args, e, n);
  else if (b->form->action && dim == 1) Apply1(b, args, e, n);
  else if (b->form->action && dim == 2) Apply2(b, args, e, n);
  else if (b->form->action) Apply3(b, args, e, n);
  else if (dim == 1) Integrate1(b, args, e, n, slots);
  else if (dim == 2) Integrate2(b, args, e, n, slots);
  else Integrate3(b, args, e, n, slots);
}
