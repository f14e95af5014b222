/* mneme check */
#include "reports/check.h"
#include "numerics/exact/number.h"
#include "reports/cli/cli.h"
#include "reports/writers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    check_options o;
    array_file inputs, outputs;
    const char *layout, *dtype, *scale, *lambda0, *refresh, *refresh_every, *position, *normalise,
        *strict, *rtol, *atol, *accept, *operands, *accumulate, *chunk, *json, *junit, *state;
    char complaint[CHECK_LINE];
} check_arguments;

/* --inputs and --output, each as often as there are files. */
static int read_inputs(const char *value, void *data) {
    check_arguments *a = data;
    if (check_read(&a->inputs, value, a->complaint))
        return 1;
    cli_complain("check", "--inputs: %s", a->complaint);
    return 0;
}

/* A lone array without a name is o (--output) or final_state (--state-output). */
static int read_results(check_arguments *a, const char *value, const char *option,
                        const char *name) {
    char named[CHECK_LINE];
    array_file in = {0, NULL};
    bool good = check_read(&in, value, a->complaint);
    if (!good && access(value, R_OK) == 0) {
        snprintf(named, sizeof named, "%s=%s", name, value);
        array_file again = {0, NULL};
        char other[CHECK_LINE];
        good = check_read(&again, named, other);
        if (good)
            in = again;
    }
    for (int64_t i = 0; good && i < in.count; i++)
        if (array_find(&a->outputs, in.item[i].name)) {
            snprintf(a->complaint, sizeof a->complaint, "%s: \"%s\" is given twice", value,
                     in.item[i].name);
            good = false;
        }
    if (!good) {
        array_file_clear(&in);
        cli_complain("check", "%s: %s", option, a->complaint);
        return 0;
    }
    a->outputs.item =
        realloc(a->outputs.item, (size_t)(a->outputs.count + in.count + 1) * sizeof *in.item);
    memcpy(a->outputs.item + a->outputs.count, in.item, (size_t)in.count * sizeof *in.item);
    a->outputs.count += in.count;
    free(in.item);
    return 1;
}
static int read_output(const char *value, void *data) {
    return read_results(data, value, "--output", "o");
}
static int read_state(const char *value, void *data) {
    return read_results(data, value, "--state-output", "final_state");
}

/* *x := the option's number, low or more; as it was if the option is not given. */
static bool read_number(double *x, const char *option, const char *text, double low) {
    fmpq_t q;
    arb_t b;
    if (!text)
        return true;
    fmpq_init(q), arb_init(b);
    const char *why = exact_parse_rational(q, text);
    arb_set_fmpq(b, q, 128);
    if (why == NULL)
        *x = exact_double_mid(b);
    fmpq_clear(q), arb_clear(b);
    if (why != NULL)
        cli_complain("check", "%s: \"%s\" is %s", option, text, why);
    else if (!(*x >= low))
        cli_complain("check", "%s: %s is out of range; at least %g is wanted", option, text, low);
    return why == NULL && *x >= low;
}
static bool read_count(int64_t *n, const char *option, const char *text, long low, long high) {
    long whole = 0;
    if (!text)
        return true;
    if (!cli_whole("check", option, text, low, high, &whole))
        return false;
    *n = whole;
    return true;
}

static bool read_type(array_type *type, const char *option, const char *text) {
    int bits, least, most;
    if (array_type_from_name(type, text) && arithmetic_format(*type, &bits, &least, &most))
        return true;
    cli_complain("check",
                 "%s: \"%s\" is not a floating type; float64, float32, float16 or bfloat16 "
                 "is wanted",
                 option, text);
    return false;
}

/* The arithmetic that bounds assume for outputs of this type. */
static bool read_arithmetic(arithmetic *m, const check_arguments *a, array_type output) {
    *m = arithmetic_of(output);
    if (a->operands && strcmp(a->operands, "tf32") == 0)
        m->operands = ARRAY_F32, m->tf32 = true;
    else if (a->operands && !read_type(&m->operands, "--operands", a->operands))
        return false;
    if (a->accumulate && !read_type(&m->accumulate, "--accumulate", a->accumulate))
        return false;
    return read_count(&m->chunk, "--chunk", a->chunk, 1, ARITHMETIC_MAX_CHUNK);
}

