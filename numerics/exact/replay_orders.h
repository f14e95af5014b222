/* The kinds of witnesses that replay_orders.c knows; see witness_replay for what they compute. */
#ifndef EXACT_REPLAY_ORDERS_H
#define EXACT_REPLAY_ORDERS_H

#include "numerics/exact/witness.h"

replay_status replay_bank_chain(enclosure_t computed, const char **reason, const witness_t w);
replay_status replay_softmax_ratio(enclosure_t computed, const char **reason, const witness_t w);

#endif
