/* The builtins' table as an enum and facts; rows in builtins.def. */
#ifndef SSPUR_FRONTEND_SSP_BUILTINS_H
#define SSPUR_FRONTEND_SSP_BUILTINS_H

#include <stdbool.h>
#include <stdint.h>

enum builtin {
#define METHOD(id, name, receiver, minimum, maximum) BUILTIN_##id,
#define GLOBAL(id, name, minimum, maximum, effects) BUILTIN_##id,
#include "frontend/ssp/builtins.def"
#undef METHOD
#undef GLOBAL
	BUILTIN_COUNT
};

enum builtin_receiver {
	RECEIVER_NONE, /* a global */
	RECEIVER_LIST,
	RECEIVER_INT,
	RECEIVER_F64,
	RECEIVER_STR,
	RECEIVER_OPT /* and Res */,
	RECEIVER_ANY,
	RECEIVER_DEVBUF,
};

struct builtin_info {
	const char *name;
	enum builtin_receiver receiver;
	uint32_t minimum, maximum; /* arguments, the receiver not counted */
	uint32_t effects;
};

extern const struct builtin_info builtin_infos[BUILTIN_COUNT]; /* frontend/ssp/types.c */

#endif
