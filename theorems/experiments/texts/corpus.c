#include "theorems/experiments/texts/corpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

void corpus_init(corpus *t) {
    memset(t, 0, sizeof *t);
}

void corpus_clear(corpus *t) {
    flint_free(t->point);
    memset(t, 0, sizeof *t);
}

int corpus_decode(uint32_t *point, const unsigned char *data, size_t size) {
    unsigned first = data[0];
    int n = first < 0x80   ? 1
            : first < 0xc2 ? 0
            : first < 0xe0 ? 2
            : first < 0xf0 ? 3
            : first < 0xf5 ? 4
                           : 0;
    if (n == 0 || (size_t)n > size)
        return 0;
    uint32_t p = n == 1 ? first : first & (0xffU >> (n + 1));
    for (int i = 1; i < n; i++) {
        if ((data[i] & 0xc0) != 0x80)
            return 0;
        p = p << 6 | (data[i] & 0x3f);
    }
    /* forms that are too long, surrogates, beyond Unicode */
    if ((n == 3 && (p < 0x800 || (p >= 0xd800 && p < 0xe000))) ||
        (n == 4 && (p < 0x10000 || p > 0x10ffff)))
        return 0;
    *point = p;
    return n;
}

static int complain(char complaint[CORPUS_COMPLAINT], const char *name, const char *what) {
    snprintf(complaint, CORPUS_COMPLAINT, "%s: %s", name, what);
    return 0;
}

static void reserve(corpus *t, slong more) {
    if (t->length + more > t->room) {
        t->room = FLINT_MAX(t->length + more, t->room + t->room / 2);
        t->point = flint_realloc(t->point, (size_t)t->room * sizeof *t->point);
    }
}

int corpus_append(corpus *t, const char *name, const unsigned char *data, size_t size,
                  char complaint[CORPUS_COMPLAINT]) {
    slong length = t->length;
    size_t at = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (at == size)
        return complain(complaint, name, "empty; a text is wanted");
    if (size > CORPUS_MAX_LENGTH || t->length + (slong)size > CORPUS_MAX_LENGTH)
        return complain(complaint, name, "too long: at most 200000000 bytes of text are read");
    reserve(t, (slong)size);
    while (at < size) {
        uint32_t p;
        int n = corpus_decode(&p, data + at, size - at);
        if (n == 0 || p == 0x7f || (p < 0x20 && (p < '\t' || p > '\r'))) {
            t->length = length;
            if (n == 0)
                snprintf(
                    complaint, CORPUS_COMPLAINT,
                    "%s: offset %zu: byte 0x%02x begins no UTF-8 character; UTF-8 text is wanted",
                    name, at, data[at]);
            else
                snprintf(complaint, CORPUS_COMPLAINT,
                         "%s: offset %zu: control character 0x%02x; this is no text", name, at,
                         data[at]);
            return 0;
        }
        t->point[t->length++] = p;
        at += (size_t)n;
    }
    t->bytes += (slong)size;
    t->crc32 = (uint32_t)crc32(t->crc32, data, (uInt)size);
    return 1;
}

/* Bytes that grow as they come. */
typedef struct {
    unsigned char *data;
    size_t size, room;
} byte_buffer;

enum { PIECE = 1 << 16 };
static void make_room(byte_buffer *b) {
    if (b->room - b->size < PIECE)
        b->data = flint_realloc(b->data, b->room += b->room / 2 + 2 * PIECE);
}

/* All that a descriptor gives, but little more than the longest text; 0 or errno's value. */
static int read_all(byte_buffer *b, int descriptor) {
    ssize_t n;
    do {
        make_room(b);
        n = read(descriptor, b->data + b->size, PIECE);
        b->size += n > 0 ? (size_t)n : 0;
    } while ((n > 0 && b->size <= CORPUS_MAX_LENGTH) || (n < 0 && errno == EINTR));
    return n < 0 ? errno : 0;
}

/* out := what the gzip streams in b hold (RFC 1952: one after the other, and nothing else), at most
   little more than the longest text; 1, or 0 after complaining. */
static int gunzip(byte_buffer *out, const byte_buffer *b, const char *name,
                  char complaint[CORPUS_COMPLAINT]) {
    z_stream z = {.next_in = b->data, .avail_in = (uInt)b->size};
    int state = inflateInit2(&z, 16 + MAX_WBITS);
    while (state == Z_OK && out->size <= CORPUS_MAX_LENGTH) {
        make_room(out);
        z.next_out = out->data + out->size;
        z.avail_out = PIECE;
        state = inflate(&z, Z_NO_FLUSH);
        out->size += PIECE - z.avail_out;
        if (state == Z_STREAM_END && z.avail_in >= 2 && z.next_in[0] == 0x1f &&
            z.next_in[1] == 0x8b)
            state = inflateReset(&z);
    }
    const size_t left = z.avail_in;
    inflateEnd(&z);
    if (state == Z_STREAM_END && left > 0)
        snprintf(complaint, CORPUS_COMPLAINT,
                 "%s: offset %zu: bytes after its gzip stream; nothing more is wanted", name,
                 b->size - left);
    else if (state == Z_BUF_ERROR)
        complain(complaint, name, "its gzip stream is cut short");
    else if (state == Z_MEM_ERROR)
        complain(complaint, name, strerror(ENOMEM));
    else if (state != Z_OK && state != Z_STREAM_END)
        complain(complaint, name, "its gzip stream is damaged");
    else
        return 1;
    return 0;
}

