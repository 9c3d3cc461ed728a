/* What each diagnostic code means: the pages of `sspur explain`. */
#ifndef SSPUR_FRONTEND_SSP_EXPLAIN_H
#define SSPUR_FRONTEND_SSP_EXPLAIN_H

#include "utils/base/explanation.h"

/* In the order of explanations.def; ends with a NULL code. */
extern const struct explanation explanations[];

#endif