static bool read_options(check_arguments *a) {
    check_options *o = &a->o;
    o->scale = o->lambda0 = o->refresh = NAN, o->refresh_every = o->position = -1;
    o->normalise = a->normalise != NULL, o->strict = a->strict != NULL;
    if (a->layout && strcmp(a->layout, "bthd") != 0 && strcmp(a->layout, "bhtd") != 0) {
        cli_complain("check",
                     "--layout: \"%s\" is not a layout; bthd ([batch, time, head, dim]) or bhtd "
                     "([batch, head, time, dim]) is wanted",
                     a->layout);
        return false;
    }
    o->heads_first = a->layout && strcmp(a->layout, "bhtd") == 0;
    array_type type = ARRAY_F32;
    if (a->dtype && !read_type(&type, "--dtype", a->dtype))
        return false;
    o->bfloat16 = a->dtype && type == ARRAY_BF16;
    if (a->accept && strcmp(a->accept, "twin") != 0) {
        cli_complain("check", "--accept: \"%s\" is not known; twin is wanted", a->accept);
        return false;
    }
    return read_number(&o->scale, "--scale", a->scale, -INFINITY) &&
           read_number(&o->lambda0, "--lambda0", a->lambda0, -INFINITY) &&
           read_number(&o->refresh, "--refresh", a->refresh, -INFINITY) &&
           read_count(&o->refresh_every, "--refresh-every", a->refresh_every, 0, 1L << 40) &&
           read_count(&o->position, "--position", a->position, 0, 1L << 40);
}

/* The array as what it holds: with --dtype a float32 dump of narrower numbers counts as these. */
static bool typed(array *x, const check_arguments *a, const char *name) {
    array_type wanted;
    char index[200];
    if (a->o.bfloat16)
        array_as_bfloat16(x);
    int bits, least, most;
    if (!arithmetic_format(x->type, &bits, &least, &most)) {
        cli_complain("check",
                     "%s holds %s; floating numbers are wanted (--dtype bfloat16 takes 16-bit "
                     "integers and raw bytes as bfloat16)",
                     name, array_type_name(x->type));
        return false;
    }
    if (!a->dtype || !array_type_from_name(&wanted, a->dtype) || wanted == x->type)
        return true;
    int64_t i = check_not_of_type(x, wanted);
    if (i < 0)
        return true;
    cli_complain("check", "%s%s = %.9g is no %s number, as --dtype says", name,
                 check_index_text(x, i, index), array_get(x, i), a->dtype);
    return false;
}
static array_type held(const check_arguments *a, const array *x) {
    array_type type = x->type;
    if (a->dtype)
        array_type_from_name(&type, a->dtype);
    return type;
}

/* An array of numbers of another type, one by one. */
static void *converted(const array *x, const void *packed, array_type type) {
    array from = {.type = x->type, .data = (void *)(uintptr_t)packed};
    size_t each = array_type_size(type);
    char *to = malloc((size_t)x->elements * each + 8);
    for (int64_t i = 0; to && i < x->elements; i++) {
        double value = array_get(&from, i);
        float single = (float)value;
        uint16_t half = type == ARRAY_F16 ? array_to_float16(value) : array_to_bfloat16(value);
        const void *source = type == ARRAY_F64   ? (void *)&value
                             : type == ARRAY_F32 ? (void *)&single
                                                 : (void *)&half;
        memcpy(to + (size_t)i * each, source, each);
    }
    return to;
}

enum { SUBJECTS = 4 };

/* Judges one result; 1 judged, 0 not there, -1 after a complaint. */
static int judge_one(check_arguments *a, check_subject *s, const check_call *call, judge_t j,
                     check_what what) {
    const array *found = check_result(&a->outputs, what);
    void *packed;
    if (!found)
        return 0;
    array x = *found;
    s->name = check_what_name(what), s->state = what != CHECK_O, s->by_row = j->bounds->by_row;
    if (!typed(&x, a, s->name))
        return -1;
    if (!check_pack(&packed, call, &a->o, &x, what, a->complaint)) {
        cli_complain("check", "%s", a->complaint);
        return -1;
    }
    s->type = what == CHECK_O ? held(a, &x) : x.type;
    if (s->type != x.type) {
        void *narrow = converted(&x, packed, s->type);
        free(packed);
        packed = narrow;
    }
    static const judge_part parts[] = {JUDGE_STATE, JUDGE_STATE, JUDGE_INVERSE, JUDGE_KEYS};
    judge_status status = what == CHECK_O
                              ? judge_output(&s->report, j, s->type, packed)
                              : judge_state_part(&s->report, j, parts[what], s->type, packed);
    if (status == JUDGE_DONE && what == CHECK_O &&
        (s->report.verdict == JUDGE_BROKEN || s->report.verdict == JUDGE_SUSPECT))
        check_guess(s->guess, call, &a->o, &a->inputs, found, &j->arithmetic, s->type, packed,
                    &s->report);
    free(packed);
    if (status == JUDGE_DONE)
        return 1;
    cli_complain("check", "there is not enough memory");
    return -1;
}

