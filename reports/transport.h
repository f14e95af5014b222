/* How the ranks of a sweep talk: the part that reports/mpi/transport.c does with MPI. */
#ifndef REPORT_TRANSPORT_H
#define REPORT_TRANSPORT_H

#include <stddef.h>

typedef struct {
    int rank, size;
    /* Copies the message and returns at once; one to a rank that is no more goes nowhere. */
    void (*send)(int to, int tag, const void *data, size_t length);
    /* 1 and the next message, data for free(), with a zero byte appended; 0 if there is none. */
    int (*receive)(int *from, int *tag, char **data, size_t *length);
    /* After the last message.  together: all ranks are there and close, too. */
    void (*close)(int together);
    /* Called several times a second by a rank that is well. */
    void (*alive)(void);
} transport;

/* The one function of the module mneme-mpi.so: NULL where MPI does not start. */
typedef transport *(*transport_open)(void);
#define TRANSPORT_OPEN "mneme_transport_open"

#endif
