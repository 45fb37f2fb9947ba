// The plate of Cecka, Lew and Darve 2011, figure 11: a rectangle with four round holes.
// The paper prints the figure without its dimensions, so these are our own.
//
//   gmsh -2 -setnumber n 20 -format msh41 -o plate.msh plate.geo   the plate of the example
//   gmsh -2 -setnumber n 7 -setnumber grade 2.4 -format msh41 -o plate-coarse.msh plate.geo   the coarsest of the tables
//   gmsh -2 -setnumber n 10 -setnumber quads 1 -format msh41 -o plate-quad.msh plate.geo
//   gmsh -3 -setnumber n 8 -setnumber quads 1 -setnumber layers 2 -format msh41 -o plate-hex.msh plate.geo
//
// Physical groups: 1 the left edge, 2 the holes, 3 the rest of the boundary, 4 the plate itself.

DefineConstant[
  n      = {20, Name "Sides of the polygon that stands for a hole"},
  grade  = {1.7, Name "Size of an element at the outer edge over that at a hole"},
  quads  = {0, Choices{0, 1}, Name "Quadrilaterals instead of triangles"},
  layers = {0, Name "Layers of hexahedra of a plate with thickness; 0 for a plane plate"}
];

length = 6;
height = 4;
h      = 2 * Pi * 0.42 / n; // side of a hole's polygon
H      = grade * h;        // side of an element at the outer edge

Point(1) = {0, 0, 0, H};
Point(2) = {length, 0, 0, H};
Point(3) = {length, height, 0, H};
Point(4) = {0, height, 0, H};
Line(1)  = {1, 2};
Line(2)  = {2, 3};
Line(3)  = {3, 4};
Line(4)  = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
loops[] = {1};
holes[] = {};

// A hole of radius r around (x, y): four arcs, split evenly
Macro RoundHole
  p  = newp;
  Point(p)     = {x, y, 0, h};
  Point(p + 1) = {x + r, y, 0, h};
  Point(p + 2) = {x, y + r, 0, h};
  Point(p + 3) = {x - r, y, 0, h};
  Point(p + 4) = {x, y - r, 0, h};
  c = newc;
  Circle(c)     = {p + 1, p, p + 2};
  Circle(c + 1) = {p + 2, p, p + 3};
  Circle(c + 2) = {p + 3, p, p + 4};
  Circle(c + 3) = {p + 4, p, p + 1};
  holes[] += {c : c + 3};
  l = newcl;
  Curve Loop(l) = {c : c + 3};
  loops[] += {l};
Return

x = 1.70; y = 3.05; r = 0.40; Call RoundHole;
x = 2.55; y = 1.05; r = 0.50; Call RoundHole;
x = 3.95; y = 2.75; r = 0.45; Call RoundHole;
x = 5.05; y = 1.20; r = 0.35; Call RoundHole;

Plane Surface(1) = {loops[]};
Mesh.Algorithm   = 6;
Mesh.Optimize    = 1;
Mesh.Smoothing   = 10;
If (quads)
  Mesh.Algorithm             = 8; // Delaunay for quadrilaterals
  Mesh.RecombinationAlgorithm = 3; // blossom with full subdivision: quadrilaterals only
  Recombine Surface{1};
EndIf

If (layers)
  side[] = Extrude {0, 0, 0.6} { Surface{1}; Layers{layers}; Recombine; };
  // side[0] the top, side[1] the volume, then one surface a curve in the order of the loops
  Physical Surface("left", 1)      = {side[5]};
  Physical Surface("holes", 2)     = {side[{6 : #side[] - 1}]};
  Physical Surface("insulated", 3) = {1, side[0], side[2], side[3], side[4]};
  Physical Volume("plate", 4)      = {side[1]};
Else
  Physical Curve("left", 1)      = {4};
  Physical Curve("holes", 2)     = {holes[]};
  Physical Curve("insulated", 3) = {1, 2, 3};
  Physical Surface("plate", 4)   = {1};
EndIf
