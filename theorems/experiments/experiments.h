/* The experiments that the texts report, run again on equal footing.  Claims on request: not part of a
   plain mneme verify. */
#ifndef EXPERIMENTS_H
#define EXPERIMENTS_H

#include "theorems/claim.h"

extern const claim claim_experiments_lag_retrieval, claim_experiments_associative_recall;
extern const claim claim_experiments_selective_copy;
extern const claim claim_experiments_bits_per_character, claim_experiments_mutual_information;

#endif