int corpus_read(corpus *t, const char *path, char complaint[CORPUS_COMPLAINT]) {
    int standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    int descriptor = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    byte_buffer raw = {NULL, 0, 0}, plain = {NULL, 0, 0};
    struct stat s;
    if (descriptor < 0)
        return complain(complaint, name, strerror(errno));
    if (fstat(descriptor, &s) == 0 && S_ISDIR(s.st_mode)) {
        close(descriptor);
        return complain(complaint, name, "a directory; a text file is wanted");
    }
    int error = read_all(&raw, descriptor), ok = error == 0;
    close(descriptor);
    if (!ok)
        complain(complaint, name, strerror(error));
    else if (raw.size < 2 || raw.data[0] != 0x1f || raw.data[1] != 0x8b)
        ok = corpus_append(t, name, raw.data, raw.size, complaint);
    else
        ok = gunzip(&plain, &raw, name, complaint) &&
             corpus_append(t, name, plain.data, plain.size, complaint);
    flint_free(raw.data);
    flint_free(plain.data);
    return ok;
}

static int is_space(uint32_t p) {
    return p == ' ' || (p >= '\t' && p <= '\r') || p == 0x85 || p == 0xa0 || p == 0x1680 ||
           (p >= 0x2000 && p <= 0x200a) || p == 0x2028 || p == 0x2029 || p == 0x202f ||
           p == 0x205f || p == 0x3000;
}

static int is_letter(uint32_t p) {
    if (p < 0x80)
        return (p >= '0' && p <= '9') || ((p | 32) >= 'a' && (p | 32) <= 'z');
    if (p >= 0xa1 && p <= 0xbf)
        return p == 0xaa || p == 0xb5 || p == 0xba;
    return !is_space(p) && p != 0xd7 && p != 0xf7 && !(p >= 0x2000 && p <= 0x206f) &&
           !(p >= 0x3000 && p <= 0x303f);
}

void corpus_fold_space(corpus *t) {
    slong n = 0;
    for (slong i = 0; i < t->length; i++) {
        int space = is_space(t->point[i]);
        if (!space || (n > 0 && t->point[n - 1] != ' '))
            t->point[n++] = space ? ' ' : t->point[i];
    }
    t->length = n - (n > 0 && t->point[n - 1] == ' ');
}

/* ---- numbering ---- */

/* Distinct items in the order of first occurrence, found by open addressing. */
typedef struct {
    slong *first, *length; /* where in the text, how many code points */
    slong *count;
    slong items, room;
    int32_t *slot; /* [slots], item + 1, a power of 2 */
    slong slots;
} dictionary;

static uint32_t folded(uint32_t p, corpus_unit unit) {
    return unit == CORPUS_WORDS && p >= 'A' && p <= 'Z' ? p + 32 : p;
}

static uint64_t hash(const uint32_t *p, slong n, corpus_unit unit) {
    uint64_t h = UINT64_C(14695981039346656037);
    for (slong i = 0; i < n; i++)
        h = (h ^ folded(p[i], unit)) * UINT64_C(1099511628211);
    return h ^ h >> 29;
}

static int same(const uint32_t *p, const uint32_t *q, slong n, corpus_unit unit) {
    slong i = 0;
    while (i < n && folded(p[i], unit) == folded(q[i], unit))
        i++;
    return i == n;
}

static slong *slot_of(int32_t **slot, dictionary *d, const corpus *t, slong at, slong n,
                      corpus_unit unit) {
    slong mask = d->slots - 1, k = (slong)hash(t->point + at, n, unit) & mask;
    while (d->slot[k] != 0) {
        slong item = d->slot[k] - 1;
        if (d->length[item] == n && same(t->point + d->first[item], t->point + at, n, unit))
            break;
        k = (k + 1) & mask;
    }
    *slot = d->slot + k;
    return d->count;
}

static void grow(dictionary *d, const corpus *t, corpus_unit unit) {
    int32_t *slot;
    d->slots = d->slots > 0 ? 4 * d->slots : 1024;
    flint_free(d->slot);
    d->slot = flint_calloc((size_t)d->slots, sizeof *d->slot);
    for (slong i = 0; i < d->items; i++) {
        slot_of(&slot, d, t, d->first[i], d->length[i], unit);
        *slot = (int32_t)i + 1;
    }
}

