/* A text, plain or in gzip, is read whole or refused in one line, and numbered soundly. */
#include "tests/fuzz/fuzz.h"
#include "theorems/experiments/texts/corpus.h"

static void number(const corpus *t, corpus_unit unit, slong vocabulary) {
    corpus_symbols s;
    corpus_number(&s, t, unit, vocabulary);
    slong counted = 0;
    fuzz_demand(s.symbols <= vocabulary && s.symbols <= s.distinct && s.length <= t->length);
    for (slong i = 0; i < s.symbols; i++)
        counted += s.count[i];
    fuzz_demand(counted == s.length);
    for (slong i = 0; i < s.length; i++)
        fuzz_demand(s.symbol[i] >= 0 && s.symbol[i] < s.symbols);
    corpus_symbols_clear(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char complaint[CORPUS_COMPLAINT] = "";
    corpus t;
    corpus_init(&t);
    if (corpus_read(&t, fuzz_file(bytes, size), complaint)) {
        fuzz_demand(t.length > 0 && t.length <= t.bytes);
        number(&t, CORPUS_CHARACTERS, 1 + (slong)(size % 40));
        corpus_fold_space(&t);
        if (t.length > 0)
            number(&t, CORPUS_WORDS, 1 + (slong)(size % 40));
    } else {
        fuzz_demand(t.length == 0 && fuzz_is_line(complaint));
    }
    corpus_clear(&t);
    return 0;
}
