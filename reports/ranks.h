/* This process as one rank of mpirun's. */
#ifndef REPORT_RANKS_H
#define REPORT_RANKS_H

#include "reports/transport.h"

/* Forks a process that is the rank, and returns in it, with the link to the others.  The process that mpirun started stays as its
   guard: it ends the rank if that is not alive for lease seconds, and itself ends with the rank's exit status; where a rank
   but the first was killed, with 0, so that mpirun lets the others go on.  NULL with a line for the
   user in *complaint (free()): there is no MPI. */
const transport *ranks_start(double lease, const char *program, char **complaint);

#endif
