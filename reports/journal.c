#include "reports/journal.h"
#include "reports/json_codec.h"
#include "reports/provenance.h"
#include "reports/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define JOURNAL_LIMIT ((size_t)4 << 30)
#define LINE_START "{\"crc32\":\""
#define START_LENGTH (sizeof LINE_START - 1)
#define PREFIX_LENGTH (START_LENGTH + 10) /* {"crc32":"89abcdef", */

struct journal {
    int file;
    off_t length; /* of what is whole */
};

/* ---- lines ---- */

json_t *journal_entry(const work_unit *u, json_t *result) {
    char name[WORK_UNIT_NAME];
    json_t *entry = json_object(), *host = provenance_json();
    work_unit_name(name, u);
    json_object_set_new(entry, "unit", json_string(name));
    json_object_set(entry, "cpu", json_object_get(host, "cpu"));
    json_object_set(entry, "os", json_object_get(host, "os"));
    json_object_set_new(entry, "result", result);
    json_decref(host);
    return entry;
}

const char *journal_crash(const json_t *entry) {
    return json_string_value(json_object_get(json_object_get(entry, "result"), "crash"));
}

static uLong line_crc(const char *data, size_t length) {
    uLong crc = crc32(0, NULL, 0);
    while (length > 0) {
        uInt piece = (uInt)(length < 1u << 30 ? length : 1u << 30);
        crc = crc32(crc, (const Bytef *)data, piece);
        data += piece, length -= piece;
    }
    return crc;
}

/* {"crc32":"...",...} and a line feed; for free(). */
static char *line_text(const json_t *value, size_t *length) {
    char *object = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
    text_buffer b;
    text_init(&b);
    size_t rest = strlen(object) - 1;
    text_printf(&b, "{\"crc32\":\"%08lx\",", line_crc(object + 1, rest));
    text_printf(&b, "%s\n", object + 1);
    free(object);
    *length = b.length;
    return text_take(&b);
}

static json_t *line_value(const char *line, size_t length, const char **reason) {
    char prefix[PREFIX_LENGTH + 1];
    json_error_t where;
    *reason = "it is not what was written";
    if (length <= PREFIX_LENGTH)
        return NULL;
    snprintf(prefix, sizeof prefix, "{\"crc32\":\"%08lx\",",
             line_crc(line + PREFIX_LENGTH, length - PREFIX_LENGTH));
    if (memcmp(line, prefix, PREFIX_LENGTH) != 0)
        return NULL;
    json_t *value = json_loadb(line, length, JSON_REJECT_DUPLICATES, &where);
    if (value != NULL)
        json_object_del(value, "crc32");
    return value;
}

/* Names of files are made of it. */
static int plain_id(const json_t *item) {
    const char *id = json_text(item, "id");
    return id[0] != '\0' && id[0] != '.' && strpbrk(id, "/\n") == NULL;
}

static int number_is_sound(const json_t *item) {
    enclosure_t x;
    enclosure_init(x);
    int sound = json_is_string(json_object_get(item, "name")) &&
                json_is_string(json_object_get(item, "unit")) &&
                report_enclosure_from_json(x, json_object_get(item, "value"));
    enclosure_clear(x);
    return sound;
}

static int table_is_sound(const json_t *item) {
    series *s = report_series_from_json(item);
    int sound = s != NULL && plain_id(item);
    if (s != NULL)
        series_free(s);
    return sound;
}

static int witness_is_sound(const json_t *item) {
    witness_t w;
    const char *reason;
    int sound = report_witness_from_json(w, item, &reason);
    if (sound)
        witness_clear(w);
    return sound && plain_id(item);
}

