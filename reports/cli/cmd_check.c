/* mneme check */
#include "numerics/accuracy/inputs.h"
#include "numerics/exact/number.h"
#include "reports/check.h"
#include "reports/cli/cli.h"
#include "reports/writers.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHECK_FILES = 32 };

typedef struct {
    array_file inputs, outputs;
    const char *layout, *dtype, *scale, *lambda0, *refresh, *refresh_every, *position, *normalise,
        *strict, *rtol, *atol, *accept, *operands, *accumulate, *chunk, *json, *junit, *grad, *emit,
        *shape, *seed, *family;
    const char *input[CHECK_FILES], *output[CHECK_FILES], *state;
    int input_count, output_count;
    int64_t input_end[CHECK_FILES], output_end[CHECK_FILES]; /* arrays read up to each file */
    char complaint[CHECK_LINE];
} check_arguments;

/* --inputs and --output, each as often as there are files. */
static int keep(const char *option, const char **list, int *count, const char *value) {
    if (*count == CHECK_FILES)
        return cli_complain("check", "%s: at most %d files are wanted", option, *count), 0;
    list[(*count)++] = value;
    return 1;
}
static int keep_input(const char *value, void *data) {
    check_arguments *a = data;
    return keep("--inputs", a->input, &a->input_count, value);
}
static int keep_output(const char *value, void *data) {
    check_arguments *a = data;
    return keep("--output", a->output, &a->output_count, value);
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
    else if (isinf(*x))
        cli_complain("check", "%s: %s is beyond float64", option, text);
    else if (!(*x >= low))
        cli_complain("check", "%s: %s is out of range; at least %g is wanted", option, text, low);
    return why == NULL && !isinf(*x) && *x >= low;
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
static bool read_type(int *type, const char *option, const char *text) {
    int bits, least, most;
    array_type t;
    if (!text)
        return true;
    *type = CHECK_NOT_GIVEN;
    if (array_type_from_name(&t, text) && arithmetic_format(t, &bits, &least, &most)) {
        *type = (int)t;
        return true;
    }
    cli_complain(
        "check",
        "%s: \"%s\" is not a floating type; float64, float32, float16 or bfloat16 is wanted",
        option, text);
    return false;
}
static bool one_of(const char *option, const char *text, const char *first, const char *second) {
    if (!text || strcmp(text, first) == 0 || (second && strcmp(text, second) == 0))
        return true;
    cli_complain("check", "%s: \"%s\" is not known; %s%s%s is wanted", option, text, first,
                 second ? " or " : "", second ? second : "");
    return false;
}

static bool read_options(check_options *o, const check_arguments *a) {
    o->normalise = a->normalise != NULL, o->strict = a->strict != NULL;
    o->tf32 = a->operands && strcmp(a->operands, "tf32") == 0;
    if (!one_of("--layout", a->layout, "bthd", "bhtd") ||
        !one_of("--accept", a->accept, "twin", NULL) ||
        !read_type(&o->dtype, "--dtype", a->dtype) ||
        !read_type(&o->operands, "--operands", o->tf32 ? "float32" : a->operands) ||
        !read_type(&o->accumulate, "--accumulate", a->accumulate))
        return false;
    o->heads_first = a->layout && strcmp(a->layout, "bhtd") == 0;
    o->bfloat16 = o->dtype == ARRAY_BF16;
    o->accept_twin = a->accept != NULL;
    o->tolerance = a->rtol || a->atol;
    return read_number(&o->scale, "--scale", a->scale, -INFINITY) &&
           read_number(&o->lambda0, "--lambda0", a->lambda0, -INFINITY) &&
           read_number(&o->refresh, "--refresh", a->refresh, -INFINITY) &&
           read_count(&o->refresh_every, "--refresh-every", a->refresh_every, 0, 1L << 40) &&
           read_count(&o->position, "--position", a->position, 0, 1L << 40) &&
           read_count(&o->chunk, "--chunk", a->chunk, 1, ARITHMETIC_MAX_CHUNK) &&
           read_number(&o->rtol, "--rtol", a->rtol, 0) &&
           read_number(&o->atol, "--atol", a->atol, 0);
}

/* ---- judging ---- */

static bool write_file(const char *path, json_t *j, char *text) {
    bool good = output_write("mneme check", path, text, strlen(text));
    free(text);
    json_decref(j);
    return good;
}
static bool write_reports(const check_arguments *a, const check_report *r) {
    bool good = true;
    if (a->json) {
        json_t *j = check_json(r);
        good = write_file(a->json, j, report_write_json(j));
    }
    if (a->junit) {
        json_t *j = check_junit(r);
        good = write_file(a->junit, j, report_write_junit(j)) && good;
    }
    return good;
}

/* No array that is read may be written over. */
static bool reports_have_places(const check_arguments *a) {
    const cli_file outputs[] = {{"--json", a->json}, {"--junit", a->junit}, {NULL, NULL}};
    cli_file read[2 * CHECK_FILES + 2] = {{NULL, NULL}};
    int n = 0;
    for (int i = 0; i < a->input_count; i++)
        read[n++] = (cli_file){"--inputs", check_path(a->input[i])};
    for (int i = 0; i < a->output_count; i++)
        read[n++] = (cli_file){"--output", check_path(a->output[i])};
    if (a->state)
        read[n++] = (cli_file){"--state-output", check_path(a->state)};
    return cli_places("check", outputs, read) == EXIT_PASS;
}

/* On a terminal only: the exact results may take minutes. */
static bool show(double done, void *data) {
    (void)data;
    fprintf(stderr, "\rexact results: %.0f%%\033[K", 100 * done);
    return true;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The file of the array that the complaint begins with, or NULL. */
static const char *file_of(const check_arguments *a) {
    const struct {
        const array_file *arrays;
        const int64_t *end;
        const char *const *file;
        int files;
    } all[] = {{&a->inputs, a->input_end, a->input, a->input_count},
               {&a->outputs, a->output_end, a->output, a->output_count}};
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0, f = 0; i < all[side].arrays->count; i++) {
            const char *name = all[side].arrays->item[i].name;
            const size_t n = strlen(name);
            while (f < all[side].files && i >= all[side].end[f])
                f++;
            if (n > 0 && strncmp(a->complaint, name, n) == 0 && strchr("[ :", a->complaint[n]))
                return f < all[side].files ? check_path(all[side].file[f]) : a->state;
        }
    return NULL;
}

/* The call, its reference, the verdicts; the exit status. */
static int judge_all(check_arguments *a, const check_options *o, const char *command) {
    check_call call;
    check_report r = {.options = o, .call = &call, .command = command, .seconds = now()};
    const char *nameless = a->grad ? "dq" : "o";
    if (!reports_have_places(a))
        return EXIT_BAD_INPUT;
    for (int i = 0; i < a->input_count; i++)
        if (!check_read(&a->inputs, a->input[i], NULL, a->complaint))
            return cli_complain("check", "--inputs: %s", a->complaint);
        else
            a->input_end[i] = a->inputs.count;
    for (int i = 0; i < a->output_count; i++)
        if (!check_read(&a->outputs, a->output[i], nameless, a->complaint))
            return cli_complain("check", "--output: %s", a->complaint);
        else
            a->output_end[i] = a->outputs.count;
    if (a->state && !check_read(&a->outputs, a->state, "final_state", a->complaint))
        return cli_complain("check", "--state-output: %s", a->complaint);
    bool good = check_inputs(&call, o, &a->inputs, a->complaint), terminal = isatty(STDERR_FILENO);
    r.watch = terminal ? show : NULL;
    good = good &&
           (a->grad ? check_gradients : check_outputs)(&r, &a->inputs, &a->outputs, a->complaint);
    if (terminal)
        fprintf(stderr, "\r\033[K");
    int status = EXIT_BAD_INPUT;
    if (good) {
        text_buffer text;
        r.seconds = now() - r.seconds;
        text_init(&text);
        check_print(&text, &r);
        fputs(text.data, stdout);
        free(text_take(&text));
        status = check_verdict(&r) == JUDGE_OK ? EXIT_PASS : EXIT_CHECK_FAILED;
        if (!write_reports(a, &r))
            status = EXIT_BAD_INPUT;
    } else {
        const char *file = file_of(a);
        cli_complain("check", "%s%s%s", file ? file : "", file ? ": " : "", a->complaint);
    }
    check_report_clear(&r);
    check_call_clear(&call);
    return status;
}

/* ---- inputs for the other side ---- */

/* "B,T,H,D" or "B,T,H,DK,DV", or as mneme regress writes them: "T=129,d=64". */
static bool read_shape(inputs_shape *s, const char *text) {
    char named[INPUTS_SHAPE_TEXT], complaint[INPUTS_COMPLAINT], part[5][32] = {""};
    int n = 0;
    if (!strchr(text, '=')) {
        for (const char *p = text; p != NULL; n++) {
            const char *comma = strchr(p, ',');
            int length = comma ? (int)(comma - p) : (int)strlen(p);
            if (n < 5)
                snprintf(part[n], sizeof part[n], "%.*s", length, p);
            p = comma ? comma + 1 : NULL;
        }
        snprintf(named, sizeof named, "B=%s,T=%s,H=%s,dk=%s,dv=%s", part[0], part[1], part[2],
                 part[3], part[n == 5 ? 4 : 3]);
        if (n < 4 || n > 5) {
            cli_complain("check",
                         "--shape: \"%s\" has %d numbers; B,T,H,D or B,T,H,DK,DV is wanted", text,
                         n);
            return false;
        }
        text = named;
    }
    if (inputs_parse_shape(s, text, complaint))
        return true;
    cli_complain("check", "--shape: %s", complaint);
    return false;
}

static bool read_family(inputs_family *family, const char *text) {
    char list[200] = "";
    *family = INPUTS_GAUSSIAN;
    if (!text)
        return true;
    for (int i = 0; i < INPUTS_FAMILIES; i++) {
        if (strcmp(inputs_family_names[i], text) == 0) {
            *family = (inputs_family)i;
            return true;
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 inputs_family_names[i]);
    }
    cli_complain("check", "--family: \"%s\" is not known; one of %s is wanted", text, list);
    return false;
}

/* What a kernel of that name takes. */
static inputs_kind kind_of(const check_kernel *k, bool normalise) {
    return (inputs_kind){.name = k->name,
                         .kernel = k->kernel,
                         .gates = k->gates == CHECK_KEY_GATES     ? INPUTS_KEY_GATES
                                  : k->gates == CHECK_TOKEN_GATES ? INPUTS_TOKEN_GATES
                                                                  : INPUTS_UNGATED,
                         .normalise = normalise,
                         .weights = k->rate || k->kernel == MN_LOGLINEAR};
}

static int emit(check_arguments *a, const check_options *o) {
    inputs_shape shape;
    inputs_family family;
    inputs_case c;
    long seed = 1;
    array_type type = o->dtype == CHECK_NOT_GIVEN ? ARRAY_F32 : (array_type)o->dtype;
    const struct {
        const char *option, *text;
    } judging[] = {{"--inputs", a->input_count ? "" : NULL},
                   {"--state-output", a->state},
                   {"--scale", a->scale},
                   {"--lambda0", a->lambda0},
                   {"--refresh", a->refresh},
                   {"--refresh-every", a->refresh_every},
                   {"--position", a->position},
                   {"--grad", a->grad},
                   {"--operands", a->operands},
                   {"--accumulate", a->accumulate},
                   {"--chunk", a->chunk},
                   {"--rtol", a->rtol},
                   {"--atol", a->atol},
                   {"--accept", a->accept},
                   {"--strict", a->strict},
                   {"--json", a->json},
                   {"--junit", a->junit}};
    for (size_t i = 0; i < sizeof judging / sizeof *judging; i++)
        if (judging[i].text)
            return cli_complain("check", "%s does not go with --emit-inputs", judging[i].option);
    if (!a->shape || a->output_count != 1)
        return cli_complain("check", "--emit-inputs wants --shape B,T,H,D and --output FILE");
    if (type == ARRAY_F64)
        return cli_complain("check", "--dtype: inputs are float32, float16 or bfloat16");
    if (!read_shape(&shape, a->shape) || !read_family(&family, a->family) ||
        (a->seed && !cli_whole("check", "--seed", a->seed, 0, LONG_MAX, &seed)))
        return EXIT_BAD_INPUT;
    inputs_kind kind = kind_of(o->kernel, o->normalise);
    const char *path = a->output[0];
    size_t n = strlen(path);
    if (n > 4 && strcmp(path + n - 4, ".npy") == 0)
        return cli_complain(
            "check", "--output: %s: a .npy holds one array; .npz or .safetensors is wanted", path);
    if (o->normalise && kind.kernel != MN_LINEAR && kind.kernel != MN_VLA && kind.kernel != MN_VORT)
        return cli_complain("check", "--normalise: %s has no normaliser", o->kernel->name);
    if (!inputs_possible(&kind, &shape))
        return cli_complain("check",
                            "--shape: %s has no inputs of shape %s; KV must divide H, segments be "
                            "at least 2 with B=1, past go with softmax, position with state=1",
                            o->kernel->name, a->shape);
    if (!inputs_make(&c, &kind, &shape, family, type, (uint64_t)seed))
        return cli_complain("check", "--shape: there is not enough memory for %s", a->shape);
    array_file f = {0, NULL};
    bool tensors = n > 12 && strcmp(path + n - 12, ".safetensors") == 0;
    bool good =
        check_emit(&f, &c.args, type, o, a->complaint) &&
        (tensors ? array_write_safetensors : array_write_npz)(path, &f, a->complaint) == ARRAY_OK;
    if (good) {
        printf("%s:", path);
        for (int64_t i = 0; i < f.count; i++)
            printf("%s %s", i ? "," : "", f.item[i].name);
        printf("; layout %s, %s\n", o->heads_first ? "bhtd" : "bthd", array_type_name(type));
    } else {
        cli_complain("check", "--output: %s", a->complaint);
    }
    array_file_clear(&f);
    inputs_clear(&c);
    return good ? EXIT_PASS : EXIT_BAD_INPUT;
}

/* What quotes cannot hold, or JSON: as bash's $'...'. */
static void escaped(text_buffer *b, const char *word) {
    text_printf(b, " $'");
    for (const unsigned char *p = (const unsigned char *)word; *p != '\0'; p++)
        if (*p < 32 || *p >= 127)
            text_printf(b, "\\x%02x", *p);
        else
            text_printf(b, *p == '\'' || *p == '\\' ? "\\%c" : "%c", *p);
    text_printf(b, "'");
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
        json_t *text = json_string(argv[i]); /* NULL: not UTF-8 */
        bool quotable = text != NULL && strchr(argv[i], '\'') == NULL;
        for (const char *p = argv[i]; *p != '\0'; p++)
            quotable = quotable && (unsigned char)*p >= 32 && *p != 127;
        json_decref(text);
        if (plain || quotable)
            text_printf(&b, plain ? " %s" : " '%s'", argv[i]);
        else
            escaped(&b, argv[i]);
    }
    return text_take(&b);
}

