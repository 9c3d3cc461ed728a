#include "lower/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ir/ir_dead.h"
#include "ir/ir_fold.h"
#include "ir/ir_text.h"
#include "ir/ir_verify.h"
#include "lower/lower_commit.h"
#include "lower/lower_exact.h"
#include "lower/lower_hazards.h"
#include "lower/lower_math.h"
#include "lower/lower_negations.h"
#include "lower/lower_variants.h"
#include "lower/lower_zeros.h"
#include "utils/base/debug_words.h"

/* ---- The passes ---- */

static bool each_kernel(struct ir_module *m, bool (*run)(struct ir_kernel *))
{
	bool changed = false;
	for (uint32_t n = 0; n < m->kernel_count; n++)
		changed |= run(m->kernels[n]);
	return changed;
}

static bool run_fold(struct ir_module *m)
{
	return each_kernel(m, ir_fold);
}

static bool run_dead(struct ir_module *m)
{
	return each_kernel(m, ir_remove_dead);
}

enum {
	ALL_FLUSHED = IR_HAZARD_FLUSH_F32 | IR_HAZARD_FLUSH_F64,
	ALL_INEXACT = IR_HAZARD_DIVIDE_F32 | IR_HAZARD_ROOT_F32 | IR_HAZARD_DIVIDE_F64 | IR_HAZARD_ROOT_F64,
};

const struct pass passes[PASS_COUNT] = {
    [PASS_FOLD] = {"fold", run_fold, NULL, 0, "computes constants and exact identities"},
    [PASS_DEAD] = {"dead", run_dead, NULL, 0, "removes what nobody uses"},
    [PASS_MATH] = {"math", lower_math, NULL, 0, "writes functions and divisions that never trap as other operations"},
    [PASS_COMMIT] = {"commit", lower_commit, NULL, 0, "puts the stores of commit-safe kernels last"},
    [PASS_VARIANTS] = {"variants", lower_variants, NULL, 0,
                       "adds the functions of each kernel for launches in which nothing can go wrong"},
    [PASS_VARIANTS_RECORDED] = {"variants-recorded", lower_variants_recorded, NULL, 0,
                                "the same for kernels that record their failures"},
    [PASS_EXACT] = {"exact", NULL, lower_exact, ALL_INEXACT, "rounds quotients and roots where the device does not"},
    [PASS_HAZARDS] = {"hazards", NULL, lower_hazards, ALL_FLUSHED, "flags subnormals where the device may flush them"},
    [PASS_ZEROS] = {"zeros", lower_zeros, NULL, 0, "keeps compilers from knowing that what is compared is zero"},
    [PASS_NEGATIONS] = {"negations", lower_negations, NULL, 0, "keeps compilers from losing the signs of integers"},
};

static bool asks(const char *word)
{
#ifndef NDEBUG
	if (strcmp(word, "verify") == 0)
		return true;
#endif
	return debug_words_have(word);
}

/* ---- Failure: our own bug ---- */

/* Writes the module as it was before the pass to a file that stays. */
static _Noreturn void fail(const struct pass_call *call, const struct text *before, const char *problem,
                           const struct text *details)
{
	struct text name = {0};
	pass_print(call, &name);
	fprintf(stderr, "sspur: after pass %s: %s\n%s", text_string(&name), problem, text_string(details));
	char path[] = "/tmp/sspur-XXXXXX.kir";
	int file = mkstemps(path, 4);
	if (file >= 0 && write(file, text_string(before), before->length) == (ssize_t)before->length)
		fprintf(stderr, "to repeat: SSPUR_DEBUG=verify,roundtrip sspur-opt --passes %s %s\n",
		        text_string(&name), path);
	abort();
}

static void check_roundtrip(const struct pass_call *call, const struct text *before, const struct text *after)
{
	struct source source;
	source_init(&source, passes[call->pass].name, text_string(after), after->length);
	struct diagnostics diagnostics = {.source = &source};
	struct ir_module *again = ir_parse(&source, &diagnostics);
	struct text second = {0};
	if (!again) {
		diagnostics_print(&diagnostics, &second);
		fail(call, before, "the module's text does not parse", &second);
	}
	ir_print(&second, again);
	if (second.length != after->length || memcmp(text_string(&second), text_string(after), after->length) != 0)
		fail(call, before, "the module's text reads back as another", &second);
	text_free(&second);
	ir_module_free(again);
	diagnostics_free(&diagnostics);
	source_free(&source);
}

/* ---- Running ---- */

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void print_time(const char *name, double milliseconds, bool changed)
{
	struct text time = {0};
	text_add_fixed(&time, milliseconds, 3);
	fprintf(stderr, "pass %s: %s ms%s\n", name, text_string(&time), changed ? ", changed" : "");
	text_free(&time);
}

bool pass_run(enum pass_kind pass, uint32_t hazards, struct ir_module *m)
{
	const struct pass *p = &passes[pass];
	const struct pass_call call = {pass, hazards};
	bool verify = asks("verify"), roundtrip = asks("roundtrip"), print = asks("print");
	struct text before = {0}, after = {0}, faults = {0};
	if (verify || roundtrip)
		ir_print(&before, m);
	double start = seconds();
	bool changed = p->run ? p->run(m) : p->run_on_device(m, hazards);
	if (asks("time"))
		print_time(p->name, (seconds() - start) * 1e3, changed);
	if (verify && !ir_verify(m, &faults))
		fail(&call, &before, "the module does not verify", &faults);
	for (uint32_t n = 0; n < m->kernel_count; n++)
		ir_kernel_number(m->kernels[n]);
	if (print || roundtrip)
		ir_print(&after, m);
	if (print)
		fprintf(stderr, "; after pass %s\n%s", p->name, text_string(&after));
	if (roundtrip)
		check_roundtrip(&call, &before, &after);
	text_free(&before);
	text_free(&after);
	text_free(&faults);
	return changed;
}
