/* One work unit, in this process. */
#include "reports/json_codec.h"
#include "reports/runner.h"
#include "reports/text.h"
#include "numerics/exact/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

series **runner_certificates(const claim *c, const char *data, slong *count, char **complaint) {
    text_buffer path, message;
    size_t length;
    int error;
    json_error_t where;
    *count = 0;
    text_init(&path);
    text_printf(&path, "%s/baselines/%s.json", data, c->id);
    char *text = input_read(path.data, (size_t)256 << 20, &length, &error);
    if (text == NULL && error == ENOENT) {
        free(path.data);
        return calloc(1, sizeof(series *));
    }
    json_t *j = text != NULL ? json_loadb(text, length, 0, &where) : NULL;
    const json_t *tables = json_object_get(j, "series");
    series **list = calloc(json_array_size(tables) + 1, sizeof *list);
    int ok = json_is_array(tables);
    for (size_t i = 0; ok && i < json_array_size(tables); i++) {
        list[i] = report_series_from_json(json_array_get(tables, i));
        ok = list[i] != NULL;
        *count += ok;
    }
    if (!ok) {
        text_init(&message);
        if (text == NULL)
            text_printf(&message, "%s: %s", path.data, strerror(error));
        else if (j == NULL)
            text_printf(&message,
                        "%s: not JSON: %s (line %d, column %d); make baseline rewrites it",
                        path.data, where.text, where.line, where.column);
        else
            text_printf(&message, "%s: not a table of certificates; make baseline rewrites it",
                        path.data);
        *complaint = text_take_line(&message);
        runner_certificates_free(list, *count);
        list = NULL;
        *count = 0;
    }
    json_decref(j);
    free(text);
    free(path.data);
    return list;
}

void runner_certificates_free(series **list, slong count) {
    for (slong i = 0; list != NULL && i < count; i++)
        series_free(list[i]);
    free(list);
}

static json_t *found_to_json(const check_context *ctx) {
    static const char *const outcomes[] = {"undecided", "holds", "fails"};
    json_t *j = json_object(), *numbers = json_array(), *tables = json_array(),
           *witnesses = json_array();
    json_object_set_new(j, "outcome", json_string(outcomes[ctx->outcome]));
    json_object_set_new(j, "precision", json_integer(ctx->prec));
    json_object_set_new(j, "decisions", json_integer(ctx->decisions));
    json_object_set_new(j, "undecided", json_integer(ctx->undecided));
    json_object_set_new(j, "sampled", json_integer(ctx->sampled));
    json_object_set_new(j, "cases", json_integer(ctx->cases));
    json_object_set_new(j, "label", json_string(ctx->label));
    json_object_set_new(j, "skipped", json_string(ctx->skipped));
    if (ctx->label[0] != '\0') {
        json_object_set_new(j, "lhs", report_enclosure_to_json(ctx->lhs));
        json_object_set_new(j, "relation", json_string(relation_symbol(ctx->rel)));
        json_object_set_new(j, "rhs", report_enclosure_to_json(ctx->rhs));
        json_object_set_new(j, "margin", report_dyadic_to_json(ctx->margin));
    }
    json_object_set_new(j, "margin_positive", json_boolean(arf_sgn(ctx->margin) > 0));
    for (slong i = 0; i < ctx->numbers; i++) {
        json_t *n = json_object();
        json_object_set_new(n, "name", json_string(ctx->number[i].name));
        json_object_set_new(n, "unit", json_string(ctx->number[i].unit));
        json_object_set_new(n, "value", report_enclosure_to_json(ctx->number[i].value));
        json_array_append_new(numbers, n);
    }
    for (slong i = 0; i < ctx->tables; i++)
        json_array_append_new(tables, report_series_to_json(ctx->table[i]));
    for (slong i = 0; i < ctx->witnesses; i++)
        json_array_append_new(witnesses, report_witness_to_json(ctx->witness + i));
    json_object_set_new(j, "numbers", numbers);
    json_object_set_new(j, "series", tables);
    json_object_set_new(j, "witnesses", witnesses);
    return j;
}

json_t *runner_unit(const work_unit *u, const run_options *o, char **complaint) {
    check_context ctx;
    slong count;
    series **certificates = runner_certificates(u->claim, o->data, &count, complaint);
    if (certificates == NULL)
        return NULL;
    claim_setting_value *setting = calloc((size_t)o->settings + 1, sizeof *setting);
    for (slong i = 0; i < o->settings; i++) {
        setting[i].name = (char *)(uintptr_t)o->setting[i].name;
        fmpq_init(setting[i].value);
        exact_parse_rational(setting[i].value, o->setting[i].text);
    }
    double start = seconds_now();
    check_context_init(&ctx);
    ctx.claim = u->claim;
    ctx.level = u->level;
    ctx.index = u->index;
    ctx.seed = u->seed;
    ctx.settings = o->settings;
    ctx.setting = setting;
    ctx.certificates = count;
    ctx.certificate = certificates;
    for (ctx.prec = PREC_START;; ctx.prec *= 2) {
        check_context_reset(&ctx);
        u->check->run(&ctx, u->control != NULL ? u->control->parameter : u->check->parameter);
        if (ctx.outcome != TRUTH_UNDECIDED || ctx.skipped[0] != '\0' || 2 * ctx.prec > PREC_CAP)
            break;
    }
    if (ctx.decisions == 0 && ctx.skipped[0] == '\0') /* nothing was decided: nothing holds */
        ctx.outcome = TRUTH_UNDECIDED;
    json_t *j = found_to_json(&ctx);
    char name[WORK_UNIT_NAME];
    work_unit_name(name, u);
    json_object_set_new(j, "unit", json_string(name));
    json_object_set_new(j, "seconds", json_real(seconds_now() - start));
    json_object_set_new(j, "complete", json_true());
    check_context_clear(&ctx);
    for (slong i = 0; i < o->settings; i++)
        fmpq_clear(setting[i].value);
    free(setting);
    runner_certificates_free(certificates, count);
    return j;
}
