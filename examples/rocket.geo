// The space between a rocket, of length 3 along x, and a sphere, for examples/maxwell_scattering.c
//
//   gmsh -3 -format msh41 -o rocket.msh rocket.geo
//
// Physical groups: 1 the rocket, 2 the sphere, 3 the space.

DefineConstant[ R = {4, Name "Outer radius"}, h = {0.3, Name "Size of an element at the rocket"}, H = {1.2, Name "at the sphere"} ];

SetFactory("OpenCASCADE");
Sphere(1)   = {0, 0, 0, R};
Cylinder(2) = {-1.5, 0, 0, 2, 0, 0, 0.35};
Cone(3)     = {0.5, 0, 0, 1, 0, 0, 0.35, 0.05};
Box(4)      = {-1.5, -1, -0.08, 0.6, 2, 0.16};
Box(5)      = {-1.5, -0.08, -1, 0.6, 0.16, 2};
BooleanUnion(6) = { Volume{2}; Delete; }{ Volume{3, 4, 5}; Delete; };
BooleanDifference(7) = { Volume{1}; Delete; }{ Volume{6}; Delete; };

e = 1e-3;
inner[] = Surface In BoundingBox {-1.6, -1.1, -1.1, 1.6, 1.1, 1.1};
all[]   = Surface In BoundingBox {-R - e, -R - e, -R - e, R + e, R + e, R + e};
outer[] = all[];
outer[] -= inner[];

Field[1] = MathEval;
Field[1].F = Sprintf("%g + (%g - %g) * Sqrt(Max(0, Fabs(x) - 1.5)^2 + Max(0, Sqrt(y*y + z*z) - 1)^2) / (%g - 1.5)", h, H, h, R);
Background Field = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
Mesh.MeshSizeFromCurvature = 0;
Mesh.Optimize = 1;
Mesh.OptimizeNetgen = 1;
Physical Surface("scatterer", 1) = {inner[]};
Physical Surface("outer", 2)     = {outer[]};
Physical Volume("space", 3)      = {7};
