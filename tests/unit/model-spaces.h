/* Spaces of docs/performance.md as `SERIES=spaces make bench-tune` measured them on an NVIDIA H200, 2026-11-22; milliseconds by type, 0: not measured by the integration that auto takes */
  {
    "hexahedron", "heat", 1, 373248, 1.04224805, 26.2670089,
    {{.dim = 3, .Ne = 373248, .Nx = 389017, .Nl = 389017, .Nt = 389017, .ef = 8, .Nv = 8, .Nq = 8, .team = 1, .real = 8, .flopsPoint = 348, .flopsRow = 64, .flopsEntry = 64}, {.kind = 1, .dim = 3, .Ne = 373248, .Nx = 389017, .Nl = 389017, .Nt = 9935779, .ef = 8, .Nv = 8, .Nq = 8, .symmetric = 1, .team = 8, .real = 8, .flopsPoint = 448, .flopsRow = 360, .flopsEntry = 192}},
    {{0.1079, 0.0536, 0.1636, 0.1438, 0.3077, 0, 0, 0.6096}, {1.112, 0.8986, 1.141, 0.9787, 2.297, 0, 0, 0.1469}}
  },
  {
    "hexahedron", "heat", 2, 32768, 8.38088989, 61.8100792,
    {{.dim = 3, .Ne = 32768, .Nx = 35937, .Nl = 274625, .Nt = 274625, .ef = 27, .Nv = 8, .Nq = 27, .team = 16, .real = 8, .flopsPoint = 500, .flopsRow = 216, .flopsEntry = 216}, {.kind = 1, .dim = 3, .Ne = 32768, .Nx = 35937, .Nl = 274625, .Nt = 16314103, .ef = 27, .Nv = 8, .Nq = 27, .symmetric = 1, .team = 32, .real = 8, .flopsPoint = 600, .flopsRow = 2754, .flopsEntry = 648}},
    {{0, 0.6327, 0, 0, 0, 0, 0, 11.44}, {0, 0.9233, 0, 0, 0, 0, 0, 0.2007}}
  },
  {
    "tetrahedron", "heat", 1, 931328, 0.18036288, 14.3897379,
    {{.dim = 3, .Ne = 931328, .Nx = 167977, .Nl = 167977, .Nt = 167977, .ef = 4, .Nv = 4, .Nq = 4, .team = 1, .real = 8, .flopsPoint = 220, .flopsRow = 32, .flopsEntry = 32}, {.kind = 1, .dim = 3, .Ne = 931328, .Nx = 167977, .Nl = 167977, .Nt = 2282728, .ef = 4, .Nv = 4, .Nq = 1, .symmetric = 1, .team = 1, .real = 8, .flopsPoint = 320, .flopsRow = 30, .flopsEntry = 12, .tensor = 1, .turned = 1}},
    {{0, 0.0592, 0.2049, 0.1114, 0.337, 0, 0, 0.2616}, {0, 0.1722, 0.2072, 0, 0, 0, 0, 0.05978}}
  },
  {
    "tetrahedron", "heat", 2, 116416, 1.44290304, 27.4349048,
    {{.dim = 3, .Ne = 116416, .Nx = 22621, .Nl = 167977, .Nt = 167977, .ef = 10, .Nv = 4, .Nq = 14, .team = 1, .real = 8, .flopsPoint = 268, .flopsRow = 112, .flopsEntry = 112}, {.kind = 1, .dim = 3, .Ne = 116416, .Nx = 22621, .Nl = 167977, .Nt = 4298114, .ef = 10, .Nv = 4, .Nq = 1, .symmetric = 1, .team = 1, .real = 8, .flopsPoint = 368, .flopsRow = 66, .flopsEntry = 12, .tensor = 1, .turned = 1}},
    {{0.4718, 0.02922, 0.1098, 0.05302, 0.1091, 0.08205, 0.4262, 0.4446}, {4.187, 0.1479, 0, 0, 0, 0, 0, 0.06448}}
  },
  {
    "tetrahedron", "heat", 3, 116416, 4.74578237, 46.9175398,
    {{.dim = 3, .Ne = 116416, .Nx = 22621, .Nl = 552485, .Nt = 552485, .ef = 20, .Nv = 4, .Nq = 24, .team = 16, .real = 8, .flopsPoint = 348, .flopsRow = 192, .flopsEntry = 192}, {.kind = 1, .dim = 3, .Ne = 116416, .Nx = 22621, .Nl = 552485, .Nt = 24631256, .ef = 20, .Nv = 4, .Nq = 1, .symmetric = 1, .team = 32, .real = 8, .flopsPoint = 448, .flopsRow = 126, .flopsEntry = 12, .tensor = 1, .turned = 1}},
    {{3.238, 1.421, 1.6, 1.509, 0, 0, 0, 21.77}, {0, 0.5881, 0, 0, 0, 0, 0, 0.1668}}
  },
  {
    "tetrahedron", "heat", 4, 14552, 11.5432243, 71.423689,
    {{.dim = 3, .Ne = 14552, .Nx = 3245, .Nl = 167977, .Nt = 167977, .ef = 35, .Nv = 4, .Nq = 46, .team = 32, .real = 8, .flopsPoint = 468, .flopsRow = 368, .flopsEntry = 368}, {.kind = 1, .dim = 3, .Ne = 14552, .Nx = 3245, .Nl = 167977, .Nt = 11038166, .ef = 35, .Nv = 4, .Nq = 1, .symmetric = 1, .team = 32, .real = 8, .flopsPoint = 568, .flopsRow = 216, .flopsEntry = 12, .tensor = 1, .turned = 1}},
    {{13.9, 1.163, 1.482, 1.426, 0, 0, 0, 28.6}, {0, 0.2793, 0, 0, 0, 0, 0, 0.1859}}
  },
  {
    "triangle", "heat", 1, 1294336, 0.501481068, 6.98819569,
    {{.dim = 2, .Ne = 1294336, .Nx = 649085, .Nl = 649085, .Nt = 649085, .ef = 3, .Nv = 3, .Nq = 3, .team = 1, .real = 8, .flopsPoint = 87, .flopsRow = 18, .flopsEntry = 18}, {.kind = 1, .dim = 2, .Ne = 1294336, .Nx = 649085, .Nl = 649085, .Nt = 4517520, .ef = 3, .Nv = 3, .Nq = 1, .symmetric = 1, .team = 1, .real = 8, .flopsPoint = 113, .flopsRow = 12, .flopsEntry = 6, .tensor = 1, .turned = 1}},
    {{0.09424, 0.04947, 0.0849, 0.07702, 0.111, 0.1048, 0.1104, 0.1081}, {0.2786, 0.1383, 0.2054, 0.2887, 0.1585, 0.2446, 0.1289, 0.04854}}
  },
  {
    "triangle", "heat", 2, 323584, 2.00592427, 11.4778635,
    {{.dim = 2, .Ne = 323584, .Nx = 162749, .Nl = 649085, .Nt = 649085, .ef = 6, .Nv = 3, .Nq = 6, .team = 1, .real = 8, .flopsPoint = 105, .flopsRow = 36, .flopsEntry = 36}, {.kind = 1, .dim = 2, .Ne = 323584, .Nx = 162749, .Nl = 649085, .Nt = 7413242, .ef = 6, .Nv = 3, .Nq = 1, .symmetric = 1, .team = 1, .real = 8, .flopsPoint = 131, .flopsRow = 21, .flopsEntry = 6, .tensor = 1, .turned = 1}},
    {{0.07926, 0.02461, 0.06435, 0.04973, 0.0552, 0.1037, 0.09875, 0.13}, {0.4313, 0.2557, 0.246, 0.4247, 0.2913, 0.3452, 0.2991, 0.05955}}
  }
