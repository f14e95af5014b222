/* Texts: UTF-8, files, numbering, shuffles, and what mneme mi says to its users. */
#include "tests/process.h"
#include "tests/testing.h"
#include "theorems/experiments/texts/corpus.h"

#include <zlib.h>

static int length_of(const char *bytes, size_t size, uint32_t *point) {
    *point = 0;
    return corpus_decode(point, (const unsigned char *)bytes, size);
}

#define DECODES(bytes, value)                                                                      \
    do {                                                                                           \
        uint32_t p;                                                                                \
        assert_int_equal(length_of(bytes, sizeof(bytes) - 1, &p), sizeof(bytes) - 1);              \
        assert_int_equal(p, value);                                                                \
    } while (0)
#define REFUSES(bytes)                                                                             \
    do {                                                                                           \
        uint32_t p;                                                                                \
        assert_int_equal(length_of(bytes, sizeof(bytes) - 1, &p), 0);                              \
    } while (0)

static void test_utf8_is_decoded(void **state) {
    (void)state;
    DECODES("\0", 0);
    DECODES("\x7f", 0x7f);
    DECODES("\xc2\x80", 0x80);
    DECODES("\xdf\xbf", 0x7ff);
    DECODES("\xe0\xa0\x80", 0x800);
    DECODES("\xed\x9f\xbf", 0xd7ff);
    DECODES("\xee\x80\x80", 0xe000);
    DECODES("\xef\xbf\xbf", 0xffff);
    DECODES("\xf0\x90\x80\x80", 0x10000);
    DECODES("\xf4\x8f\xbf\xbf", 0x10ffff);
}

static void test_what_is_no_utf8_is_refused(void **state) {
    (void)state;
    REFUSES("\x80");     /* a continuation alone */
    REFUSES("\xc0\xaf"); /* overlong, 2 bytes */
    REFUSES("\xc1\xbf");
    REFUSES("\xe0\x9f\xbf");     /* overlong, 3 bytes */
    REFUSES("\xf0\x8f\xbf\xbf"); /* overlong, 4 bytes */
    REFUSES("\xed\xa0\x80");     /* first and last surrogate */
    REFUSES("\xed\xbf\xbf");
    REFUSES("\xf4\x90\x80\x80"); /* U+110000 */
    REFUSES("\xf5\x80\x80\x80");
    REFUSES("\xff");
    REFUSES("\xe2\x82"); /* cut short */
    REFUSES("\xf0\x9f\x98");
    REFUSES("\xc3(");
}

/* Every code point is decoded from its own bytes and from nothing shorter. */
static void test_all_code_points(void **state) {
    (void)state;
    for (uint32_t p = 0; p <= 0x10ffff; p++) {
        unsigned char b[4];
        int n = p < 0x80 ? 1 : p < 0x800 ? 2 : p < 0x10000 ? 3 : 4;
        static const unsigned first[] = {0, 0, 0xc0, 0xe0, 0xf0};
        for (int i = n - 1, rest = (int)p; i >= 0; i--, rest >>= 6)
            b[i] = (unsigned char)(i > 0 ? 0x80 | (rest & 0x3f) : first[n] | (unsigned)rest);
        uint32_t q = 0;
        int got = corpus_decode(&q, b, (size_t)n), surrogate = p >= 0xd800 && p < 0xe000;
        if (got != (surrogate ? 0 : n) || (!surrogate && q != p))
            fail_msg("U+%04X: %d bytes, U+%04X", p, got, q);
        if (n > 1)
            assert_int_equal(corpus_decode(&q, b, (size_t)n - 1), 0);
    }
}

static void number(corpus_symbols *out, const char *bytes, corpus_unit unit, slong vocabulary) {
    corpus t;
    char complaint[CORPUS_COMPLAINT];
    corpus_init(&t);
    assert_true(corpus_append(&t, "here", (const unsigned char *)bytes, strlen(bytes), complaint));
    corpus_fold_space(&t);
    corpus_number(out, &t, unit, vocabulary);
    corpus_clear(&t);
}

static void expect_symbols(corpus_symbols *s, const int *symbol, slong length) {
    assert_int_equal(s->length, length);
    for (slong i = 0; i < length; i++)
        assert_int_equal(s->symbol[i], symbol[i]);
    corpus_symbols_clear(s);
}

