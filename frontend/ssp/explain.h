/* What each diagnostic code means: the pages of `sspur explain`. */
#ifndef SSPUR_FRONTEND_SSP_EXPLAIN_H
#define SSPUR_FRONTEND_SSP_EXPLAIN_H

struct explanation {
	const char *code;    /* "E_KERNEL_RACE" */
	const char *meaning; /* one clause */
	const char *why;     /* sentences */
	const char *wrong;   /* a whole program that gives this code alone; NULL where none is short */
	const char *right;   /* the same put right */
};

/* In the order of explanations.def; ends with a NULL code. */
extern const struct explanation explanations[];

#endif
