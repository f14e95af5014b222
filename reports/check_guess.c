#include "reports/check.h"
void check_guess(char *guess, const check_call *c, const check_options *o, const arithmetic *in,
                 array_type type, const void *output, const judge_report *report) {
    (void)c, (void)o, (void)in, (void)type, (void)output, (void)report;
    guess[0] = 0;
}
