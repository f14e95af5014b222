#include "reports/cli/cli.h"
#include "reports/provenance.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

const char *cli_self;

const cli_command cli_commands[] = {
    {"verify", "check claims; exit 0 if every verdict is as pinned",
     "[--level quick|full|extended] [-j N] [--json F] [--junit F] [PATTERN...]\n"
     "--shard I/N --journal F ...\n--mpi [--journal F] ...",
     cmd_verify, &manual_verify},
    {"merge", "one report from the journals of mneme verify",
     "[--json F] [--junit F] [--series DIR] [--witnesses DIR] [--rebase DIR] JOURNAL...", cmd_merge,
     &manual_merge},
    {"list", "list the claims, their checks, or the units of a run",
     "[--checks] [PATTERN...]\n--units [--level L] [--shard I/N] [PATTERN...]", cmd_list,
     &manual_list},
    {"show", "show a claim: statements, proofs, checks, controls", "ID", cmd_show, &manual_show},
    {"replay", "re-check a witness from its inputs alone", "[--python] WITNESS.json", cmd_replay,
     &manual_replay},
    {"report", "write a report from verify.json",
     "[--format FORMAT] [--output F] [VERIFY.json]\n"
     "[--brief] [--since OLD.json] [--output F] [VERIFY.json]",
     cmd_report, &manual_report},
    {"weights", "Grünwald-Letnikov weights, exact or correctly rounded",
     "--alpha A [--from J] [--count N] [--digits D | --exact]", cmd_weights, &manual_weights},
    {"soe", "sums of exponentials for the weights, with certified errors",
     "--alpha A --horizon T (--error E | --terms S) [--relative] [--method M] [--format F]\n"
     "--certify TABLE (--alpha A | --kernel power --beta B) --horizon T [--relative]",
     cmd_soe, &manual_soe},
    {"banks", "the fewest fixed orders that serve a range of orders, certified from both sides",
     "--delta D --horizon T --error E [--norm sup|l1|l2] [--format F]", cmd_banks, &manual_banks},
    {"bench", "benchmarks: time ratios measured within one run",
     "[weights|certify|soe|machine|kernels|convolution|reference]... [--budget SECONDS] [--json "
     "F]\n"
     "kernels [--kernel NAME] [--method M] [--time T] [--dim D] [--threads P]\n"
     "reference [--kernel NAME] [--time T] [--dim D] [--threads P]",
     cmd_bench, &manual_bench},
    {"regress", "the kernels against the certified reference and the committed numbers",
     "[--kernel K] [--isa I] [--method M] [--shape S] [--family F] [--seed N] [--quick] [-j N]\n"
     "... [--baseline FILE] [--json F] [--junit F]\n--rebase FILE [--reason TEXT]\n--series DIR",
     cmd_regress, &manual_regress},
    {"check", "is a kernel's output right? arrays from anywhere against the certified reference",
     "KERNEL --inputs IN.npz --output OUT.npy [--layout bthd|bhtd] [--dtype bfloat16]\n"
     "KERNEL --inputs q=q.npy --inputs k=k.npy ... --output OUT [--rtol R --atol A] [--json F]\n"
     "--emit-inputs KERNEL --shape B,T,H,D --output IN.npz [--family F] [--seed N]",
     cmd_check, &manual_check},
    {"experiment", "run the texts' experiments again, on equal footing",
     "\nNAME... [--level quick|full] [--seed N] [--set NAME=VALUE] [-j N] [--json F] [--series "
     "DIR]",
     cmd_experiment, &manual_experiment},
    {"mi", "mutual information between characters or words of a text at a distance, and its law",
     "FILE... [--unit characters|words] [--max-lag N] [--vocabulary N] [--csv F] [--json F]",
     cmd_mi, &manual_mi},
    {NULL}};

static void print_help(void) {
    printf("mneme: certified checking of the theory of long-memory sequence models\n\n");
    for (const cli_command *c = cli_commands; c->name != NULL; c++)
        printf("  %-10s %s\n", c->name, c->summary);
    printf("\nmneme COMMAND --help says more. Numbers are exact: 0.3, 3/10, 1e-8.\n"
           "Exit status: 0 as expected, 1 a check failed, 2 bad usage or input, 3 a fault of the\n"
           "program, 130 interrupted.\n");
}

int main(int argc, char **argv) {
    cli_self = argv[0];
    signal(SIGPIPE, SIG_IGN); /* a closed pipe, a file too large: write errors like any other */
    signal(SIGXFSZ, SIG_IGN);
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help();
        return cli_finish("mneme", EXIT_PASS);
    }
    if (argc >= 2 && strcmp(argv[1], "--help=man") == 0) {
        cli_main_page();
        return cli_finish("mneme", EXIT_PASS);
    }
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        printf("mneme %s\n", MNEME_VERSION);
        return cli_finish("mneme", EXIT_PASS);
    }
    if (argc < 2) {
        fprintf(stderr, "mneme: a command is needed; mneme --help lists them\n");
        return EXIT_BAD_INPUT;
    }
    const cli_command *c = cli_find(argv[1]);
    if (c != NULL)
        return cli_finish(c->name, c->run(argc - 1, argv + 1));
    fprintf(stderr, "mneme: \"%s\" is not a command; mneme --help lists them\n", argv[1]);
    return EXIT_BAD_INPUT;
}
