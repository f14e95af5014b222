/* Texts that Debian ships.  Nothing is downloaded. */
#include "theorems/experiments/texts/corpus.h"
#include "theorems/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAQ "/usr/share/doc/anarchism/markdown"
#define READER "/usr/bin/bible"

const char *corpus_package_name(corpus_package p) {
    static const char *const names[] = {"king-james", "anarchist-faq"};
    return names[p];
}

/* The package keeps the text packed in a format of its own, and a reader that prints it: one verse a
   line, "Ge1:1 In the beginning ...". */
static int read_bible(corpus *t, char complaint[CORPUS_COMPLAINT]) {
    if (access(READER, X_OK) != 0 || access("/usr/lib/bible.data", R_OK) != 0) {
        snprintf(complaint, CORPUS_COMPLAINT,
                 "the King James Bible is not installed (packages bible-kjv, bible-kjv-text: make "
                 "deps-experiments)");
        return 0;
    }
    FILE *pipe = popen(READER " -f gen1:1-rev22:21 2>/dev/null", "r");
    if (pipe == NULL) {
        snprintf(complaint, CORPUS_COMPLAINT, READER ": cannot be started");
        return 0;
    }
    size_t room = 0, size = 0, n;
    unsigned char *data = NULL;
    do {
        data = flint_realloc(data, room += 1 << 20);
        n = fread(data + size, 1, room - size, pipe);
        size += n;
    } while (n > 0);
    int status = pclose(pipe), ok = 0;
    if (status != 0 || size == 0)
        snprintf(complaint, CORPUS_COMPLAINT, READER ": no text came out");
    else
        ok = corpus_append(t, READER, data, size, complaint);
    flint_free(data);
    return ok;
}

/* Drops the first word of each line. */
static void drop_references(corpus *t) {
    slong n = 0;
    for (slong i = 0, inside = 1; i < t->length; i++) {
        uint32_t p = t->point[i];
        if (!inside || p == '\n')
            t->point[n++] = p;
        inside = p == '\n' || (inside && p != ' ');
    }
    t->length = n;
}

/* secAint.md.gz, secA1.md.gz, secA2.md.gz, ..., secJ7.md.gz; some are short and not compressed. */
static int read_faq(corpus *t, char complaint[CORPUS_COMPLAINT]) {
    char path[200];
    if (access(FAQ "/secA1.md.gz", R_OK) != 0) {
        snprintf(complaint, CORPUS_COMPLAINT,
                 "An Anarchist FAQ is not installed (package anarchism: make deps-experiments)");
        return 0;
    }
    for (char section = 'A'; section <= 'J'; section++)
        for (int part = 0; part < 100; part++) {
            int name = part == 0 ? snprintf(path, sizeof path, FAQ "/sec%cint.md.gz", section)
                                 : snprintf(path, sizeof path, FAQ "/sec%c%d.md.gz", section, part);
            if (access(path, R_OK) != 0)
                path[name - 3] = '\0';
            if (access(path, R_OK) != 0)
                break;
            if (!corpus_read(t, path, complaint))
                return 0;
        }
    return 1;
}

int corpus_read_package(corpus *t, corpus_package p, char complaint[CORPUS_COMPLAINT]) {
    corpus one;
    corpus_init(&one);
    int ok = p == CORPUS_BIBLE ? read_bible(&one, complaint) : read_faq(&one, complaint);
    if (ok && p == CORPUS_BIBLE)
        drop_references(&one);
    if (ok) {
        corpus_fold_space(&one);
        corpus_clear(t);
        *t = one;
    } else {
        corpus_clear(&one);
    }
    return ok;
}

int corpus_read_source(corpus *t, corpus_package p, char complaint[CORPUS_COMPLAINT]) {
    const char *given = getenv(CORPUS_VARIABLE);
    if (given == NULL || given[0] == '\0')
        return corpus_read_package(t, p, complaint);
    if (p != CORPUS_BIBLE) {
        snprintf(complaint, CORPUS_COMPLAINT, "one text was given, and this is about a second one");
        return 0;
    }
    corpus one;
    int ok = 1;
    corpus_init(&one);
    while (*given != '\0' && ok) {
        size_t n = strcspn(given, "\n");
        char *path = strndup(given, n);
        ok = corpus_read(&one, path, complaint);
        free(path);
        given += n + (given[n] == '\n');
    }
    if (!ok) {
        corpus_clear(&one);
        return 0;
    }
    corpus_fold_space(&one);
    corpus_clear(t);
    *t = one;
    return 1;
}

void corpus_report(check_context *ctx, const corpus *t, corpus_package p) {
    const char *given = getenv(CORPUS_VARIABLE);
    char row[96];
    snprintf(row, sizeof row, "%s: %ld bytes, CRC-32 %08x",
             given != NULL && given[0] != '\0' ? "the text given" : corpus_package_name(p),
             (long)t->bytes, (unsigned)t->crc32);
    statistics_cell_exact(ctx, "texts", row, "characters", (double)t->length);
}