/* What the report is made from: types that no honest unit gets wrong. */
static const char *entry_defect(const json_t *entry) {
    static const struct {
        const char *name;
        int (*is_sound)(const json_t *item);
        const char *defect;
    } lists[] = {{"numbers", number_is_sound, "its \"numbers\" must be a list of enclosures"},
                 {"series", table_is_sound, "its \"series\" must be a list of tables"},
                 {"witnesses", witness_is_sound, "its \"witnesses\" must be a list of witnesses"}};
    const json_t *result = json_object_get(entry, "result"), *item;
    size_t i;
    if (json_text(entry, "unit")[0] == '\0' || !json_is_string(json_object_get(entry, "cpu")) ||
        !json_is_string(json_object_get(entry, "os")) || !json_is_object(result))
        return "a unit's line needs texts \"unit\", \"cpu\", \"os\" and an object \"result\"";
    double seconds = json_number_value(json_object_get(result, "seconds"));
    if (!json_is_number(json_object_get(result, "seconds")) || !(seconds >= 0 && seconds < 1e9))
        return "a result needs its \"seconds\"";
    if (json_object_get(result, "crash") != NULL)
        return journal_crash(entry) != NULL ? NULL : "\"crash\" must be a text";
    if (!json_is_true(json_object_get(result, "complete")) ||
        strcmp(json_text(result, "unit"), json_text(entry, "unit")) != 0)
        return "the result is not whole, or another unit's";
    const char *outcome = json_text(result, "outcome");
    if (strcmp(outcome, "holds") != 0 && strcmp(outcome, "fails") != 0 &&
        strcmp(outcome, "undecided") != 0)
        return "its \"outcome\" must be holds, fails or undecided";
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        const json_t *list = json_object_get(result, lists[k].name);
        if (!json_is_array(list))
            return lists[k].defect;
        json_array_foreach(list, i, item) {
            if (!lists[k].is_sound(item))
                return lists[k].defect;
        }
    }
    return NULL;
}

static const char *identity_defect(const json_t *identity) {
    static const char *const texts[] = {"level", "seed", "plan", "certificates", NULL};
    if (strcmp(json_text(identity, "schema"), JOURNAL_SCHEMA) != 0)
        return "its first line must have the schema \"" JOURNAL_SCHEMA "\"";
    for (int i = 0; texts[i] != NULL; i++)
        if (!json_is_string(json_object_get(identity, texts[i])))
            return "its first line needs texts \"level\", \"seed\", \"plan\" and \"certificates\"";
    if (!json_is_array(json_object_get(identity, "patterns")) ||
        !json_is_object(json_object_get(identity, "settings")) ||
        !json_is_object(json_object_get(identity, "program")))
        return "its first line needs \"patterns\", \"settings\" and \"program\"";
    return NULL;
}

/* {"identity", "entries": {unit: entry}} of the text; *whole := the length of its whole lines.  An empty one has no identity. */
static json_t *parse(const char *path, const char *text, size_t length, size_t *whole,
                     char **complaint) {
    json_t *entries = json_object(), *identity = NULL;
    const char *defect = NULL;
    size_t at = 0;
    long number = 1;
    for (; at < length && defect == NULL; number++) {
        const char *end = memchr(text + at, '\n', length - at);
        if (memcmp(text + at, LINE_START,
                   length - at < START_LENGTH ? length - at : START_LENGTH) != 0) {
            defect = at > 0 ? "no line of a journal" : "not a journal";
            break;
        }
        if (end == NULL)
            break; /* torn */
        json_t *value = line_value(text + at, (size_t)(end - text) - at, &defect);
        if (value != NULL && identity == NULL) {
            defect = identity_defect(value);
            identity = json_incref(value);
        } else if (value != NULL) {
            defect = entry_defect(value);
            if (defect == NULL)
                json_object_set(entries, json_text(value, "unit"), value);
        }
        json_decref(value);
        if (defect == NULL)
            at = (size_t)(end - text) + 1;
        else
            break;
    }
    *whole = at;
    if (defect == NULL) {
        json_t *j = json_object();
        if (identity != NULL)
            json_object_set_new(j, "identity", identity);
        json_object_set_new(j, "entries", entries);
        return j;
    }
    text_buffer b;
    text_init(&b);
    if (strcmp(defect, "not a journal") == 0)
        text_printf(&b, "%s: not a journal; mneme verify --journal writes one", path);
    else
        text_printf(&b, "%s: damaged at line %ld (byte %zu): %s", path, number, at, defect);
    *complaint = text_take_line(&b);
    json_decref(entries);
    json_decref(identity);
    return NULL;
}

