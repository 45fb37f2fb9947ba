/*
  -help: options of nodal DG that PlexDGSetFromOptions() does not read by name: those of parts of the boundary or of the
  mesh, of output, and of types, which are read when these are set up.
*/
#include "dgimpl.h"
#include "../../util/help.h"

/* Parts of the boundary and of the mesh: <tag> is a label, a value of Face Sets or Cell Sets, or label:value */
static const PlexHelp PlexDGHelpOfParts[] = {
  {"-plex_dg_bc",               "kind",                               "Boundary condition of what has no other; _<tag>: there",   "PlexDGAddBoundary"      },
  {"-plex_dg_impedance",        "number",                             "Boundary of a resistance; _<tag>: there",                  "PlexDGAddBoundary"      },
  {"-plex_dg_conductor",        "sigma,from,to,...",                  "Boundary of a good conductor; _<tag>: there",              "PlexDGAddBoundary"      },
  {"-plex_dg_sheet_<tag>",      "conductance",                        "Thin sheet on facets inside the mesh",                     "PlexDGAddSheet"         },
  {"-plex_dg_series",           "file",                               "Values in time of boundaries of water; _<tag>: there",     "PlexDGSetBoundarySeries"},
  {"-plex_dg_tide",             "constituents",                       "Tides of boundaries of water; _<tag>: there",              "PlexDGSetBoundaryTide"  },
  {"-plex_dg_curve_<tag>",      "sphere,... cylinder,... circle,...", "Surface that facets are bent to",                          "PlexDGSetCurve"         },
  {"-plex_dg_curve_degree",     "degree",                             "Degree of bent facets",                                    "PlexDGSetCurve"         },
  {"-plex_dg_material",         "numbers or name=number,...",         "Coefficients of cells without a material; _<tag>: there",
   "PlexDGAddMaterial"                                                                                                                                     },
  {"-plex_dg_debye",            "strength,tau,...",                   "Poles of a dispersive medium; _<tag>: there",              "PlexDGAddDispersion"    },
  {"-plex_dg_drude",            "frequency,gamma,...",                "Poles of a dispersive medium; _<tag>: there",              "PlexDGAddDispersion"    },
  {"-plex_dg_lorentz",          "strength,frequency,gamma,...",       "Poles of a dispersive medium; _<tag>: there",
   "PlexDGAddDispersion"                                                                                                                                   },
  {"-plex_dg_total_field",      "label or label:value",               "Surface inside the mesh at which an incident wave enters",
   "PlexDGSetTotalField"                                                                                                                                   },
  {"-plex_dg_dipole_position",  "x,y,z,...",                          "Points of dipoles",                                        "PlexDGAddDipole"        },
  {"-plex_dg_dipole_moment",    "Px,Py,Pz,...",                       "Their moments",                                            "PlexDGAddDipole"        },
  {"-plex_dg_dipole_frequency", "w,...",                              "Their angular frequencies, one for all or one each",       "PlexDGAddDipole"        },
  {"-plex_dg_dipole_phase",     "numbers",                            "Their phases",                                             "PlexDGAddDipole"        },
  {"-plex_dg_dipole_delay",     "times",                              "Their delays",                                             "PlexDGAddDipole"        },
  {"-plex_dg_dipole_width",     "times",                              "Widths of their pulses",                                   "PlexDGAddDipole"        },
  {"-plex_dg_dipole_ramp",      "times",                              "Times in which they rise",                                 "PlexDGAddDipole"        },
  {"-plex_dg_pml_<tag>",        "box box,... sphere,... circle,...",  "Cells of a perfectly matched layer",                       "PlexDGSetPML"           },
  {"-plex_dg_pml_reflection",   "number",                             "Reflection along its normal",                              "PlexDGSetPMLProfile"    },
  {"-plex_dg_pml_power",        "number",                             "Power of its profile",                                     "PlexDGSetPMLProfile"    },
  {"-plex_dg_pml_alpha",        "rate",                               "Shift of its frequency",                                   "PlexDGSetPMLProfile"    },
  {"-plex_dg_pml_fused",        "yes or no",                          "Its pointwise part is computed with a stage",              "PlexDGSetPMLProfile"    }
};

