/* mneme verify --mpi: ranks share the units, and may be lost. */
#include "tests/sweeps.h"

#define DIR "build/tests/mpi"
#define CLAIMS "loglinear.cost vla.cost vort.softmax-decay"
/* some units of a few tenths of a second, so that there is always one to be lost */
#define LONGER "vort.plasticity 'vort.weights/s*' vort.keyed-retrieval"
/* as the manual has it; and what machines with one user and few cores need */
#define MPIRUN                                                                                     \
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 timeout -k 5 "    \
    "120 mpirun "                                                                                  \
    "--oversubscribe --mca orte_allowed_exit_without_sync 1 "

static int there_is_mpi;

static int setup(void **state) {
    (void)state;
    run_result r = run("rm -rf " DIR " && mkdir -p " DIR " && " MNEME " verify -j 2 --json " DIR
                       "/one.json " CLAIMS " > " DIR "/one.txt && " MNEME " verify -j 2 --json " DIR
                       "/longer.json " LONGER);
    int status = r.status;
    result_clear(&r);
    r = run("command -v mpirun && test -e build/lib/mneme-mpi.so");
    there_is_mpi = r.status == 0;
    result_clear(&r);
    return status;
}

static void needs_mpi(void) {
    if (!there_is_mpi)
        skip();
}

static void ranks_give_the_report_of_the_single_run(void **state) {
    (void)state;
    needs_mpi();
    for (int n = 1; n <= 3; n++) {
        run_result r = gives(0,
                             MPIRUN "-np %d " MNEME " verify --mpi --json " DIR
                                    "/mpi.json --journal " DIR "/ranks%d.jsonl " CLAIMS " > " DIR
                                    "/mpi.txt && cmp " DIR "/one.txt " DIR "/mpi.txt && " MNEME
                                    " merge --json " DIR "/merged.json " DIR "/ranks%d.jsonl",
                             n, n, n);
        assert_null(strstr(r.err, "silent"));
        result_clear(&r);
        same_reports(DIR "/one.json", DIR "/mpi.json");
        same_reports(DIR "/one.json", DIR "/merged.json");
    }
    /* whole ranks need nothing of mpirun; shards, several units at once; failures are mpirun's status */
    run_result r = gives(
        0, "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; for i in 1 2; do "
           "mpirun --oversubscribe -np 2 " MNEME " verify -j 2 --mpi --shard $i/2 --journal " DIR
           "/s$i.jsonl " CLAIMS " || exit; done; " MNEME " merge --json " DIR "/merged.json " DIR
           "/s?.jsonl");
    result_clear(&r);
    same_reports(DIR "/one.json", DIR "/merged.json");
    r = gives(1, MPIRUN "-np 2 " FAULTY " verify --mpi --json " DIR
                        "/f.json faulty/fails faulty/aborts faulty/holds");
    assert_non_null(strstr(r.out, "1 passed, 2 failed, 0 skipped\n"));
    result_clear(&r);
}

/* Shell functions: below P: the processes that come from P, with their names; rank R P: of these the one that is rank R, not its
   guard, once it runs a unit (or some seconds are over). */
#define PROCESSES                                                                                  \
    "below() { for c in $(pgrep -P $1); do echo \"$c $(cat /proc/$c/comm)\"; below $c; done; }; "  \
    "rank() { for n in $(seq 200); do below $2 | while read p name; do "                           \
    "[ \"$name\" = mneme ] && [ \"$(cat /proc/$(ps -o ppid= -p $p | tr -d ' ')/comm)\" = mneme ] " \
    "&& "                                                                                          \
    "! grep -q -e --unit /proc/$p/cmdline && "                                                     \
    "tr '\\0' '\\n' < /proc/$p/environ | grep -q \"^OMPI_COMM_WORLD_RANK=$1$\" && pgrep -P $p "    \
    ">/dev/null && "                                                                               \
    "echo $p && break; done | grep . && break; sleep 0.02; done; } 2>/dev/null; "

