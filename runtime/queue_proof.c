/* Which variant of its kernel a launch runs (spec/sspur.md 3.4, variants). The proof picks the variant, never the
 * result. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/queue_internal.h"

/* Instructions of all threads from which on it pays to look for the threads that are proved. */
#define LARGE_LAUNCH ((uint64_t)1 << 20)

void queue_proofs_open(struct queue *q)
{
	const char *given = getenv("SSPUR_PROOFS");
	if (!q->options.proofs_off && !(given && strcmp(given, "0") == 0))
		q->proofs = ir_proof_cache_new();
}

/* ---- What the device has ---- */

static bool is_considered(const struct queue *q, const struct queued_launch *l)
{
	return q->proofs && l->kernel->proof && q->device->functions->variants;
}

static uint32_t variants_of(struct queue *q, const struct queued_launch *l)
{
	const struct queue_module *m = queue_module_of(q, l);
	return m->program ? q->device->functions->variants(m->program, l->kernel->kernel) : 0;
}

/* KERNEL_CHECKED: there is no function for it. */
static enum kernel_variant best_of(uint32_t variants, const struct ir_proof *proof)
{
	if (proof->narrow && variants >> KERNEL_NARROW & 1)
		return KERNEL_NARROW;
	return variants >> KERNEL_PROVED & 1 ? KERNEL_PROVED : KERNEL_CHECKED;
}

/* ---- Proofs ---- */

static const struct ir_argument *arguments_of(struct queue *q, const struct queued_launch *l)
{
	uint32_t count = l->kernel->kernel->parameter_count;
	queue_arguments_reserve(q, count);
	for (uint32_t i = 0; i < count; i++)
		q->proof_arguments[i] =
		    (struct ir_argument){.bits = l->arguments[i].bits, .length = l->arguments[i].length};
	return q->proof_arguments;
}

/* Some of the threads, where the device takes each part of a launch as it is. */
static bool find_range(struct queue *q, struct queued_launch *l, const struct ir_argument *arguments)
{
	return q->exact_only && launch_threads(l) >= LARGE_LAUNCH / (l->kernel->kernel->next_id + 1) &&
	       ir_proof_cached_range(q->proofs, l->kernel->proof, arguments, l->extents, &l->proved_first,
	                             &l->proved_last);
}

void queue_prove(struct queue *q, struct queued_launch *l)
{
	uint32_t variants = is_considered(q, l) ? variants_of(q, l) : 0;
	if (!variants)
		return;
	struct ir_proof proof;
	const struct ir_argument *arguments = arguments_of(q, l);
	ir_proof_cached(q->proofs, l->kernel->proof, arguments, l->extents, &proof);
	enum kernel_variant variant = best_of(variants, &proof);
	l->proved_last = launch_threads(l);
	if (variant != KERNEL_CHECKED && (proof.proved || find_range(q, l, arguments)))
		l->variant = variant;
}

/* ---- For the trace ---- */

void queue_explain(struct queue *q, const struct queued_launch *l, struct text *out)
{
	struct ir_proof proof;
	if (!is_considered(q, l))
		return;
	ir_proof_cached(q->proofs, l->kernel->proof, arguments_of(q, l), l->extents, &proof);
	bool some = !proof.proved && l->variant != KERNEL_CHECKED;
	if (!proof.proved)
		ir_proof_explain(out, &proof);
	if (some)
		text_add_format(out, "; %" PRIu64 " of %" PRIu64 " threads ", l->proved_last - l->proved_first,
		                launch_threads(l));
	if (l->variant == KERNEL_NARROW)
		text_add(out, "proved, 32 bits");
	else if (l->variant == KERNEL_PROVED)
		text_add(out, proof.narrow ? "proved, no code for 32 bits" : "proved, 64 bits");
	else if (proof.proved)
		text_add(out, "proved, no code without checks");
}
