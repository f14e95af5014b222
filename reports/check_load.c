/* Arrays by name, with dimensions by letter, as floats in libmneme's order. */
#include "reports/check_load.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool check_refuse(char *complaint, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint, CHECK_LINE, format, arguments);
    va_end(arguments);
    return false;
}

const char *check_path(const char *what) {
    const char *equals = strchr(what, '=');
    size_t length = equals ? (size_t)(equals - what) : 0;
    bool named =
        length > 0 && access(what, F_OK) != 0 &&
        strspn(what, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == length;
    return named ? equals + 1 : what;
}

bool check_read(array_file *f, const char *what, const char *nameless, char *complaint) {
    const char *path = check_path(what);
    bool named = path != what;
    size_t length = named ? (size_t)(path - what) - 1 : 0;
    array_file in;
    if (array_read(&in, path, complaint) != ARRAY_OK)
        return false;
    bool alone = in.count == 1 && in.item[0].name[0] == '\0', good = true;
    if (named && in.count != 1)
        good = check_refuse(complaint, "%s has %lld arrays; one is wanted behind %.*s=", path,
                            (long long)in.count, (int)length, what);
    else if (!named && alone && !nameless)
        good = check_refuse(complaint, "%s has one array without a name; name=%s says which it is",
                            path, path);
    if (good && (named || alone)) {
        free(in.item[0].name);
        in.item[0].name = named ? strndup(what, length) : strdup(nameless);
    }
    for (int64_t i = 0; good && i < in.count; i++)
        if (array_find(f, in.item[i].name))
            good = check_refuse(complaint, "%s: \"%s\" is given twice", path, in.item[i].name);
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
    case 'X':
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
static void in_file(const check_loader *l, const char *dims, char *order) {
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

const char *check_layout_hint(const check_loader *l) {
    return l->o->heads_first ? " (layout bhtd; --layout bthd reads [batch, time, head, dim])"
                             : " (layout bthd; --layout bhtd reads [batch, head, time, dim])";
}

/* Whether the array has these dimensions, given what the others said. */
bool check_fits(check_loader *l, const array *a, const char *name, const char *dims) {
    char order[12], shape[200], wanted[120], other[200] = "";
    in_file(l, dims, order);
    shape_text(a, shape), order_text(order, wanted);
    if (a->dims != (int)strlen(order))
        return check_refuse(l->complaint, "%s: shape %s has %d dimensions; %s is wanted%s", name,
                            shape, a->dims, wanted, dims[0] == 'B' ? check_layout_hint(l) : "");
    for (int i = 0; order[i] != '\0'; i++) {
        unsigned char c = (unsigned char)order[i];
        if (l->from[c] == NULL) {
            l->from[c] = name;
            l->size[c] = a->shape[i];
        } else if (l->size[c] != a->shape[i]) {
            const array *from = array_find(l->file, l->from[c]);
            if (from)
                shape_text(from, other);
            return check_refuse(l->complaint, "%s: shape %s as %s has %s %lld; %s%s%s says %lld%s",
                                name, shape, wanted, letter_text((char)c), (long long)a->shape[i],
                                l->from[c], other[0] ? " of shape " : "", other,
                                (long long)l->size[c], dims[0] == 'B' ? check_layout_hint(l) : "");
        }
    }
    return true;
}

/* Position in the file of element i of the array in the order of dims. */
int64_t check_place(const check_loader *l, const array *a, int64_t i) {
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
const array *check_find(const check_loader *l, const char *names) {
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

bool check_missing(check_loader *l, const char *names) {
    char have[400] = "";
    for (int64_t i = 0; i < l->file->count && strlen(have) < 300; i++)
        snprintf(have + strlen(have), sizeof have - strlen(have), "%s%.40s", i ? ", " : "",
                 l->file->item[i].name);
    return check_refuse(l->complaint, "%.*s is missing; %s takes it, and the inputs are: %s",
                        (int)strcspn(names, "|"), names, l->o->kernel->name, have);
}

void *check_keep(check_loader *l, size_t bytes) {
    void *p = calloc(1, bytes + 8);
    if (p)
        l->call->memory[l->call->used++] = p;
    else
        check_refuse(l->complaint, "there is no memory for %zu bytes", bytes);
    return p;
}

bool check_floating(const check_loader *l, const array *a, array *as) {
    *as = *a;
    if (l->o->bfloat16)
        array_as_bfloat16(as);
    if (as->type == ARRAY_U16 || as->type == ARRAY_V2)
        return check_refuse(l->complaint,
                            "%s holds %s; if these are bfloat16's bits, --dtype bfloat16 says so",
                            a->name, as->type == ARRAY_U16 ? "16-bit integers" : "raw bytes");
    return true;
}

/* *x := the array's numbers in the order of dims, all of them float32; NULL where there is no
 * array of these names and it is not needed. */
bool check_floats(check_loader *l, const float **x, const char *names, const char *dims,
                  bool needed) {
    const array *a = check_find(l, names);
    array as;
    char index[200];
    *x = NULL;
    if (!a)
        return !needed || check_missing(l, names);
    if (!check_floating(l, a, &as) || !check_fits(l, a, a->name, dims))
        return false;
    float *out = check_keep(l, (size_t)a->elements * sizeof *out);
    if (!out)
        return false;
    bool gate = strcmp(names, "g") == 0 || strncmp(names, "gk", 2) == 0;
    for (int64_t i = 0; i < a->elements; i++) {
        int64_t at = dims[0] == 'B' ? check_place(l, a, i) : i;
        double value = array_get(&as, at);
        if (isnan(value) || value == INFINITY || (value == -INFINITY && !gate))
            return check_refuse(l->complaint, "%s%s is %s; inputs are finite numbers%s", a->name,
                                check_index_text(a, at, index), isnan(value) ? "NaN" : "infinite",
                                gate ? ", and g may be -inf" : "");
        if (fabs(value) <= 0x1.fffffep127 || isinf(value))
            out[i] = (float)value;
        if (!isinf(value) && (double)out[i] != value)
            return check_refuse(
                l->complaint,
                "%s%s = %.17g (%a) is no float32: round the inputs to float32 before both "
                "sides read them (exact results are computed from float32 inputs)",
                a->name, check_index_text(a, at, index), value, value);
    }
    *x = out;
    return true;
}

/* A number: an option, or an array of one element.  Not given: as it was. */
bool check_number(check_loader *l, double *x, const char *names, double option) {
    const array *a = check_find(l, names);
    array as;
    if (!isnan(option)) {
        if (a)
            return check_refuse(l->complaint, "%s is given as an option and as an array", a->name);
        *x = option;
    } else if (a) {
        if (a->elements != 1)
            return check_refuse(l->complaint, "%s: one number is wanted, not %lld", a->name,
                                (long long)a->elements);
        if (!check_floating(l, a, &as))
            return false;
        *x = array_get(&as, 0);
        if (isnan(*x))
            return check_refuse(l->complaint, "%s is NaN; a number is wanted", a->name);
    }
    return true;
}
void check_note(check_loader *l, const char *format, ...) {
    va_list arguments;
    if (l->call->notes == CHECK_NOTES)
        return;
    char *line = l->call->note[l->call->notes++];
    va_start(arguments, format);
    vsnprintf(line, CHECK_LINE, format, arguments);
    va_end(arguments);
    json_t *text = json_string(line); /* NULL: some name in it is not UTF-8 */
    for (unsigned char *p = (unsigned char *)line; *p != '\0'; p++)
        if (*p < 32 || *p == 127 || (text == NULL && *p > 127))
            *p = '?';
    json_decref(text);
}
bool check_single(check_loader *l, float *x, const char *name, double value) {
    *x = (float)value;
    if (!isfinite(value) || !isfinite(*x) || (*x == 0 && value != 0))
        return check_refuse(l->complaint, "%s = %g is no float32", name, value);
    if ((double)*x != value)
        check_note(l, "%s = %.17g is taken as the float32 %.9g", name, value, (double)*x);
    return true;
}
bool check_whole(check_loader *l, int64_t *n, const char *names, int64_t option) {
    double x = (double)*n;
    if (!check_number(l, &x, names, option >= 0 ? (double)option : (double)NAN))
        return false;
    if (!(x >= 0 && x <= 0x1p53 && x == floor(x)))
        return check_refuse(l->complaint, "%.*s = %g; a whole number from 0 on is wanted",
                            (int)strcspn(names, "|"), names, x);
    *n = (int64_t)x;
    return true;
}

/* Whole numbers of an array, low..high. */
bool check_integers(check_loader *l, const array *a, int64_t *to, int64_t low, int64_t high) {
    char index[200];
    for (int64_t i = 0; i < a->elements; i++) {
        double x = array_get(a, i);
        if (a->type == ARRAY_V2 || !(x >= (double)low && x <= (double)high && x == floor(x)))
            return check_refuse(l->complaint,
                                "%s%s = %g; a whole number from %lld to %lld is wanted", a->name,
                                check_index_text(a, i, index), x, (long long)low, (long long)high);
        to[i] = (int64_t)x;
    }
    return true;
}

void check_know(check_loader *l, const mn_args *a) {
    const struct {
        char letter;
        int64_t size;
        const char *from;
    } known[] = {{'B', a->batch, "q"},
                 {'T', a->time, "q"},
                 {'N', a->time + a->past, "k"},
                 {'H', a->heads, "q"},
                 {'W', a->kv_heads, "v"},
                 {'K', a->dk, "q"},
                 {'X', a->dk, "q"},
                 {'V', a->dv, "v"},
                 {'L', a->levels, "lambda"},
                 {'b', a->banks, "nodes"},
                 {'m', a->modes, "nodes"},
                 {'S', a->segments ? a->segments : a->batch, a->segments ? "cu_seqlens" : "q"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        l->size[(unsigned char)known[i].letter] = known[i].size,
                          l->from[(unsigned char)known[i].letter] = known[i].from;
}

void check_state_parts(const mn_args *a, int64_t n[3]) {
    int64_t blocks = a->kernel == MN_LOGLINEAR ? a->levels
                     : a->kernel == MN_VORT    ? a->banks * a->modes
                                               : 1;
    n[0] = blocks * a->dk * a->dv;
    n[1] = a->kernel == MN_VLA ? a->dk * a->dk : 0;
    n[2] = a->normalise ? blocks * a->dk : 0;
}
