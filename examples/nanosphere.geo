// A ball of radius 1 in a larger one, for examples/maxwell_nanosphere.c
//
//   gmsh -3 -format msh41 -o nanosphere.msh nanosphere.geo
//   gmsh -3 -format msh41 -setnumber h 0.24 -setnumber H 0.7 -o finer.msh nanosphere.geo
//
// Physical groups: surfaces 1 of the ball, 2 the outer one; volumes 1 the ball, 2 what is around.

DefineConstant[ R = {3.6, Name "Outer radius"}, h = {0.45, Name "Size of an element at the ball"}, H = {1, Name "at R"} ];

SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Sphere(2) = {0, 0, 0, R};
BooleanFragments{ Volume{2}; Delete; }{ Volume{1}; Delete; }

e = 1e-3;
ball[]  = Volume In BoundingBox {-1 - e, -1 - e, -1 - e, 1 + e, 1 + e, 1 + e};
space[] = Volume{:};
space[] -= ball[];
inner[] = Surface In BoundingBox {-1 - e, -1 - e, -1 - e, 1 + e, 1 + e, 1 + e};
outer[] = Surface{:};
outer[] -= inner[];

// Sizes grow with the distance from the ball
Field[1] = MathEval;
Field[1].F = Sprintf("%g + (%g - %g) * Max(0, Sqrt(x*x + y*y + z*z) - 1) / (%g - 1)", h, H, h, R);
Background Field = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
Mesh.MeshSizeFromCurvature = 0;
Mesh.Algorithm3D = 10;
Mesh.Optimize = 1;
Physical Surface("surface", 1) = {inner[]};
Physical Surface("outer", 2)   = {outer[]};
Physical Volume("ball", 1)     = {ball[]};
Physical Volume("space", 2)    = {space[]};
