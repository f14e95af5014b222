#include "numerics/accuracy/judge.h"

const char *judge_verdict_text(judge_verdict verdict) {
    static const char *const text[] = {"ok", "undecided", "suspect", "broken"};
    return (unsigned)verdict < 4 ? text[verdict] : "unknown verdict";
}
