/* Messages between the ranks of mpirun.  A module of its own: the program that is not run by mpirun never loads
   MPI. */
#include "reports/transport.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Messages on their way. */
typedef struct message {
    struct message *next;
    MPI_Request request;
    int to;
    char data[];
} message;

static message *leaving;

/* Frees what has left. */
static void progress(void) {
    for (message **m = &leaving; *m != NULL;) {
        int done = 0;
        message *here = *m;
        if (MPI_Test(&here->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done) {
            *m = here->next;
            free(here);
        } else {
            m = &here->next;
        }
    }
}

static void send_message(int to, int tag, const void *data, size_t length) {
    message *m = malloc(sizeof *m + length);
    if (m == NULL)
        return;
    memcpy(m->data, data, length);
    m->to = to;
    m->next = leaving;
    if (MPI_Isend(m->data, (int)length, MPI_CHAR, to, tag, MPI_COMM_WORLD, &m->request) ==
        MPI_SUCCESS)
        leaving = m;
    else
        free(m);
}

static int receive_message(int *from, int *tag, char **data, size_t *length) {
    MPI_Status s;
    int there = 0, count;
    progress();
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &s) != MPI_SUCCESS ||
        !there || MPI_Get_count(&s, MPI_CHAR, &count) != MPI_SUCCESS)
        return 0;
    *data = malloc((size_t)count + 1);
    if (*data == NULL)
        return 0;
    if (MPI_Recv(*data, count, MPI_CHAR, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, &s) !=
        MPI_SUCCESS) {
        free(*data);
        return 0;
    }
    (*data)[count] = '\0';
    *from = s.MPI_SOURCE;
    *tag = s.MPI_TAG;
    *length = (size_t)count;
    return 1;
}

/* Last messages get a second to leave: one to a rank that is gone never does. */
static void close_all(int together) {
    for (int i = 0; i < 200 && leaving != NULL; i++) {
        struct timespec wait = {0, 5000000};
        progress();
        nanosleep(&wait, NULL);
    }
    if (together)
        MPI_Finalize();
}

transport *mneme_transport_open(void);

transport *mneme_transport_open(void) {
    static transport t = {.send = send_message, .receive = receive_message, .close = close_all};
    setenv("OMPI_MCA_mpi_warn_on_fork", "0", 1); /* units are forked and executed: that is safe */
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS ||
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
        MPI_Comm_rank(MPI_COMM_WORLD, &t.rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &t.size) != MPI_SUCCESS)
        return NULL;
    return &t;
}
