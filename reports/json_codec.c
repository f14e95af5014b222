#include "reports/json_codec.h"
#include "numerics/exact/number.h"
#include "reports/provenance.h"
#include "reports/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *json_text(const json_t *j, const char *key) {
    const char *text = json_string_value(json_object_get(j, key));
    return text != NULL ? text : "";
}

const json_t *json_find(const json_t *array, const char *key, const char *text) {
    size_t i;
    const json_t *item;
    json_array_foreach(array, i, item) {
        if (strcmp(json_text(item, key), text) == 0)
            return item;
    }
    return NULL;
}

static json_t *integer_to_json(const fmpz_t x) {
    char *text = fmpz_get_str(NULL, 10, x);
    json_t *j = json_string(text);
    flint_free(text);
    return j;
}

static int integer_from_json(fmpz_t x, const json_t *j) {
    if (!json_is_string(j))
        return 0;
    const char *text = json_string_value(j), *digits = text + (text[0] == '-');
    size_t n = strspn(digits, "0123456789");
    return n > 0 && n < 1000000 && digits[n] == '\0' && fmpz_set_str(x, text, 10) == 0;
}

static json_t *arf_to_json(const arf_t x) {
    if (!arf_is_finite(x))
        return json_null();
    fmpz_t m, e;
    fmpz_init(m);
    fmpz_init(e);
    arf_get_fmpz_2exp(m, e, x);
    json_t *j = json_array();
    json_array_append_new(j, integer_to_json(m));
    json_array_append_new(j, integer_to_json(e));
    fmpz_clear(m);
    fmpz_clear(e);
    return j;
}

static int arf_from_json(arf_t x, const json_t *j) {
    if (!json_is_array(j) || json_array_size(j) != 2)
        return 0;
    fmpz_t m, e;
    fmpz_init(m);
    fmpz_init(e);
    int ok = integer_from_json(m, json_array_get(j, 0)) &&
             integer_from_json(e, json_array_get(j, 1)) && fmpz_bits(e) < 40;
    if (ok)
        arf_set_fmpz_2exp(x, m, e);
    fmpz_clear(m);
    fmpz_clear(e);
    return ok;
}

json_t *report_dyadic_to_json(const arf_t x) {
    arb_t ball;
    enclosure_t e;
    arb_init(ball);
    enclosure_init(e);
    arb_set_arf(ball, x);
    enclosure_set_ball(e, ball);
    json_t *j = report_enclosure_to_json(e);
    arb_clear(ball);
    enclosure_clear(e);
    return j;
}

json_t *report_enclosure_to_json(const enclosure_t x) {
    json_t *j = json_object();
    if (x->type == ENCLOSURE_RATIONAL) {
        json_object_set_new(j, "type", json_string("rational"));
        json_object_set_new(j, "num", integer_to_json(fmpq_numref(x->rational)));
        json_object_set_new(j, "den", integer_to_json(fmpq_denref(x->rational)));
    } else if (x->type == ENCLOSURE_BALL) {
        arf_t rad;
        arf_init(rad);
        arf_set_mag(rad, arb_radref(x->ball));
        int finite = arb_is_finite(x->ball);
        json_object_set_new(j, "type", json_string("ball"));
        json_object_set_new(j, "mid", finite ? arf_to_json(arb_midref(x->ball)) : json_null());
        json_object_set_new(j, "rad", finite ? arf_to_json(rad) : json_null());
        arf_clear(rad);
    } else {
        char text[32];
        json_object_set_new(j, "type", json_string("measured"));
        json_object_set_new(j, "estimate", json_real(x->measured.estimate));
        json_object_set_new(j, "lower", json_real(x->measured.lower));
        json_object_set_new(j, "upper", json_real(x->measured.upper));
        snprintf(text, sizeof text, "%lu", (unsigned long)x->measured.samples);
        json_object_set_new(j, "n", json_string(text));
        snprintf(text, sizeof text, "%lu", (unsigned long)x->measured.seed);
        json_object_set_new(j, "seed", json_string(text));
    }
    return j;
}

