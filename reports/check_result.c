/* Results of kernels from outside: which there are, in libmneme's order. */
#include "reports/check_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    check_loader l = {.file = f};
    return check_find(&l, results[what].names);
}

const char *check_dims(const mn_args *a, check_what what) {
    bool levels = a->kernel == MN_LOGLINEAR, modes = a->kernel == MN_VORT;
    if (what == CHECK_O)
        return "BTHV";
    if (a->kernel == MN_SOFTMAX || (what == CHECK_INVERSE && a->kernel != MN_VLA) ||
        (what == CHECK_KEYS && !a->normalise))
        return NULL;
    if (what == CHECK_STATE)
        return levels ? "SWLKV" : modes ? "SWbmKV" : "SWKV";
    return what == CHECK_INVERSE ? "SWKX" : modes ? "SWbmK" : "SWK";
}

/* x to a number of the type, as it stands in memory. */
static void store(char *to, array_type type, double x) {
    float single = (float)x;
    uint16_t half = type == ARRAY_F16 ? array_to_float16(x) : array_to_bfloat16(x);
    const void *source = type == ARRAY_F64   ? (void *)&x
                         : type == ARRAY_F32 ? (void *)&single
                                             : (void *)&half;
    memcpy(to, source, array_type_size(type));
}

bool check_held(void **packed, array_type *type, const check_call *c, const check_options *o,
                const array *a, const char *name, const char *dims, char *complaint) {
    array_file none = {0, NULL};
    check_loader l = {.o = o, .complaint = complaint, .file = &none};
    int bits, least, most;
    char index[200];
    array x = *a;
    check_know(&l, &c->args);
    if (o->bfloat16)
        array_as_bfloat16(&x);
    if (!arithmetic_format(x.type, &bits, &least, &most))
        return check_refuse(
            complaint,
            "%s holds %s; floating numbers are wanted (--dtype bfloat16 takes 16-bit "
            "integers and raw bytes as bfloat16)",
            name, array_type_name(x.type));
    if (!check_fits(&l, &x, name, dims))
        return false;
    *type = o->dtype == CHECK_NOT_GIVEN ? x.type : (array_type)o->dtype;
    size_t each = array_type_size(*type);
    char *to = malloc((size_t)x.elements * each + 8);
    if (!to)
        return check_refuse(complaint, "there is no memory for %s", name);
    for (int64_t i = 0; i < x.elements; i++) {
        int64_t at = dims[0] == 'B' ? check_place(&l, &x, i) : i;
        double value = array_get(&x, at);
        if (!isnan(value) && array_round(*type, value) != value) {
            free(to);
            return check_refuse(complaint, "%s%s = %.9g is no %s number, as --dtype says", name,
                                check_index_text(&x, at, index), value, array_type_name(*type));
        }
        store(to + (size_t)i * each, *type, value);
    }
    *packed = to;
    return true;
}

arithmetic check_arithmetic(const check_options *o, array_type type) {
    arithmetic m = arithmetic_of(type);
    if (o->operands != CHECK_NOT_GIVEN)
        m.operands = (array_type)o->operands;
    if (o->accumulate != CHECK_NOT_GIVEN)
        m.accumulate = (array_type)o->accumulate;
    if (o->chunk)
        m.chunk = o->chunk;
    m.tf32 = o->tf32;
    return m;
}
