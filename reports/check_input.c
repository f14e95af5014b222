/* From arrays with names to a call of a kernel. */
#include "reports/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const check_kernel check_kernels[] = {
    {"linear", MN_LINEAR, CHECK_ANY_GATES, false, "S_t = diag(e^g) S_{t-1} + k v^T"},
    {"delta", MN_DELTA, CHECK_MAYBE_TOKEN, true, "S' = e^g S, S_t = S' + beta k (v - S'^T k)^T"},
    {"vla", MN_VLA, CHECK_NO_GATES, false, "variational linear attention"},
    {"loglinear", MN_LOGLINEAR, CHECK_MAYBE_TOKEN, false, "log-linear attention"},
    {"vort", MN_VORT, CHECK_NO_GATES, false, "banks of sums of exponentials"},
    {"softmax", MN_SOFTMAX, CHECK_NO_GATES, false, "causal softmax attention"},
    {"linear_attn", MN_LINEAR, CHECK_NO_GATES, false, "linear"},
    {"simple_gla", MN_LINEAR, CHECK_TOKEN_GATES, false, "linear, g per token"},
    {"gla", MN_LINEAR, CHECK_KEY_GATES, false, "linear, g per key"},
    {"retention", MN_LINEAR, CHECK_TOKEN_GATES, false, "linear, g = log of the head's decay"},
    {"delta_rule", MN_DELTA, CHECK_NO_GATES, true, "delta without g"},
    {"gated_delta_rule", MN_DELTA, CHECK_TOKEN_GATES, true, "delta with g"},
    {"log_linear_attn", MN_LOGLINEAR, CHECK_TOKEN_GATES, false, "loglinear with g"},
    {"attn", MN_SOFTMAX, CHECK_NO_GATES, false, "softmax"},
    {NULL}};

