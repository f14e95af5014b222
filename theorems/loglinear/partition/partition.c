/* loglinear.partition: the levels of log-linear attention cut the past of each position into binary
   intervals.

   Position t sees source s <= t at the level "bit length of t XOR s", so a level is fixed by the
   highest bit where s and t differ.  What follows for all t is a matter of bits; every step is also
   looked at exhaustively for small t, as the statements say. */
#include "theorems/loglinear/partition/partition.h"

static const char *const hypotheses[] = {
    "positions t = 0, 1, 2, ...; level(t,s) = bit length of t XOR s for 0 <= s <= t",
    "a level is live at t if some s <= t has it; T tokens are the positions 0 .. T-1", NULL};

static const char *const proof_partition[] = {
    "level(t,s) is a function of s, so its preimages partition [0,t]; level 0 is s = t.",
    "Let s < t and let b be the highest bit where they differ: level b+1.  Above b they agree, "
    "and s < t forces bit b to be 1 in t and 0 in s.",
    "So s = (t >> b with its lowest bit cleared) 2^b + r with 0 <= r < 2^b; conversely every such "
    "s is < t and differs from t first at bit b.",
    "Checked for every pair s <= t < 2^11, and for the intervals (tiling, level of both ends) of "
    "every t < 2^20.",
    NULL};
static const char *const proof_live[] = {
    "By the partition the live levels are 0 and b+1 for each set bit b: popcount(t) + 1.",
    "A number with p set bits is at least 2^p - 1, so popcount(t) <= floor(log2(t+1)).",
    "Equality at t = 2^p - 1, whose p bits are all set and whose successor is 2^p.", NULL};
static const char *const proof_exception[] = {
    "t = 1 has popcount 1 and ceil(log2 1) = 0.",
    "t = 2^m with m >= 1 has popcount 1 <= m = ceil(log2 t).",
    "2^(n-1) < t < 2^n with n >= 2 has popcount <= n = ceil(log2 t).", NULL};
static const char *const proof_slots[] = {
    "The highest level at t >= 1 is the bit length of t (its highest set bit, plus one), which "
    "grows with t: over the positions 0 .. T-1 it is the bit length of T-1.",
    "For T >= 1 the bit length of T-1 is ceil(log2 T); level 0 makes one more column.",
    "With t in place of T = t+1: ceil(log2(t+1)) > ceil(log2 t) exactly if t is a power of two.",
    NULL};
static const char *const proof_counter[] = {
    "Let t have m trailing ones.  t+1 has them cleared, bit m set, and the bits above m "
    "unchanged: so are their intervals, since they depend on these bits alone.",
    "The interval of bit m at t+1 begins at t+1-2^m and has length 2^m; it is the union of the "
    "intervals of the bits m-1 .. 0 of t, lengths 2^(m-1) + ... + 1 = 2^m - 1, and of {t}.",
    "So levels 0 .. m merge into level m+1, by m additions of states, and m+1 was empty: the "
    "carry of a binary counter.",
    "popcount(t+1) = popcount(t) + 1 - m; summed over t < T: merges = T - popcount(T) < T.", NULL};

