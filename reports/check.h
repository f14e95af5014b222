/* Kernels from outside: their arrays, by the names and shapes of flash-linear-attention, as calls
 * of libmneme's interface, and what is to be said of their results. */
#ifndef REPORT_CHECK_H
#define REPORT_CHECK_H

#include <jansson.h>

#include "numerics/accuracy/judge.h"
#include "reports/text.h"

/* A name under which a kernel is known. */
typedef struct {
    const char *name;
    mn_kernel kernel;
    int gates;        /* what g must be: CHECK_NO_GATES ... */
    bool rate;        /* delta rule: takes beta */
    const char *says; /* the definition, for people */
} check_kernel;
enum { CHECK_NO_GATES, CHECK_TOKEN_GATES, CHECK_KEY_GATES, CHECK_ANY_GATES, CHECK_MAYBE_TOKEN };
extern const check_kernel check_kernels[]; /* ends with a name of NULL */
const check_kernel *check_find_kernel(const char *name);

enum { CHECK_LINE = 1024, CHECK_NOTES = 12, CHECK_MEMORY = 32 };

enum { CHECK_NOT_GIVEN = -1, CHECK_SUBJECTS = 16 };

/* What options say; numbers that are NAN and types that are CHECK_NOT_GIVEN are not given. */
typedef struct {
    const check_kernel *kernel;
    bool heads_first;         /* [batch][head][time][dim] */
    bool bfloat16;            /* two-byte integers and raw bytes are bfloat16 */
    int dtype;                /* array_type: what the outputs hold */
    int operands, accumulate; /* array_type: the arithmetic, where it is not arithmetic_of */
    bool tf32;
    int64_t chunk; /* 0: not given */
    double rtol, atol;
    bool tolerance; /* whether one of them is given, and they decide */
    bool accept_twin;
    bool normalise, strict;
    double scale, lambda0, refresh;
    int64_t refresh_every, position;
} check_options;

/* Nothing given. */
check_options check_defaults(const check_kernel *kernel);

/* A call of the kernel: args point into memory. */
typedef struct {
    mn_args args;
    void *memory[CHECK_MEMORY];
    int used;
    int repeated;      /* q and k heads stand for so many value heads each */
    array_type widest; /* of the arrays q, k, v */
    char note[CHECK_NOTES][CHECK_LINE];
    int notes;
} check_call;

/* FILE of "FILE" or "name=FILE". */
const char *check_path(const char *what);

/* Adds the arrays of "FILE" or "name=FILE" to f (start with zeros); nameless: what a lone array
 * without a name is, or NULL where it needs one.  False with a line in complaint. */
bool check_read(array_file *f, const char *what, const char *nameless, char *complaint);

/* c := the call that the arrays mean.  False with one line in complaint: an array that is missing,
 * of a wrong shape or type, a value that contradicts the kernel's contract. */
bool check_inputs(check_call *c, const check_options *o, const array_file *f, char *complaint);
void check_call_clear(check_call *c);

/* What kind of result an array of outputs is. */
typedef enum { CHECK_O, CHECK_STATE, CHECK_INVERSE, CHECK_KEYS } check_what;
const char *check_what_name(check_what what); /* "o", "final_state", ... */
/* The array of f that is this result, or NULL. */
const array *check_result(const array_file *f, check_what what);
/* Its dimensions by letters (check_load.h); NULL: this kernel has none. */
const char *check_dims(const mn_args *a, check_what what);
/* packed (its elements in libmneme's order, for free()) and *type := what an array holds, of these
 * dimensions by letters: with --dtype a float32 dump of narrower numbers counts as these. */
bool check_held(void **packed, array_type *type, const check_call *c, const check_options *o,
                const array *a, const char *name, const char *dims, char *complaint);
/* The arithmetic that bounds assume for outputs of this type. */
arithmetic check_arithmetic(const check_options *o, array_type type);
/* [b, t, h, d] in the order of the file. */
char *check_index_text(const array *a, int64_t i, char *text);

/* f (start with zeros) := the arrays of a call, which are packed, in o's layout; whole numbers,
 * weights and nodes, lambda0 and refresh keep their types, all others have that one. */
bool check_emit(array_file *f, const mn_args *args, array_type type, const check_options *o,
                char *complaint);

/* What was judged. */
typedef struct {
    const char *name;
    array_type type;
    judge_report report;
    bool state, by_row;
    char guess[CHECK_LINE]; /* what a wrong one looks like, or "" */
} check_subject;

typedef struct {
    const check_options *options;
    const check_call *call;
    arithmetic arithmetic; /* that bounds assume */
    check_subject subject[CHECK_SUBJECTS];
    int subjects;
    double seconds;
    const char *command; /* that reproduces it */
    bool (*watch)(double done, void *data);
} check_report;

/* r->subject := what is to be said of the results (o, final states; or of gradients) among the
 * outputs; r->options and r->call are given; r->watch (or NULL) is called with the share of the
 * exact results that is done.  False with a line in complaint. */
bool check_outputs(check_report *r, const array_file *inputs, const array_file *outputs,
                   char *complaint);
bool check_gradients(check_report *r, const array_file *inputs, const array_file *outputs,
                     char *complaint);
void check_report_clear(check_report *r);

judge_verdict check_verdict(const check_report *r);
void check_print(text_buffer *b, const check_report *r);
json_t *check_json(const check_report *r);
/* The same as suite and cases of report_write_junit. */
json_t *check_junit(const check_report *r);

/* guess := what a wrong output looks like: the wrong definition, of those tried, that explains it
 * to within twice a plain program's error on the first tokens; "" if none does.  inputs, output:
 * the files' arrays; packed: output in its type. */
void check_guess(char *guess, const check_call *c, const check_options *o, const array_file *inputs,
                 const array *output, const arithmetic *in, array_type type, const void *packed,
                 const judge_report *report);

#endif
