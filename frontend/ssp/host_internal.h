/* What the files of the host interpreter share: tasks, evaluation, traps, builtins.
 *
 * Every owned value lives on its task's value stack (or in an object that does). What can fail returns
 * false, and says in task->unwind why; nobody on the way cleans the stack: who catches (a call for a
 * return, the task's end for a trap) cuts it back. C code that holds anything else frees it itself. */
#ifndef SSPUR_FRONTEND_SSP_HOST_INTERNAL_H
#define SSPUR_FRONTEND_SSP_HOST_INTERNAL_H

#include <pthread.h>

#include "frontend/ssp/builtins.h"
#include "frontend/ssp/host.h"
#include "frontend/ssp/host_value.h"
#include "runtime/queue.h"
#include "utils/base/arena.h"
#include "utils/base/text.h"

/* One run of a program. */
struct host {
	struct program *program;
	const struct host_options *options;
	pthread_mutex_t output_lock;
	struct queue *queue;          /* of all tasks */
	struct queue_kernel *kernels; /* of the module, in its order */
	_Atomic uint32_t threads;     /* of `par`, alive */
	bool tests;                   /* traps keep what a test's report says of them */
};

/* Spec 3.5. `where` is ` in saxpy, gid 3` or empty; `details` lines of a test's report, of a contract. */
struct host_trap {
	bool set;
	struct text text, where, details;
	const char *file;
	struct place place;
};

enum unwind { UNWIND_TRAP, UNWIND_RETURN };

/* Why a test is false: host_witness.c. */
struct witness {
	struct text text;           /* lines of the report */
	const struct frame *frame;  /* of the test */
	const struct node *watched; /* a call whose arguments are to be kept; NULL: none */
	const struct node **shown;  /* those arguments, */
	struct value *values;       /* and their values, owned */
	uint32_t count;
};

/* main, a test, or a task of `par`. */
struct task {
	struct host *host;
	struct value *bottom, *top, *end; /* the value stack; top is the first free */
	const char *stack_limit;          /* the C stack must not be below at a call, */
	const char *stack_end;            /* and never below here */
	size_t stack_size;                /* of the thread */
	uint32_t level;                   /* 0 main or a test, 1 its tasks, ... */
	struct frame *frame;
	enum unwind unwind;         /* why evaluation failed */
	struct value returned;      /* UNWIND_RETURN: owned */
	struct host_trap trap;      /* UNWIND_TRAP */
	struct queue_task launches; /* queued, with the trap that is pending (spec 3.3) */
	struct witness *witness;    /* of a test; NULL: of anything else */
};

/* ---- The value stack ---- */

static inline void push(struct task *t, struct value v)
{
	*t->top++ = v;
}

/* Moves the top out. */
static inline struct value pop(struct task *t)
{
	return *--t->top;
}

/* Releases what is above `base`. */
static inline void cut(struct task *t, struct value *base)
{
	while (t->top > base)
		value_release(*--t->top);
}

/* Ends a builtin: its arguments, from `a` up, become one result. */
static inline bool give(struct task *t, struct value *a, struct value result)
{
	cut(t, a);
	push(t, result);
	return true;
}

/* ---- Traps (host_trap.c) ---- */

