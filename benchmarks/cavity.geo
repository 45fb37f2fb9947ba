// The unit cube, a cavity with conducting walls, in unstructured tetrahedra: the meshes of maxwell_convergence.c.
//
//   gmsh -3 -format msh41 -setnumber h 0.27 -o cavity-475.msh cavity.geo
//
// Physical groups: 1 the walls, 2 the cavity.

DefineConstant[ h = {0.27, Name "Size of an element"} ];

SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1.1, 1, 0.9};
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
Mesh.Optimize = 1;
Mesh.OptimizeNetgen = 1;
Physical Surface("walls", 1) = {1 : 6};
Physical Volume("cavity", 2) = {1};
