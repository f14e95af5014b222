/* Texts as sequences of symbols: files read, checked and decoded; characters or words numbered by how
   often they occur; and the shuffles that serve as controls. */
#ifndef EXPERIMENTS_CORPUS_H
#define EXPERIMENTS_CORPUS_H

#include "theorems/claim.h"

#include <stddef.h>

#define CORPUS_MAX_LENGTH 200000000 /* code points */
#define CORPUS_COMPLAINT 400

/* Code points in reading order.  bytes and crc32 are those of what was read, after gzip: the CRC of
   all files one after the other. */
typedef struct {
    uint32_t *point;
    slong length, room;
    slong bytes;
    uint32_t crc32;
} corpus;

void corpus_init(corpus *t);
void corpus_clear(corpus *t);

/* Appends a UTF-8 file, plain or gzip'd ("-" is standard input); 1, or 0 with one line in complaint
   that names the file and, where there is one, the offset: not there, a directory, empty, not UTF-8
   (overlong forms, surrogates and what is above U+10FFFF included), control characters other than
   tab, line feed, vertical tab, form feed and carriage return.  A byte order mark in front is dropped.
   On 0 the text is as it was. */
int corpus_read(corpus *t, const char *path, char complaint[CORPUS_COMPLAINT]);

/* The same from memory; name stands for the file in complaints. */
int corpus_append(corpus *t, const char *name, const unsigned char *data, size_t size,
                  char complaint[CORPUS_COMPLAINT]);

/* One code point at data[0..size-1], size > 0: *point, and the number of its bytes, 1 to 4; 0 if the
   bytes there are not UTF-8 (RFC 3629). */
int corpus_decode(uint32_t *point, const unsigned char *data, size_t size);

/* Every run of white space becomes one space; none at the ends. */
void corpus_fold_space(corpus *t);

/* Debian's texts: the King James Bible (packages bible-kjv, bible-kjv-text; verse numbers left out)
   and An Anarchist FAQ (package anarchism: sections A to J in order; the tables of contents and the
   appendices, which repeat older versions of sections, are left out). */
typedef enum { CORPUS_BIBLE, CORPUS_FAQ, CORPUS_PACKAGES } corpus_package;
const char *corpus_package_name(corpus_package p); /* "king-james", "anarchist-faq" */
/* t := it, white space folded; 1, or 0 with the reason (not installed, or damaged) and t as it was. */
int corpus_read_package(corpus *t, corpus_package p, char complaint[CORPUS_COMPLAINT]);

/* The texts of the experiments: with files named in the environment's CORPUS_VARIABLE (one a line) these
   are the first text, white space folded, and there is no second; else Debian's.  t := text number
   p; as above. */
#define CORPUS_VARIABLE "MNEME_TEXT"
int corpus_read_source(corpus *t, corpus_package p, char complaint[CORPUS_COMPLAINT]);

/* A row of the table "texts": how many characters; bytes and CRC-32 in its name. */
void corpus_report(check_context *ctx, const corpus *t, corpus_package p);

/* Symbols 0, 1, ... in falling order of their counts, ties in the order of first occurrence; at most
   vocabulary of them (>= 2), the last one standing for all others if there are more. */
typedef struct {
    int32_t *symbol; /* [length] */
    slong length, symbols;
    slong distinct;  /* before the rest was put together */
    slong *count;    /* [symbols] */
    uint32_t *point; /* [symbols] characters: the code point, 0 for the rest; words: NULL */
} corpus_symbols;

typedef enum { CORPUS_CHARACTERS, CORPUS_WORDS } corpus_unit;

/* Words: longest runs of letters, digits and apostrophes inside them, ASCII letters in lower case;
   letters are what is no white space, ASCII punctuation, or general punctuation (U+00A1-00BF but ª, º
   and µ, U+2000-206F, U+3000-303F). */
void corpus_number(corpus_symbols *out, const corpus *t, corpus_unit unit, slong vocabulary);
void corpus_symbols_clear(corpus_symbols *s);

/* All symbols in random order (Fisher and Yates). */
void corpus_shuffle(int32_t *symbol, slong length, exact_random *r);
/* Blocks of that many symbols (the last one shorter) in random order, each as it is. */
void corpus_shuffle_blocks(int32_t *symbol, slong length, slong block, exact_random *r);
/* Random order within each block, the blocks in place. */
void corpus_shuffle_within(int32_t *symbol, slong length, slong block, exact_random *r);

#endif
