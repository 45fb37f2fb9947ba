/* BibTeX entries that -citations prints, of what a program uses */
#include "cite.h"
#include <plexgpuversion.h>

static PetscBool PlexCited[PLEX_CITATIONS];

static const char *const PlexCitations[PLEX_CITATIONS] = {
  "@software{plexgpu,\n"
  "  author  = {{The PlexGPU developers}},\n"
  "  title   = {PlexGPU: finite element assembly and discontinuous {G}alerkin operators of {PETSc} on GPUs},\n"
  "  version = {" PLEXGPU_VERSION "},\n"
  "  year    = {2026}\n"
  "}\n",
  "@article{CeckaLewDarve2011,\n"
  "  author  = {Cris Cecka and Adrian J. Lew and Eric Darve},\n"
  "  title   = {Assembly of finite element methods on graphics processors},\n"
  "  journal = {International Journal for Numerical Methods in Engineering},\n"
  "  volume  = {85},\n"
  "  number  = {5},\n"
  "  pages   = {640--669},\n"
  "  year    = {2011},\n"
  "  doi     = {10.1002/nme.2989}\n"
  "}\n",
  "@article{KnepleyTerrel2013,\n"
  "  author  = {Matthew G. Knepley and Andy R. Terrel},\n"
  "  title   = {Finite element integration on {GPU}s},\n"
  "  journal = {ACM Transactions on Mathematical Software},\n"
  "  volume  = {39},\n"
  "  number  = {2},\n"
  "  year    = {2013},\n"
  "  doi     = {10.1145/2427023.2427027}\n"
  "}\n",
  "@article{KloecknerWarburtonBridgeHesthaven2009,\n"
  "  author  = {Andreas Kl{\\\"o}ckner and Tim Warburton and Jeff Bridge and Jan S. Hesthaven},\n"
  "  title   = {Nodal discontinuous {G}alerkin methods on graphics processors},\n"
  "  journal = {Journal of Computational Physics},\n"
  "  volume  = {228},\n"
  "  number  = {21},\n"
  "  pages   = {7863--7882},\n"
  "  year    = {2009}\n"
  "}\n",
  "@article{KingYakovlevFuKirbySherwin2014,\n"
  "  author  = {James King and Sergey Yakovlev and Zhisong Fu and Robert M. Kirby and Spencer J. Sherwin},\n"
  "  title   = {Exploiting batch processing on streaming architectures to solve {2D} elliptic finite element "
  "problems:\n"
  "             a hybridized discontinuous {G}alerkin ({HDG}) case study},\n"
  "  journal = {Journal of Scientific Computing},\n"
  "  volume  = {60},\n"
  "  year    = {2014}\n"
  "}\n",
};

PetscErrorCode PlexCite_Private(PlexCitation which)
{
  PetscFunctionBegin;
  if (which != PLEX_CITE_LIBRARY) PetscCall(PlexCite_Private(PLEX_CITE_LIBRARY));
  PetscCall(PetscCitationsRegister(PlexCitations[which], &PlexCited[which]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCiteFinalize_Private(void)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(PlexCited, PLEX_CITATIONS));
  PetscFunctionReturn(PETSC_SUCCESS);
}
