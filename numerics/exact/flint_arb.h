/* One place that knows where Arb lives: FLINT 3 contains it (flint/arb.h); before that it was a
   library of its own (arb.h, Debian: libflint-arb-dev).  MNEME_FLINT3 is set by the Makefile. */
#ifndef EXACT_FLINT_ARB_H
#define EXACT_FLINT_ARB_H

#include <gmp.h>
#include <mpfr.h>
#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpq.h>
#include <flint/fmpz_mat.h>
#include <flint/fmpq_mat.h>
#ifdef MNEME_FLINT3
#include <flint/fmpz_vec.h>
#include <flint/fmpq_vec.h>
#include <flint/arb.h>
#include <flint/arb_mat.h>
#include <flint/arb_poly.h>
#include <flint/arb_hypgeom.h>
#include <flint/acb.h>
#include <flint/acb_calc.h>
#define MNEME_ARB_VERSION FLINT_VERSION
#else
#include <flint/fmpz_vec.h>
#include <flint/fmpq_vec.h>
#include <arb.h>
#include <arb_mat.h>
#include <arb_poly.h>
#include <arb_hypgeom.h>
#include <acb.h>
#include <acb_calc.h>
#define MNEME_ARB_VERSION arb_version
#endif

#endif
