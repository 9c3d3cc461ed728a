/* What a dispatch goes over, from the command line: buffers and numbers. */
#ifndef SSPUR_TOOLS_DISPATCH_DATA_H
#define SSPUR_TOOLS_DISPATCH_DATA_H

#include "ir/ir.h"
#include "runtime/dispatch.h"
#include "utils/tools/command.h"

/* What a kernel is run over: an argument a parameter, whose bytes are owned. */
struct dispatch_data {
	const struct ir_kernel *kernel;
	struct dispatch_argument *arguments;
};

/* Each says on stderr what is wrong. */

/* The file that a `--buffer NAME=DATA` is read from; NULL: none. */
const char *dispatch_data_path(const char *option);
/* One buffer for every slice, by `--buffer NAME=DATA`; structs and scalars 0. dispatch_data_free it in every case. */
enum status dispatch_data_open(struct dispatch_data *d, const struct ir_kernel *k, const struct option_list *buffers);
void dispatch_data_free(struct dispatch_data *d);
/* Every `--set NAME.FIELD[2]=VALUE` (dispatch_settings.c). */
enum status dispatch_settings_apply(struct dispatch_data *d, const struct option_list *settings);

/* The parameter that `text` names, in its first `length` bytes; k->parameter_count: there is none. */
uint32_t dispatch_parameter(const struct ir_kernel *k, const char *text, size_t length);
/* "did you mean `NAME`? ", if the text's first `length` bytes are nearly the name of a parameter of a kind. */
void dispatch_suggest_parameter(struct text *out, const struct ir_kernel *k, enum ir_parameter_kind kind,
                                const char *text, size_t length);
/* Names of the parameters of a kind, separated by blanks; all kinds but slices for IR_PARAMETER_VALUE. */
void dispatch_list_parameters(struct text *out, const struct ir_kernel *k, enum ir_parameter_kind kind);

#endif
