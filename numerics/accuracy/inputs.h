/* Inputs of the kernels: drawn, and made to hurt.  The same kind, shape, family, storage type and
 * seed give the same bits everywhere: integers, +, -, *, / and square roots in double, each
 * correctly rounded; logarithms and exponentials are made of these. */
#ifndef ACCURACY_INPUTS_H
#define ACCURACY_INPUTS_H

#include "numerics/accuracy/array.h"
#include "numerics/kernels/mneme.h"

/* A kernel with its options: what "linear-keys" stands for. */
typedef struct {
    const char *name;
    mn_kernel kernel; /* MN_KERNELS: a convolution */
    enum { INPUTS_UNGATED, INPUTS_TOKEN_GATES, INPUTS_KEY_GATES } gates;
    bool normalise; /* q and k are then positive in every family */
    bool weights;   /* delta: beta; log-linear: lambda; convolution: a sum of exponentials */
    bool refresh;   /* VLA */
} inputs_kind;
extern const inputs_kind inputs_kinds[]; /* ends with a name of NULL */
/* The kind of that name, or NULL. */
const inputs_kind *inputs_find_kind(const char *name);

typedef enum {
    INPUTS_GAUSSIAN,     /* standard normal; keys of the delta rule and VLA have norm 1 */
    INPUTS_POSITIVE,     /* q, k, u: ELU+1 of that */
    INPUTS_PARALLEL,     /* keys within 2^-10 of one direction */
    INPUTS_LARGE,        /* norms up to the overflow's neighbourhood */
    INPUTS_GATES,        /* gates, beta, lambda, nodes, u at and near both ends */
    INPUTS_DENORMAL,     /* values below the smallest normal number */
    INPUTS_CANCELLATION, /* integers that cancel exactly; delta: S.k = 4098 against v = 4096, and
                            chunks whose triangle is -1 below the diagonal */
    INPUTS_GROWTH,       /* keys chosen against the state, so that VLA's state grows like T */
    INPUTS_FAMILIES
} inputs_family;
extern const char *const inputs_family_names[]; /* [INPUTS_FAMILIES], then NULL */

typedef struct {
    int64_t batch, time, heads, kv_heads, dk, dv; /* convolutions: batch, time, dv channels */
    int64_t segments;                             /* sequences, some of them empty; 0: none */
    int64_t past;                                 /* softmax */
    int64_t position;                             /* log-linear, VLA: of the first token */
    int64_t banks, modes;                         /* VORT, convolution */
    bool state;                                   /* an initial state is given */
} inputs_shape;

bool inputs_same_shape(const inputs_shape *a, const inputs_shape *b);

enum { INPUTS_SHAPE_TEXT = 200, INPUTS_COMPLAINT = 200 };
/* "T=129,H=4,KV=2,dk=64,dv=63,segments=3,state=1": B, T, H, KV, d (both) or dk and dv, segments,
 * past, position, banks, modes, state; what stands at its usual value is left out.  Returns
 * text. */
char *inputs_shape_text(const inputs_shape *s, char *text);
/* *s := what the text says; false with one line in complaint.  T and d (or dk, dv) are needed. */
bool inputs_parse_shape(inputs_shape *s, const char *text, char *complaint);

typedef struct {
    mn_args args;               /* all but o, state_out, workspace */
    mn_convolution convolution; /* of the kinds that are one: all but y, state_out, workspace */
    bool convolves;
    void *memory[20];
    int used;
} inputs_case;

/* Whether a kind has cases of this shape: false for segments of a convolution, a past of anything
 * but softmax, and so on. */
bool inputs_possible(const inputs_kind *kind, const inputs_shape *shape);

/* c := a case that owns its arrays, packed, every value a number of the storage type (ARRAY_F32,
 * ARRAY_F16 or ARRAY_BF16; state positions and offsets apart).  False, and c empty: a shape
 * that is not possible, another type, or no memory. */
bool inputs_make(inputs_case *c, const inputs_kind *kind, const inputs_shape *shape,
                 inputs_family family, array_type storage, uint64_t seed);
void inputs_clear(inputs_case *c);

#endif
