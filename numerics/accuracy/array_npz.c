/* .npz: a zip file of .npy files, stored or deflated. */
#include "numerics/accuracy/array_format.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The unpacked bytes of a deflated member, as far as they were asked for. */
typedef struct {
    z_stream stream;
    const uint8_t *in;
    uint64_t left; /* packed bytes not yet given to the stream */
    uint8_t *out;
    size_t have, room;
    int state; /* as inflate returned it */
} unpacker;

/* Until there are want bytes, or none come any more; false for want of memory.  Memory grows with
 * what came, not with what is wanted. */
static bool unpack(unpacker *u, size_t want) {
    while (u->have < want && u->state == Z_OK) {
        if (u->have == u->room) {
            size_t room = u->room < 4096 ? 4096 : 2 * u->room;
            room = room < want ? room : want;
            uint8_t *larger = realloc(u->out, room);
            if (larger == NULL)
                return false;
            u->out = larger;
            u->room = room;
        }
        if (u->stream.avail_in == 0) {
            const uInt n = u->left < 1 << 30 ? (uInt)u->left : 1 << 30;
            u->stream.next_in = (Bytef *)(uintptr_t)u->in;
            u->stream.avail_in = n;
            u->in += n;
            u->left -= n;
        }
        const size_t to = (u->room < want ? u->room : want) - u->have;
        const uInt space = to < 1 << 30 ? (uInt)to : 1 << 30;
        u->stream.next_out = u->out + u->have;
        u->stream.avail_out = space;
        u->state = inflate(&u->stream, Z_NO_FLUSH);
        u->have += space - u->stream.avail_out;
    }
    return u->state != Z_MEM_ERROR;
}

static array_status short_stream(const unpacker *u, const zip_member *m, const array_place *p) {
    return array_fail(p, ARRAY_MALFORMED, u->have,
                      u->state == Z_STREAM_END ? "the deflated data end; %llu bytes are claimed"
                      : u->state == Z_BUF_ERROR
                          ? "the deflated data are cut off; %llu bytes are claimed"
                          : "the deflated data are damaged; %llu bytes are claimed",
                      (unsigned long long)m->size);
}

static array_status inflate_member(array *a, const zip_file *z, const zip_member *m,
                                   const array_place *p, unpacker *u) {
    npy_header h;
    /* 258 bytes from two bits is the most that deflate can do */
    if (m->size / 1032 > m->packed)
        return array_fail(z->place, ARRAY_MALFORMED, m->at + 24,
                          "member '%s' claims to unpack to %llu bytes, more than deflate can make "
                          "of %llu",
                          p->member, (unsigned long long)m->size, (unsigned long long)m->packed);
    const size_t first = m->size < NPY_HEADER_LIMIT ? (size_t)m->size : NPY_HEADER_LIMIT;
    if (!unpack(u, first))
        return array_no_memory(p, first);
    if (u->have < first)
        return short_stream(u, m, p);
    array_status status = npy_parse_header(&h, u->out, first, p);
    if (status == ARRAY_OK)
        status = npy_check_size(&h, m->size, p);
    if (status != ARRAY_OK)
        return status;
    if (!unpack(u, (size_t)m->size))
        return array_no_memory(p, m->size);
    if (u->have < m->size)
        return short_stream(u, m, p);
    const bool right = crc32_z(0, u->out, u->have) == m->crc;
    /* the end of the stream, with not a byte more */
    if (!unpack(u, (size_t)m->size + 1))
        return array_no_memory(p, m->size);
    if (u->state != Z_STREAM_END || u->have != m->size || u->left + u->stream.avail_in != 0)
        return array_fail(p, ARRAY_MALFORMED, m->size,
                          "the deflated data do not end with the %llu bytes that are claimed",
                          (unsigned long long)m->size);
    if (!right)
        return array_fail(p, ARRAY_MALFORMED, ARRAY_NOWHERE, "the CRC-32 of the data is wrong");
    return npy_array(a, &h, u->out + h.data, p);
}

static array_status stored_member(array *a, const zip_file *z, const zip_member *m,
                                  const array_place *p) {
    npy_header h;
    const uint8_t *data = z->bytes + m->data;
    if (m->packed != m->size)
        return array_fail(z->place, ARRAY_MALFORMED, m->at + 24,
                          "member '%s' is stored in %llu bytes and claims %llu", p->member,
                          (unsigned long long)m->packed, (unsigned long long)m->size);
    array_status status = npy_parse_header(&h, data, (size_t)m->size, p);
    if (status == ARRAY_OK)
        status = npy_check_size(&h, m->size, p);
    if (status != ARRAY_OK)
        return status;
    if (crc32_z(0, data, (size_t)m->size) != m->crc)
        return array_fail(p, ARRAY_MALFORMED, ARRAY_NOWHERE, "the CRC-32 of the data is wrong");
    return npy_array(a, &h, data + h.data, p);
}

static array_status read_member(array_file *f, const zip_file *z, const zip_member *m) {
    size_t n = m->name_length;
    if (n > 0 && m->name[n - 1] == '/' && m->size == 0) /* a directory: nothing is in it */
        return ARRAY_OK;
    array a = {.name = strndup(m->name, n)};
    const array_place p = {z->place->file, a.name, z->place->error};
    array_status status = ARRAY_OK;
    if (a.name == NULL)
        return array_no_memory(z->place, n);
    if (n >= 8 && strcmp(a.name + n - 8, "data.pkl") == 0) {
        status =
            array_fail(z->place, ARRAY_UNSUPPORTED, m->at,
                       "member '%s': a PyTorch file; .npz or .safetensors is expected", a.name);
    } else if (m->method == ZIP_STORED) {
        status = stored_member(&a, z, m, &p);
    } else {
        unpacker u = {.in = z->bytes + m->data, .left = m->packed};
        u.state = inflateInit2(&u.stream, -MAX_WBITS);
        status = u.state != Z_OK ? array_no_memory(&p, 1 << 15) : inflate_member(&a, z, m, &p, &u);
        inflateEnd(&u.stream);
        free(u.out);
    }
    if (n >= 4 && strcmp(a.name + n - 4, ".npy") == 0)
        a.name[n - 4] = '\0';
    if (status != ARRAY_OK)
        array_clear(&a);
    else if (!array_append(f, &a))
        status = array_no_memory(z->place, sizeof a);
    return status;
}

array_status npz_parse(array_file *f, const uint8_t *bytes, size_t size, const array_place *p) {
    zip_file z = {bytes, size, p, 0, 0, 0, NULL};
    array_status status = zip_read_directory(&z);
    for (uint64_t i = 0; i < z.count && status == ARRAY_OK; i++)
        status = read_member(f, &z, &z.member[i]);
    free(z.member);
    bool memory = true;
    char quoted[ARRAY_QUOTED];
    const char *twice = status == ARRAY_OK ? array_name_twice(f, &memory) : NULL;
    if (twice != NULL)
        return array_fail(p, ARRAY_MALFORMED, ARRAY_NOWHERE,
                          "two arrays are named '%s'; names of their own are expected",
                          array_quote(quoted, twice, strlen(twice)));
    return memory ? status : array_no_memory(p, (uint64_t)f->count * sizeof(char *));
}
