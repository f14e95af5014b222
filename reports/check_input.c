/* From arrays with names to a call of a kernel. */
#include "reports/check_load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

check_options check_defaults(const check_kernel *kernel) {
    return (check_options){.kernel = kernel,
                           .dtype = CHECK_NOT_GIVEN,
                           .operands = CHECK_NOT_GIVEN,
                           .accumulate = CHECK_NOT_GIVEN,
                           .scale = NAN,
                           .lambda0 = NAN,
                           .refresh = NAN,
                           .refresh_every = CHECK_NOT_GIVEN,
                           .position = CHECK_NOT_GIVEN};
}

const check_kernel *check_find_kernel(const char *name) {
    for (const check_kernel *k = check_kernels; k->name != NULL; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

/* x [rows][heads][dim] with every head `times` times. */
static const float *repeated(check_loader *l, const float *x, int64_t rows, int64_t heads,
                             int64_t dim, int64_t times) {
    float *y = check_keep(l, (size_t)(rows * heads * times * dim) * sizeof *y);
    for (int64_t i = 0; y && i < rows * heads * times; i++)
        memcpy(y + i * dim, x + i / times * dim, (size_t)dim * sizeof *y);
    return y;
}

/* q, k, v.  Heads: as many of each; or fewer of k and v, which query heads share; or more of v, to
 * each of which a head of q and k stands for several (as flash-linear-attention has it). */
static bool load_rows(check_loader *l) {
    mn_args *a = &l->call->args;
    const float *q, *k, *v;
    bool past = a->kernel == MN_SOFTMAX;
    if (!check_floats(l, &q, "q", "BTHK", true) ||
        !check_floats(l, &k, "k", past ? "BNGK" : "BTGK", true) ||
        !check_floats(l, &v, "v", past ? "BNWV" : "BTWV", true))
        return false;
    a->batch = l->size['B'], a->time = l->size['T'], a->dk = l->size['K'], a->dv = l->size['V'];
    int64_t hq = l->size['H'], hk = l->size['G'], hv = l->size['W'], rows = a->batch * a->time;
    a->past = past ? l->size['N'] - a->time : 0;
    if (a->past < 0)
        return check_refuse(l->complaint,
                            "k has %lld time steps and q %lld; keys in front of the first "
                            "query's may be more, not fewer",
                            (long long)l->size['N'], (long long)a->time);
    if (hq < 1 || hk < 1 || hv < 1 || a->dk < 1 || a->dv < 1)
        return check_refuse(l->complaint,
                            "q, k, v: at least one head and one dimension are wanted");
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
        return check_refuse(l->complaint,
                            "heads: q has %lld, k %lld, v %lld; as many of each are wanted, "
                            "or a divisor for k and v, or a multiple for v%s",
                            (long long)hq, (long long)hk, (long long)hv, check_layout_hint(l));
    a->heads = hq, a->kv_heads = hk;
    a->q.data = q, a->k.data = k, a->v.data = v;
    return true;
}

/* The first element of x [batch][time][heads][dim] outside [low, high], named. */
static bool within(check_loader *l, const float *x, const char *name, int64_t heads, int64_t dim,
                   float low, float high, const char *wanted) {
    const mn_args *a = &l->call->args;
    for (int64_t i = 0; x && i < a->batch * a->time * heads * dim; i++) {
        if (x[i] >= low && x[i] <= high)
            continue;
        char last[40] = "";
        if (dim > 1)
            sprintf(last, ", %lld", (long long)(i % dim));
        return check_refuse(l->complaint,
                            "%s at [batch, time, head%s] = [%lld, %lld, %lld%s] is %g: %s", name,
                            dim > 1 ? ", dim" : "", (long long)(i / dim / heads / a->time),
                            (long long)(i / dim / heads % a->time), (long long)(i / dim % heads),
                            last, (double)x[i], wanted);
    }
    return true;
}

static bool load_gates(check_loader *l) {
    mn_args *a = &l->call->args;
    const check_kernel *kernel = l->o->kernel;
    const array *g = check_find(l, "g|gk");
    if (!g) {
        bool needed = kernel->gates == CHECK_TOKEN_GATES || kernel->gates == CHECK_KEY_GATES;
        return !needed || check_missing(l, kernel->gates == CHECK_KEY_GATES ? "gk|g" : "g");
    }
    bool keys = g->dims == 4;
    const char *name = g->name;
    if (kernel->gates == CHECK_NO_GATES)
        return check_refuse(l->complaint, "%s: %s takes no gates%s", name, kernel->name,
                            strcmp(kernel->name, "delta_rule") == 0    ? "; gated_delta_rule does"
                            : strcmp(kernel->name, "linear_attn") == 0 ? "; simple_gla and gla do"
                                                                       : "");
    if ((keys && kernel->gates != CHECK_KEY_GATES && kernel->gates != CHECK_ANY_GATES) ||
        (!keys && kernel->gates == CHECK_KEY_GATES))
        return check_fits(l, g, name, keys ? "BTW" : "BTWK");
    const float *x;
    if (!check_floats(l, &x, name, keys ? "BTWK" : "BTW", true) ||
        !within(l, x, name, a->kv_heads, keys ? a->dk : 1, -INFINITY, 0,
                "g is the logarithm of a gate in [0, 1], at most 0"))
        return false;
    *(keys ? &a->gate_keys : &a->g) = (mn_input){x, 0, 0, 0};
    return true;
}

static bool load_segments(check_loader *l) {
    mn_args *a = &l->call->args;
    const array *c = check_find(l, "cu_seqlens|offsets");
    if (!c)
        return true;
    if (c->dims != 1 || c->elements < 2)
        return check_refuse(l->complaint, "%s: one dimension with at least 2 offsets is wanted",
                            c->name);
    if (a->batch != 1)
        return check_refuse(l->complaint, "%s: sequences one after another want batch 1, not %lld",
                            c->name, (long long)a->batch);
    int64_t *offsets = check_keep(l, (size_t)c->elements * sizeof *offsets);
    if (!offsets || !check_integers(l, c, offsets, 0, a->time))
        return false;
    for (int64_t n = 0; n + 1 < c->elements; n++)
        if (offsets[n + 1] < offsets[n])
            return check_refuse(l->complaint,
                                "%s[%lld] = %lld is less than the offset before it, %lld", c->name,
                                (long long)n + 1, (long long)offsets[n + 1], (long long)offsets[n]);
    if (offsets[0] != 0 || offsets[c->elements - 1] != a->time)
        return check_refuse(l->complaint, "%s goes from %lld to %lld; 0 to %lld (time) is wanted",
                            c->name, (long long)offsets[0], (long long)offsets[c->elements - 1],
                            (long long)a->time);
    if (a->kernel == MN_SOFTMAX && a->past)
        return check_refuse(l->complaint,
                            "%s: keys in front and several sequences do not go together", c->name);
    a->segments = c->elements - 1, a->offsets = offsets;
    return true;
}

static bool load_banks(check_loader *l) {
    mn_args *a = &l->call->args;
    const float *weights, *nodes;
    char index[200];
    if (!check_floats(l, &weights, "weights", "bm", true) ||
        !check_floats(l, &nodes, "nodes", "bm", true))
        return false;
    a->banks = l->size['b'], a->modes = l->size['m'], a->weights = weights, a->nodes = nodes;
    if (a->banks < 1 || a->modes < 1)
        return check_refuse(l->complaint,
                            "weights, nodes: at least one bank and one mode are wanted, not "
                            "[%lld, %lld]",
                            (long long)a->banks, (long long)a->modes);
    for (int64_t i = 0; i < a->banks * a->modes; i++)
        if (!(nodes[i] >= 0 && nodes[i] <= 1))
            return check_refuse(l->complaint, "nodes%s = %g; a number in [0, 1] is wanted",
                                check_index_text(check_find(l, "nodes"), i, index),
                                (double)nodes[i]);
    const array *bank = check_find(l, "bank");
    if (!bank)
        return check_missing(l, "bank");
    if (!check_fits(l, bank, "bank", "BTW"))
        return false;
    int64_t *wide = check_keep(l, (size_t)bank->elements * sizeof *wide);
    int32_t *b = check_keep(l, (size_t)bank->elements * sizeof *b);
    if (!wide || !b || !check_integers(l, bank, wide, 0, a->banks - 1))
        return false;
    for (int64_t i = 0; i < bank->elements; i++)
        b[i] = (int32_t)wide[check_place(l, bank, i)];
    a->bank.data = b;
    return true;
}

static bool load_levels(check_loader *l) {
    mn_args *a = &l->call->args;
    const float *lambda;
    int64_t position = 0, longest = a->time, needed = 1;
    const array *given = check_find(l, "lambda|level_scales");
    if (!check_whole(l, &position, "position", l->o->position) ||
        !check_floats(l, &lambda, "lambda|level_scales", "BTHL", false) ||
        !within(l, lambda, given ? given->name : "lambda", a->heads,
                l->from['L'] ? l->size['L'] : 1, 0, INFINITY, "a weight of at least 0 is wanted"))
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
        return check_refuse(l->complaint,
                            "%s has %lld levels; position %lld of the longest sequence "
                            "needs %lld (and 63 are the most)",
                            given ? given->name : "lambda", (long long)a->levels,
                            (long long)(position + longest - 1), (long long)needed);
    return true;
}

/* The state blob from its parts. */
static bool load_state(check_loader *l) {
    mn_args *a = &l->call->args;
    const float *s, *inverse = NULL, *keys = NULL;
    int64_t sequences = a->segments ? a->segments : a->batch, position = 0;
    const char *dims = a->kernel == MN_LOGLINEAR ? "SWLKV"
                       : a->kernel == MN_VORT    ? "SWbmKV"
                                                 : "SWKV";
    l->size['S'] = sequences, l->from['S'] = a->segments ? "cu_seqlens" : "q";
    if ((a->kernel == MN_VLA || a->kernel == MN_LOGLINEAR) &&
        !check_whole(l, &position, "position", l->o->position))
        return false;
    if (!check_find(l, "initial_state|h0")) {
        if (position)
            return check_refuse(l->complaint, "position wants an initial_state");
        return true;
    }
    if (a->kernel == MN_SOFTMAX)
        return check_refuse(l->complaint,
                            "initial_state: softmax has no state; keys in front of the first "
                            "query's go into k and v");
    const array *square = check_find(l, "initial_inverse");
    if (!check_floats(l, &s, "initial_state|h0", dims, true))
        return false;
    if (a->kernel == MN_VLA) {
        if (!square)
            return check_missing(l, "initial_inverse");
        l->size['X'] = a->dk, l->from['X'] = "q";
        if (!check_floats(l, &inverse, "initial_inverse", "SWKX", true))
            return false;
    }
    if (a->normalise &&
        !check_floats(l, &keys, "initial_keys", a->kernel == MN_VORT ? "SWbmK" : "SWK", true))
        return false;
    size_t bytes = mn_state_size(a);
    char *blob = check_keep(l, bytes);
    if (!blob || bytes == 0)
        return check_refuse(l->complaint, "initial_state is too large");
    float *to = (float *)(void *)blob;
    int64_t n[3];
    check_state_parts(a, n);
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
static bool look_at_keys(check_loader *l) {
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
            return check_refuse(l->complaint, "%s", text);
        check_note(l, "%s", text);
        return true;
    }
    return true;
}

const char check_names[] =
    "|q|k|v|g|gk|beta|initial_state|h0|initial_inverse|initial_keys|scale|cu_seqlens|offsets|u|"
    "lambda|level_scales|lambda0|refresh|refresh_every|bank|weights|nodes|past|position|do|d_o|dht|"
    "o|out|output|final_state|ht|final_inverse|final_keys|dq|dk|dv|dg|dgk|dbeta|du|dlambda|"
    "dlevel_scales|dweights|dnodes|dh0|dinitial_state|";

/* One array by two names: which of them the kernel read, nobody knows. */
bool check_no_twice(const array_file *f, char *complaint) {
    static const char *const pairs[][2] = {{"g", "gk"},
                                           {"initial_state", "h0"},
                                           {"cu_seqlens", "offsets"},
                                           {"lambda", "level_scales"},
                                           {"do", "d_o"},
                                           {"o", "out"},
                                           {"o", "output"},
                                           {"out", "output"},
                                           {"final_state", "ht"},
                                           {"dg", "dgk"},
                                           {"dlambda", "dlevel_scales"},
                                           {"dh0", "dinitial_state"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (array_find(f, pairs[i][0]) && array_find(f, pairs[i][1]))
            return check_refuse(complaint, "%s and %s are both given; one of them is wanted",
                                pairs[i][0], pairs[i][1]);
    return true;
}

static bool look_at_names(check_loader *l) {
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
                {"nodes", 1 << MN_VORT},
                {"past", 1 << MN_SOFTMAX},
                {"position", 1 << MN_VLA | 1 << MN_LOGLINEAR}};
    for (int64_t i = 0; i < l->file->count; i++) {
        const char *name = l->file->item[i].name;
        char barred[80], text[CHECK_LINE] = "";
        snprintf(barred, sizeof barred, "|%.60s|", name);
        if (!strstr(check_names, barred))
            snprintf(text, sizeof text, "array \"%.60s\" is not looked at: no input has that name",
                     name);
        for (size_t k = 0; k < sizeof uses / sizeof *uses; k++)
            if (strcmp(uses[k].names, name) == 0 && !(uses[k].kernels >> l->o->kernel->kernel & 1))
                snprintf(text, sizeof text, "array \"%s\" is not looked at: %s has no use for it",
                         name, l->o->kernel->name);
        if (text[0] && l->o->strict)
            return check_refuse(l->complaint, "%s", text);
        if (text[0])
            check_note(l, "%s", text);
    }
    return true;
}

bool check_inputs(check_call *c, const check_options *o, const array_file *f, char *complaint) {
    memset(c, 0, sizeof *c);
    c->repeated = 1;
    check_loader l = {.call = c, .o = o, .file = f, .complaint = complaint};
    mn_args *a = &c->args;
    const float *x;
    double scale = NAN, lambda0 = NAN, refresh = 0;
    int64_t past = -1;
    a->kernel = o->kernel->kernel, a->normalise = o->normalise;
    if (o->normalise && a->kernel != MN_LINEAR && a->kernel != MN_VLA && a->kernel != MN_VORT)
        return check_refuse(complaint, "--normalise: %s has no normaliser", o->kernel->name);
    if (!check_no_twice(f, complaint) || !look_at_names(&l) || !load_rows(&l) ||
        !load_segments(&l) || !load_gates(&l) || !check_number(&l, &scale, "scale", o->scale))
        return false;
    if (!isnan(scale) && scale != 1 / sqrt((double)a->dk)) {
        if (scale == 0)
            return check_refuse(complaint, "scale = 0 makes every output 0");
        if (!check_single(&l, &a->scale, "scale", scale))
            return false;
    }
    if (a->kernel == MN_SOFTMAX && check_find(&l, "past")) {
        past = 0;
        if (!check_whole(&l, &past, "past", -1))
            return false;
        if (past != a->past)
            return check_refuse(complaint, "past = %lld, but k has %lld more time steps than q",
                                (long long)past, (long long)a->past);
    }
    if (a->kernel == MN_DELTA) {
        if (!check_floats(&l, &x, "beta", "BTW", false))
            return false;
        a->beta.data = x;
    }
    if (a->kernel == MN_VLA) {
        if (!check_floats(&l, &x, "u", "BTWK", true) ||
            !check_number(&l, &lambda0, "lambda0", o->lambda0) ||
            !check_number(&l, &refresh, "refresh", o->refresh) ||
            !check_whole(&l, &a->refresh_every, "refresh_every", o->refresh_every))
            return false;
        a->u.data = x;
        if (isnan(lambda0) && !check_find(&l, "initial_state|h0"))
            return check_refuse(complaint,
                                "lambda0 is missing: --lambda0 X, or an array of that name");
        if (isnan(lambda0))
            lambda0 = 1;
        if (!(lambda0 > 0) || !(refresh >= 0))
            return check_refuse(complaint, "%s = %g; %s is wanted",
                                lambda0 > 0 ? "refresh" : "lambda0",
                                lambda0 > 0 ? refresh : lambda0,
                                lambda0 > 0 ? "a number from 0 on" : "a positive number");
        if (!check_single(&l, &a->lambda0, "lambda0", lambda0) ||
            !check_single(&l, &a->refresh, "refresh", refresh))
            return false;
        if (refresh > 0 && a->refresh_every == 0)
            return check_refuse(complaint, "refresh wants refresh_every");
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
