static char help[] = "Seats of the targets of rows: each is added what belongs to it, and nothing else.\n\n";

#include <plexgpu/impl.h>
#include "assembly/impls/global/seats.h"
#include "report.h"

#define LANES 32

typedef struct {
  PetscInt        length, count, ef;
  int            *items;
  unsigned short *place;
} Row;

static PetscErrorCode RowCreate(PetscInt length, PetscInt count, PetscInt ef, Row *row)
{
  PetscFunctionBegin;
  *row = (Row){.length = length, .count = count, .ef = ef};
  PetscCall(PetscMalloc2(count, &row->items, count * ef, &row->place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RowDestroy(Row *row)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(row->items, row->place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the lanes of a part have: of each target its lane and register. -1: none, or more than one */
static PetscErrorCode GetTargets(const PlexSeat shapes[], const PlexSeatedPart *part, PetscInt n, PetscInt lane[], PetscInt reg[])
{
  const PlexSeatsTargets *targets = (const PlexSeatsTargets *)&shapes[part->shape - LANES];
  const PetscInt          groups  = part->count & ((1 << PLEX_SEATS_GROUP_BITS) - 1);

  PetscFunctionBegin;
  for (PetscInt t = 0; t < n; ++t) lane[t] = reg[t] = -1;
  for (PetscInt l = 0; l < LANES; ++l) {
    for (PetscInt g = 0; g < (PetscInt)sizeof(targets->of); ++g) {
      const PetscInt t = targets[l].of[g];

      if (t == 255) continue;
      PetscCheck(g < groups && t < n && lane[t] < 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Lane %" PetscInt_FMT " has target %" PetscInt_FMT " of %" PetscInt_FMT, l, t, n);
      lane[t] = l;
      reg[t]  = g;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of a row that are not added to their targets exactly once, and entries that are added to others. order[ef][ef] is such that each entry of an element is a number
   of its own */
static PetscErrorCode CountWrong(PlexSeats seats, const Row *row, const unsigned short order[], PetscInt *wrong, PetscInt *nitems, unsigned *shape)
{
  const PetscInt  ef = row->ef;
  PetscInt        registers, covered = 0, *added;
  PlexSeatedRow   seated;
  const PlexSeat *shapes;
  size_t          n;

  PetscFunctionBegin;
  PetscCall(PlexSeatsGetRow_Private(seats, row->length, row->count, row->items, row->place, &seated));
  PetscCall(PlexSeatsGetShapes_Private(seats, &n, &shapes, &registers));
  PetscCall(PetscCalloc1(row->count * ef, &added));
  *wrong  = 0;
  *nitems = 0;
  *shape  = seated.parts[0].shape;
  for (PetscInt p = 0; p < seated.nparts; ++p) {
    const PlexSeatedPart *part = &seated.parts[p];
    const PetscInt        size = (p + 1 < seated.nparts ? seated.parts[p + 1].first : row->length) - part->first;
    PetscInt              lane[PLEX_SEATS_TARGETS], reg[PLEX_SEATS_TARGETS];

    if (part->first != covered || size > PLEX_SEATS_TARGETS || (PetscInt)(part->count >> PLEX_SEATS_GROUP_BITS) != part->nitems) ++*wrong;
    covered += size;
    PetscCall(GetTargets(shapes, part, size, lane, reg));
    for (PetscInt t = 0; t < size; ++t)
      if (lane[t] < 0) ++*wrong;
    for (PetscInt m = 0; m < part->nitems; ++m) {
      const PetscInt        c   = seated.order[part->items[m]];
      const unsigned short *own = &order[row->items[c] % ef * ef];

      for (PetscInt l = 0; l < LANES; ++l) {
        const unsigned short seat = shapes[part->shape + (size_t)(m / PLEX_SEATS_AHEAD * LANES + l)].of[m % PLEX_SEATS_AHEAD];
        const PetscInt       to = seat >> PLEX_SEAT_ENTRY_BITS, entry = seat & ((1 << PLEX_SEAT_ENTRY_BITS) - 1);
        PetscInt             j = 0, t;

        while (j < ef && own[j] != entry) ++j;
        if (j == ef) ++*wrong; /* which is read, even if it is not added */
        if (j == ef || to == PLEX_SEAT_NONE) continue;
        t = row->place[c * ef + j] - part->first;
        if (row->place[c * ef + j] == 0xffff || t < 0 || t >= size || lane[t] != l || reg[t] != to) ++*wrong;
        else added[c * ef + j]++;
      }
    }
    *nitems += part->nitems;
  }
  if (covered != row->length) ++*wrong;
  for (PetscInt k = 0; k < row->count * ef; ++k)
    if (added[k] != (row->place[k] == 0xffff ? 0 : 1)) ++*wrong;
  PetscCall(PetscFree(added));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that differ */
static PetscErrorCode OrderCreate(PetscInt ef, unsigned short **order)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ef * ef, order));
  for (PetscInt k = 0; k < ef * ef; ++k) (*order)[k] = (unsigned short)((k * 7 + 3) % (ef * ef + (ef * ef % 7 == 0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(const char name[], const Row *row, PetscInt items)
{
  PetscInt        wrong, n;
  unsigned        shape;
  unsigned short *order;
  PlexSeats       seats;

  PetscFunctionBegin;
  PetscCall(OrderCreate(row->ef, &order));
  PetscCall(PlexSeatsCreate_Private(row->ef, order, &seats));
  PetscCall(CountWrong(seats, row, order, &wrong, &n, &shape));
  PetscCall(PlexTestReport((PetscBool)(!wrong && (items < 0 || n == items)), name, "%" PetscInt_FMT " wrong, %" PetscInt_FMT " items of %" PetscInt_FMT " contributions", wrong, n, row->count));
  PetscCall(PlexSeatsDestroy_Private(&seats));
  PetscCall(PetscFree(order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row around a node of a box of elements of order 2, which in direction d is a corner of theirs if bit d is set: 27, 45, 75 or 125 targets. Columns are in an order of their own */
static PetscErrorCode BoxRow(PetscInt corner, PetscInt shift, Row *row)
{
  PetscInt width[3], elements[3];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < 3; ++d) {
    width[d]    = corner >> d & 1 ? 5 : 3;
    elements[d] = corner >> d & 1 ? 2 : 1;
  }
  PetscCall(RowCreate(width[0] * width[1] * width[2], elements[0] * elements[1] * elements[2], 27, row));
  for (PetscInt c = 0; c < row->count; ++c) {
    const PetscInt e[3] = {c % elements[0], c / elements[0] % elements[1], c / elements[0] / elements[1]};
    PetscInt       dof  = 0;

    for (PetscInt d = 2; d >= 0; --d) dof = 3 * dof + (corner >> d & 1 ? 2 * (1 - e[d]) : 1);
    row->items[c] = (int)(27 * (100 + (c + shift) % row->count) + dof);
    for (PetscInt j = 0; j < 27; ++j) {
      const PetscInt at[3] = {2 * e[0] + j % 3, 2 * e[1] + j / 3 % 3, 2 * e[2] + j / 9};

      row->place[c * 27 + j] = (unsigned short)(((at[2] * width[1] + at[1]) * width[0] + at[0]) * 32 % row->length);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBox(void)
{
  const PetscInt corners[] = {0, 1, 3, 7};
  char           name[128];
  Row            row;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(corners); ++k) {
    PetscCall(BoxRow(corners[k], 0, &row));
    PetscCall(PetscSNPrintf(name, sizeof(name), "box of elements of order 2, %" PetscInt_FMT " targets: nothing is read twice", row.length));
    PetscCall(Report(name, &row, row.count));
    PetscCall(RowDestroy(&row));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Contributions with any places, of which every eighth entry is dropped */
static PetscErrorCode RandomRow(PetscRandom r, PetscInt length, PetscInt count, PetscInt ef, Row *row)
{
  PetscReal x;
  PetscInt *perm;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(length, &perm));
  PetscCall(RowCreate(length, count, ef, row));
  for (PetscInt t = 0; t < length; ++t) perm[t] = t;
  for (PetscInt c = 0; c < count; ++c) {
    for (PetscInt t = length - 1; t > 0; --t) {
      PetscInt other, was = perm[t];

      PetscCall(PetscRandomGetValueReal(r, &x));
      other       = PetscMin(t, (PetscInt)(x * (PetscReal)(t + 1)));
      perm[t]     = perm[other];
      perm[other] = was;
    }
    row->items[c] = (int)(ef * c + c % ef);
    for (PetscInt j = 0; j < ef; ++j) row->place[c * ef + j] = j % 8 == 5 || j >= length ? 0xffff : (unsigned short)perm[j];
  }
  PetscCall(PetscFree(perm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRandom(PetscInt length, PetscInt count, PetscInt ef)
{
  PetscRandom r;
  char        name[128];
  Row         row;

  PetscFunctionBegin;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &r));
  PetscCall(RandomRow(r, length, count, ef, &row));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%" PetscInt_FMT " targets, %" PetscInt_FMT " contributions of %" PetscInt_FMT " entries anywhere", length, count, ef));
  PetscCall(Report(name, &row, -1));
  PetscCall(RowDestroy(&row));
  PetscCall(PetscRandomDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many rows of one size that some are in the same place of the table of those that are known */
static PetscErrorCode TestMany(void)
{
  PetscInt        wrong = 0, n, items;
  unsigned        shape;
  unsigned short *order;
  PetscRandom     r;
  PlexSeats       seats;

  PetscFunctionBegin;
  PetscCall(OrderCreate(20, &order));
  PetscCall(PlexSeatsCreate_Private(20, order, &seats));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &r));
  for (PetscInt k = 0; k < 400; ++k) {
    Row row;

    PetscCall(RandomRow(r, 45, 2, 20, &row));
    PetscCall(CountWrong(seats, &row, order, &n, &items, &shape));
    PetscCall(RowDestroy(&row));
    wrong += n;
  }
  PetscCall(PlexTestReport((PetscBool)!wrong, "400 rows of one size", "%" PetscInt_FMT " wrong", wrong));
  PetscCall(PetscRandomDestroy(&r));
  PetscCall(PlexSeatsDestroy_Private(&seats));
  PetscCall(PetscFree(order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows alike are seated once, in whatever order their contributions are, and others are not taken for them */
static PetscErrorCode TestAlike(void)
{
  PetscInt        wrong[4], items;
  unsigned        shape[4];
  unsigned short *order;
  PlexSeats       seats;
  Row             row[4];

  PetscFunctionBegin;
  PetscCall(OrderCreate(27, &order));
  PetscCall(PlexSeatsCreate_Private(27, order, &seats));
  PetscCall(BoxRow(3, 0, &row[0]));
  PetscCall(BoxRow(3, 2, &row[1])); /* other elements */
  PetscCall(BoxRow(3, 0, &row[2])); /* contributions 0 and 3 change places */
  row[2].items[0] = row[0].items[3];
  row[2].items[3] = row[0].items[0];
  PetscCall(PetscArraycpy(&row[2].place[0], &row[0].place[3 * 27], 27));
  PetscCall(PetscArraycpy(&row[2].place[3 * 27], &row[0].place[0], 27));
  PetscCall(BoxRow(3, 0, &row[3])); /* two targets change places */
  for (PetscInt k = 0; k < row[3].count * 27; ++k)
    if (row[3].place[k] < 2) row[3].place[k] = (unsigned short)(1 - row[3].place[k]);
  for (PetscInt k = 0; k < 4; ++k) PetscCall(CountWrong(seats, &row[k], order, &wrong[k], &items, &shape[k]));
  PetscCall(PlexTestReport((PetscBool)(!wrong[0] && !wrong[1] && !wrong[2] && !wrong[3] && shape[1] == shape[0] && shape[2] == shape[0] && shape[3] != shape[0]), "rows alike have one shape, others not", "%" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT " wrong, shapes %u %u %u %u", wrong[0], wrong[1], wrong[2], wrong[3], shape[0], shape[1], shape[2], shape[3]));
  for (PetscInt k = 0; k < 4; ++k) PetscCall(RowDestroy(&row[k]));
  PetscCall(PlexSeatsDestroy_Private(&seats));
  PetscCall(PetscFree(order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(TestBox());
  PetscCall(TestRandom(40, 3, 27));
  PetscCall(TestRandom(160, 9, 20));
  PetscCall(TestRandom(161, 9, 27));
  PetscCall(TestRandom(700, 90, 32)); /* several parts, more contributions than bits */
  PetscCall(TestRandom(5, 2, 20));    /* fewer targets than entries */
  PetscCall(TestMany());
  PetscCall(TestAlike());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
