/* mneme bench */
#include "numerics/bench/bench.h"
#include "reports/cli/cli.h"

#include <string.h>

int cmd_bench(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } benches[] = {{"weights", bench_weights}, {"certify", bench_certify}, {"soe", bench_soe}};
    const cli_option options[] = {{NULL, NULL, NULL, NULL, NULL, NULL}};
    int status;
    if (cli_parse(&cli_commands[8], options, &argc, argv, &status))
        return status;
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "weights") != 0 && strcmp(argv[i], "certify") != 0 &&
            strcmp(argv[i], "soe") != 0)
            return cli_complain(
                "bench", "\"%s\" is not a benchmark; weights, certify or soe is wanted", argv[i]);
    for (size_t b = 0; b < sizeof benches / sizeof *benches; b++) {
        int wanted = argc == 0;
        for (int i = 0; i < argc; i++)
            wanted |= strcmp(argv[i], benches[b].name) == 0;
        if (wanted)
            benches[b].run();
    }
    return EXIT_PASS;
}
