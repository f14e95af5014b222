#include "theorems/experiments/experiments.h"
#include "theorems/experiments/lag/lag.h"
static const char *const hypotheses[] = {NULL}, *const figures[] = {NULL};
static const lag_comparison probe[] = {{"x", ROW_POWER, ROW_ONE, 2, 0, 0}, {NULL}};
static const lag_parameter zk = {LAW_ZIPF, FOOTING_KEYS, probe, 1, 0}, zs = {LAW_ZIPF, FOOTING_STATE, probe, 1, 0},
  uk = {LAW_UNIFORM, FOOTING_KEYS, probe, 1, 0}, us = {LAW_UNIFORM, FOOTING_STATE, probe, 1, 0};
static const statement statements[] = {{"s", STATEMENT_CORRECTED, VERDICT_MEASURED, "s", "s", NULL, NULL}, {NULL}};
static const check checks[] = {
 {"zk", "s", VERDICT_MEASURED, EVIDENCE_STATISTIC, LEVEL_QUICK, lag_check, &zk, {1,1,1}, 10},
 {"zs", "s", VERDICT_MEASURED, EVIDENCE_STATISTIC, LEVEL_QUICK, lag_check, &zs, {1,1,1}, 10},
 {"uk", "s", VERDICT_MEASURED, EVIDENCE_STATISTIC, LEVEL_QUICK, lag_check, &uk, {1,1,1}, 10},
 {"us", "s", VERDICT_MEASURED, EVIDENCE_STATISTIC, LEVEL_QUICK, lag_check, &us, {1,1,1}, 10}, {NULL}};
static const control controls[] = {{NULL}};
static const setting settings[] = {{NULL}};
const claim claim_experiments_lag_retrieval = {"experiments.lag-retrieval", "t", "s", hypotheses, statements, checks, controls, settings, figures, 1};
