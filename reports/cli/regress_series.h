/* Data of the figures on the kernels' errors. */
#ifndef REPORT_REGRESS_SERIES_H
#define REPORT_REGRESS_SERIES_H

/* DIR/kernel-growth.dat, kernel-methods.dat, kernel-ulp.dat: normal inputs, d = 64, `time` tokens, jobs at once.  An
 * exit status; complaints on stderr. */
int regress_series(const char *dir, long time, long jobs);

#endif
