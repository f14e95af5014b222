/* Shared by what reads arrays of kernels from outside. */
#ifndef REPORT_CHECK_LOAD_H
#define REPORT_CHECK_LOAD_H

#include "reports/check.h"

/* Letters of shapes: B batch, T time, N keys' time, H heads of q, G heads of k, W heads of v and
 * all that goes with it, K (and X) and V dimensions, L levels, b banks, m modes, S sequences. */
typedef struct {
    check_call *call;
    const check_options *o;
    const array_file *file;
    char *complaint;
    int64_t size[128];
    const char *from[128]; /* the array that said so; NULL: not known */
} check_loader;

/* The names of all inputs and results, "|q|k|...|". */
extern const char check_names[];
/* False, with a line in complaint, if one array is given by two of its names. */
bool check_no_twice(const array_file *f, char *complaint);

/* complaint := the line; false. */
bool check_refuse(char *complaint, const char *format, ...) __attribute__((format(printf, 2, 3)));
void check_note(check_loader *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "(layout bthd; --layout bhtd reads ...)" */
const char *check_layout_hint(const check_loader *l);

/* The first array of these names ("a|b"), or NULL; false, with the line that it is missing. */
const array *check_find(const check_loader *l, const char *names);
bool check_missing(check_loader *l, const char *names);
/* Whether the array has the dimensions that letters say, given what the others said. */
bool check_fits(check_loader *l, const array *a, const char *name, const char *dims);
/* Where element i in the order of dims stands in the file. */
int64_t check_place(const check_loader *l, const array *a, int64_t i);
/* Zeroed memory of the call; NULL after complaining. */
void *check_keep(check_loader *l, size_t bytes);
/* *as := the array, its 16-bit words as bfloat16 where that was asked for. */
bool check_floating(const check_loader *l, const array *a, array *as);

/* *x := the array's numbers in the order of dims, all of them finite float32 (g: -inf too); NULL
 * where there is no array of these names and it is not needed. */
bool check_floats(check_loader *l, const float **x, const char *names, const char *dims,
                  bool needed);
/* A number: an option, or an array of one element.  Not given: as it was. */
bool check_number(check_loader *l, double *x, const char *names, double option);
/* *x := the nearest float, with a note if it is another number. */
bool check_single(check_loader *l, float *x, const char *name, double value);
bool check_whole(check_loader *l, int64_t *n, const char *names, int64_t option);
/* Whole numbers of an array, low..high, in the file's order. */
bool check_integers(check_loader *l, const array *a, int64_t *to, int64_t low, int64_t high);

/* Floats of a head's state: S with its levels or modes, VLA's A, sums of keys. */
void check_state_parts(const mn_args *a, int64_t n[3]);
/* What is known of a call's shape. */
void check_know(check_loader *l, const mn_args *a);

#endif