/* The number of the item, which is entered if it is new; counts it. */
static int32_t enter(dictionary *d, const corpus *t, slong at, slong n, corpus_unit unit) {
    int32_t *slot;
    if (4 * d->items >= d->slots)
        grow(d, t, unit);
    slot_of(&slot, d, t, at, n, unit);
    if (*slot == 0) {
        if (d->items == d->room) {
            d->room = 2 * d->room + 64;
            d->first = flint_realloc(d->first, (size_t)d->room * sizeof(slong));
            d->length = flint_realloc(d->length, (size_t)d->room * sizeof(slong));
            d->count = flint_realloc(d->count, (size_t)d->room * sizeof(slong));
        }
        d->first[d->items] = at;
        d->length[d->items] = n;
        d->count[d->items] = 0;
        *slot = (int32_t)++d->items;
    }
    d->count[*slot - 1]++;
    return *slot - 1;
}

typedef struct {
    slong count, item;
} ranked;

static int by_rank(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x->item < y->item ? -1 : x->item > y->item;
}

void corpus_number(corpus_symbols *out, const corpus *t, corpus_unit unit, slong vocabulary) {
    dictionary d;
    memset(&d, 0, sizeof d);
    out->symbol = flint_malloc((size_t)(t->length + 1) * sizeof *out->symbol);
    out->length = 0;
    for (slong at = 0; at < t->length;) {
        slong n = 1;
        if (unit == CORPUS_WORDS) {
            if (!is_letter(t->point[at])) {
                at++;
                continue;
            }
            while (at + n < t->length &&
                   (is_letter(t->point[at + n]) ||
                    ((t->point[at + n] == '\'' || t->point[at + n] == 0x2019) &&
                     at + n + 1 < t->length && is_letter(t->point[at + n + 1]))))
                n++;
        }
        out->symbol[out->length++] = enter(&d, t, at, n, unit);
        at += n;
    }
    ranked *order = flint_malloc((size_t)(d.items + 1) * sizeof *order);
    int32_t *rank = flint_malloc((size_t)(d.items + 1) * sizeof *rank);
    for (slong i = 0; i < d.items; i++)
        order[i] = (ranked){d.count[i], i};
    qsort(order, (size_t)d.items, sizeof *order, by_rank);
    out->distinct = d.items;
    out->symbols = FLINT_MIN(d.items, vocabulary);
    out->count = flint_calloc((size_t)(out->symbols + 1), sizeof *out->count);
    out->point =
        unit == CORPUS_WORDS ? NULL : flint_calloc((size_t)(out->symbols + 1), sizeof *out->point);
    for (slong i = 0; i < d.items; i++) {
        slong s = FLINT_MIN(i, out->symbols - 1);
        rank[order[i].item] = (int32_t)s;
        out->count[s] += order[i].count;
        if (out->point != NULL)
            out->point[s] = i < out->symbols ? t->point[d.first[order[i].item]] : 0;
    }
    for (slong i = 0; i < out->length; i++)
        out->symbol[i] = rank[out->symbol[i]];
    flint_free(order);
    flint_free(rank);
    flint_free(d.first);
    flint_free(d.length);
    flint_free(d.count);
    flint_free(d.slot);
}

void corpus_symbols_clear(corpus_symbols *s) {
    flint_free(s->symbol);
    flint_free(s->count);
    flint_free(s->point);
    memset(s, 0, sizeof *s);
}

/* ---- shuffles ---- */

void corpus_shuffle(int32_t *symbol, slong length, exact_random *r) {
    for (slong i = length - 1; i > 0; i--) {
        slong j = exact_random_integer(r, 0, i);
        int32_t s = symbol[i];
        symbol[i] = symbol[j];
        symbol[j] = s;
    }
}

void corpus_shuffle_blocks(int32_t *symbol, slong length, slong block, exact_random *r) {
    slong blocks = (length + block - 1) / block, n = 0;
    int32_t *order = flint_malloc((size_t)(blocks + 1) * sizeof *order),
            *copy = flint_malloc((size_t)(length + 1) * sizeof *copy);
    memcpy(copy, symbol, (size_t)length * sizeof *copy);
    for (slong b = 0; b < blocks; b++)
        order[b] = (int32_t)b;
    corpus_shuffle(order, blocks, r);
    for (slong b = 0; b < blocks; b++)
        for (slong i = order[b] * block; i < FLINT_MIN((order[b] + 1) * block, length); i++)
            symbol[n++] = copy[i];
    flint_free(order);
    flint_free(copy);
}

void corpus_shuffle_within(int32_t *symbol, slong length, slong block, exact_random *r) {
    for (slong i = 0; i < length; i += block)
        corpus_shuffle(symbol + i, FLINT_MIN(block, length - i), r);
}
