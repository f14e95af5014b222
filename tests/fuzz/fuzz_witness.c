/* A witness is read or refused with a reason; written, it is read as the same witness; its replay
 * and its script come to an end. */
#include "reports/json_codec.h"
#include "tests/fuzz/json.h"

/* Bits of all numbers together, and the largest of them, that are replayed here: the work of a replay
 * grows with both, and a second of it is a thousand files not looked at. */
enum { MOST_BITS = 2000, LARGEST = 64, MOST_PRECISION = 256 };

static int is_small(const witness_t w) {
    ulong bits = 0, largest = 0;
    for (slong i = 0; i < w->inputs; i++)
        for (slong k = 0; k < w->input[i].count; k++) {
            const fmpq *x = w->input[i].value + k;
            bits += fmpz_bits(fmpq_numref(x)) + fmpz_bits(fmpq_denref(x));
            if (fmpz_cmp_si(fmpq_numref(x), LARGEST) > 0 && fmpz_is_one(fmpq_denref(x)))
                largest = 1;
        }
    return bits <= MOST_BITS && largest == 0 && w->min_precision <= MOST_PRECISION;
}

static void replay(const witness_t w) {
    enclosure_t computed;
    const char *reason;
    enclosure_init(computed);
    replay_status status = witness_replay(computed, &reason, w);
    if (status == REPLAY_BAD_INPUT || status == REPLAY_UNKNOWN_KIND)
        fuzz_demand(fuzz_is_line(reason));
    if (status == REPLAY_HOLDS || status == REPLAY_FAILS)
        free(report_enclosure_text(computed));
    enclosure_clear(computed);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    json_t *j = json_loadb((const char *)bytes, size, JSON_REJECT_DUPLICATES, NULL);
    const char *reason = NULL;
    witness_t w, again;
    if (j == NULL)
        return 0;
    if (report_witness_from_json(w, j, &reason)) {
        json_t *written = report_witness_to_json(w);
        fuzz_demand(report_witness_from_json(again, written, &reason));
        json_t *twice = report_witness_to_json(again);
        fuzz_demand(json_equal(written, twice));
        json_decref(written);
        json_decref(twice);
        witness_clear(again);
        free(report_enclosure_text(w->lhs));
        free(report_enclosure_text(w->rhs));
        free(report_witness_to_python(w));
        if (is_small(w))
            replay(w);
        witness_clear(w);
    } else {
        fuzz_demand(fuzz_is_line(reason));
    }
    json_decref(j);
    return 0;
}
