static char help[] = "placeholder\n";
#include "hdgproblem.h"
#include "report.h"
int main(int argc, char **argv)
{
  (void)help;
  return 0;
}
