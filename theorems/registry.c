/* The claims that are built in.  Adding one is a file and a line here. */
#include "theorems/experiments/experiments.h"
#include "theorems/loglinear/common.h"
#include "theorems/vla/common.h"
#include "theorems/vla/growth.h"
#include "theorems/vort/common.h"

const claim *const claim_registry[] = {&claim_vort_weights,
                                       &claim_vort_laplace_density,
                                       &claim_vort_no_finite_recurrence,
                                       &claim_vort_markov,
                                       &claim_vort_soe_rate,
                                       &claim_vort_soe_terms,
                                       &claim_vort_order_quantisation,
                                       &claim_vort_l2_lower_bound,
                                       &claim_vort_plasticity,
                                       &claim_vort_keyed_retrieval,
                                       &claim_vort_routing,
                                       &claim_vort_softmax_decay,
                                       &claim_loglinear_partition,
                                       &claim_loglinear_recurrence,
                                       &claim_loglinear_softplus_init,
                                       &claim_loglinear_competition,
                                       &claim_loglinear_cost,
                                       &claim_loglinear_lambda_mlp,
                                       &claim_loglinear_memories,
                                       &claim_vla_jacobian_norm,
                                       &claim_vla_jacobian_vanishing,
                                       &claim_vla_jacobian_product,
                                       &claim_vla_state_norm,
                                       &claim_vla_sherman_morrison,
                                       &claim_vla_least_squares,
                                       &claim_vla_recall,
                                       &claim_vla_deltanet_gate,
                                       &claim_vla_scan,
                                       &claim_vla_cost,
                                       &claim_experiments_lag_retrieval,
                                       &claim_experiments_associative_recall,
                                       &claim_experiments_selective_copy,
                                       &claim_experiments_bits_per_character,
                                       &claim_experiments_mutual_information,
                                       NULL};