const check_kernel *check_find_kernel(const char *name) {
    for (const check_kernel *k = check_kernels; k->name != NULL; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

__attribute__((format(printf, 2, 3))) static bool refuse(char *complaint, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint, CHECK_LINE, format, arguments);
    va_end(arguments);
    return false;
}

bool check_read(array_file *f, const char *what, char *complaint) {
    const char *equals = strchr(what, '='), *path = what;
    bool named = equals && equals > what && access(what, F_OK) != 0 &&
                 strspn(what, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
                     (size_t)(equals - what);
    if (named)
        path = equals + 1;
    array_file in;
    if (array_read(&in, path, complaint) != ARRAY_OK)
        return false;
    bool alone = in.count == 1 && in.item[0].name[0] == '\0', good = true;
    if (named && in.count != 1)
        good = refuse(complaint, "%s has %lld arrays; one is wanted behind %.*s=", path,
                      (long long)in.count, (int)(equals - what), what);
    else if (!named && alone)
        good = refuse(complaint, "%s has one array without a name; name=%s says which it is", path,
                      path);
    if (good && named) {
        free(in.item[0].name);
        in.item[0].name = strndup(what, (size_t)(equals - what));
    }
    for (int64_t i = 0; good && i < in.count; i++)
        if (array_find(f, in.item[i].name))
            good = refuse(complaint, "%s: \"%s\" is given twice", path, in.item[i].name);
    if (good) {
        f->item = realloc(f->item, (size_t)(f->count + in.count + 1) * sizeof *f->item);
        memcpy(f->item + f->count, in.item, (size_t)in.count * sizeof *in.item);
        f->count += in.count;
        in.count = 0;
    }
    array_file_clear(&in);
    return good;
}

/* ---- shapes ---- */

/* Letters of shapes: B batch, T time, N keys' time, H heads of q, G heads of k, W heads of v and
 * all that goes with it, K and V dimensions, L levels, b banks, m modes, S sequences. */
typedef struct {
    check_call *call;
    const check_options *o;
    const array_file *file;
    char *complaint;
    int64_t size[128];
    const char *from[128]; /* the array that said so; NULL: not known */
} loader;

static const char *letter_text(char letter) {
    switch (letter) {
    case 'B':
        return "batch";
    case 'T':
    case 'N':
        return "time";
    case 'H':
    case 'G':
    case 'W':
        return "head";
    case 'K':
        return "key dim";
    case 'V':
        return "value dim";
    case 'L':
        return "level";
    case 'b':
        return "bank";
    case 'm':
        return "mode";
    default:
        return "sequence";
    }
}

/* dims as they stand in the file. */
static void in_file(const loader *l, const char *dims, char *order) {
    strcpy(order, dims);
    if (l->o->heads_first && order[0] == 'B' && strlen(order) >= 3)
        order[1] = dims[2], order[2] = dims[1];
}

static void shape_text(const array *a, char *text) {
    size_t n = (size_t)sprintf(text, "[");
    for (int i = 0; i < a->dims; i++)
        n += (size_t)sprintf(text + n, "%s%lld", i ? ", " : "", (long long)a->shape[i]);
    sprintf(text + n, "]");
}
static void order_text(const char *order, char *text) {
    size_t n = (size_t)sprintf(text, "[");
    for (int i = 0; order[i] != '\0'; i++)
        n += (size_t)sprintf(text + n, "%s%s", i ? ", " : "", letter_text(order[i]));
    sprintf(text + n, "]");
}

static const char *layout_hint(const loader *l) {
    return l->o->heads_first ? " (layout bhtd; --layout bthd reads [batch, time, head, dim])"
                             : " (layout bthd; --layout bhtd reads [batch, head, time, dim])";
}

/* Whether the array has these dimensions, given what the others said. */
static bool fits(loader *l, const array *a, const char *name, const char *dims) {
    char order[12], shape[200], wanted[120], other[200] = "";
    in_file(l, dims, order);
    shape_text(a, shape), order_text(order, wanted);
    if (a->dims != (int)strlen(order))
        return refuse(l->complaint, "%s: shape %s has %d dimensions; %s is wanted%s", name, shape,
                      a->dims, wanted, dims[0] == 'B' ? layout_hint(l) : "");
    for (int i = 0; order[i] != '\0'; i++) {
        unsigned char c = (unsigned char)order[i];
        if (l->from[c] == NULL) {
            l->from[c] = name;
            l->size[c] = a->shape[i];
        } else if (l->size[c] != a->shape[i]) {
            const array *from = array_find(l->file, l->from[c]);
            if (from)
                shape_text(from, other);
            return refuse(l->complaint, "%s: shape %s as %s has %s %lld; %s%s%s says %lld%s", name,
                          shape, wanted, letter_text((char)c), (long long)a->shape[i], l->from[c],
                          other[0] ? " of shape " : "", other, (long long)l->size[c],
                          dims[0] == 'B' ? layout_hint(l) : "");
        }
    }
    return true;
}

/* Position in the file of element i of the array in the order of dims. */
static int64_t place(const loader *l, const array *a, int64_t i) {
    if (!l->o->heads_first || a->dims < 3)
        return i;
    int64_t inner = 1;
    for (int d = 3; d < a->dims; d++)
        inner *= a->shape[d];
    int64_t heads = a->shape[1], time = a->shape[2], d = i % inner, h = i / inner % heads,
            t = i / inner / heads % time, b = i / inner / heads / time;
    return ((b * heads + h) * time + t) * inner + d;
}

char *check_index_text(const array *a, int64_t i, char *text) {
    int64_t index[ARRAY_DIMS];
    for (int d = a->dims - 1; d >= 0; d--)
        index[d] = a->shape[d] ? i % a->shape[d] : 0, i /= a->shape[d] ? a->shape[d] : 1;
    size_t n = (size_t)sprintf(text, "[");
    for (int d = 0; d < a->dims; d++)
        n += (size_t)sprintf(text + n, "%s%lld", d ? ", " : "", (long long)index[d]);
    sprintf(text + n, "]");
    return text;
}

/* The first array of these names ("a|b"), or NULL. */
static const array *find(const loader *l, const char *names) {
    char one[40];
    for (const char *p = names; *p != '\0';) {
        size_t n = strcspn(p, "|");
        snprintf(one, sizeof one, "%.*s", (int)n, p);
        const array *a = array_find(l->file, one);
        if (a)
            return a;
        p += n + (p[n] == '|');
    }
    return NULL;
}

static bool missing(loader *l, const char *names) {
    char have[400] = "";
    for (int64_t i = 0; i < l->file->count && strlen(have) < 300; i++)
        snprintf(have + strlen(have), sizeof have - strlen(have), "%s%.40s", i ? ", " : "",
                 l->file->item[i].name);
    return refuse(l->complaint, "%.*s is missing; %s takes it, and the inputs are: %s",
                  (int)strcspn(names, "|"), names, l->o->kernel->name, have);
}

static void *keep(loader *l, size_t bytes) {
    void *p = calloc(1, bytes + 8);
    if (p)
        l->call->memory[l->call->used++] = p;
    else
        refuse(l->complaint, "there is no memory for %zu bytes", bytes);
    return p;
}

static bool floating(const loader *l, const array *a, array *as) {
    *as = *a;
    if (l->o->bfloat16)
        array_as_bfloat16(as);
    if (as->type == ARRAY_U16 || as->type == ARRAY_V2)
        return refuse(l->complaint,
                      "%s holds %s; if these are bfloat16's bits, --dtype bfloat16 says so",
                      a->name, as->type == ARRAY_U16 ? "16-bit integers" : "raw bytes");
    return true;
}

/* *x := the array's numbers in the order of dims, all of them float32; NULL where there is no
 * array of these names and it is not needed. */
static bool load(loader *l, const float **x, const char *names, const char *dims, bool needed) {
    const array *a = find(l, names);
    array as;
    char index[200];
    *x = NULL;
    if (!a)
        return !needed || missing(l, names);
    if (!floating(l, a, &as) || !fits(l, a, a->name, dims))
        return false;
    float *out = keep(l, (size_t)a->elements * sizeof *out);
    if (!out)
        return false;
    bool gate = strcmp(names, "g") == 0 || strncmp(names, "gk", 2) == 0;
    for (int64_t i = 0; i < a->elements; i++) {
        int64_t at = dims[0] == 'B' ? place(l, a, i) : i;
        double value = array_get(&as, at);
        if (isnan(value) || value == INFINITY || (value == -INFINITY && !gate))
            return refuse(l->complaint, "%s%s is %s; inputs are finite numbers%s", a->name,
                          check_index_text(a, at, index), isnan(value) ? "NaN" : "infinite",
                          gate ? ", and g may be -inf" : "");
        if (fabs(value) <= 0x1.fffffep127 || isinf(value))
            out[i] = (float)value;
        if (!isinf(value) && (double)out[i] != value)
            return refuse(
                l->complaint,
                "%s%s = %.17g (%a) is no float32: round the inputs to float32 before both "
                "sides read them (exact results are computed from float32 inputs)",
                a->name, check_index_text(a, at, index), value, value);
    }
    *x = out;
    return true;
}

/* A number: an option, or an array of one element.  Not given: as it was. */
static bool number(loader *l, double *x, const char *names, double option) {
    const array *a = find(l, names);
    array as;
    if (!isnan(option)) {
        if (a)
            return refuse(l->complaint, "%s is given as an option and as an array", a->name);
        *x = option;
    } else if (a) {
        if (a->elements != 1)
            return refuse(l->complaint, "%s: one number is wanted, not %lld", a->name,
                          (long long)a->elements);
        if (!floating(l, a, &as))
            return false;
        *x = array_get(&as, 0);
    }
    return true;
}
static void note(loader *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(loader *l, const char *format, ...) {
    va_list arguments;
    if (l->call->notes == CHECK_NOTES)
        return;
    va_start(arguments, format);
    vsnprintf(l->call->note[l->call->notes++], CHECK_LINE, format, arguments);
    va_end(arguments);
}
static bool single(loader *l, float *x, const char *name, double value) {
    *x = (float)value;
    if (!isfinite(value) || !isfinite(*x))
        return refuse(l->complaint, "%s = %g is no float32", name, value);
    if ((double)*x != value)
        note(l, "%s = %.17g is taken as the float32 %.9g", name, value, (double)*x);
    return true;
}
static bool whole(loader *l, int64_t *n, const char *names, int64_t option) {
    double x = (double)*n;
    if (!number(l, &x, names, option >= 0 ? (double)option : (double)NAN))
        return false;
    if (!(x >= 0 && x <= 0x1p53 && x == floor(x)))
        return refuse(l->complaint, "%.*s = %g; a whole number from 0 on is wanted",
                      (int)strcspn(names, "|"), names, x);
    *n = (int64_t)x;
    return true;
}

/* Whole numbers of an array, low..high. */
static bool integers(loader *l, const array *a, int64_t *to, int64_t low, int64_t high) {
    char index[200];
    for (int64_t i = 0; i < a->elements; i++) {
        double x = array_get(a, i);
        if (a->type == ARRAY_V2 || !(x >= (double)low && x <= (double)high && x == floor(x)))
            return refuse(l->complaint, "%s%s = %g; a whole number from %lld to %lld is wanted",
                          a->name, check_index_text(a, i, index), x, (long long)low,
                          (long long)high);
        to[i] = (int64_t)x;
    }
    return true;
}

/* ---- the call ---- */

/* x [rows][heads][dim] with every head `times` times. */
static const float *repeated(loader *l, const float *x, int64_t rows, int64_t heads, int64_t dim,
                             int64_t times) {
    float *y = keep(l, (size_t)(rows * heads * times * dim) * sizeof *y);
    for (int64_t i = 0; y && i < rows * heads * times; i++)
        memcpy(y + i * dim, x + i / times * dim, (size_t)dim * sizeof *y);
    return y;
}

/* q, k, v.  Heads: as many of each; or fewer of k and v, which query heads share; or more of v, to
 * each of which a head of q and k stands for several (as flash-linear-attention has it). */
static bool load_rows(loader *l) {
    mn_args *a = &l->call->args;
    const float *q, *k, *v;
    bool past = a->kernel == MN_SOFTMAX;
    if (!load(l, &q, "q", "BTHK", true) || !load(l, &k, "k", past ? "BNGK" : "BTGK", true) ||
        !load(l, &v, "v", past ? "BNWV" : "BTWV", true))
        return false;
    a->batch = l->size['B'], a->time = l->size['T'], a->dk = l->size['K'], a->dv = l->size['V'];
    int64_t hq = l->size['H'], hk = l->size['G'], hv = l->size['W'], rows = a->batch * a->time;
    a->past = past ? l->size['N'] - a->time : 0;
    if (a->past < 0)
        return refuse(l->complaint,
                      "k has %lld time steps and q %lld; keys in front of the first "
                      "query's may be more, not fewer",
                      (long long)l->size['N'], (long long)a->time);
    if (hq < 1 || hk < 1 || hv < 1 || a->dk < 1 || a->dv < 1)
        return refuse(l->complaint, "q, k, v: at least one head and one dimension are wanted");
    if (hq == hk && hv > hq && hv % hq == 0) {
        l->call->repeated = (int)(hv / hq);
        q = repeated(l, q, rows, hq, a->dk, hv / hq);
        k = repeated(l, k, rows + a->batch * a->past, hk, a->dk, hv / hq);
        if (!q || !k)
            return false;
        hq = hk = hv;
        l->size['H'] = hv, l->from['H'] = "v";
    }
    if (hk != hv || hq % hk != 0)
        return refuse(l->complaint,
                      "heads: q has %lld, k %lld, v %lld; as many of each are wanted, "
                      "or a divisor for k and v, or a multiple for v%s",
                      (long long)hq, (long long)hk, (long long)hv, layout_hint(l));
    a->heads = hq, a->kv_heads = hk;
    a->q.data = q, a->k.data = k, a->v.data = v;
    return true;
}

/* The first element of x [batch][time][heads][dim] outside [low, high], named. */
static bool within(loader *l, const float *x, const char *name, int64_t heads, int64_t dim,
                   float low, float high, const char *wanted) {
    const mn_args *a = &l->call->args;
    for (int64_t i = 0; x && i < a->batch * a->time * heads * dim; i++) {
        if (x[i] >= low && x[i] <= high)
            continue;
        char last[40] = "";
        if (dim > 1)
            sprintf(last, ", %lld", (long long)(i % dim));
        return refuse(l->complaint, "%s at [batch, time, head%s] = [%lld, %lld, %lld%s] is %g: %s",
                      name, dim > 1 ? ", dim" : "", (long long)(i / dim / heads / a->time),
                      (long long)(i / dim / heads % a->time), (long long)(i / dim % heads), last,
                      (double)x[i], wanted);
    }
    return true;
}

static bool load_gates(loader *l) {
    mn_args *a = &l->call->args;
    const check_kernel *kernel = l->o->kernel;
    const array *g = find(l, "g|gk");
    if (!g) {
        bool needed = kernel->gates == CHECK_TOKEN_GATES || kernel->gates == CHECK_KEY_GATES;
        return !needed || missing(l, kernel->gates == CHECK_KEY_GATES ? "gk|g" : "g");
    }
    bool keys = g->dims == 4;
    const char *name = g->name;
    if (kernel->gates == CHECK_NO_GATES)
        return refuse(l->complaint, "%s: %s takes no gates%s", name, kernel->name,
                      strcmp(kernel->name, "delta_rule") == 0    ? "; gated_delta_rule does"
                      : strcmp(kernel->name, "linear_attn") == 0 ? "; simple_gla and gla do"
                                                                 : "");
    if ((keys && kernel->gates != CHECK_KEY_GATES && kernel->gates != CHECK_ANY_GATES) ||
        (!keys && kernel->gates == CHECK_KEY_GATES))
        return fits(l, g, name, keys ? "BTW" : "BTWK");
    if (find(l, "g") && find(l, "gk"))
        return refuse(l->complaint, "g and gk are both given; one of them is wanted");
    const float *x;
    if (!load(l, &x, name, keys ? "BTWK" : "BTW", true) ||
        !within(l, x, name, a->kv_heads, keys ? a->dk : 1, -INFINITY, 0,
                "g is the logarithm of a gate in [0, 1], at most 0"))
        return false;
    *(keys ? &a->gate_keys : &a->g) = (mn_input){x, 0, 0, 0};
    return true;
}

static bool load_segments(loader *l) {
    mn_args *a = &l->call->args;
    const array *c = find(l, "cu_seqlens|offsets");
    if (!c)
        return true;
    if (c->dims != 1 || c->elements < 2)
        return refuse(l->complaint, "%s: one dimension with at least 2 offsets is wanted", c->name);
    if (a->batch != 1)
        return refuse(l->complaint, "%s: sequences one after another want batch 1, not %lld",
                      c->name, (long long)a->batch);
    int64_t *offsets = keep(l, (size_t)c->elements * sizeof *offsets);
    if (!offsets || !integers(l, c, offsets, 0, a->time))
        return false;
    for (int64_t n = 0; n + 1 < c->elements; n++)
        if (offsets[n + 1] < offsets[n])
            return refuse(l->complaint, "%s[%lld] = %lld is less than the offset before it, %lld",
                          c->name, (long long)n + 1, (long long)offsets[n + 1],
                          (long long)offsets[n]);
    if (offsets[0] != 0 || offsets[c->elements - 1] != a->time)
        return refuse(l->complaint, "%s goes from %lld to %lld; 0 to %lld (time) is wanted",
                      c->name, (long long)offsets[0], (long long)offsets[c->elements - 1],
                      (long long)a->time);
    if (a->kernel == MN_SOFTMAX && a->past)
        return refuse(l->complaint, "%s: keys in front and several sequences do not go together",
                      c->name);
    a->segments = c->elements - 1, a->offsets = offsets;
    return true;
}

static bool load_banks(loader *l) {
    mn_args *a = &l->call->args;
    const float *weights, *nodes;
    char index[200];
    if (!load(l, &weights, "weights", "bm", true) || !load(l, &nodes, "nodes", "bm", true))
        return false;
    a->banks = l->size['b'], a->modes = l->size['m'], a->weights = weights, a->nodes = nodes;
    for (int64_t i = 0; i < a->banks * a->modes; i++)
        if (!(nodes[i] >= 0 && nodes[i] <= 1))
            return refuse(l->complaint, "nodes%s = %g; a number in [0, 1] is wanted",
                          check_index_text(find(l, "nodes"), i, index), (double)nodes[i]);
    const array *bank = find(l, "bank");
    if (!bank)
        return missing(l, "bank");
    if (!fits(l, bank, "bank", "BTW"))
        return false;
    int64_t *wide = keep(l, (size_t)bank->elements * sizeof *wide);
    int32_t *b = keep(l, (size_t)bank->elements * sizeof *b);
    if (!wide || !b || !integers(l, bank, wide, 0, a->banks - 1))
        return false;
    for (int64_t i = 0; i < bank->elements; i++)
        b[i] = (int32_t)wide[place(l, bank, i)];
    a->bank.data = b;
    return true;
}

static bool load_levels(loader *l) {
    mn_args *a = &l->call->args;
    const float *lambda;
    int64_t position = l->o->position > 0 ? l->o->position : 0, longest = a->time, needed = 1;
    if (!load(l, &lambda, "lambda|level_scales", "BTHL", false) ||
        !within(l, lambda, "lambda", a->heads, l->from['L'] ? l->size['L'] : 1, 0, INFINITY,
                "a weight of at least 0 is wanted"))
        return false;
    for (int64_t n = 0; a->segments && n < a->segments; n++)
        if (n == 0 || a->offsets[n + 1] - a->offsets[n] > longest)
            longest = a->offsets[n + 1] - a->offsets[n];
    while (longest > 0 && (position + longest - 1) >> (needed - 1))
        needed++;
    if (!lambda)
        l->size['L'] = needed, l->from['L'] = "time";
    a->levels = l->size['L'], a->lambda.data = lambda;
    if (a->levels < needed || a->levels > 63)
        return refuse(l->complaint,
                      "lambda has %lld levels; position %lld of the longest sequence "
                      "needs %lld (and 63 are the most)",
                      (long long)a->levels, (long long)(position + longest - 1), (long long)needed);
    return true;
}

/* The state blob from its parts. */
static bool load_state(loader *l) {
    mn_args *a = &l->call->args;
    const float *s, *inverse = NULL, *keys = NULL;
    int64_t sequences = a->segments ? a->segments : a->batch, position = 0;
    const char *dims = a->kernel == MN_LOGLINEAR ? "SWLKV"
                       : a->kernel == MN_VORT    ? "SWbmKV"
                                                 : "SWKV";
    l->size['S'] = sequences, l->from['S'] = a->segments ? "cu_seqlens" : "q";
    if (!whole(l, &position, "position", l->o->position))
        return false;
    if (!find(l, "initial_state|h0")) {
        if (position)
            return refuse(l->complaint, "position wants an initial_state");
        return true;
    }
    if (a->kernel == MN_SOFTMAX)
        return refuse(l->complaint,
                      "initial_state: softmax has no state; keys in front of the first "
                      "query's go into k and v");
    const array *square = find(l, "initial_inverse");
    if (!load(l, &s, "initial_state|h0", dims, true))
        return false;
    if (a->kernel == MN_VLA) {
        if (!square)
            return missing(l, "initial_inverse");
        if (square->dims != 4 || square->shape[3] != a->dk || square->shape[2] != a->dk)
            return refuse(l->complaint,
                          "initial_inverse: shape [%lld, %lld, %lld, %lld] (sequence, "
                          "head, key dim twice) is wanted",
                          (long long)sequences, (long long)a->kv_heads, (long long)a->dk,
                          (long long)a->dk);
        l->size['V'] = a->dk;
        bool good = load(l, &inverse, "initial_inverse", "SWKV", true);
        l->size['V'] = a->dv;
        if (!good)
            return false;
    }
    if (a->normalise &&
        !load(l, &keys, "initial_keys", a->kernel == MN_VORT ? "SWbmK" : "SWK", true))
        return false;
    size_t bytes = mn_state_size(a);
    char *blob = keep(l, bytes);
    if (!blob || bytes == 0)
        return refuse(l->complaint, "initial_state is too large");
    float *to = (float *)(void *)blob;
    int64_t blocks = a->kernel == MN_LOGLINEAR ? a->levels
                     : a->kernel == MN_VORT    ? a->banks * a->modes
                                               : 1,
            n[3] = {blocks * a->dk * a->dv, inverse ? a->dk * a->dk : 0, keys ? blocks * a->dk : 0};
    const float *part[3] = {s, inverse, keys};
    for (int64_t h = 0; h < sequences * a->kv_heads; h++)
        for (int p = 0; p < 3; p++) {
            if (n[p] > 0)
                memcpy(to, part[p] + h * n[p], (size_t)n[p] * sizeof *to);
            to += n[p];
        }
    if (a->kernel == MN_VLA || a->kernel == MN_LOGLINEAR)
        for (int64_t i = 0; i < sequences; i++)
            memcpy(blob + bytes - 8 * (size_t)(sequences - i), &position, 8);
    a->state_in = blob;
    return true;
}

/* Keys as the published layers want them: said, and refused only if asked for. */
static bool look_at_keys(loader *l) {
    const mn_args *a = &l->call->args;
    if (a->kernel != MN_VLA && a->kernel != MN_DELTA)
        return true;
    for (int64_t i = 0; i < a->batch * a->time * a->kv_heads; i++) {
        double sum = 0, beta = a->beta.data ? (double)a->beta.data[i] : 1;
        for (int64_t p = 0; p < a->dk; p++)
            sum += (double)a->k.data[i * a->dk + p] * (double)a->k.data[i * a->dk + p];
        long long at[3] = {i / a->kv_heads / a->time, i / a->kv_heads % a->time, i % a->kv_heads};
        char text[CHECK_LINE];
        if (a->kernel == MN_VLA && fabs(sqrt(sum) - 1) > 0x1p-6)
            snprintf(text, sizeof text,
                     "k at [batch, time, head] = [%lld, %lld, %lld] has norm %.4g; the published "
                     "layer's keys have norm 1 (the kernel takes k as it is)",
                     at[0], at[1], at[2], sqrt(sum));
        else if (a->kernel == MN_DELTA && (beta * sum > 2 * (1 + 0x1p-6) || beta < 0))
            snprintf(
                text, sizeof text,
                "beta |k|^2 at [batch, time, head] = [%lld, %lld, %lld] is %.4g: outside [0, 2] "
                "the delta rule's step expands",
                at[0], at[1], at[2], beta * sum);
        else
            continue;
        if (l->o->strict)
            return refuse(l->complaint, "%s", text);
        note(l, "%s", text);
        return true;
    }
    return true;
}

static bool look_at_names(loader *l) {
    static const char known[] =
        "|q|k|v|g|gk|beta|initial_state|h0|initial_inverse|initial_keys|scale|cu_seqlens|offsets|u|"
        "lambda|level_scales|lambda0|refresh|refresh_every|bank|weights|nodes|past|position|do|d_o|"
        "dht|o|final_state|ht|final_inverse|final_keys|";
    /* of these not all kernels have a use for */
    static const struct {
        const char *names;
        unsigned kernels;
    } uses[] = {{"beta", 1 << MN_DELTA},
                {"u", 1 << MN_VLA},
                {"lambda0", 1 << MN_VLA},
                {"refresh", 1 << MN_VLA},
                {"refresh_every", 1 << MN_VLA},
                {"lambda", 1 << MN_LOGLINEAR},
                {"level_scales", 1 << MN_LOGLINEAR},
                {"bank", 1 << MN_VORT},
                {"weights", 1 << MN_VORT},
                {"nodes", 1 << MN_VORT}};
    for (int64_t i = 0; i < l->file->count; i++) {
        const char *name = l->file->item[i].name;
        char barred[80], text[CHECK_LINE] = "";
        snprintf(barred, sizeof barred, "|%.60s|", name);
        if (!strstr(known, barred))
            snprintf(text, sizeof text, "array \"%.60s\" is not looked at: no input has that name",
                     name);
        for (size_t k = 0; k < sizeof uses / sizeof *uses; k++)
            if (strcmp(uses[k].names, name) == 0 && !(uses[k].kernels >> l->o->kernel->kernel & 1))
                snprintf(text, sizeof text, "array \"%s\" is not looked at: %s has no use for it",
                         name, l->o->kernel->name);
        if (text[0] && l->o->strict)
            return refuse(l->complaint, "%s", text);
        if (text[0])
            note(l, "%s", text);
    }
    return true;
}

bool check_inputs(check_call *c, const check_options *o, const array_file *f, char *complaint) {
    memset(c, 0, sizeof *c);
    c->repeated = 1;
    loader l = {.call = c, .o = o, .file = f, .complaint = complaint};
    mn_args *a = &c->args;
    const float *x;
    double scale = NAN, lambda0 = NAN, refresh = 0;
    int64_t past = -1;
    a->kernel = o->kernel->kernel, a->normalise = o->normalise;
    if (o->normalise && a->kernel != MN_LINEAR && a->kernel != MN_VLA && a->kernel != MN_VORT)
        return refuse(complaint, "--normalise: %s has no normaliser", o->kernel->name);
    if (!look_at_names(&l) || !load_rows(&l) || !load_segments(&l) || !load_gates(&l) ||
        !number(&l, &scale, "scale", o->scale))
        return false;
    if (!isnan(scale) && scale != 1 / sqrt((double)a->dk)) {
        if (scale == 0)
            return refuse(complaint, "scale = 0 makes every output 0");
        if (!single(&l, &a->scale, "scale", scale))
            return false;
    }
    if (a->kernel == MN_SOFTMAX && find(&l, "past")) {
        past = 0;
        if (!whole(&l, &past, "past", -1))
            return false;
        if (past != a->past)
            return refuse(complaint, "past = %lld, but k has %lld more time steps than q",
                          (long long)past, (long long)a->past);
    }
    if (a->kernel == MN_DELTA) {
        if (!load(&l, &x, "beta", "BTW", false))
            return false;
        a->beta.data = x;
    }
    if (a->kernel == MN_VLA) {
        if (!load(&l, &x, "u", "BTWK", true) || !number(&l, &lambda0, "lambda0", o->lambda0) ||
            !number(&l, &refresh, "refresh", o->refresh) ||
            !whole(&l, &a->refresh_every, "refresh_every", o->refresh_every))
            return false;
        a->u.data = x;
        if (isnan(lambda0) && !find(&l, "initial_state|h0"))
            return refuse(complaint, "lambda0 is missing: --lambda0 X, or an array of that name");
        if (isnan(lambda0))
            lambda0 = 1;
        if (!(lambda0 > 0) || !(refresh >= 0))
            return refuse(complaint, "%s = %g; %s is wanted", lambda0 > 0 ? "refresh" : "lambda0",
                          lambda0 > 0 ? refresh : lambda0,
                          lambda0 > 0 ? "a number from 0 on" : "a positive number");
        if (!single(&l, &a->lambda0, "lambda0", lambda0) ||
            !single(&l, &a->refresh, "refresh", refresh))
            return false;
        if (refresh > 0 && a->refresh_every == 0)
            return refuse(complaint, "refresh wants refresh_every");
    }
    if (a->kernel == MN_LOGLINEAR && !load_levels(&l))
        return false;
    if (a->kernel == MN_VORT && !load_banks(&l))
        return false;
    return load_state(&l) && look_at_keys(&l);
}

void check_call_clear(check_call *c) {
    for (int i = 0; i < c->used; i++)
        free(c->memory[i]);
    memset(c, 0, sizeof *c);
}

/* ---- results ---- */

static const struct {
    const char *name, *names;
} results[] = {{"o", "o|out|output"},
               {"final_state", "final_state|ht"},
               {"final_inverse", "final_inverse"},
               {"final_keys", "final_keys"}};

const char *check_what_name(check_what what) {
    return results[what].name;
}
const array *check_result(const array_file *f, check_what what) {
    loader l = {.file = f};
    return find(&l, results[what].names);
}

bool check_pack(void **packed, const check_call *c, const check_options *o, const array *x,
                check_what what, char *complaint) {
    const mn_args *a = &c->args;
    loader l = {.o = o, .complaint = complaint};
    array_file none = {0, NULL};
    l.file = &none;
    const struct {
        char letter;
        int64_t size;
        const char *from;
    } known[] = {{'B', a->batch, "q"},
                 {'T', a->time, "q"},
                 {'H', a->heads, "q"},
                 {'W', a->kv_heads, "v"},
                 {'K', a->dk, "q"},
                 {'V', a->dv, "v"},
                 {'L', a->levels, "lambda"},
                 {'b', a->banks, "nodes"},
                 {'m', a->modes, "nodes"},
                 {'S', a->segments ? a->segments : a->batch, a->segments ? "cu_seqlens" : "q"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        l.size[(unsigned char)known[i].letter] = known[i].size,
                         l.from[(unsigned char)known[i].letter] = known[i].from;
    const char *state = a->kernel == MN_LOGLINEAR ? "SWLKV"
                        : a->kernel == MN_VORT    ? "SWbmKV"
                                                  : "SWKV",
               *dims = what == CHECK_O         ? "BTHV"
                       : what == CHECK_KEYS    ? a->kernel == MN_VORT ? "SWbmK" : "SWK"
                       : what == CHECK_INVERSE ? "SWKV"
                                               : state;
    if ((what == CHECK_INVERSE && a->kernel != MN_VLA) || (what == CHECK_KEYS && !a->normalise) ||
        (what != CHECK_O && a->kernel == MN_SOFTMAX))
        return refuse(complaint, "%s: this kernel%s has none", results[what].name,
                      what == CHECK_KEYS ? " without --normalise" : "");
    if (what == CHECK_INVERSE)
        l.size['V'] = a->dk, l.from['V'] = "q";
    if (!fits(&l, x, results[what].name, dims))
        return false;
    size_t each = array_type_size(x->type);
    char *to = malloc((size_t)x->elements * each + 8);
    if (!to)
        return refuse(complaint, "there is no memory for %s", results[what].name);
    for (int64_t i = 0; i < x->elements; i++)
        memcpy(to + (size_t)i * each,
               (const char *)x->data + (size_t)(dims[0] == 'B' ? place(&l, x, i) : i) * each, each);
    *packed = to;
    return true;
}

int64_t check_not_of_type(const array *a, array_type type) {
    for (int64_t i = 0; i < a->elements; i++) {
        double x = array_get(a, i);
        if (!isnan(x) && array_round(type, x) != x)
            return i;
    }
    return -1;
}
