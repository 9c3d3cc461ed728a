/* What each number of a Cone diagnostic means: pages of `sspur explain`. */
#ifndef SSPUR_FRONTEND_CONE_CONE_EXPLAIN_H
#define SSPUR_FRONTEND_CONE_CONE_EXPLAIN_H

#include "utils/base/explanation.h"

/* By number; ends with a NULL code. */
extern const struct explanation cone_explanations[];

#endif
