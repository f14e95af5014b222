/* Journals, shards, merge: a run in pieces is the run. */
#include "tests/sweeps.h"

#include <signal.h>
#include <sys/stat.h>
#include <zlib.h>

#define DIR "build/tests/journal"
/* 34 cheap units, with series and witnesses */
#define CLAIMS "loglinear.cost vla.cost vort.softmax-decay"
#define FILES(name)                                                                                \
    " --json " DIR "/" name ".json --junit " DIR "/" name ".xml --series " DIR "/" name            \
    ".series --witnesses " DIR "/" name ".witnesses "

static int setup(void **state) {
    (void)state;
    run_result r = run("rm -rf " DIR " && mkdir -p " DIR " && " MNEME " verify -j 2" FILES("one")
                           CLAIMS " > " DIR "/one.txt");
    int status = r.status;
    result_clear(&r);
    return status;
}

/* ---- the same report ---- */

static void shards_give_the_report_of_the_single_run(void **state) {
    (void)state;
    static const int shards[] = {1, 2, 3, 7};
    for (size_t k = 0; k < sizeof shards / sizeof *shards; k++) {
        int n = shards[k];
        run_result r =
            gives(0,
                  "for i in $(seq %d); do " MNEME
                  " verify -j $((1 + i %% 2)) --shard $i/%d --journal " DIR "/%d-$i.jsonl " CLAIMS
                  " || exit 9; done; " MNEME " merge" FILES("merged") DIR "/%d-*.jsonl",
                  n, n, n, n);
        assert_int_equal(line_count(r.err), 0);
        result_clear(&r);
        same_reports(DIR "/one.json", DIR "/merged.json");
        r = gives(0,
                  MNEME " merge " DIR "/%d-*.jsonl > " DIR "/merged.txt && cmp " DIR "/one.txt " DIR
                        "/merged.txt && diff -r " DIR "/one.series " DIR
                        "/merged.series && diff -r " DIR "/one.witnesses " DIR
                        "/merged.witnesses && sed 's/ time=\"[0-9.]*\"//' " DIR "/one.xml > " DIR
                        "/x && sed 's/ time=\"[0-9.]*\"//' " DIR "/merged.xml | cmp - " DIR
                        "/x && ls " DIR "/one.witnesses | grep -q json",
                  n);
        result_clear(&r);
    }
    /* one journal for all shards, one after the other; the whole run's journal; experiments and settings */
    run_result r = gives(0, "for i in 2 1; do " MNEME " verify --shard $i/2 --journal " DIR
                            "/both.jsonl " CLAIMS " || exit 9; done; " MNEME " merge --json " DIR
                            "/merged.json " DIR "/both.jsonl && " MNEME " verify --json " DIR
                            "/again.json --journal " DIR "/both.jsonl " CLAIMS);
    result_clear(&r);
    same_reports(DIR "/one.json", DIR "/merged.json");
    same_reports(DIR "/one.json", DIR "/again.json");
    r = gives(0, MNEME " verify --set alpha=3/10 --seed 7 --json " DIR "/set.json --journal " DIR
                       "/set.jsonl 'vort.weights/s*' && " MNEME " merge --json " DIR
                       "/merged.json " DIR "/set.jsonl && grep -q '\"alpha\": \"3/10\"' " DIR
                       "/merged.json");
    result_clear(&r);
    same_reports(DIR "/set.json", DIR "/merged.json");
}

/* What a run in pieces recomputes at the level extended are the certificates that are read at the
   others, a row a line. */
static void certificates_survive_the_pieces(void **state) {
    (void)state;
    static const char units[] = " --level extended vort.soe-rate/sup-errors ";
    run_result r =
        gives(0,
              "cd " DIR "; P=../../../" MNEME
              "; $P verify --shard 1/2 --journal c.jsonl%s && $P verify -j 2 "
              "--journal c.jsonl --rebase one.certificates%s && $P merge --rebase "
              "merged.certificates c.jsonl && "
              "diff -r one.certificates merged.certificates && cp -RL ../../../reports data && cp "
              "merged.certificates/* data/baselines/ && $P verify --data data vort.soe-rate",
              units, units);
    result_clear(&r);
    r = gives(0, "grep -c '^\\[\"' " DIR "/merged.certificates/vort.soe-rate.json");
    assert_int_equal(atoi(r.out), 225);
    result_clear(&r);
}

