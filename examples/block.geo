// A block with a round hole through it and a spherical cavity beside: the three-dimensional counterpart of plate.geo.
//
//   gmsh -3 -format msh41 -o block.msh block.geo
//
// Physical groups: 1 the left face, 2 the hole and the cavity, 3 the rest of the boundary, 4 the block itself.

DefineConstant[ h = {0.42, Name "Size of an element"} ];

SetFactory("OpenCASCADE");
Box(1)      = {0, 0, 0, 3, 2, 2};
Cylinder(2) = {1.0, 0, 1.0, 0, 2, 0, 0.4};
Sphere(3)   = {2.2, 1.0, 1.0, 0.5};
BooleanDifference(4) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; };

e = 1e-3;
all[]  = Surface In BoundingBox {-e, -e, -e, 3 + e, 2 + e, 2 + e};
left[] = Surface In BoundingBox {-e, -e, -e, e, 2 + e, 2 + e};
hole[] = Surface In BoundingBox {0.6 - e, -e, 0.6 - e, 1.4 + e, 2 + e, 1.4 + e};
hole[] += Surface In BoundingBox {1.7 - e, 0.5 - e, 0.5 - e, 2.7 + e, 1.5 + e, 1.5 + e};
rest[] = all[];
rest[] -= left[];
rest[] -= hole[];

Mesh.MeshSizeMin = 0.6 * h;
Mesh.MeshSizeMax = h;
Mesh.MeshSizeFromCurvature = 8;
Mesh.Optimize = 1;
Mesh.OptimizeNetgen = 1;
Physical Surface("left", 1)      = {left[]};
Physical Surface("holes", 2)     = {hole[]};
Physical Surface("insulated", 3) = {rest[]};
Physical Volume("block", 4)      = {4};