/* r := x; exact for the radii that balls have (30 bits), rounded up for others. */
static void radius_from_arf(mag_t r, const arf_t x) {
    fmpz_t m, e;
    fmpz_init(m);
    fmpz_init(e);
    arf_get_fmpz_2exp(m, e, x);
    if (fmpz_bits(m) <= 30)
        mag_set_ui_2exp_si(r, fmpz_get_ui(m), fmpz_get_si(e));
    else
        arf_get_mag(r, x);
    fmpz_clear(m);
    fmpz_clear(e);
}

static int ball_from_json(enclosure_t x, const json_t *j) {
    arb_t ball;
    arf_t rad;
    arb_init(ball);
    arf_init(rad);
    int ok = 1;
    if (json_is_null(json_object_get(j, "mid")))
        arb_indeterminate(ball);
    else
        ok = arf_from_json(arb_midref(ball), json_object_get(j, "mid")) &&
             arf_from_json(rad, json_object_get(j, "rad")) && arf_sgn(rad) >= 0;
    if (ok && arb_is_finite(ball))
        radius_from_arf(arb_radref(ball), rad);
    if (ok)
        enclosure_set_ball(x, ball);
    arb_clear(ball);
    arf_clear(rad);
    return ok;
}

int report_enclosure_from_json(enclosure_t x, const json_t *j) {
    if (json_is_string(j)) { /* the short form of a rational, as certificates have it */
        fmpq_t q;
        fmpq_init(q);
        int ok = exact_parse_rational(q, json_string_value(j)) == NULL;
        if (ok)
            enclosure_set_rational(x, q);
        fmpq_clear(q);
        return ok;
    }
    const char *type = json_string_value(json_object_get(j, "type"));
    if (type == NULL)
        return 0;
    if (strcmp(type, "rational") == 0) {
        fmpq_t q;
        fmpq_init(q);
        int ok = integer_from_json(fmpq_numref(q), json_object_get(j, "num")) &&
                 integer_from_json(fmpq_denref(q), json_object_get(j, "den")) &&
                 fmpz_sgn(fmpq_denref(q)) > 0;
        if (ok) {
            fmpq_canonicalise(q);
            enclosure_set_rational(x, q);
        } else {
            fmpz_one(fmpq_denref(q));
        }
        fmpq_clear(q);
        return ok;
    }
    if (strcmp(type, "ball") == 0)
        return ball_from_json(x, j);
    if (strcmp(type, "measured") == 0) {
        enclosure_measurement m;
        const char *n = json_string_value(json_object_get(j, "n")),
                   *seed = json_string_value(json_object_get(j, "seed"));
        if (n == NULL || seed == NULL)
            return 0;
        m.estimate = json_number_value(json_object_get(j, "estimate"));
        m.lower = json_number_value(json_object_get(j, "lower"));
        m.upper = json_number_value(json_object_get(j, "upper"));
        m.samples = strtoul(n, NULL, 10);
        m.seed = strtoul(seed, NULL, 10);
        enclosure_set_measured(x, m);
        return 1;
    }
    return 0;
}

json_t *report_series_to_json(const series *s) {
    json_t *j = json_object(), *columns = json_array(), *rows = json_array();
    json_object_set_new(j, "id", json_string(s->id));
    json_object_set_new(j, "title", json_string(s->title));
    for (slong c = 0; c < s->columns; c++) {
        json_t *column = json_object();
        json_object_set_new(column, "name", json_string(s->column[c].name));
        json_object_set_new(column, "unit", json_string(s->column[c].unit));
        json_array_append_new(columns, column);
    }
    for (slong r = 0; r < s->rows; r++) {
        json_t *row = json_array();
        for (slong c = 0; c < s->columns; c++)
            json_array_append_new(row, report_enclosure_to_json(s->value + r * s->columns + c));
        json_array_append_new(rows, row);
    }
    json_object_set_new(j, "columns", columns);
    json_object_set_new(j, "rows", rows);
    return j;
}

