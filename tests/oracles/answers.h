/* What the parts of tests/oracles/answers.c share: arguments in, numbers out, and who answers what. */
#ifndef ORACLES_ANSWERS_H
#define ORACLES_ANSWERS_H

#include "numerics/exact/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next argument: as it is, as a number; what is missing or no number ends the program. */
const char *word(void);
void get_q(fmpq_t x);
void get_z(fmpz_t x);
slong get_si(void);
/* The list; free with _fmpq_vec_clear. */
fmpq *get_list(slong *n);

/* Each with a blank before it. */
void put_q(const fmpq_t x);
void put_list(const fmpq *x, slong n);
void put_dyadic(const arf_t x);
void put_ball(const arb_t x);
void put_balls(arb_srcptr x, slong n);
void put_arf(const arf_t x);

arb_ptr balls_of(const fmpq *x, slong n, slong prec);

/* Each answers the requests of these names in the table of answers.c. */
void answer_weights(const char *name);
void answer_harmonic(const char *name);
void answer_laplace(const char *name);
void answer_gauss(const char *name);
void answer_moments(const char *name);
void answer_soe(const char *name);
void answer_method(const char *name);
void answer_theory(const char *name);
void answer_banks(const char *name);
void answer_l2(const char *name);
void answer_fenwick(const char *name);
void answer_modes(const char *name);
void answer_vla(const char *name);
void answer_features(const char *name);
void answer_replay(const char *name);
void answer_number(const char *name);

#endif
