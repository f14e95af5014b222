/* The claims that are built in.  Adding one is a file and a line here. */
#include "theorems/vla/growth.h"
#include "theorems/vort/common.h"

const claim *const claim_registry[] = {
    &claim_vort_weights,         &claim_vort_laplace_density, &claim_vort_no_finite_recurrence,
    &claim_vort_markov,          &claim_vort_soe_rate,        &claim_vort_soe_terms,
    &claim_vla_jacobian_product, &claim_vla_state_norm,       NULL};
