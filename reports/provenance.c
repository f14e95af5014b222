#include "reports/provenance.h"
#include "numerics/exact/flint_arb.h"

#include <gsl/gsl_version.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

#ifndef MNEME_COMMIT
#define MNEME_COMMIT "unknown"
#endif
#ifndef MNEME_FLAGS
#define MNEME_FLAGS "unknown"
#endif

static void cpu_name(char *name, size_t room) {
    FILE *in = fopen("/proc/cpuinfo", "r");
    char line[512];
    snprintf(name, room, "unknown");
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, room, "%s", colon + 2);
            break;
        }
    }
    if (in != NULL)
        fclose(in);
}

json_t *provenance_json(void) {
    char cpu[256], os[256] = "unknown";
    struct utsname u;
    cpu_name(cpu, sizeof cpu);
    if (uname(&u) == 0)
        snprintf(os, sizeof os, "%s %s", u.sysname, u.machine);
    json_t *j = json_object();
    json_object_set_new(j, "mneme", json_string(MNEME_VERSION));
    json_object_set_new(j, "commit", json_string(MNEME_COMMIT));
#ifdef __clang__
    json_object_set_new(j, "compiler", json_string("clang " __clang_version__));
#else
    json_object_set_new(j, "compiler", json_string("gcc " __VERSION__));
#endif
    json_object_set_new(j, "flags", json_string(MNEME_FLAGS));
    json_object_set_new(j, "gmp", json_string(gmp_version));
    json_object_set_new(j, "mpfr", json_string(mpfr_get_version()));
    json_object_set_new(j, "flint", json_string(FLINT_VERSION));
    json_object_set_new(j, "arb", json_string(MNEME_ARB_VERSION));
    json_object_set_new(j, "gsl", json_string(gsl_version));
    json_object_set_new(j, "jansson", json_string(JANSSON_VERSION));
    json_object_set_new(j, "zlib", json_string(zlibVersion()));
    json_object_set_new(j, "cpu", json_string(cpu));
    json_object_set_new(j, "os", json_string(os));
    return j;
}

json_t *provenance_of_input(const char *name, const char *data, size_t length) {
    char text[16];
    uLong crc = crc32(0, (const Bytef *)data, (uInt)length);
    snprintf(text, sizeof text, "%08lx", (unsigned long)crc);
    json_t *j = json_object();
    json_object_set_new(j, "name", json_string(name));
    json_object_set_new(j, "bytes", json_integer((json_int_t)length));
    json_object_set_new(j, "crc32", json_string(text));
    return j;
}