static void test_symbols_are_numbered_by_count(void **state) {
    (void)state;
    corpus_symbols s;
    number(&s,
           "  ab\t\n b\xc3\xa9"
           "b ",
           CORPUS_CHARACTERS, 100); /* a b space b é b */
    assert_int_equal(s.symbols, 4);
    assert_int_equal(s.count[0], 3);
    assert_int_equal(s.point[3], 0xe9);
    expect_symbols(&s, (const int[]){1, 0, 2, 0, 3, 0}, 6);
    number(&s, "abcbb", CORPUS_CHARACTERS, 2); /* all but b as one */
    assert_int_equal(s.distinct, 3);
    assert_int_equal(s.point[1], 0);
    expect_symbols(&s, (const int[]){1, 0, 1, 0, 0}, 5);
    number(&s, "The cat's 'the' \xe2\x80\x94 THE\xe2\x80\x99", CORPUS_WORDS, 100);
    assert_int_equal(s.symbols, 2);
    expect_symbols(&s, (const int[]){0, 1, 0, 0}, 4);
    number(&s, "... --", CORPUS_WORDS, 100);
    expect_symbols(&s, NULL, 0);
}

static void test_shuffles_move_and_lose_nothing(void **state) {
    (void)state;
    enum { N = 1003, BLOCK = 10 };
    for (int kind = 0; kind < 3; kind++) {
        int32_t x[N];
        int seen[N] = {0}, moved = 0;
        exact_random r = {test_seed("shuffles")};
        for (int i = 0; i < N; i++)
            x[i] = i;
        if (kind == 0)
            corpus_shuffle(x, N, &r);
        else if (kind == 1)
            corpus_shuffle_blocks(x, N, BLOCK, &r);
        else
            corpus_shuffle_within(x, N, BLOCK, &r);
        for (int i = 0; i < N; i++) {
            seen[x[i]]++;
            moved += x[i] != i;
            if (kind == 1 && x[i] % BLOCK != 0)
                assert_int_equal(x[i], x[i - 1] + 1);
            if (kind == 2)
                assert_int_equal(x[i] / BLOCK, i / BLOCK);
        }
        for (int i = 0; i < N; i++)
            assert_int_equal(seen[i], 1);
        assert_true(moved > N / 2);
    }
}

#define PLACE "build/tests/corpus"
#define PLACE_NAME "corpus"