static int check(check_arguments *a, int argc, char **argv, const char *command) {
    const char *name = a->emit ? a->emit : argv[0];
    if (argc != (a->emit ? 0 : 1))
        return cli_complain("check",
                            "one kernel is wanted, not %d: linear, delta, vla, loglinear, vort, "
                            "softmax (or flash-linear-attention's simple_gla, gla, ...)",
                            argc + (a->emit != NULL));
    const check_kernel *kernel = check_find_kernel(name);
    check_options o = check_defaults(kernel);
    if (!kernel)
        return cli_complain(
            "check",
            "\"%s\" is not a kernel; linear, delta, vla, loglinear, vort, softmax, "
            "linear_attn, simple_gla, gla, retention, delta_rule, gated_delta_rule, "
            "log_linear_attn or attn is wanted",
            name);
    if (!read_options(&o, a))
        return EXIT_BAD_INPUT;
    if (a->emit)
        return emit(a, &o);
    if (a->input_count == 0 || (a->output_count == 0 && !a->state))
        return cli_complain("check", "%s is needed", a->input_count == 0 ? "--inputs" : "--output");
    bool vla = kernel->kernel == MN_VLA;
    const struct {
        const char *option, *text, *with;
    } idle[] = {{"--shape", a->shape, "--emit-inputs"},
                {"--family", a->family, "--emit-inputs"},
                {"--seed", a->seed, "--emit-inputs"},
                {"--lambda0", vla ? NULL : a->lambda0, "vla"},
                {"--refresh", vla ? NULL : a->refresh, "vla"},
                {"--refresh-every", vla ? NULL : a->refresh_every, "vla"},
                {"--position", vla || kernel->kernel == MN_LOGLINEAR ? NULL : a->position,
                 "vla and loglinear"}};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (idle[i].text)
            return cli_complain("check", "%s goes with %s", idle[i].option, idle[i].with);
    return judge_all(a, &o, command);
}