/* Failures, crashes and skips come through merge as they are, with the exit status. */
static void what_fails_fails_after_merge(void **state) {
    (void)state;
    const char *which =
        "faulty/[a-df-gi-z]* faulty/holds faulty/exits-silently"; /* none that hangs or fills memory */
    run_result r = gives(1,
                         "w='%s'; " FAULTY " verify -j 2 --memory-limit 400 --json " DIR
                         "/f.json $w > " DIR "/f.txt; for i in 1 2 3; do " FAULTY
                         " verify --memory-limit 400 --shard $i/3 --journal " DIR
                         "/f$i.jsonl $w; echo shard $?; done; " FAULTY " merge --json " DIR
                         "/merged.json " DIR "/f?.jsonl > " DIR "/merged.txt; s=$?; cmp " DIR
                         "/f.txt " DIR "/merged.txt && exit $s",
                         which);
    assert_non_null(strstr(r.out, "shard 1\n")); /* a unit crashed */
    assert_non_null(strstr(r.out, "faulty/aborts/0: the unit ended by signal 6"));
    result_clear(&r);
    /* what repeats a failure is told with its inputs */
    r = gives(
        0, FAULTY
        " verify --seed 7 faulty/fails | grep 'reproduce: .* --seed 7 --unit faulty/fails/0'");
    result_clear(&r);
    same_reports(DIR "/f.json", DIR "/merged.json");
}

/* ---- resuming ---- */

static json_t *lines_of(const char *path, char **text) {
    *text = slurp(path);
    json_t *starts = json_array();
    for (const char *p = *text; p != NULL && *p != '\0'; p = strchr(p, '\n') + 1)
        json_array_append_new(starts, json_integer(p - *text));
    return starts;
}

static void put(const char *path, const char *data, size_t length) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, length, out), length);
    fclose(out);
}

#define SHORT "vla.cost vort.softmax-decay"

/* Cut anywhere, a journal is gone on with; what it holds whole is not run again. */
static void torn_journals_are_resumed(void **state) {
    (void)state;
    exact_random random = {test_seed("torn")};
    char *text;
    run_result r =
        gives(0, MNEME " verify --json " DIR "/short.json --journal " DIR "/short.jsonl " SHORT);
    result_clear(&r);
    json_t *starts = lines_of(DIR "/short.jsonl", &text);
    slong lines = (slong)json_array_size(starts), length = (slong)strlen(text);
    for (int i = 0; i < test_count(8); i++) {
        slong cut = i == 0   ? 0
                    : i == 1 ? json_integer_value(json_array_get(starts, 1)) - 1
                    : i == 2 ? length - 1
                             : exact_random_integer(&random, 1, length - 1);
        long whole = 0; /* units before the cut */
        for (slong k = 1; k < lines; k++)
            whole += (k + 1 < lines ? json_integer_value(json_array_get(starts, (size_t)k + 1))
                                    : length) <= cut;
        char kept[64];
        snprintf(kept, sizeof kept, "; %ld were in ", whole);
        put(DIR "/torn.jsonl", text, (size_t)cut);
        r = gives(0, MNEME " verify --shard 1/1 --journal " DIR "/torn.jsonl " SHORT " && " MNEME
                           " merge --json " DIR "/merged.json " DIR "/torn.jsonl");
        assert_case(strstr(r.out, kept) != NULL, "torn", cut);
        result_clear(&r);
        same_reports(DIR "/short.json", DIR "/merged.json");
    }
    /* merge drops a torn line, too, and says what is missing then; it changes nothing */
    put(DIR "/torn.jsonl", text, (size_t)length - 1);
    refused(2, "1 of ", MNEME " merge " DIR "/torn.jsonl");
    struct stat s;
    assert_int_equal(stat(DIR "/torn.jsonl", &s), 0);
    assert_int_equal(s.st_size, length - 1);
    json_decref(starts);
    free(text);
}

