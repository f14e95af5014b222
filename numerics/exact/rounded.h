/* Elementary functions of doubles, each the double nearest to the exact value (MPFR): the same on every
   machine, where those of the C library differ with its version and the processor.  For doubles that become
   exact inputs, so that the inputs of a check do not depend on where it runs. */
#ifndef EXACT_ROUNDED_H
#define EXACT_ROUNDED_H

double exact_log(double x);
double exact_sin(double x);
double exact_cos(double x);
double exact_atan2(double y, double x);
double exact_hypot(double x, double y);

#endif