const cli_manual manual_check = {
    "Judges a kernel's output, dumped from any framework, by the certified result for\n"
    "the same inputs: ok, broken (outside a proven bound of the error, or not finite),\n"
    "suspect (more than twice the error of a plain program in the same arithmetic) or\n"
    "undecided (no bound says anything; --accept twin lets the plain program decide).\n"
    "\n"
    "Arrays are .npy, .npz or .safetensors, named as flash-linear-attention names\n"
    "them: q, k, v, g, beta, initial_state, cu_seqlens ...; o, final_state. Kernels:\n"
    "linear (linear_attn, simple_gla, retention, gla), delta (delta_rule,\n"
    "gated_delta_rule), loglinear (log_linear_attn), softmax (attn), vla, vort.\n"
    "Where T = H the shape does not tell [B,T,H,D] from [B,H,T,D]: say --layout.",
    {{"check simple_gla --inputs in.npz --output out.npz", "outputs and final state"},
     {"check gla --grad --inputs in.npz --output grads.npz", "gradients"},
     {"check --emit-inputs delta_rule --shape 2,512,4,64 --output in.npz", "inputs to run on"},
     {NULL, NULL}},
    NULL};

int cmd_check(int argc, char **argv) {
    check_arguments a = {0};
    const cli_option options[] = {
        {"--inputs", "FILE|NAME=FILE", "q, k, v ... of an .npz or .safetensors, or one .npy each",
         NULL, keep_input, &a},
        {"--output", "FILE|NAME=FILE", "o, final_state ... likewise; a lone .npy is o", NULL,
         keep_output, &a},
        {"--state-output", "FILE", "final_state, a lone .npy", &a.state, NULL, NULL},
        {"--layout", "bthd|bhtd", "[batch, time, head, dim] (default) or [batch, head, time, dim]",
         &a.layout, NULL, NULL},
        {"--dtype", "TYPE",
         "what the output holds: bfloat16 for 16-bit integers, raw bytes, float32", &a.dtype, NULL,
         NULL},
        {"--scale", "X", "of q.k; default dk^(-1/2)", &a.scale, NULL, NULL},
        {"--normalise", NULL, "outputs are over the sum of their weights", &a.normalise, NULL,
         NULL},
        {"--lambda0", "X", "VLA: A starts as I / X", &a.lambda0, NULL, NULL},
        {"--refresh", "X", "VLA: added to the diagonal of A", &a.refresh, NULL, NULL},
        {"--refresh-every", "N", "VLA: after every so many tokens", &a.refresh_every, NULL, NULL},
        {"--position", "N", "log-linear, VLA: of the first token, with initial_state", &a.position,
         NULL, NULL},
        {"--grad", NULL, "the output is dq, dk, dv, dg ..., for do (and dht) among the inputs",
         &a.grad, NULL, NULL},
        {"--operands", "TYPE",
         "what factors are rounded to: a type, or tf32 (default: the output's)", &a.operands, NULL,
         NULL},
        {"--accumulate", "TYPE", "what sums are kept in (default float32; float64 for float64)",
         &a.accumulate, NULL, NULL},
        {"--chunk", "N", "most tokens worked on at once (default 64)", &a.chunk, NULL, NULL},
        {"--rtol", "X", "your tolerance decides: |error| <= atol + rtol |exact|", &a.rtol, NULL,
         NULL},
        {"--atol", "X", "likewise", &a.atol, NULL, NULL},
        {"--accept", "twin", "where no bound decides, twice a plain program's error is right",
         &a.accept, NULL, NULL},
        {"--strict", NULL, "what is only noted is bad input", &a.strict, NULL, NULL},
        {"--json", "F", "the report as JSON", &a.json, NULL, NULL},
        {"--junit", "F", "the report as JUnit XML", &a.junit, NULL, NULL},
        {"--emit-inputs", "KERNEL", "write inputs to --output instead (.npz or .safetensors)",
         &a.emit, NULL, NULL},
        {"--shape", "B,T,H,D[,DV]",
         "of these, or T=129,H=4,KV=2,dk=64,dv=32,segments=3,state=1 ...", &a.shape, NULL, NULL},
        {"--family", "NAME", "gaussian (default), positive, parallel, large, gates, denormal ...",
         &a.family, NULL, NULL},
        {"--seed", "N", "1 if not given; the same seed gives the same bits", &a.seed, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    char *command = command_line(argc, argv);
    if (!cli_parse(cli_find("check"), options, &argc, argv, &status))
        status = check(&a, argc, argv, command);
    free(command);
    array_file_clear(&a.inputs), array_file_clear(&a.outputs);
    return status;
}
