/* A table of weights and rates is read or refused in one line; written with exact numbers, or as
 * mneme soe writes it, it is read as the same table. */
#include "numerics/exact/number.h"
#include "reports/soe_text.h"
#include "tests/fuzz/fuzz.h"

static int same_sum(const soe_sum_t a, const soe_sum_t b) {
    int same = a->terms == b->terms && a->form == b->form;
    for (slong s = 0; same && s < a->terms; s++)
        same = fmpq_equal(a->weight + s, b->weight + s) && fmpq_equal(a->mode + s, b->mode + s);
    return same;
}

/* The table as CSV: the groups numbered, their horizons in a column if they have one. */
static char *written(const soe_table *t) {
    text_buffer b;
    text_init(&b);
    const soe_group *first = t->group;
    text_printf(&b, "group,%sweight,%s\n", first->has_horizon ? "T," : "",
                first->sum->form == SOE_RATE ? "rate" : "node");
    for (slong g = 0; g < t->groups; g++)
        for (slong s = 0; s < t->group[g].sum->terms; s++) {
            char *horizon = exact_fraction(t->group[g].horizon),
                 *weight = exact_fraction(t->group[g].sum->weight + s),
                 *mode = exact_fraction(t->group[g].sum->mode + s);
            text_printf(&b, "%ld,%s%s%s,%s\n", (long)g, first->has_horizon ? horizon : "",
                        first->has_horizon ? "," : "", weight, mode);
            flint_free(horizon), flint_free(weight), flint_free(mode);
        }
    return text_take(&b);
}

static void read_again(const soe_table *t, const char *text) {
    soe_table again;
    char *complaint;
    fuzz_demand(soe_table_read(&again, text, &complaint));
    fuzz_demand(again.groups == t->groups);
    for (slong g = 0; g < t->groups; g++) {
        fuzz_demand(same_sum(again.group[g].sum, t->group[g].sum));
        fuzz_demand(again.group[g].has_horizon == t->group[g].has_horizon);
        fuzz_demand(fmpq_equal(again.group[g].horizon, t->group[g].horizon));
    }
    soe_table_clear(&again);
}

/* What mneme soe prints of a sum of rates says that sum. */
static void print_and_read(const soe_table *t) {
    soe_bound_t bound;
    arf_t zero;
    text_buffer b;
    soe_sum_t shown;
    soe_sum_init(shown, t->group->sum->terms, SOE_RATE);
    soe_sum_set(shown, t->group->sum);
    soe_round_for_output(shown, SOE_CSV, 17);
    soe_bound_init(bound);
    arf_init(zero);
    text_init(&b);
    const soe_facts facts = {"1/2", "100", "minimax", 0, bound, zero, zero, 0, ""};
    soe_print(&b, shown, SOE_CSV, 17, &facts);
    soe_group group = *t->group;
    group.has_horizon = 0;
    fmpq_init(group.horizon);
    *group.sum = *shown;
    soe_table one = {1, &group};
    read_again(&one, b.data);
    free(b.data);
    soe_bound_clear(bound);
    soe_sum_clear(shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char *text = fuzz_string(bytes, size), *complaint = NULL;
    soe_table table;
    if (soe_table_read(&table, text, &complaint)) {
        fuzz_demand(complaint == NULL && table.groups > 0 && table.group->sum->terms > 0);
        char *again = written(&table);
        read_again(&table, again);
        free(again);
        if (table.group->sum->form == SOE_RATE)
            print_and_read(&table);
    } else {
        fuzz_demand(table.groups == 0 && complaint != NULL && strlen(complaint) > 8 &&
                    strchr(complaint, '\n') == NULL);
        free(complaint);
    }
    soe_table_clear(&table);
    free(text);
    return 0;
}
