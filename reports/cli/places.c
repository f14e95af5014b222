/* Files that a command reads and writes. */
#include "reports/cli/cli.h"
#include "reports/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The path with its folder resolved; false where there is no such folder. */
static int resolved(const char *path, char *folder, const char **name) {
    char copy[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    if (length >= sizeof copy)
        return 0;
    memcpy(copy, path, length);
    copy[length] = '\0';
    *name = slash != NULL ? slash + 1 : path;
    return realpath(length > 0 ? copy : slash != NULL ? "/" : ".", folder) != NULL;
}

/* Devices and pipes may be named as often as one likes. */
int cli_one_file(const char *a, const char *b) {
    struct stat s, t;
    char folder[2][PATH_MAX];
    const char *name[2];
    int here = stat(a, &s) == 0, there = stat(b, &t) == 0;
    if (here && there)
        return S_ISREG(s.st_mode) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
    return !here && !there && resolved(a, folder[0], name) && resolved(b, folder[1], name + 1) &&
           strcmp(folder[0], folder[1]) == 0 && strcmp(name[0], name[1]) == 0;
}

int cli_places(const char *command, const cli_file *outputs, const cli_file *inputs) {
    for (const cli_file *o = outputs; o->option != NULL; o++) {
        if (o->path == NULL)
            continue;
        for (const cli_file *i = inputs; i != NULL && i->option != NULL; i++)
            if (i->path != NULL && cli_one_file(o->path, i->path))
                return cli_complain(command, "%s: %s is read (%s); another file is wanted",
                                    o->option, o->path, i->option);
        for (const cli_file *p = outputs; p < o; p++)
            if (p->path != NULL && cli_one_file(o->path, p->path))
                return cli_complain(command, "%s and %s name one file", p->option, o->option);
        int error = output_probe(o->path);
        if (error != 0)
            return cli_complain(command, "cannot write %s: %s", o->path, strerror(error));
    }
    return EXIT_PASS;
}

int cli_design_places(const char *command, const char *output, const char *witness) {
    static const char *const suffix[] = {".upper.json", ".lower.json"};
    char *path[2] = {NULL, NULL};
    for (int i = 0; i < 2 && witness != NULL; i++) {
        text_buffer b;
        text_init(&b);
        text_printf(&b, "%s%s", witness, suffix[i]);
        path[i] = text_take(&b);
    }
    const cli_file outputs[] = {
        {"--output", output}, {"--witness", path[0]}, {"--witness", path[1]}, {NULL, NULL}};
    int status = cli_places(command, outputs, NULL);
    free(path[0]);
    free(path[1]);
    return status;
}
