/* Running main and tests (spec 3.5, 3.6). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/ssp/host_internal.h"

static void host_open(struct host *h, struct program *p, const struct host_options *options)
{
	*h = (struct host){.program = p, .options = options};
	pthread_mutex_init(&h->output_lock, NULL);
	const char *trace = getenv("SSPUR_GPU_TRACE");
	struct queue_options queue = {.device = options->device,
	                              .module = p->module,
	                              .provider = options->provider,
	                              .trace = trace && strcmp(trace, "1") == 0};
	h->queue = queue_new(&queue);
	kernels_open(h);
}

static void host_close(struct host *h)
{
	queue_free(h->queue);
	kernels_close(h);
	pthread_mutex_destroy(&h->output_lock);
	fflush(stdout);
}

/* On a thread whose stack is deep; on a smaller one where that cannot be had. */
static void job_run(struct job *j)
{
	for (j->stack_size = STACK_MAIN; !job_start(j, 0); j->stack_size /= 2)
		if (j->stack_size < STACK_MAIN / 16) {
			fputs("sspur: cannot start a thread\n", stderr);
			exit(3);
		}
	job_join(j);
}

static void report(const struct host_trap *trap)
{
	fflush(stdout);
	fprintf(stderr, "trap: %s\n  at %s:%u:%u%s\n", text_string(&trap->text), trap->file, trap->place.line,
	        trap->place.column, text_string(&trap->where));
}

/* spec/sspur-2.md 6: `main` that ends in an `err`. False: it does not. */
static bool report_error(const struct program *p, struct value v)
{
	if (v.kind != VALUE_ERROR)
		return false;
	const struct node *n = p->main->body;
	while (n->kind == NODE_BLOCK)
		n = n->parts[n->part_count - 1];
	struct place place = source_place(p->source, n->at.start);
	struct text text = {0};
	value_print(&text, v, false);
	fflush(stdout);
	fprintf(stderr, "%s\n  at %s:%u:%u\n", text_string(&text), p->source->name, place.line, place.column);
	text_free(&text);
	return true;
}

int host_run_main(struct program *p, const struct host_options *options)
{
	struct host h;
	host_open(&h, p, options);
	struct job j = {.host = &h, .definition = p->main};
	job_run(&j);
	bool failed = !j.good || report_error(p, j.result);
	if (j.good)
		value_release(j.result);
	else
		report(&j.task.trap);
	host_trap_free(&j.task.trap);
	host_close(&h);
	return failed ? 1 : 0;
}

/* The line of spec 3.6; below it, why a test is false, and what broke a contract. */
static void report_failure(const struct definition *d, const struct witness *witness, const struct host_trap *trap)
{
	printf("FAIL  %s: %s\n", d->name, trap ? text_string(&trap->text) : "false");
	if (trap && trap->details.length > 0)
		printf("  at %s:%u:%u\n%s", trap->file, trap->place.line, trap->place.column,
		       text_string(&trap->details));
	else if (!trap)
		printf("%s", text_string(&witness->text));
}

static bool run_test(struct host *h, const struct definition *d)
{
	struct witness witness = {0};
	struct job j = {.host = h, .definition = d, .witness = &witness};
	job_run(&j);
	bool passed = j.good && j.result.kind == VALUE_BOOL && j.result.truth;
	if (j.good)
		value_release(j.result);
	if (passed)
		printf("PASS  %s\n", d->name);
	else
		report_failure(d, &witness, j.good ? NULL : &j.task.trap);
	text_free(&witness.text);
	host_trap_free(&j.task.trap);
	return passed;
}

int host_run_tests(struct program *p, const struct host_options *options)
{
	struct host h;
	uint32_t passed = 0, failed = 0;
	host_open(&h, p, options);
	h.tests = true;
	for (uint32_t i = 0; i < p->definition_count; i++)
		if (p->definitions[i]->kind == DEFINITION_TEST) {
			if (run_test(&h, p->definitions[i]))
				passed++;
			else
				failed++;
		}
	printf("%u passed, %u failed\n", passed, failed);
	host_close(&h);
	return failed ? 1 : 0;
}