static char *complain(const char *path, const char *what) {
    text_buffer b;
    text_init(&b);
    text_printf(&b, "%s: %s", path, what);
    return text_take_line(&b);
}

static json_t *read_whole(const char *path, size_t *whole, char **complaint) {
    struct stat s;
    size_t length;
    int error;
    if (stat(path, &s) == 0 && (S_ISCHR(s.st_mode) || S_ISBLK(s.st_mode))) { /* may never end */
        *complaint = complain(path, "not a journal: it is a device");
        return NULL;
    }
    char *text = input_read(path, JOURNAL_LIMIT, &length, &error);
    if (text == NULL) {
        *complaint = complain(path, strerror(error));
        return NULL;
    }
    json_t *j = parse(path, text, length, whole, complaint);
    free(text);
    return j;
}

json_t *journal_read(const char *path, char **complaint) {
    size_t whole;
    json_t *j = read_whole(path, &whole, complaint);
    if (j != NULL && json_object_get(j, "identity") == NULL) {
        *complaint = complain(path, "not a journal: it is empty");
        json_decref(j);
        return NULL;
    }
    return j;
}

/* ---- writing ---- */

int journal_append(journal *j, const json_t *value) {
    size_t length, done = 0;
    int error = 0;
    char *text = line_text(value, &length);
    while (done < length && error == 0) {
        ssize_t n = pwrite(j->file, text + done, length - done, j->length + (off_t)done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            error = n == 0 ? EIO : errno;
    }
    free(text);
    if (error == 0 && fsync(j->file) != 0)
        error = errno;
    if (error == 0)
        j->length += (off_t)length;
    else if (ftruncate(j->file, j->length) != 0)
        return error; /* the torn line will be dropped by whoever reads it */
    return error;
}

/* What the file holds, judged by this run's plan; its torn end is cut off. */
static char *resume(journal *j, const char *path, const json_t *identity, const work_unit *unit,
                    slong count, json_t **entry) {
    char *complaint = NULL, *difference;
    const char *name;
    json_t *value;
    size_t whole;
    json_t *there = read_whole(path, &whole, &complaint);
    if (there == NULL)
        return complaint;
    const json_t *begun = json_object_get(there, "identity");
    if (begun != NULL && (difference = journal_difference(begun, identity)) != NULL) {
        text_buffer b;
        text_init(&b);
        text_printf(&b, "%s: of another run: %s; another file is wanted", path, difference);
        free(difference);
        complaint = text_take_line(&b);
    }
    json_object_foreach(json_object_get(there, "entries"), name, value) {
        slong i = complaint == NULL ? plan_find(unit, count, name) : -1;
        if (i >= 0)
            entry[i] = json_incref(value);
        else if (complaint == NULL)
            complaint = complain(path, "holds units that are not of its plan");
    }
    json_decref(there);
    j->length = (off_t)whole;
    int error = 0;
    if (complaint == NULL && ftruncate(j->file, j->length) != 0)
        error = errno;
    if (complaint == NULL && error == 0 && whole == 0)
        error = journal_append(j, identity);
    return error != 0 ? complain(path, strerror(error)) : complaint;
}

journal *journal_open(const char *path, const json_t *identity, const work_unit *unit, slong count,
                      json_t **entry, char **complaint) {
    struct stat s;
    journal *j = calloc(1, sizeof *j);
    j->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    *complaint = NULL;
    if (j->file < 0)
        *complaint = complain(path, strerror(errno));
    else if (fstat(j->file, &s) != 0 || !S_ISREG(s.st_mode))
        *complaint = complain(path, "not a regular file");
    else if (flock(j->file, LOCK_EX | LOCK_NB) != 0)
        *complaint =
            complain(path, errno == EWOULDBLOCK ? "another run is writing it" : "cannot be locked");
    else
        *complaint = resume(j, path, identity, unit, count, entry);
    if (*complaint == NULL)
        return j;
    for (slong i = 0; i < count; i++) {
        json_decref(entry[i]);
        entry[i] = NULL;
    }
    journal_close(j);
    return NULL;
}

void journal_close(journal *j) {
    if (j != NULL && j->file >= 0)
        close(j->file);
    free(j);
}
