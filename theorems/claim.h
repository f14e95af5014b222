/* What a claim is, and what its checks may do.

   A claim is constant data: statements, the checks that decide them, and controls.  A check decides
   a conjunction of inequalities between enclosures; the runner supplies the precision and doubles it
   while anything is undecided.  Nothing here formats reports, opens files or parses options. */
#ifndef CLAIM_H
#define CLAIM_H

#include "numerics/exact/enclosure.h"
#include "numerics/exact/random.h"
#include "numerics/exact/witness.h"
#include "theorems/series.h"

typedef enum {
    VERDICT_UNDECIDED,
    VERDICT_PROVED,    /* for all parameters of an infinite or continuous domain */
    VERDICT_CERTIFIED, /* rigorous at every point of the finite set that the statement names */
    VERDICT_REFUTED,   /* one exact or certified counterexample */
    VERDICT_MEASURED   /* statistics with interval, seed and sample size */
} verdict;

typedef enum { LEVEL_QUICK, LEVEL_FULL, LEVEL_EXTENDED } level;
#define LEVELS 3

/* published: in a paper; conjectured: said, not published; corrected: what Mneme says. */
typedef enum { STATEMENT_PUBLISHED, STATEMENT_CONJECTURED, STATEMENT_CORRECTED } statement_kind;
const char *statement_kind_name(statement_kind kind);

typedef struct {
    const char *id;
    statement_kind kind;
    verdict pinned;
    const char *text, *latex;
    const char *instead;      /* what is true instead, for a published statement that is not */
    const char *const *proof; /* numbered steps, NULL at the end; NULL if there is no proof */
} statement;

/* What it is worth when every decision of a check comes out true. */
typedef enum {
    EVIDENCE_PROOF,    /* VERDICT_PROVED: there is a written proof; the decisions are its computable
                          steps, and tests of its formulas at stated points */
    EVIDENCE_FINITE,   /* VERDICT_CERTIFIED */
    EVIDENCE_STATISTIC /* VERDICT_MEASURED */
} evidence;

typedef struct check_context check_context;
typedef void (*check_fn)(check_context *ctx, const void *parameter);

typedef struct {
    const char *name, *statement;
    verdict pinned;
    evidence evidence;
    level level; /* least level that runs it */
    check_fn run;
    const void *parameter; /* what controls change */
    slong units[LEVELS];   /* work units at each level; 0 stands for 1 */
    /* seconds a unit at quick, full and extended, within a factor of 4: they order the schedule and split
       shards; 0: as at the level below */
    double cost, cost_full, cost_extended;
} check;

/* The same check function with one thing changed must come out the other way: false, with positive
   margin, where the check expects true; true where the check is pinned refuted. */
typedef struct {
    const char *name, *check;
    const char *changed; /* in words */
    const void *parameter;
    double cost; /* seconds at any level; 0: those of the check */
} control;

/* A number that `--set name=value` may give to the checks of a claim. */
typedef struct {
    const char *name, *meaning;
    const char *low, *high; /* exact bounds as text */
    int open_low, open_high, whole;
} setting;

/* Arrays end with an element whose name or id is NULL. */
typedef struct {
    const char *id, *title, *source;
    const char *const *hypotheses;
    const statement *statements;
    const check *checks;
    const control *controls;
    const setting *settings;
    const char *const *figures;
    int on_request; /* runs only where a pattern selects it: experiments */
} claim;

/* The claims that are built in, in the order of the reports; NULL at the end. */
extern const claim *const claim_registry[];

const char *verdict_name(verdict v);
const char *level_name(level l);
int level_from_name(level *l, const char *name);
verdict verdict_of_evidence(evidence e);
const statement *claim_statement(const claim *c, const char *id);
const check *claim_check(const claim *c, const char *name);
slong check_units(const check *k, level l);

/* NULL if the claim is well formed (names unique and known, every statement has a check, every check
   a control, pinned verdicts supported by the evidence); else a sentence, in a static buffer. */
const char *claim_defect(const claim *c);

/* ---- one run of a check ---- */

typedef struct {
    char *name, *unit;
    enclosure_t value;
} claim_number_result;

typedef struct {
    char *name;
    fmpq_t value;
} claim_setting_value;

#define CLAIM_TEXT 240

struct check_context {
    /* given */
    const claim *claim;
    level level;
    slong prec;  /* working precision in bits */
    slong index; /* work unit, 0 .. units-1 */
    ulong seed;  /* hash of claim, check and index */
    slong settings;
    const claim_setting_value *setting;
    slong certificates;
    series *const *certificate; /* committed tables of this claim */
    /* found */
    truth outcome;
    slong decisions, undecided;
    char label[CLAIM_TEXT]; /* the decision that failed, or the narrowest one */
    enclosure_t lhs, rhs;
    relation rel;
    arf_t margin, relative_margin;
    char skipped[CLAIM_TEXT]; /* reason, or "" */
    slong sampled, cases;     /* looked at so many of so many cases; cases 0: all there are */
    slong numbers;
    claim_number_result *number;
    slong tables;
    series **table;
    slong witnesses;
    witness_struct *witness;
};

void check_context_init(check_context *ctx);
/* Forgets what was found; keeps what was given. */
void check_context_reset(check_context *ctx);
void check_context_clear(check_context *ctx);

/* ---- what checks call ---- */

/* Decide "lhs rel rhs".  One decision that is certainly false makes the whole check false; one that
   cannot be told makes it undecided. */
truth claim_decide(check_context *ctx, const char *label, const enclosure_t lhs, relation rel,
                   const enclosure_t rhs);
truth claim_decide_arb(check_context *ctx, const char *label, const arb_t lhs, relation rel,
                       const arb_t rhs);
truth claim_decide_fmpq(check_context *ctx, const char *label, const fmpq_t lhs, relation rel,
                        const fmpq_t rhs);
truth claim_decide_si(check_context *ctx, const char *label, slong lhs, relation rel, slong rhs);

/* Two independent computations of one number: true only if both have at least bits correct bits
   (relative) and they meet; false if they are disjoint. */
truth claim_two_paths(check_context *ctx, const char *label, const arb_t a, const arb_t b,
                      slong bits);

/* The check does not apply here; it counts as skipped. */
void claim_skip(check_context *ctx, const char *reason);

/* The check looked at part of whole cases of its statement's finite set; the rest is looked at by other
   units or at higher levels.  The reports say so beside the verdict. */
void claim_sample(check_context *ctx, slong part, slong whole);

/* Numbers that the reports show. */
void claim_number(check_context *ctx, const char *name, const char *unit, const enclosure_t value);
void claim_number_arb(check_context *ctx, const char *name, const char *unit, const arb_t value);
void claim_number_fmpq(check_context *ctx, const char *name, const char *unit, const fmpq_t value);

/* Give a table or a witness to the reports; the context owns it from then on. */
void claim_table(check_context *ctx, series *table);
witness_struct *claim_witness(check_context *ctx, const char *id, const char *kind);

/* The value given by --set, or NULL. */
const fmpq *claim_setting(const check_context *ctx, const char *name);
/* The committed table of that id, or NULL. */
const series *claim_certificate(const check_context *ctx, const char *id);

/* orders := the rationals spelled in list (NULL at the end), or the setting "alpha" alone if it was
   given; returns how many, at most room. */
slong claim_orders(check_context *ctx, fmpq *orders, slong room, const char *const *list);

#endif
