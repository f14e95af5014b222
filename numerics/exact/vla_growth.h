/* Inputs that make the state of variational linear attention grow: constructed step by step from the
   state reached, as exact binary numbers.

   A plan is a list of stages.  With M = diag(m) and V = s M s^T (one row, s in R^dim):
   spiral  u = 0, keys orthogonal to s in the plane of two axes of equal m, v = +-1 so that s stays near
           the first axis: |s|^2 grows by 1 a step (the spiral of Theodorus).
   climb   u along axis 0; in the plane of axes 0 and 1, s_0 in [-1,0), s_1 > 0: either the key (s_1,-s_0) > 0,
           orthogonal to s, with v = 1, or, when |s_0| < threshold, the key e_0 with v = -1, which puts
           s_0 = -1 and adds m_0 to V.  threshold >= 1: the two alternate, e_0 first.
   pump    u along the axis of s, key along another, v = 0: s stays, V grows by 1 + |u|^2/m.
   turn    s goes from one axis to another in the metric of M, v = 0: with y = M^{1/2}s at the angle p from
           the axis `from`, b = (sin(p+t), cos(p+t)), key M^{1/2}b > 0: y' = y - c(y.b)b, c = a.k.  The
           tilt t is chosen with (2-c)t constant, which loses least for the number of steps.

   Free inputs: u = e_axis.  The layer: raw inputs x, features f = ELU(x)+1 > 0, k = f/|f|,
   u = W x/(|W x| sqrt(dim)) with W = I on the axes before the last, W e_last = e_0: an input x_j = -2^22 has
   a feature e^(-2^22) and steers u; the other features off the plane are e^-40. */
#ifndef EXACT_VLA_GROWTH_H
#define EXACT_VLA_GROWTH_H

#include "numerics/exact/vla.h"

typedef enum { VLA_SPIRAL, VLA_CLIMB, VLA_PUMP, VLA_TURN } vla_stage_kind;

typedef struct {
    vla_stage_kind kind;
    slong steps, from, to; /* axes, from 0 */
} vla_stage;

#define VLA_MAX_STAGES 1024

typedef struct {
    int layer;    /* inputs that the published layer can produce */
    int product;  /* the product of Jacobians: v = 0, s_0 = e_0 */
    slong period; /* refresh every so many steps; 0: none */
    slong dim, steps;
    fmpq_t lambda0, delta;
    double threshold;
    slong stages;
    vla_stage stage[VLA_MAX_STAGES];
} vla_plan_struct;
typedef vla_plan_struct vla_plan_t[1];

/* lambda0, delta: texts of rationals; no stages yet.  0 if a number is wrong (dim < 2 too). */
int vla_plan_init(vla_plan_t plan, slong dim, slong steps, const char *lambda0, int layer,
                  slong period, const char *delta);
void vla_plan_clear(vla_plan_t plan);

typedef enum {
    VLA_CHAIN_CLIMB,  /* climb, then pump and turn along the axes 1, 2, ..., links times */
    VLA_CHAIN_SPIRAL, /* spiral, then pump and turn along 0, 1, ... (free inputs) */
    VLA_CHAIN_PRODUCT /* pump and turn along 0, 1, ... from s_0 = e_0 */
} vla_chain;

/* The stages of a chain: first = share of the steps for the first stage, turn = share of a link's steps
   for its turn.  With a refresh the axes are walked round and round. */
void vla_plan_chain(vla_plan_t plan, vla_chain chain, slong links, double first, double turn);

/* Improves links, shares and threshold of the best chain of the allowed kinds by coordinate ascent on
   ln |s_T| as simulated in double; deterministic; returns the best ln |s_T| found. */
double vla_plan_search(vla_plan_t plan);

/* ln |s_T| of the plan in double, M taken as diagonal; an estimate. */
double vla_plan_simulate(const vla_plan_t plan);

/* One step's input. */
typedef struct {
    double *value; /* [dim] free: the key, of any length; layer: the raw input x */
    slong axis;    /* free: u = e_axis, 0 if -1; layer: where u is steered */
    double v;
} vla_input;

/* Where a run stands: m is the diagonal that the controller believes in. */
typedef struct {
    slong t, stage, left; /* left: steps left in the stage */
    double *m, *s;        /* [dim] */
} vla_state;

void vla_state_init(vla_state *state, const vla_plan_t plan);
void vla_state_clear(vla_state *state);
/* input := what is fed in step t+1, from state->s. */
void vla_control(vla_input *input, vla_state *state, const vla_plan_t plan);
/* Goes to the next step: m follows u and the refresh. */
void vla_advance(vla_state *state, const vla_plan_t plan, const vla_input *input);

/* ---- the published layer ---- */

/* f := ELU(x)+1: x+1 for x > 0, e^x else; x exact doubles. */
void vla_features(arb_ptr f, const double *x, slong dim, slong prec);
/* u := W x/(|W x| sqrt(dim)) for the W above; VLA_ZERO_KEY if W x = 0. */
vla_status vla_direction(arb_ptr u, const double *x, slong dim, slong prec);

/* ---- certified ---- */

/* Called after each step, for curves; may be NULL. */
typedef void (*vla_watch)(void *data, slong t, const vla_run_t run);

/* run := the plan carried out in certified arithmetic; product: rows = dim from S_0 = I, whose row 0 steers,
   else one row.  The caller clears run if VLA_OK comes back.  keys, us, vs (NULL or [steps][dim],
   [steps][dim], [steps]) receive the inputs as balls. */
vla_status vla_plan_run(vla_run_t run, const vla_plan_t plan, slong prec, arb_ptr keys, arb_ptr us,
                        arb_ptr vs, vla_watch watch, void *data);

/* dim span{u_t} of the plan, as far as the bound needs it: the number of axes that u is ever along, and dim
   for the layer when dim > 2, where every u has small parts along all axes. */
slong vla_plan_rank(const vla_plan_t plan);

#endif