/* Any other damage is found, wherever it is, and the file stays as it is. */
static void damaged_journals_are_refused(void **state) {
    (void)state;
    exact_random random = {test_seed("damage")};
    char *text = slurp(DIR "/short.jsonl");
    slong length = (slong)strlen(text);
    for (int i = 0; i < test_count(20); i++) {
        slong at = i == 0 ? 0 : exact_random_integer(&random, 0, length - 2);
        char *copy = strdup(text);
        copy[at] = (char)(copy[at] ^ (1 << exact_random_integer(&random, 0, 6)));
        put(DIR "/damaged.jsonl", copy, (size_t)length);
        refused(2,
                at < 11 ? "not a journal" : "damaged.jsonl: ", MNEME " %s " DIR "/damaged.jsonl %s",
                i % 2 ? "merge" : "verify --journal", i % 2 ? "" : SHORT);
        char *after = slurp(DIR "/damaged.jsonl");
        assert_case(strlen(after) == strlen(copy) && memcmp(after, copy, strlen(copy)) == 0,
                    "damage", at);
        free(after);
        free(copy);
    }
    free(text);
    refused(2, "not a journal",
            "cp README.md " DIR "/damaged.jsonl; " MNEME " verify --journal " DIR
            "/damaged.jsonl vla.cost");
    refused(2, "not a journal",
            "printf mine > " DIR "/damaged.jsonl; " MNEME " verify --journal " DIR
            "/damaged.jsonl vla.cost");
    run_result r = gives(0, "test $(cat " DIR "/damaged.jsonl) = mine");
    result_clear(&r);
    refused(2, "it is empty", ": > " DIR "/damaged.jsonl; " MNEME " merge " DIR "/damaged.jsonl");
    refused(2, "No such file", MNEME " merge " DIR "/nowhere.jsonl");
    refused(2, "it is a device", MNEME " merge /dev/zero");
    refused(2, "not a regular file", MNEME " verify --journal /dev/null vla.cost");
    refused(2, "Is a directory", MNEME " verify --journal build vla.cost");
    refused(2, "No such file", MNEME " verify --journal " DIR "/no/where vla.cost");
}

/* kill -9 whenever it may be: the same command ends the run, to the same report. */
static void a_killed_run_goes_on(void **state) {
    (void)state;
    exact_random random = {test_seed("killed")};
    for (int i = 0; i < test_count(3); i++) {
        double seconds = (double)exact_random_integer(&random, 20, 900) / 1000;
        run_result r =
            gives(0,
                  "rm -f " DIR "/killed.jsonl; for k in 1 2 3; do " MNEME
                  " verify -j 2 --journal " DIR "/killed.jsonl " CLAIMS
                  " >/dev/null & p=$!; sleep %.3f; kill -9 $p; wait $p; done; " MNEME
                  " verify -j 2 --json " DIR "/killed.json --journal " DIR "/killed.jsonl " CLAIMS
                  " && " MNEME " merge --json " DIR "/merged.json " DIR "/killed.jsonl",
                  seconds);
        result_clear(&r);
        same_reports(DIR "/one.json", DIR "/killed.json");
        same_reports(DIR "/one.json", DIR "/merged.json");
    }
    /* an interrupt: 130, and how to go on */
    run_result r =
        gives(130, "rm -f " DIR "/killed.jsonl; timeout --preserve-status -s INT 1 " FAULTY
                   " verify --journal " DIR "/killed.jsonl faulty/hangs faulty/holds");
    assert_non_null(strstr(r.err, "the same command goes on"));
    result_clear(&r);
}

/* What crashed or was over its limits is run again; what ended is not. */
static void crashes_are_run_again(void **state) {
    (void)state;
    run_result r = gives(1, FAULTY " verify --shard 1/1 --time-limit 1 --journal " DIR
                                   "/again.jsonl faulty/holds faulty/aborts faulty/hangs; " FAULTY
                                   " verify --shard 1/1 --time-limit 1 --journal " DIR
                                   "/again.jsonl faulty/holds faulty/aborts faulty/hangs");
    assert_non_null(strstr(r.out, "0 were in " DIR "/again.jsonl, 3 were run, 0 are left"));
    assert_non_null(strstr(r.out, "1 were in " DIR "/again.jsonl, 2 were run, 0 are left"));
    assert_non_null(
        strstr(r.out, "faulty/hangs/0: the unit stopped after 1.0 s: over its time limit"));
    result_clear(&r);
}