static const PlexHelp PlexDGHelpOfOutput[] = {
  {"-plex_dg_view",                 "viewer",               "View when set up",                                          "PlexDGView"              },
  {"-plex_dg_monitor_solution",     "file or file:steps",   "Fields as VTKHDF",                                          "PlexDGMonitorSolution"   },
  {"-plex_dg_monitor_image",        "file or file:steps",   "Pictures as PNG",                                           "PlexTSMonitorImage"      },
  {"-plex_dg_monitor_draw",         "steps",                "Pictures in a window",                                      "PlexTSMonitorImage"      },
  {"-plex_dg_monitor_ugrid",        "file or file:steps",   "Fields as NetCDF by UGRID's conventions",                   "PlexDGWriteUGRID"        },
  {"-plex_dg_ugrid_cells",          "n",                    "An element is cut into n x n of its cells",                 "PlexDGWriteUGRID"        },
  {"-plex_dg_ugrid_sphere",         "radius,lon,lat",       "Its coordinates are of a sphere",                           "PlexDGWriteUGRID"        },
  {"-plex_dg_ugrid_since",          "date",                 "When its time begins",                                      "PlexDGWriteUGRID"        },
  {"-plex_dg_monitor_probes",       "file or file:steps",   "Fields at points",                                          "PlexDGMonitorProbes"     },
  {"-plex_dg_probes",               "x,y,z,...",            "These points",                                              "PlexDGMonitorProbes"     },
  {"-plex_dg_monitor_energy",       "file or file:steps",   "Energy over time",                                          "PlexDGMonitorEnergy"     },
  {"-plex_dg_extrema",              "file or file:steps",   "Extrema of water, and arrival times",                       "PlexDGMonitorExtrema"    },
  {"-plex_dg_extrema_threshold",    "number",               "Change of elevation with which water arrives",              "PlexDGMonitorExtrema"    },
  {"-plex_dg_farfield",             "file or file:steps",   "Far field of what is scattered",                            "PlexDGMonitorFarField"   },
  {"-plex_dg_farfield_label",       "label or label:value", "Its surface",                                               "PlexDGMonitorFarField"   },
  {"-plex_dg_farfield_frequencies", "a,b,... or from:to:n", "Angular frequencies",                                       "PlexDGMonitorFarField"   },
  {"-plex_dg_farfield_angles",      "angles[,half-planes]", "Directions",                                                "PlexDGMonitorFarField"   },
  {"-plex_dg_farfield_start",       "time",                 "Samples before are left out",                               "PlexDGMonitorFarField"   },
  {"-plex_dg_checkpoint",           "file or file:steps",   "Checkpoints",                                               "PlexDGMonitorCheckpoint" },
  {"-plex_dg_restart",              "file",                 "Checkpoint to continue from",                               "PlexDGRestartFromOptions"},
  {"-plex_dg_restart_changed",      "bool",                 "Though constants, coefficients or conditions have changed",
   "PlexDGRestartFromOptions"                                                                                                                      }
};