series *report_series_from_json(const json_t *j) {
    const char *id = json_string_value(json_object_get(j, "id")),
               *title = json_string_value(json_object_get(j, "title"));
    const json_t *columns = json_object_get(j, "columns"), *rows = json_object_get(j, "rows");
    slong n = (slong)json_array_size(columns);
    if (id == NULL || title == NULL || n < 1 || n > 64 || !json_is_array(rows))
        return NULL;
    const char *names[128];
    for (slong c = 0; c < n; c++) {
        const json_t *column = json_array_get(columns, (size_t)c);
        names[2 * c] = json_string_value(json_object_get(column, "name"));
        names[2 * c + 1] = json_string_value(json_object_get(column, "unit"));
        if (names[2 * c] == NULL || names[2 * c + 1] == NULL)
            return NULL;
    }
    series *s = series_new(id, title, n, names);
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const json_t *row = json_array_get(rows, r);
        enclosure_struct *cell = series_append(s);
        for (slong c = 0; c < n; c++)
            if ((slong)json_array_size(row) != n ||
                !report_enclosure_from_json(cell + c, json_array_get(row, (size_t)c))) {
                series_free(s);
                return NULL;
            }
    }
    return s;
}

static json_t *rational_to_json(const fmpq_t q) {
    char *text = exact_fraction(q);
    json_t *j = json_string(text);
    flint_free(text);
    return j;
}

json_t *report_witness_to_json(const witness_t w) {
    json_t *j = json_object(), *inputs = json_object(), *conclusion = json_object();
    json_object_set_new(j, "schema", json_string("mneme-witness-1"));
    json_object_set_new(j, "id", json_string(w->id));
    json_object_set_new(j, "kind", json_string(w->kind));
    for (slong i = 0; i < w->inputs; i++) {
        const witness_input *in = w->input + i;
        json_t *values = json_array();
        for (slong k = 0; k < in->count; k++)
            json_array_append_new(values, rational_to_json(in->value + k));
        json_object_set_new(inputs, in->name, values);
    }
    json_object_set_new(j, "inputs", inputs);
    json_object_set_new(conclusion, "lhs", report_enclosure_to_json(w->lhs));
    json_object_set_new(conclusion, "rel", json_string(relation_symbol(w->rel)));
    json_object_set_new(conclusion, "rhs", report_enclosure_to_json(w->rhs));
    json_object_set_new(j, "conclusion", conclusion);
    json_object_set_new(j, "min_precision", json_integer(w->min_precision));
    return j;
}

static int is_certain(const enclosure_t x) {
    return x->type == ENCLOSURE_RATIONAL || (x->type == ENCLOSURE_BALL && arb_is_finite(x->ball));
}

int report_is_plain_name(const char *text) {
    size_t n = strlen(text);
    return n > 0 && n < 100 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == n;
}

static int read_inputs(witness_t w, json_t *inputs) {
    const char *name;
    json_t *values;
    json_object_foreach(inputs, name, values) {
        if (!report_is_plain_name(name))
            return 0;
        slong n = (slong)json_array_size(values);
        if (!json_is_array(values) || n > 100000)
            return 0;
        fmpq *list = _fmpq_vec_init(n > 0 ? n : 1);
        int ok = 1;
        for (slong k = 0; k < n && ok; k++) {
            const char *text = json_string_value(json_array_get(values, (size_t)k));
            ok = text != NULL && exact_parse_rational(list + k, text) == NULL;
        }
        if (ok)
            witness_add(w, name, list, n);
        _fmpq_vec_clear(list, n > 0 ? n : 1);
        if (!ok)
            return 0;
    }
    return 1;
}

