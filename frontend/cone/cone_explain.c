/* The rows of cone_explanations.def as data. */
#include "frontend/cone/cone_explain.h"

#include <stddef.h>

const struct explanation cone_explanations[] = {
#define EXPLANATION(code, meaning, why, wrong, right) {#code, meaning, why, wrong, right},
#include "frontend/cone/cone_explanations.def"
#undef EXPLANATION
    {NULL, NULL, NULL, NULL, NULL},
};