/* A run that ends before its rank is met at work is begun again, a few times. */
static void lose_a_rank(const char *signal, const char *rank) {
    run_result r =
        gives(0,
              PROCESSES "for try in 1 2 3 4 5; do rm -f " DIR "/lost.jsonl; (" MPIRUN "-np 3 " MNEME
                        " verify --mpi --lease 5 --journal " DIR "/lost.jsonl --json " DIR
                        "/mpi.json " LONGER ") & job=$!; p=$(rank %s $job); "
                        "if kill -%s $p; then wait $job; exit $?; fi; wait $job; done; exit 9",
              rank, signal);
    if (strstr(r.err, "silent for 5 s and given up; units to be run again: 1") == NULL)
        print_error("%s", r.err);
    assert_non_null(strstr(r.err, "silent for 5 s and given up; units to be run again: 1"));
    assert_non_null(strstr(r.err, strcmp(signal, "KILL") == 0
                                      ? "a rank ended by signal 9"
                                      : "a rank was silent for 5 s and is ended"));
    result_clear(&r);
    same_reports(DIR "/longer.json", DIR "/mpi.json");
    r = gives(0, MNEME " merge --json " DIR "/merged.json " DIR "/lost.jsonl");
    result_clear(&r);
    same_reports(DIR "/longer.json", DIR "/merged.json");
}

static void a_killed_rank_loses_its_unit_only(void **state) {
    (void)state;
    needs_mpi();
    lose_a_rank("KILL", "1");
}

static void a_stopped_rank_loses_its_unit_only(void **state) {
    (void)state;
    needs_mpi();
    lose_a_rank("STOP", "2");
}

/* The first rank, then mpirun killed: the same command goes on. */
static void a_killed_job_goes_on(void **state) {
    (void)state;
    needs_mpi();
    run_result r = gives(0, PROCESSES "rm -f " DIR "/job.jsonl; run() { " MPIRUN "-np 2 " MNEME
                                      " verify --mpi --lease 5 --journal " DIR
                                      "/job.jsonl --json " DIR "/mpi.json " LONGER
                                      "; }; (run; echo first $?) & kill -9 $(rank 0 $!); wait; "
                                      "(run; echo second $?) & rank 1 $! >/dev/null; kill -9 "
                                      "$(below $! | sed -n 's/ mpirun//p'); wait; sleep 0.5; "
                                      "run >/dev/null; echo last $?");
    assert_non_null(strstr(r.out, "first 3\n"));
    assert_non_null(strstr(r.out, "second 137\n"));
    assert_non_null(strstr(r.out, "last 0\n"));
    assert_non_null(strstr(r.err, "a rank, the first, ended by signal 9"));
    result_clear(&r);
    same_reports(DIR "/longer.json", DIR "/mpi.json");
}

static void without_mpi_one_line_says_how_to_get_it(void **state) {
    (void)state;
    refused(2, "make deps-mpi",
            "mkdir -p " DIR "/bin && cp " MNEME " " DIR "/bin/ && " DIR
            "/bin/mneme verify --mpi --data reports vla.cost");
    refused(2, "--lease: 0 is out of range", MNEME " verify --mpi --lease 0 vla.cost");
}

/* Bad input is said once, by the first rank. */
static void bad_input_is_said_once(void **state) {
    (void)state;
    needs_mpi();
    run_result r = gives(2, MPIRUN "-np 3 " MNEME " verify --mpi no.such.claim; s=$?; exit $s");
    const char *line = strstr(r.err, "no claim or check matches");
    assert_non_null(line);
    assert_null(strstr(line + 1, "no claim or check matches"));
    result_clear(&r);
}

/* The program itself does not load MPI. */
static void the_plain_program_is_not_linked_to_mpi(void **state) {
    (void)state;
    run_result r = gives(0, "! ldd " MNEME " | grep -i mpi");
    result_clear(&r);
}

int main(void) {
    /* what Open MPI keeps to the end would be taken for leaks of ours */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_give_the_report_of_the_single_run),
        cmocka_unit_test(a_killed_rank_loses_its_unit_only),
        cmocka_unit_test(a_stopped_rank_loses_its_unit_only),
        cmocka_unit_test(a_killed_job_goes_on),
        cmocka_unit_test(bad_input_is_said_once),
        cmocka_unit_test(without_mpi_one_line_says_how_to_get_it),
        cmocka_unit_test(the_plain_program_is_not_linked_to_mpi),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