/* Sets the task's trap and returns false. */
bool trap_at(struct task *t, struct span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define trap_raise(t, node, ...) trap_at((t), (node)->at, __VA_ARGS__)
bool trap_overflow(struct task *t, const struct node *n);
/* False with the trap `stack overflow` when the C stack is nearly used up; asked where expressions recur. */
static inline bool stack_left(struct task *t, const struct node *n)
{
	return (const char *)__builtin_frame_address(0) > t->stack_end || trap_raise(t, n, "stack overflow");
}

void host_trap_free(struct host_trap *trap);
/* Moves `from` to an empty `to`. */
void host_trap_move(struct host_trap *to, struct host_trap *from);

/* ---- Tasks (host_task.c) ---- */

/* A task and what it is to evaluate: set host, and definition, or body with slots and parent. */
struct job {
	struct task task;
	struct host *host;
	const struct definition *definition; /* main or a test, or */
	const struct node *body;             /* an argument of `par`, in a frame of its own over `parent` */
	uint32_t slots;
	struct frame *parent;
	struct witness *witness; /* of a test */
	size_t stack_size;
	pthread_t thread;
	bool good;           /* false: task.trap is set */
	struct value result; /* good: owned */
};

/* Runs the job on a thread of its own; false when there can be no more threads, or none at this level. */
bool job_start(struct job *j, uint32_t level);
void job_join(struct job *j);
/* Runs the job on the caller's thread, above the caller's values. */
void job_run_here(struct job *j, struct task *caller);
/* False with the trap `stack overflow` unless a call with `slots` variables fits. */
bool task_room(struct task *t, const struct node *n, uint64_t slots);

/* Bytes of C stack: of main and tests; of their tasks; of tasks of tasks half as much each time, down to the least. */
#ifdef __SANITIZE_ADDRESS__
#define STACK_MAIN ((size_t)64 << 20) /* AddressSanitizer's own stack of frames takes long to fill more */
#else
#define STACK_MAIN ((size_t)256 << 20)
#endif
#define STACK_TASK (STACK_MAIN / 4)
#define STACK_LEAST ((size_t)16 << 20)

/* ---- Evaluation (host_evaluate.c, host_statements.c, host_reuse.c) ---- */

/* One more value on the stack; false: unwinding. Statements give (). */
bool evaluate(struct task *t, const struct node *n);
bool evaluate_block(struct task *t, const struct node *n);
/* The same for its effects only. */
bool execute(struct task *t, const struct node *n);
/* Evaluates n, whose value will replace the variable's, or after which the variable is dead: in `x.push(v)`,
 * `x.concat(y)` and `x + y` it then gives up its storage to the result (spec 2.4, amortized push). */
bool evaluate_reusing(struct task *t, const struct node *n, const struct variable *variable);
/* Evaluates the body of a function or lambda: its own variables die with it. */
bool evaluate_body(struct task *t, const struct node *body);
/* The variable a name stands for. */
struct value *variable_slot(struct task *t, const struct node *name);
/* Replaces what a variable of the current frame holds; consumes v. */
void variable_declare(struct task *t, const struct variable *variable, struct value v);
/* False with the trap of spec 3.5 unless 0 <= i < l->count. */
bool check_index(struct task *t, const struct node *n, const struct list *l, int64_t i);

/* ---- Why a test is false (host_witness.c) ---- */

/* Evaluates the test's body, and a value that it returns: the same as `evaluate`, and witness->text has the lines that
 * say why the value is false, if it is. */
bool witness_evaluate(struct task *t, const struct node *n);
/* Whether a `return` here gives the test's value. */
bool witness_returns(const struct task *t);
/* Arguments of the call n, before it is made; of a pipeline that n ends, where its elements come from. */
void witness_arguments(struct task *t, const struct node *n, const struct value *a);
void witness_source(struct task *t, const struct node *n, const struct node *source, struct value v);
/* What a broken contract is about, after the trap was raised: the parameters of the fn whose frame this is; one value.
 */
void witness_parameters(struct task *t, const struct definition *d);
void witness_named(struct task *t, const char *name, struct value v);

/* ---- Arithmetic (host_arithmetic.c) ---- */

/* Operands are a[0] and a[1] on top of the stack, replaced by the result. */
bool binary_operation(struct task *t, const struct node *n, struct value *a);
bool unary_operation(struct task *t, const struct node *n, struct value *a);

/* ---- Calls (host_call.c) ---- */

/* A call or method call of anything: arguments are the receiver, if any, then the parts. */
bool evaluate_call(struct task *t, const struct node *n);
uint32_t argument_count(const struct node *n);
struct node *argument(const struct node *n, uint32_t i);

/* A function value ready to be called many times with one frame. */
struct callable {
	const struct definition *function; /* or */
	const struct node *lambda;
	struct frame frame; /* of the lambda */
	const struct node *call;
};

/* Makes room on the stack, above what is there; false: stack overflow. */
bool callable_open(struct task *t, struct callable *c, struct value function, const struct node *call);
/* Consumes the arguments; pushes the result. */
bool callable_call(struct task *t, struct callable *c, const struct value *arguments, uint32_t count);
/* With everything above the callable gone, takes its room back. */
void callable_close(struct task *t, struct callable *c);
/* Calls a fn whose arguments are the top of the stack from `base`; replaces them by the result. */
bool call_function(struct task *t, const struct definition *d, struct value *base, const struct node *call);

/* ---- Pipelines (host_pipeline.c, host_purity.c) ---- */

/* n ends a chain such as `xs.map(f).filter(g).sum` whose stages can run element by element, as nobody could
 * tell (spec 2.4). */
bool pipeline_fuses(const struct node *n);
bool evaluate_pipeline(struct task *t, const struct node *n);
/* An argument that is a function without effects, and that changes no variable outside it. */
bool is_pure_function(const struct node *n);
/* Evaluating it has no effect, cannot trap and does not depend on when it is done. */
bool is_constant(const struct node *n);

/* ---- Builtins ---- */

/* Arguments are a[0], ... up to the top, replaced by the result. (`par` evaluates its own.) */
typedef bool builtin_function(struct task *t, const struct node *n, struct value *a);
#define METHOD(id, name, receiver, minimum, maximum) builtin_function builtin_##id;
#define GLOBAL(id, name, minimum, maximum, effects) builtin_function builtin_##id;
#include "frontend/ssp/builtins.def"
#undef METHOD
#undef GLOBAL

/* ---- The device (host_launch.c, host_buffers.c) ---- */

/* Before anything that may take long without a word: what `log` has printed is written out, also to a pipe or a file.
 */
void output_flush(void);
bool evaluate_launch(struct task *t, const struct node *n, const struct definition *d);
/* A synchronization point (spec 3.3): false with the trap that was pending. */
bool device_synchronize(struct task *t);
void devbuf_free(struct devbuf *b);
/* List elements in the device's layout. `bytes` holds l->count of them. Returns the first element that is out
 * of the type's range (spec 3.1), or -1. */
int64_t elements_from_list(enum ir_type_kind kind, const struct list *l, void *bytes);
/* A new list; NaNs are canonical. */
struct value elements_to_list(enum ir_type_kind kind, const void *bytes, int64_t count);
bool in_range(enum ir_type_kind kind, int64_t v);
const char *element_name(enum ir_type_kind kind); /* `I32` */
/* Memory for `count` elements; the caller frees. NULL with the trap `dev: out of device memory (N bytes)`. */
void *elements_alloc(struct task *t, const struct node *n, enum ir_type_kind kind, int64_t count, uint64_t *size);
/* A buffer that holds the bytes. NULL with the same trap when the device has no memory left. */
struct queue_buffer *buffer_make(struct task *t, const struct node *n, const void *bytes, uint64_t size);
/* False with the trap `dev: the GPU failed while running k` when the device's memory is lost. */
bool buffer_read(struct task *t, const struct node *n, struct queue_buffer *b, void *bytes, uint64_t size);
bool trap_out_of_memory(struct task *t, const struct node *n, uint64_t size);

/* ---- Kernels as the queue sees them (host_kernels.c) ---- */

void kernels_open(struct host *h); /* h->kernels, for free() */
void kernels_close(struct host *h);
const struct queue_kernel *kernel_facts(const struct host *h, const struct ir_kernel *k);

#endif