/* ---- refusals ---- */

static void another_run_is_refused(void **state) {
    (void)state;
    run_result r = gives(0, MNEME " verify --journal " DIR "/mine.jsonl vort.markov");
    result_clear(&r);
    refused(2, "level \"quick\" and \"full\"",
            MNEME " verify --level full --journal " DIR "/mine.jsonl vort.markov");
    refused(2, "seed \"1\" and \"2\"",
            MNEME " verify --seed 2 --journal " DIR "/mine.jsonl vort.markov");
    refused(2, "patterns [\"vort.markov\"] and [\"vla.cost\"]",
            MNEME " verify --journal " DIR "/mine.jsonl vla.cost");
    refused(2, "settings",
            MNEME " verify --set alpha=1/2 --journal " DIR "/set.jsonl --seed 7 'vort.weights/s*'");
    refused(2, "certificates",
            "cp -r reports/baselines " DIR "/ && echo ' ' >> " DIR
            "/baselines/vort.soe-rate.json; " MNEME " verify --journal " DIR
            "/rate.jsonl vort.soe-rate/geometric >/dev/null; " MNEME " verify --data " DIR
            " --journal " DIR "/rate.jsonl vort.soe-rate/geometric");
    refused(2, "another run is writing it",
            FAULTY " verify --time-limit 3 --journal " DIR
                   "/locked.jsonl faulty/hangs >/dev/null 2>&1 & sleep 0.5; " FAULTY
                   " verify --journal " DIR "/locked.jsonl faulty/hangs; s=$?; "
                   "kill $!; wait; exit $s");
    refused(2, "--journal F is wanted", MNEME " verify --shard 1/2 vla.cost");
    refused(2, "mneme merge writes it",
            MNEME " verify --shard 1/2 --journal " DIR "/never --junit " DIR "/y vla.cost");
    refused(2, "from 1 to 2", MNEME " verify --shard 3/2 --journal " DIR "/never vla.cost");
    refused(2, "from 1 to 2", MNEME " verify --shard 0/2 --journal " DIR "/never vla.cost");
    refused(2, "is not I/N", MNEME " verify --shard 2 --journal " DIR "/never vla.cost");
    refused(2, "whole number", MNEME " verify --shard 1/two --journal " DIR "/never vla.cost");
    refused(2, "--unit runs here",
            MNEME " verify --unit vla.cost/counts/0 --journal " DIR "/never");
    refused(2, "--json: --unit has no report",
            MNEME " verify --unit vla.cost/counts/0 --json " DIR "/never");
    refused(2, "without the pattern", MNEME " verify --unit vla.cost/counts/0 vla.cost");
    refused(2, "--lease goes with --mpi", MNEME " verify --lease 5 vla.cost");
    r = gives(0,
              MNEME " verify --help | sed -n 's/^  mneme \\(.* --unit .*\\)/\\1/p' | xargs " MNEME);
    result_clear(&r);
    refused(2, "name one file",
            MNEME " verify --json " DIR "/mine.jsonl --journal " DIR "/./mine.jsonl vla.cost");
    refused(2, "goes with --units", MNEME " list --shard 1/2");
    refused(2, "no claim or check matches", /* a name that no JSON can hold */
            MNEME " verify --journal " DIR "/never \"$(printf 'vla.[c\\377]ost')\"");
    r = gives(0, "! test -e " DIR "/never");
    result_clear(&r);
}

/* A journal's line with its own check sum. */
static void put_line(FILE *out, const char *line, size_t length) {
    const int prefix = 20; /* {"crc32":"89abcdef", */
    uLong crc = crc32(0, (const Bytef *)line + prefix, (uInt)length - (uInt)prefix);
    fprintf(out, "{\"crc32\":\"%08lx\",%.*s\n", crc, (int)length - prefix, line + prefix);
}

