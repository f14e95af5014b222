/* The claims that are built in.  Adding one is a file and a line here. */
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
                                       NULL};