/* How types compute; read where a type is set up */
static const PlexHelp PlexDGHelpOfTypes[] = {
  {"-plex_dg_gemm",                    "kernels blas fused", "Quadrature: how products are computed",                          "PlexDGSetDiscretization"},
  {"-plex_dg_tensor_cores",            "bool",               "Quadrature, fused: on tensor cores, or a thread an element",     "PlexDGSetType"          },
  {"-plex_dg_warps",                   "1 to 32",            "Quadrature, fused: warps of a block",                            "PlexDGSetType"          },
  {"-plex_dg_block_elements",          "n",                  "fused: elements of a block, a multiple of 16",                   "PlexDGSetType"          },
  {"-plex_dg_tiles",                   "1 to 4",             "fused: tiles of 8 nodes that a warp computes",                   "PlexDGSetType"          },
  {"-plex_dg_split",                   "bool",               "fused: fluxes take the place of the fields in shared memory",    "PlexDGSetType"          },
  {"-plex_dg_curved_sizes",            "6 numbers",          "fused: sizes of its kernel of curved cells",                     "PlexDGSetType"          },
  {"-plex_dg_microblock",              "elements",           "separate: elements of a microblock",                             "PlexDGSetType"          },
  {"-plex_dg_align",                   "16 32",              "separate: what microblocks are padded to a multiple of",         "PlexDGSetType"          },
  {"-plex_dg_gather",                  "faces blocks",       "separate: flux gather by faces, or by pairs of faces in blocks",
   "PlexDGSetType"                                                                                                                                      },
  {"-plex_dg_gather_microblocks",      "n",                  "separate: microblocks of a block of the gather",                 "PlexDGSetType"          },
  {"-plex_dg_gather_workers",          "n",                  "separate: pairs of faces that such a block computes at a time",  "PlexDGSetType"          },
  {"-plex_dg_partition",               "metis greedy curve", "separate: how such blocks are found",                            "PlexDGSetType"          },
  {"-plex_dg_lift",                    "field matrix",       "separate: what is in shared memory",                             "PlexDGSetType"          },
  {"-plex_dg_lift_workers",            "p,i,s",              "separate: units in parallel, inline and in sequence",            "PlexDGSetType"          },
  {"-plex_dg_lift_rows",               "n",                  "separate: rows of a segment of the matrix; 0: all that fit",     "PlexDGSetType"          },
  {"-plex_dg_differentiation",         "field matrix",       "separate: likewise of differentiation",                          "PlexDGSetType"          },
  {"-plex_dg_differentiation_workers", "p,i,s",              "separate: likewise of differentiation",                          "PlexDGSetType"          },
  {"-plex_dg_differentiation_rows",    "n",                  "separate: likewise of differentiation",                          "PlexDGSetType"          },
  {"-plex_dg_tune",                    "bool",               "separate: its choices are timed, and the fastest taken",         "PlexDGSetType"          },
  {"-plex_dg_tune_time",               "seconds",            "separate: most time for that",                                   "PlexDGSetType"          },
  {"-plex_dg_tune_archive",            "file",               "separate: file of results",                                      "PlexDGSetType"          }
};

/* Constants and coefficients of the system that has been chosen */
static PetscErrorCode PlexDGHelpOfSystem(PlexDG dg, PetscOptionItems items)
{
  PlexDGSystem   system = dg->system;
  const PetscInt n      = system ? system->nconstants + system->ncoefficients : 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    const PlexDGParameter *p = k < system->nconstants ? &system->constants[k]
                                                      : &system->coefficients[k - system->nconstants];
    char                   option[PETSC_MAX_OPTION_NAME], value[32];
    PlexHelp line = {option, value, k < system->nconstants ? "Constant of the system" : "Coefficient of the system",
                     k < system->nconstants ? "PlexDGSetConstant" : "PlexDGAddMaterial"};

    PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_%s", p->name));
    PetscCall(PetscSNPrintf(value, sizeof(value), p->n == 1 ? "number" : "%" PetscInt_FMT " numbers", p->n));
    PetscCall(PlexHelpSay_Private(items, 1, &line));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGHelp_Private(PlexDG dg, PetscOptionItems items)
{
  PetscFunctionBegin;
  PetscCall(PlexDGHelpOfSystem(dg, items));
  PetscCall(PlexHelpSay(items, PlexDGHelpOfParts));
  PetscCall(PlexHelpSay(items, PlexDGHelpOfOutput));
  PetscCall(PlexHelpSay(items, PlexDGHelpOfTypes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
