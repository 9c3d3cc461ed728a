/* The rows of explanations.def as data. */
#include "frontend/ssp/explain.h"

#include <stddef.h>

const struct explanation explanations[] = {
#define EXPLANATION(code, meaning, why, wrong, right) {#code, meaning, why, wrong, right},
#include "frontend/ssp/explanations.def"
#undef EXPLANATION
    {NULL, NULL, NULL, NULL, NULL},
};
