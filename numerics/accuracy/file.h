/* Files that appear whole or not at all, and files read whole. */
#ifndef ACCURACY_FILE_H
#define ACCURACY_FILE_H

#include <stddef.h>

/* A file being written under a temporary name beside its final one, which is locked meanwhile. */
typedef struct output_file {
    char *path, *temporary;
    int descriptor;
    struct output_file *next; /* of those that are open */
} output_file;

/* 0 on success; else errno's value, and nothing was created.  Opening early shows at once whether
   the place can be written to.  A symbolic link is followed; what is no regular file (a device, a
   pipe) is written to directly.  Temporary files of the same path whose writers are gone are
   removed.  f stays where it is until it is committed or abandoned; one thread opens files. */
int output_open(output_file *f, const char *path);
/* Writes and renames; 0 or errno's value.  On failure the old file, if any, is as it was. */
int output_commit(output_file *f, const char *data, size_t length);
/* Removes the temporary file. */
void output_abandon(output_file *f);
/* Removes the temporary files of all that are open, for a process about to end; may be called by a
   signal's handler on the thread that opens them. */
void output_remove_all(void);

/* Whether path could be opened as above (a regular file or a new one; others are taken on trust);
   0 or errno's value.  Nothing is left behind. */
int output_probe(const char *path);

/* mkdir -p; 0 or errno's value. */
int output_make_directory(const char *path);

/* The whole of a file, with a zero byte appended, for the caller to free(); NULL with *error set to
   errno's value (EFBIG above limit bytes). */
char *input_read(const char *path, size_t limit, size_t *length, int *error);

#endif