static const statement statements[] = {
    {"partition", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "For every t the levels partition [0,t]: level 0 is t, level b+1 is the interval of length "
     "2^b that begins at (t >> b with its lowest bit cleared) 2^b if bit b of t is set, and is "
     "empty otherwise.",
     "\\mathrm{level}(t,s)=b+1 \\iff s\\in\\bigl[(\\lfloor t/2^b\\rfloor-1)2^b,\\ \\lfloor "
     "t/2^b\\rfloor 2^b\\bigr),\\ \\text{bit } b \\text{ of } t \\text{ set}",
     NULL, proof_partition},
    {"small-positions", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "The levels at t = 0 .. 9, 15, 16, 17 are those written by hand; at 2^k-1, 2^k, 2^k+1 there "
     "are k+1, 2, 3 live levels for k = 2 .. 62.",
     "\\mathrm{live}(2^k-1)=k+1,\\ \\mathrm{live}(2^k)=2,\\ \\mathrm{live}(2^k+1)=3", NULL, NULL},
    {"live-states", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Position t holds popcount(t) + 1 <= floor(log2(t+1)) + 1 states, with equality at every t = "
     "2^p - 1.",
     "\\mathrm{popcount}(t)+1 \\le \\lfloor\\log_2(t+1)\\rfloor+1", NULL, proof_live},
    {"published-states", STATEMENT_PUBLISHED, VERDICT_REFUTED,
     "Position t holds at most ceil(log2 t) + 1 states, for every t >= 1.",
     "\\mathrm{popcount}(t)+1 \\le \\lceil\\log_2 t\\rceil+1",
     "It fails at t = 1 (2 states, not 1) and at no other t; ceil(log2 T) + 1 with T the number "
     "of tokens is right, and is the number of columns that lambda needs.",
     NULL},
    {"one-exception", STATEMENT_CORRECTED, VERDICT_PROVED,
     "Among all t >= 1, popcount(t) + 1 <= ceil(log2 t) + 1 fails at t = 1 alone.",
     "\\mathrm{popcount}(t) > \\lceil\\log_2 t\\rceil \\iff t = 1", NULL, proof_exception},
    {"columns", STATEMENT_CORRECTED, VERDICT_PROVED,
     "For T >= 1 tokens lambda needs exactly ceil(log2 T) + 1 columns, level 0 included; "
     "ceil(log2 t) + 1 with t the last position is one too few exactly if t is a power of two.",
     "\\max_{t<T}\\mathrm{level}(t,\\cdot)+1 = \\lceil\\log_2 T\\rceil+1", NULL, proof_slots},
    {"online", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "From t to t+1 the levels 0 .. m merge into level m+1, m the trailing ones of t, and nothing "
     "else moves: the carry of a binary counter.  Up to position T there are T - popcount(T) "
     "merges, less than one a token.",
     "\\sum_{t<T} m_t = T-\\mathrm{popcount}(T) < T", NULL, proof_counter},
    {NULL}};

static const partition_parameter exact = {0, 0, 0};
static const partition_parameter next_position = {1, 0, 0};
static const partition_parameter one_less = {0, -1, 0};
static const partition_parameter one_more = {0, 1, 0};
static const partition_parameter successor = {0, 0, 1};

#define QUICK(name, statement, verdict, evidence, function, cost)                                  \
    { name, statement, verdict, evidence, LEVEL_QUICK, function, &exact, {1, 1, 1}, cost }

static const check checks[] = {
    QUICK("pairs", "partition", VERDICT_PROVED, EVIDENCE_PROOF, partition_check_pairs, 0.1),
    QUICK("intervals", "partition", VERDICT_PROVED, EVIDENCE_PROOF, partition_check_intervals, 0.1),
    QUICK("by-hand", "small-positions", VERDICT_CERTIFIED, EVIDENCE_FINITE, partition_check_table,
          0.05),
    QUICK("live", "live-states", VERDICT_PROVED, EVIDENCE_PROOF, partition_check_live, 0.05),
    QUICK("published", "published-states", VERDICT_REFUTED, EVIDENCE_FINITE,
          partition_check_published, 0.01),
    QUICK("exception", "one-exception", VERDICT_PROVED, EVIDENCE_PROOF, partition_check_exception,
          0.05),
    QUICK("columns", "columns", VERDICT_PROVED, EVIDENCE_PROOF, partition_check_slots, 0.05),
    QUICK("counter", "online", VERDICT_PROVED, EVIDENCE_PROOF, partition_check_counter, 0.1),
    {NULL}};

static const control controls[] = {
    {"next-position", "pairs", "the levels of t+1 in place of t", &next_position},
    {"next-position", "intervals", "the levels of t+1 in place of t", &next_position},
    {"next-position", "by-hand", "the levels of t+1 in place of t", &next_position},
    {"one-less", "live", "floor(log2(t+1)) in place of floor(log2(t+1)) + 1", &one_less},
    {"log-of-successor", "published", "ceil(log2(t+1)) in place of ceil(log2 t)", &successor},
    {"one-less", "exception", "ceil(log2 t) in place of ceil(log2 t) + 1", &one_less},
    {"one-more", "columns", "ceil(log2 T) + 2 in place of ceil(log2 T) + 1", &one_more},
    {"one-more", "counter", "T - popcount(T) + 1 merges", &one_more},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {"loglinear-levels", NULL};

const claim claim_loglinear_partition = {"loglinear.partition",
                                         "Levels of a binary counter",
                                         "Log-linear attention, Sec. 3",
                                         hypotheses,
                                         statements,
                                         checks,
                                         controls,
                                         settings,
                                         figures};
