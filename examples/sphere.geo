// The space between a sphere of radius 1 and a larger one, for examples/maxwell_scattering.c
//
//   gmsh -3 -format msh41 -o sphere.msh sphere.geo
//   gmsh -3 -format msh41 -setnumber h 0.2 -setnumber H 1.5 -o finer.msh sphere.geo
//
// Physical groups: 1 the inner sphere, 2 the outer one, 3 the space.

DefineConstant[ R = {8.75, Name "Outer radius"}, h = {0.4, Name "Size of an element at the inner sphere"}, H = {2.6, Name "at the outer one"} ];

SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, R};
Sphere(2) = {0, 0, 0, 1};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };

e = 1e-3;
inner[] = Surface In BoundingBox {-1 - e, -1 - e, -1 - e, 1 + e, 1 + e, 1 + e};
all[]   = Surface In BoundingBox {-R - e, -R - e, -R - e, R + e, R + e, R + e};
outer[] = all[];
outer[] -= inner[];

// Sizes grow with the distance from the inner sphere
Field[1] = MathEval;
Field[1].F = Sprintf("%g + (%g - %g) * (Sqrt(x*x + y*y + z*z) - 1) / (%g - 1)", h, H, h, R);
Background Field = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
Mesh.MeshSizeFromCurvature = 0;
Mesh.Optimize = 1;
Mesh.OptimizeNetgen = 1;
Physical Surface("scatterer", 1) = {inner[]};
Physical Surface("outer", 2)     = {outer[]};
Physical Volume("space", 3)      = {3};