/* to := from with the first old, in its first or last line, replaced by new: honest check sums. */
static void forge(const char *to, const char *from, int first, const char *old, const char *new) {
    char *text = slurp(from), *line = text;
    FILE *out = fopen(to, "wb");
    assert_non_null(out);
    for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        char *at = strstr(line, old);
        if (at != NULL && (first ? line == text : end[1] == '\0')) {
            char *changed = calloc(strlen(line) + strlen(new) + 1, 1);
            sprintf(changed, "%.*s%s%s", (int)(at - line), line, new, at + strlen(old));
            put_line(out, changed, strlen(changed));
            free(changed);
        } else {
            assert_false(first && line == text);
            put_line(out, line, strlen(line));
        }
    }
    fclose(out);
    free(text);
}

static void merge_refuses_what_is_not_one_run(void **state) {
    (void)state;
    run_result r = gives(0, "for i in 1 2 3; do " MNEME " verify --shard $i/3 --journal " DIR
                            "/p$i.jsonl " SHORT " || exit; done; " MNEME
                            " verify --seed 2 --shard 3/3 --journal " DIR "/s3.jsonl " SHORT
                            "; ln -f " DIR "/p1.jsonl " DIR "/link.jsonl");
    result_clear(&r);
    refused(2,
            "units are in none of the 2 files: ", MNEME " merge " DIR "/p1.jsonl " DIR "/p3.jsonl");
    refused(2, "p1.jsonl and " DIR "/link.jsonl are one file",
            MNEME " merge " DIR "/p1.jsonl " DIR "/p2.jsonl " DIR "/link.jsonl");
    refused(2, "s3.jsonl are not of one run: seed \"1\" and \"2\"",
            MNEME " merge " DIR "/p1.jsonl " DIR "/p2.jsonl " DIR "/s3.jsonl");
    refused(2, "journals of a run are wanted", MNEME " merge");
    refused(2, "is read (a journal)", MNEME " merge --json " DIR "/p3.jsonl " DIR "/p[123].jsonl");
    /* a journal in the folder of an output keeps what it holds */
    r = gives(0, MNEME " verify --series " DIR "/in --journal " DIR
                       "/in.jsonl loglinear.cost && cp " DIR "/in.jsonl \"$(ls " DIR
                       "/in/*.dat | head -1)\"");
    result_clear(&r);
    static const char *const keeps[][2] = {
        {"is the file of a journal", "merge $f"},
        {"is the file of --journal", "verify --journal $f loglinear.cost"}};
    for (size_t i = 0; i < sizeof keeps / sizeof *keeps; i++)
        refused(2, keeps[i][0],
                "f=$(ls " DIR "/in/*.dat | head -1); " MNEME " %s --series " DIR
                "/in; s=$?; cmp $f " DIR "/in.jsonl && exit $s",
                keeps[i][1]);
    /* the same unit twice: equal results are one, others are named */
    r = gives(0, "cp " DIR "/p1.jsonl " DIR "/copy.jsonl; " MNEME " merge " DIR "/p[123].jsonl " DIR
                 "/copy.jsonl");
    result_clear(&r);
    forge(DIR "/copy.jsonl", DIR "/p1.jsonl", 0, "\"decisions\":", "\"decisions\":1");
    refused(2, "different results of the unit",
            MNEME " merge " DIR "/p[123].jsonl " DIR "/copy.jsonl");
    forge(DIR "/copy.jsonl", DIR "/p1.jsonl", 0, "\"complete\":true", "\"complete\":false");
    refused(2, "not whole", MNEME " merge " DIR "/p[23].jsonl " DIR "/copy.jsonl");
    forge(DIR "/copy.jsonl", DIR "/p1.jsonl", 0, "\"outcome\":\"", "\"outcome\":\"un");
    refused(2, "its \"outcome\" must be", MNEME " merge " DIR "/p[23].jsonl " DIR "/copy.jsonl");
    forge(DIR "/copy.jsonl", DIR "/p1.jsonl", 0,
          "\"seconds\":", "\"crash\":\"ended\",\"seconds\":");
    r = gives(0, MNEME " merge " DIR "/copy.jsonl " DIR "/p[123].jsonl && " MNEME " merge " DIR
                       "/p[123].jsonl " DIR "/copy.jsonl");
    result_clear(&r);
    /* other programs */
    static const char *const change[][3] = {
        {"\"commit\":\"", "\"commit\":\"0", "by another version: commit"},
        {"\"mneme\":\"", "\"mneme\":\"9", "by another version: mneme"},
        {"\"plan\":\"", "\"plan\":\"0", "its plan is not the one of this program"},
        {"\"level\":\"quick", "\"level\":\"slow", "names no run"},
        {"\"patterns\":[", "\"patterns\":[1,", "names no run"},
        {"\"settings\":{", "\"settings\":{\"a\":1", "names no run"},
        {"mneme-units-1", "mneme-units-2", "must have the schema"}};
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        forge(DIR "/copy.jsonl", DIR "/p1.jsonl", 1, change[i][0], change[i][1]);
        refused(2, change[i][2],
                MNEME " merge " DIR "/copy.jsonl " DIR "/p2.jsonl " DIR "/p3.jsonl");
    }
    forge(DIR "/copy.jsonl", DIR "/p3.jsonl", 1, "\"flags\":\"", "\"flags\":\"-Ofast ");
    refused(2, "copy.jsonl are not of one run: flags",
            MNEME " merge " DIR "/p1.jsonl " DIR "/p2.jsonl " DIR "/copy.jsonl");
}

