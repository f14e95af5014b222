/* Banks: finitely many orders that stand for all of [delta,1].  An order c serves alpha within tau
   if the weights of lags 0..T differ by at most tau in the chosen norm.

   D(a,b) = |w(b) - w(a)|, a <= b, grows with b and falls with a in each norm, since every w_j
   increases with its order.  So c serves an interval; K banks serve [delta,1] iff there is a chain
       delta = y_0 <= c_1 <= y_1 <= c_2 <= ... <= c_K <= y_K = 1,  D of neighbours <= tau,
   and if 2K-1 orders x_0 < x_1 < ... < x_{2K-2} of [delta,1] have every D of neighbours > tau, then
   no K-1 banks do: a bank c <= x_1 misses x_2 and all above, one above x_1 misses x_0, etc. */
#ifndef EXACT_BANKS_H
#define EXACT_BANKS_H

#include "numerics/exact/flint_arb.h"

typedef enum { BANKS_SUP, BANKS_L1, BANKS_L2 } banks_norm;

const char *banks_norm_name(banks_norm norm);
int banks_norm_from_name(banks_norm *norm, const char *name); /* 1 if name is sup, l1 or l2 */

/* Horizons taken: sup and l1 by closed forms, l2 lag by lag. */
#define BANKS_MAX_HORIZON_DIGITS 18
#define BANKS_MAX_L2_HORIZON 100000
/* More banks than this are not placed. */
#define BANKS_MAX 100000

/* d := an enclosure of D(a,b) over the lags 0..horizon, 0 < a <= b <= 1; worst, if not NULL,
   becomes a lag where the supremum is attained up to d's width (0 for the other norms). sup: w_j(b)
   - w_j(a) rises with j as long as w_j(b)/w_j(a) < (1-a)/(1-b), a quotient that increases with j:
   it is unimodal, and its top is found by bisection with certified signs. */
void banks_distance(arb_t d, fmpz_t worst, banks_norm norm, const fmpq_t a, const fmpq_t b,
                    const fmpz_t horizon, slong prec);

/* The same to about 1e-11, in doubles and for searching only; *worst: the lag for sup. */
double banks_distance_estimate(double *worst, banks_norm norm, double a, double b, double horizon);

typedef struct {
    slong banks;
    fmpq *order; /* [banks] */
    fmpq *edge;  /* [banks+1]: order[i] serves [edge[i], edge[i+1]] */
    arf_t error; /* certified upper bound of every D(edge[i], order[i]), D(order[i], edge[i+1]) */
    arf_t nearest_error; /* the same when each alpha goes to the nearest order instead */
    slong chain;
    fmpq *apart;       /* [chain]: every D of neighbours is certified > tau */
    slong needed;      /* (chain-1)/2 + 1: no fewer banks suffice; = banks unless tau is a tie */
    slong uniform;     /* fewest equal cells with banks in their middles that do */
    int uniform_sharp; /* whether uniform-1 cells are certified not to */
} banks_design;

typedef enum {
    BANKS_OK,
    BANKS_BAD_ARGUMENT, /* 0 < delta < 1, 0 < tau, horizon >= 1 and in range */
    BANKS_TOO_MANY,     /* more than BANKS_MAX, or too much work for l2 */
    BANKS_STOPPED       /* progress asked for it */
} banks_status;

void banks_design_init(banks_design *d);
void banks_design_clear(banks_design *d);

/* d := the fewest banks for tau, placed greedily from delta upwards (each as far up as its lower
   end allows, its upper end as far as it serves), with both chains certified in balls; orders and
   edges are decimals of 15 digits.  progress, if not NULL, is called with the number of banks
   placed; a result != 0 stops. */
banks_status banks_place(banks_design *d, banks_norm norm, const fmpq_t delta, const fmpz_t horizon,
                         const fmpq_t tau, int (*progress)(slong banks));

/* d := an enclosure of the largest error of cells equal cells of [delta,1] with a bank in each
   middle: D(1-eta, 1), eta = (1-delta)/(2 cells), because w_j is convex: the last upper half is the
   worst. */
void banks_uniform_error(arb_t d, banks_norm norm, const fmpq_t delta, const fmpz_t horizon,
                         slong cells, slong prec);

#endif
