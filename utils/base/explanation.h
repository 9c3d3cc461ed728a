/* A page of `sspur explain`: what one diagnostic code means. */
#ifndef SSPUR_UTILS_BASE_EXPLANATION_H
#define SSPUR_UTILS_BASE_EXPLANATION_H

struct explanation {
	const char *code;    /* "E_KERNEL_RACE", "1262" */
	const char *meaning; /* one clause */
	const char *why;     /* sentences */
	const char *wrong;   /* a whole program that gives this code alone; NULL where none is short */
	const char *right;   /* the same put right */
};

#endif