/* No room for the journal: one line, and it stays readable. */
static void a_full_disk_loses_nothing(void **state) {
    (void)state;
    refused(2, "cannot write " DIR "/full.jsonl: File too large",
            "(ulimit -f 8; exec " MNEME " verify --shard 1/1 --journal " DIR "/full.jsonl " CLAIMS
            ")");
    run_result r =
        gives(0, MNEME " verify --shard 1/1 --journal " DIR "/full.jsonl " CLAIMS " && " MNEME
                       " merge --json " DIR "/merged.json " DIR "/full.jsonl");
    assert_null(strstr(r.out, "; 0 were in"));
    result_clear(&r);
    same_reports(DIR "/one.json", DIR "/merged.json");
}

/* ---- the plan ---- */

/* Every unit is in one shard; none has more than the mean and one unit. */
static void shards_are_a_partition_of_about_equal_cost(void **state) {
    (void)state;
    static const int shards[] = {2, 3, 7, 30};
    run_result all =
        gives(0, MNEME " list --units --level extended | sed '$d' | sort > " DIR "/all.txt; "
                       "awk '{s += $1; if ($1 > m) m = $1} END {print s, m}' " DIR "/all.txt");
    double sum = strtod(all.out, NULL), largest = strtod(strchr(all.out, ' '), NULL);
    assert_true(sum > 0 && largest > 0);
    result_clear(&all);
    for (size_t k = 0; k < (sizeof shards / sizeof *shards); k++) {
        int n = shards[k];
        run_result r = gives(0,
                             "for i in $(seq %d); do " MNEME
                             " list --units --level extended --shard $i/%d; done > " DIR
                             "/parts.txt; grep -v ' units, ' " DIR "/parts.txt | sort | cmp - " DIR
                             "/all.txt && sed -n 's/.* units, \\(.*\\) s/\\1/p' " DIR
                             "/parts.txt | sort -g | tail -1",
                             n, n);
        assert_true(strtod(r.out, NULL) <= (sum / n + largest) * 1.01);
        result_clear(&r);
    }
}

/* The commit that journals and reports name is looked up by every make. */
static void make_looks_up_the_commit(void **state) {
    (void)state;
    run_result r = gives(0, "make -n MNEME_STAGE=2 build/commit build/stamp | grep -c 'cmp -s'");
    assert_int_equal(atoi(r.out), 2);
    result_clear(&r);
}

/* ---- examples ---- */

static int has_jsonschema(void) {
    run_result r = run(
        "/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || python3 -c 'import jsonschema'");
    int status = r.status;
    result_clear(&r);
    return status == 0;
}