int report_witness_from_json(witness_t w, const json_t *j, const char **reason) {
    const char *schema = json_string_value(json_object_get(j, "schema")),
               *id = json_string_value(json_object_get(j, "id")),
               *kind = json_string_value(json_object_get(j, "kind"));
    const json_t *conclusion = json_object_get(j, "conclusion"),
                 *precision = json_object_get(j, "min_precision");
    const char *symbol = json_string_value(json_object_get(conclusion, "rel"));
    relation rel;
    if (schema == NULL || strcmp(schema, "mneme-witness-1") != 0) {
        *reason = "\"schema\" must be \"mneme-witness-1\"";
        return 0;
    }
    if (id == NULL || kind == NULL || !json_is_object(json_object_get(j, "inputs"))) {
        *reason = "needs \"id\", \"kind\" and an object \"inputs\"";
        return 0;
    }
    if (!report_is_plain_name(id) || !report_is_plain_name(kind)) {
        *reason =
            "\"id\" and \"kind\" must be made of letters, digits, dots, dashes and underscores";
        return 0;
    }
    if (symbol == NULL || !relation_from_symbol(&rel, symbol)) {
        *reason = "\"conclusion\" needs \"rel\", one of <, <=, =, >=, >";
        return 0;
    }
    if (!json_is_integer(precision) || json_integer_value(precision) < 2 ||
        json_integer_value(precision) > 65536) {
        *reason = "\"min_precision\" must be a whole number of bits from 2 to 65536";
        return 0;
    }
    witness_init(w, id, kind);
    enclosure_t lhs, rhs;
    enclosure_init(lhs);
    enclosure_init(rhs);
    int ok = 1;
    if (!read_inputs(w, json_object_get(j, "inputs"))) {
        *reason = "every input must be an array of fractions as strings";
        ok = 0;
    } else if (!report_enclosure_from_json(lhs, json_object_get(conclusion, "lhs")) ||
               !report_enclosure_from_json(rhs, json_object_get(conclusion, "rhs")) ||
               !is_certain(lhs) || !is_certain(rhs)) {
        *reason = "\"conclusion\" needs \"lhs\" and \"rhs\", each a rational or a finite ball";
        ok = 0;
    } else {
        witness_conclude(w, lhs, rel, rhs, (slong)json_integer_value(precision));
    }
    enclosure_clear(lhs);
    enclosure_clear(rhs);
    if (!ok)
        witness_clear(w);
    return ok;
}

int report_witness_file(const char *what, const char *prefix, const char *suffix,
                        const witness_t w) {
    text_buffer path;
    json_t *j = report_witness_to_json(w);
    json_object_set_new(j, "provenance", provenance_json());
    char *text = json_dumps(j, JSON_INDENT(1));
    text_init(&path);
    text_printf(&path, "%s%s", prefix, suffix);
    int ok = text != NULL && output_write(what, path.data, text, strlen(text));
    free(path.data);
    free(text);
    json_decref(j);
    return ok;
}

char *report_enclosure_text(const enclosure_t x) {
    text_buffer b;
    text_init(&b);
    if (x->type == ENCLOSURE_RATIONAL && fmpz_bits(fmpq_numref(x->rational)) <= 24 &&
        fmpz_bits(fmpq_denref(x->rational)) <= 24) {
        char *text = exact_fraction(x->rational);
        text_printf(&b, "%s", text);
        flint_free(text);
    } else if (x->type == ENCLOSURE_MEASURED) {
        text_printf(&b, "%.6g [%.6g, %.6g]", x->measured.estimate, x->measured.lower,
                    x->measured.upper);
    } else {
        arb_t ball;
        arb_init(ball);
        enclosure_get_ball(ball, x, 64);
        char *text = arb_get_str(ball, 7, 0); /* digits as far as certain, then the radius */
        text_printf(&b, "%s", text);
        flint_free(text);
        arb_clear(ball);
    }
    return text_take(&b);
}