static bool write_reports(const check_arguments *a, const check_report *r) {
    bool good = true;
    if (a->json) {
        json_t *j = check_json(r);
        char *text = report_write_json(j);
        good = output_write("mneme check", a->json, text, strlen(text));
        free(text);
        json_decref(j);
    }
    if (a->junit) {
        json_t *j = check_junit(r);
        char *text = report_write_junit(j);
        good = output_write("mneme check", a->junit, text, strlen(text)) && good;
        free(text);
        json_decref(j);
    }
    return good;
}

/* The call, its reference, the verdicts; the exit status. */
static int judge_all(check_arguments *a, const char *command) {
    check_call call;
    check_subject subject[SUBJECTS] = {0};
    judge_t j;
    int status = EXIT_BAD_INPUT, subjects = 0, found = 1;
    struct timespec from, to;
    if (!check_inputs(&call, &a->o, &a->inputs, a->complaint)) {
        cli_complain("check", "%s", a->complaint);
        check_call_clear(&call);
        return EXIT_BAD_INPUT;
    }
    const array *o = check_result(&a->outputs, CHECK_O);
    bool any = false;
    for (int what = 0; what < SUBJECTS; what++)
        any = any || check_result(&a->outputs, (check_what)what);
    arithmetic in;
    array as = o ? *o : (array){.type = ARRAY_F32};
    double rtol = 0, atol = 0;
    if (!any)
        cli_complain("check", "the output has neither o nor final_state (nor final_inverse, "
                              "final_keys)");
    if (!any || (o && !typed(&as, a, "o")) || !read_arithmetic(&in, a, held(a, &as)) ||
        !read_number(&rtol, "--rtol", a->rtol, 0) || !read_number(&atol, "--atol", a->atol, 0)) {
        check_call_clear(&call);
        return EXIT_BAD_INPUT;
    }
    clock_gettime(CLOCK_MONOTONIC, &from);
    bool terminal = isatty(STDERR_FILENO);
    if (terminal)
        fprintf(stderr, "exact results of %lld tokens ...\033[K",
                (long long)(call.args.batch * call.args.time));
    judge_status began = judge_begin(j, &call.args, in, true);
    if (terminal)
        fprintf(stderr, "\r\033[K");
    if (began != JUDGE_DONE) {
        if (began == JUDGE_REFERENCE)
            cli_complain("check", "no reference: %s", reference_status_text(j->reference));
        else
            cli_complain("check", "there is not enough memory");
        check_call_clear(&call);
        return EXIT_BAD_INPUT;
    }
    j->rtol = rtol, j->atol = atol, j->accept_twin = a->accept != NULL;
    for (int what = 0; what < SUBJECTS && found >= 0; what++) {
        found = judge_one(a, &subject[subjects], &call, j, (check_what)what);
        subjects += found > 0;
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    if (found >= 0) {
        check_report r = {.options = &a->o,
                          .call = &call,
                          .arithmetic = &in,
                          .rtol = rtol,
                          .atol = atol,
                          .accept_twin = j->accept_twin,
                          .subject = subject,
                          .subjects = subjects,
                          .seconds = (double)(to.tv_sec - from.tv_sec) +
                                     1e-9 * (double)(to.tv_nsec - from.tv_nsec),
                          .command = command};
        text_buffer text;
        text_init(&text);
        check_print(&text, &r);
        status = check_verdict(&r) == JUDGE_OK ? EXIT_PASS : EXIT_CHECK_FAILED;
        if (!write_reports(a, &r))
            status = EXIT_BAD_INPUT;
        fputs(text.data, stdout);
        free(text_take(&text));
    }
    for (int i = 0; i < subjects; i++)
        judge_report_clear(&subject[i].report);
    judge_clear(j);
    check_call_clear(&call);
    return status;
}

/* The command as it was given, for a shell. */
static char *command_line(int argc, char **argv) {
    text_buffer b;
    text_init(&b);
    text_printf(&b, "mneme");
    for (int i = 0; i < argc; i++) {
        bool plain =
            argv[i][0] && strspn(argv[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                                          "WXYZ0123456789_-+=,./:@%") == strlen(argv[i]);
        text_printf(&b, plain ? " %s" : " '%s'", argv[i]);
    }
    return text_take(&b);
}

int cmd_check(int argc, char **argv) {
    check_arguments a = {0};
    const cli_option options[] = {
        {"--inputs", "FILE|NAME=FILE", "q, k, v ... of an .npz or .safetensors, or one .npy each",
         NULL, read_inputs, &a},
        {"--output", "FILE", "o, final_state ... likewise; a lone .npy is o", NULL, read_output,
         &a},
        {"--state-output", "FILE", "a lone .npy is final_state", NULL, read_state, &a},
        {"--layout", "bthd|bhtd", "[batch, time, head, dim] (default) or [batch, head, time, dim]",
         &a.layout, NULL, NULL},
        {"--dtype", "TYPE",
         "what the output holds: bfloat16 for 16-bit integers, raw bytes, float32", &a.dtype, NULL,
         NULL},
        {"--scale", "X", "of q.k; default dk^(-1/2)", &a.scale, NULL, NULL},
        {"--normalise", NULL, "outputs are over the sum of their weights", &a.normalise, NULL,
         NULL},
        {"--lambda0", "X", "VLA", &a.lambda0, NULL, NULL},
        {"--refresh", "X", "VLA: is added to the diagonal of A", &a.refresh, NULL, NULL},
        {"--refresh-every", "N", "VLA: after so many tokens", &a.refresh_every, NULL, NULL},
        {"--position", "N", "log-linear, VLA: of the first token, with initial_state", &a.position,
         NULL, NULL},
        {"--operands", "TYPE",
         "what factors are rounded to: a type, or tf32 (default: the output's)", &a.operands, NULL,
         NULL},
        {"--accumulate", "TYPE", "what sums are kept in (default float32; float64 for float64)",
         &a.accumulate, NULL, NULL},
        {"--chunk", "N", "most tokens worked on at once (default 64)", &a.chunk, NULL, NULL},
        {"--rtol", "X", "your tolerance decides: |error| <= atol + rtol |exact|", &a.rtol, NULL,
         NULL},
        {"--atol", "X", "likewise", &a.atol, NULL, NULL},
        {"--accept", "twin",
         "what no bound decides is right if a plain program does no better by half", &a.accept,
         NULL, NULL},
        {"--strict", NULL, "what is only noted is bad input", &a.strict, NULL, NULL},
        {"--json", "F", "the report as JSON", &a.json, NULL, NULL},
        {"--junit", "F", "the report as JUnit XML", &a.junit, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    char *command = command_line(argc, argv);
    const cli_command *self = cli_commands;
    while (self->run != cmd_check)
        self++;
    if (!cli_parse(self, options, &argc, argv, &status)) {
        status = EXIT_BAD_INPUT;
        if (argc != 1)
            cli_complain("check",
                         "one kernel is wanted, not %d: linear, delta, vla, loglinear, vort, "
                         "softmax (or flash-linear-attention's simple_gla, gla, ...)",
                         argc);
        else if (!(a.o.kernel = check_find_kernel(argv[0])))
            cli_complain("check",
                         "\"%s\" is not a kernel; linear, delta, vla, loglinear, vort, softmax, "
                         "linear_attn, simple_gla, gla, retention, delta_rule, "
                         "gated_delta_rule, log_linear_attn or attn is wanted",
                         argv[0]);
        else if (a.inputs.count == 0 || a.outputs.count == 0)
            cli_complain("check", "%s is needed", a.inputs.count == 0 ? "--inputs" : "--output");
        else if (read_options(&a))
            status = judge_all(&a, command);
    }
    free(command);
    array_file_clear(&a.inputs), array_file_clear(&a.outputs);
    return status;
}