static void journals_follow_their_schema(void **state) {
    (void)state;
    if (!has_jsonschema())
        skip();
    run_result r = gives(0, "P=/usr/bin/python3; $P -c 'import jsonschema' 2>/dev/null || "
                            "P=python3; $P -c \"\nimport json, jsonschema\n"
                            "s = "
                            "json.load(open('reports/schemas/"
                            "units.schema.json'))\njsonschema.Draft7Validator.check_schema(s)\n"
                            "v = jsonschema.Draft7Validator(s)\n"
                            "for f in ('1-1', 'f1', 'f2', 'f3', 'again', 'set'):\n"
                            "    for line in open('" DIR
                            "/' + f + '.jsonl'):\n        v.validate(json.loads(line))\n"
                            "assert list(v.iter_errors({'crc32': '00000000', 'unit': 'a/b/0'}))\"");
    result_clear(&r);
}

/* The Slurm script, with the variables that Slurm sets. */
static void the_slurm_script_works(void **state) {
    (void)state;
    run_result r = gives(
        0,
        "export SHARDS=3 LEVEL=quick SLURM_CPUS_PER_TASK=2 JOURNALS=\"" DIR
        "/a slurm's\"; for i in 1 2 3; do SLURM_ARRAY_TASK_ID=$i sh reports/sweeps/slurm.sh " CLAIMS
        " || exit; done; " MNEME " merge --json " DIR "/merged.json \"$JOURNALS\"/*.jsonl");
    result_clear(&r);
    same_reports(DIR "/one.json", DIR "/merged.json");
    r = gives(0, "n=$(sed -n 's/^#SBATCH --array=1-//p' reports/sweeps/slurm.sh); "
                 "grep -q \"SHARDS:-$n}\" reports/sweeps/slurm.sh");
    result_clear(&r);
}

/* What the workflow runs with mneme, for each shard of its matrix, then the merge. */
static void the_workflow_works(void **state) {
    (void)state;
    run_result r =
        gives(0, "W=reports/sweeps/github.yml; export LEVEL=quick GITHUB_WORKFLOW=1; rm -rf " DIR
                 "/w && mkdir -p " DIR "/w/journals && root=$PWD && cp $W " DIR "/w/ && cd " DIR
                 "/w && mkdir -p build && ln -s \"$root/build/bin\" build/bin && "
                 "ln -s \"$root/reports\" reports && "
                 "n=$(sed -n 's/.*shard: \\[.*, \\([0-9]*\\)\\]/\\1/p' github.yml) && "
                 "sed -n '/^  shard:/,/^  merge:/s/.*run: \\(build.*\\)/\\1/p' github.yml | sed "
                 "'s/$/ " CLAIMS "/' > shard.sh && "
                 "sed -n '/^  merge:/,$s/.*run: \\(build.*\\)/\\1/p' github.yml > merge.sh && "
                 "test $(wc -l < shard.sh) = 1 && test $(wc -l < merge.sh) = 2 && "
                 "for i in $(seq $n); do sed \"s/\\${{ matrix.shard }}/$i/g\" shard.sh | sh -e || "
                 "exit; done && "
                 "mv *.jsonl journals/ && test $(ls journals | wc -l) = $n && sh -e merge.sh && cp "
                 "verify.json ../merged.json");
    result_clear(&r);
    same_reports(DIR "/one.json", DIR "/merged.json");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_give_the_report_of_the_single_run),
        cmocka_unit_test(certificates_survive_the_pieces),
        cmocka_unit_test(what_fails_fails_after_merge),
        cmocka_unit_test(torn_journals_are_resumed),
        cmocka_unit_test(damaged_journals_are_refused),
        cmocka_unit_test(a_killed_run_goes_on),
        cmocka_unit_test(crashes_are_run_again),
        cmocka_unit_test(another_run_is_refused),
        cmocka_unit_test(merge_refuses_what_is_not_one_run),
        cmocka_unit_test(a_full_disk_loses_nothing),
        cmocka_unit_test(shards_are_a_partition_of_about_equal_cost),
        cmocka_unit_test(make_looks_up_the_commit),
        cmocka_unit_test(journals_follow_their_schema),
        cmocka_unit_test(the_slurm_script_works),
        cmocka_unit_test(the_workflow_works),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