static void write_file(const char *name, const void *data, size_t size) {
    char path[100];
    snprintf(path, sizeof path, PLACE "/%s", name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
}

/* Exit 2, nothing on stdout, and this one line on stderr. */
static void expect_complaint(const char *arguments, const char *line) {
    run_result r = run(MNEME " mi %s", arguments);
    char whole[600];
    snprintf(whole, sizeof whole, "mneme mi: %s\n", line);
    assert_string_equal(r.err, whole);
    assert_string_equal(r.out, "");
    assert_int_equal(r.status, 2);
    result_clear(&r);
}

static void test_bad_files_get_one_clear_line(void **state) {
    (void)state;
    result_clear(&(run_result[]){run("rm -rf " PLACE " && mkdir -p " PLACE)}[0]);
    write_file("empty", "", 0);
    write_file("bom", "\xef\xbb\xbf", 3);
    write_file("nul", "ab\0cd", 5);
    write_file("escape", "abc\x1b[1m", 7);
    write_file("latin1", "caf\xe9 au lait", 12);
    write_file("short", "too short", 9);
    write_file("blank", "  \n\n  ", 6);
    expect_complaint(PLACE "/absent", PLACE "/absent: No such file or directory");
    expect_complaint(PLACE, PLACE ": a directory; a text file is wanted");
    expect_complaint(PLACE "/empty", PLACE "/empty: empty; a text is wanted");
    expect_complaint(PLACE "/bom", PLACE "/bom: empty; a text is wanted");
    expect_complaint(PLACE "/nul", PLACE "/nul: offset 2: control character 0x00; this is no text");
    expect_complaint(PLACE "/escape",
                     PLACE "/escape: offset 3: control character 0x1b; this is no text");
    expect_complaint(PLACE "/latin1",
                     PLACE "/latin1: offset 3: byte 0xe9 begins no UTF-8 character; "
                           "UTF-8 text is wanted");
    expect_complaint("--max-lag 100 " PLACE "/short",
                     PLACE "/short: 9 characters; at least 140 are wanted for lags up to 100");
    expect_complaint("--unit words --max-lag 3 " PLACE "/short " PLACE "/short", PLACE
                     "/short and the others: 3 words; at least 72 are wanted for lags up to 3");
    expect_complaint(PLACE "/blank",
                     PLACE "/blank: 0 characters; at least 10040 are wanted for lags up to 10000");
    expect_complaint("", "a text is needed: mneme mi FILE... (\"-\" is standard input)");
    expect_complaint("--unit lines -",
                     "--unit: \"lines\" is not a unit; characters or words is wanted");
    expect_complaint("--max-lag 0 -",
                     "--max-lag: 0 is out of range; a whole number from 1 to 1000000 is wanted");
    expect_complaint("--csv a --json a -", "--csv and --json name one file");
    expect_complaint("--csv a --json ./a -", "--csv and --json name one file");
    expect_complaint("--json " PLACE "/../" PLACE_NAME "/short " PLACE "/short",
                     "--json: " PLACE "/../" PLACE_NAME
                     "/short is read (the text); another file is wanted");
    expect_complaint("--from 11 --max-lag 10 " PLACE "/short",
                     "--from: 11 is beyond the largest lag, 10 (--max-lag)");
}

static void test_compressed_files_are_read(void **state) {
    (void)state;
    enum { N = 3000 };
    char plain[N];
    exact_random r = {test_seed("compressed")};
    for (int i = 0; i < N; i++)
        plain[i] = (char)('a' + exact_random_integer(&r, 0, 5));
    write_file("plain", plain, N);
    gzFile z = gzopen(PLACE "/whole.gz", "wb");
    gzwrite(z, plain, N);
    gzclose(z);
    char *packed = slurp(PLACE "/whole.gz");
    write_file("cut.gz", packed, 500);
    /* two streams are one text; anything else behind a stream is no part of one */
    run_result two =
        run("cd " PLACE " && cat whole.gz whole.gz > two.gz && { cat whole.gz; printf x; } > "
            "more.gz && $OLDPWD/" MNEME " mi --from 1 --max-lag 200 two.gz");
    assert_int_equal(two.status, 0);
    assert_non_null(strstr(two.out, "6000 characters, 6 different"));
    result_clear(&two);
    two = run("n=$(wc -c < " PLACE "/whole.gz); " MNEME " mi " PLACE
              "/more.gz 2>&1 | grep -x \"mneme mi: " PLACE
              "/more.gz: offset $n: bytes after its gzip stream; nothing more is wanted\"");
    assert_int_equal(two.status, 0);
    result_clear(&two);
    memset(packed + 200, 0x55, 100);
    write_file("damaged.gz", packed, 1000);
    free(packed);
    run_result a = run(MNEME " mi --from 1 --max-lag 200 " PLACE "/plain"),
               b = run(MNEME " mi --from 1 --max-lag 200 " PLACE "/whole.gz"),
               c = run("cat " PLACE "/plain | " MNEME " mi --from 1 --max-lag 200 -");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.out, "3000 characters, 6 different"));
    assert_string_equal(a.out, b.out);
    assert_string_equal(a.out, c.out);
    result_clear(&a), result_clear(&b), result_clear(&c);
    expect_complaint(PLACE "/cut.gz", PLACE "/cut.gz: its gzip stream is cut short");
    expect_complaint(PLACE "/damaged.gz", PLACE "/damaged.gz: its gzip stream is damaged");
}

static void test_files_are_written_whole(void **state) {
    (void)state;
    run_result r = run(MNEME " mi --from 1 --max-lag 50 --csv " PLACE "/out.csv --json " PLACE
                             "/out.json " PLACE "/plain");
    assert_int_equal(r.status, 0);
    result_clear(&r);
    char *csv = slurp(PLACE "/out.csv"), *json = slurp(PLACE "/out.json");
    assert_int_equal(line_count(csv), 1 + 32 + 2); /* 1 ... 32, 40, 50 */
    assert_int_equal(strncmp(csv, "lag,text,text_error,shuffled,", 29), 0);
    assert_non_null(strstr(json, "\"schema\": \"mneme-mi-1\""));
    free(csv), free(json);
    expect_complaint("--csv " PLACE "/no/where.csv " PLACE "/plain",
                     "cannot write " PLACE "/no/where.csv: No such file or directory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utf8_is_decoded),
        cmocka_unit_test(test_what_is_no_utf8_is_refused),
        cmocka_unit_test(test_all_code_points),
        cmocka_unit_test(test_symbols_are_numbered_by_count),
        cmocka_unit_test(test_shuffles_move_and_lose_nothing),
        cmocka_unit_test(test_bad_files_get_one_clear_line),
        cmocka_unit_test(test_compressed_files_are_read),
        cmocka_unit_test(test_files_are_written_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
