/* vla.scan: the recurrence as a scan of affine maps, and in chunks (VLA, Sec. 2.4).

   S_t = S_{t-1} J_t^T + v_t a_t^T with J_t = I - a_t k_t^T.  The identities hold for any a_t and k_t. */
#include "theorems/vla/scan/scan.h"

static const char *const hypotheses[] = {"S_t = S_{t-1} (I - k_t a_t^T) + v_t a_t^T; a_t, k_t, v_t "
                                         "any real vectors where nothing else is said",
                                         "L_ts = a_s.k_t for s < t inside a chunk, else 0; "
                                         "condition numbers in the maximum norm, from A = "
                                         "I/lambda0, lambda0 = 1/10",
                                         NULL};

static const char *const proof_associative[] = {
    "(J2, b2)(J1, b1) = (J2 J1, b1 J2^T + b2) is the composition of the maps S -> S J^T + b, and "
    "composition of maps is associative.",
    "So every bracketing of a prefix gives the same map; a scan of depth ceil(log2 T) gives S_t "
    "for all t.",
    NULL};
static const char *const proof_chunk[] = {
    "With e_t = v_t - S_{t-1} k_t, S_t = S_0 + sum_{s<=t} e_s a_s^T by induction.",
    "So e_t = v_t - S_0 k_t - sum_{s<t} (a_s.k_t) e_s: (I+L) E = V - K S_0^T with L strictly lower "
    "triangular.",
    "det (I+L) = 1: there is one solution, whatever a and k are.", NULL};
static const char *const proof_inverse[] = {
    "The response of e_t to v_s is -k_t^T (dS_{t-1}/dv_s) = -k_t^T J_{t-1} ... J_{s+1} a_s.",
    "By the chunk's system it is also ((I+L)^-1)_ts.",
    "a = k for all tokens (delta rule): each J is a projection, so the entries are at most 1 in "
    "size, both norms at most C, and the condition number of a chunk of C tokens at most C^2.",
    NULL};

static const statement statements[] = {
    {"associative", STATEMENT_PUBLISHED, VERDICT_PROVED,
     "The recurrence is a scan: its affine maps compose associatively, and the scan gives every "
     "S_t exactly.",
     "(J_2,b_2)\\circ(J_1,b_1) = (J_2J_1,\\ b_1J_2^\\top+b_2)", NULL, proof_associative},
    {"chunk", STATEMENT_CORRECTED, VERDICT_PROVED,
     "A chunk is one unit triangular system, always solvable: (I+L) E = V - K S^T, S + E^T A is "
     "exact.",
     "(I+L)E = V-KS_0^\\top,\\quad S_n = S_0+E^\\top A", NULL, proof_chunk},
    {"inverse", STATEMENT_CORRECTED, VERDICT_PROVED,
     "((I+L)^-1)_ts = -k_t^T J_{t-1} ... J_{s+1} a_s for s < t: the system is as badly conditioned "
     "as products of Jacobians are large, and with a = k the condition number is at most C^2.",
     "((I+L)^{-1})_{ts} = -\\hat k_t^\\top J_{t-1}\\cdots J_{s+1}\\hat\\alpha_s", NULL,
     proof_inverse},
    {"equal-keys", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "One key over and over with u along it, C = 64: the condition number is 2 C = 128 (between "
     "127.9 and 128.1).",
     "\\kappa_\\infty = 2C", NULL, NULL},
    {"random", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "In the four drawn chunks of 64 tokens, d = 16, positive features, the condition number is "
     "between 64 and 512.",
     "64 < \\kappa_\\infty < 512", NULL, NULL},
    {"constructed", STATEMENT_CORRECTED, VERDICT_CERTIFIED,
     "A chunk of 64 tokens, d = 8, strictly positive features, found by random search, has a "
     "condition number above 600 (a lower bound of the worst case, no more).",
     "\\kappa_\\infty > 600", NULL, NULL},
    {NULL}};

static const scan_parameter right = {0, 0, 0}, swapped = {1, 0, 0}, transposed = {0, 1, 0},
                            off = {0, 0, 1};
static const condition_parameter equal = {0, "1279/10", "1281/10", 64},
                                 unequal = {1, "1279/10", "1281/10", 64},
                                 drawn = {0, "64", "512", 64}, forgetful = {1, "64", "512", 64},
                                 constructed = {0, "600", NULL, 64},
                                 projections = {1, "600", NULL, 64};

static const check checks[] = {{"associative",
                                "associative",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                scan_check_associative,
                                &right,
                                {1, 1, 1},
                                0.02},
                               {"scan",
                                "associative",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                scan_check_scan,
                                &right,
                                {1, 1, 1},
                                0.05},
                               {"chunk",
                                "chunk",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                scan_check_chunk,
                                &right,
                                {1, 1, 1},
                                0.05},
                               {"inverse",
                                "inverse",
                                VERDICT_PROVED,
                                EVIDENCE_PROOF,
                                LEVEL_QUICK,
                                scan_check_inverse,
                                &right,
                                {1, 1, 1},
                                0.02},
                               {"equal-keys",
                                "equal-keys",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                scan_check_equal,
                                &equal,
                                {1, 1, 1},
                                0.05},
                               {"random",
                                "random",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                scan_check_random,
                                &drawn,
                                {1, 1, 1},
                                0.2},
                               {"constructed",
                                "constructed",
                                VERDICT_CERTIFIED,
                                EVIDENCE_FINITE,
                                LEVEL_QUICK,
                                scan_check_constructed,
                                &constructed,
                                {1, 1, 1},
                                0.2},
                               {NULL}};

static const control controls[] = {
    {"swapped", "associative", "one pair composed in the wrong order", &swapped},
    {"swapped", "scan", "maps composed in the wrong order", &swapped},
    {"transposed", "chunk", "a_t.k_s in place of a_s.k_t", &transposed},
    {"sign", "inverse", "the other sign", &off},
    {"two-keys", "equal-keys", "two keys in turn", &unequal},
    {"orthonormal-keys", "random", "orthonormal keys, u along them", &forgetful, 0.02},
    {"orthonormal-keys", "constructed", "orthonormal keys, u along them", &projections},
    {NULL}};

static const setting settings[] = {{NULL}};
static const char *const figures[] = {NULL};

const claim claim_vla_scan = {"vla.scan", "Scan and chunks", "VLA, Sec. 2.4",
                              hypotheses, statements,        checks,
                              controls,   settings,          figures};
