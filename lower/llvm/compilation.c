#include "lower/llvm/compilation.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Support.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

/* LLVM ends the process after a fatal error unless its handler does not return. The jump leaves LLVM's frames
 * without running destructors: what they held is lost, but they hold no lock that other contexts need. */
struct escape {
	jmp_buf jump;
	char message[400];
};

static _Thread_local struct escape *escape;
static pthread_once_t prepare_once = PTHREAD_ONCE_INIT;

static void on_fatal_error(const char *reason)
{
	if (!escape)
		return;
	strncpy(escape->message, reason, sizeof escape->message - 1);
	longjmp(escape->jump, 1);
}

/* LLVM's loop vectorizer before 17 makes one access of those to neighbours (x[4 * i], x[4 * i + 1], ...) and in doing
 * so moves a load over a store to the same element, if a load between them is of another. */
static void forbid_interleaved_access(void)
{
#if LLVM_VERSION_MAJOR < 17
	static const char *const options[] = {"sspur", "-enable-interleaved-mem-accesses=false"};
	LLVMParseCommandLineOptions(2, options, NULL);
#endif
}

static void prepare(void)
{
	LLVMInstallFatalErrorHandler(on_fatal_error);
	forbid_interleaved_access();
}

/* Appends the first line of a message of LLVM's. */
static bool fail(struct compilation *c, const char *what, const char *message)
{
	if (!c->failed)
		text_add_format(c->error, "LLVM: %s%.*s", what, (int)strcspn(message, "\n"), message);
	c->failed = true;
	return false;
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *context)
{
	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
		return;
	char *message = LLVMGetDiagInfoDescription(info);
	fail(context, "", message);
	LLVMDisposeMessage(message);
}

static void open_context(struct compilation *c, const char *name, bool typed_pointers)
{
	c->context = LLVMContextCreate();
#if LLVM_VERSION_MAJOR < 17
	LLVMContextSetOpaquePointers(c->context, !typed_pointers);
#else
	(void)typed_pointers;
#endif
	LLVMContextSetDiagnosticHandler(c->context, on_diagnostic, c);
	c->module = LLVMModuleCreateWithNameInContext(name, c->context);
}

static void close_context(struct compilation *c)
{
	LLVMDisposeModule(c->module);
	if (c->target)
		LLVMDisposeTargetMachine(c->target);
	LLVMContextDispose(c->context);
}

bool compilation_run(const char *name, bool typed_pointers, bool (*work)(struct compilation *c, void *context),
                     void *context, struct text *error)
{
	struct compilation c = {.error = error};
	struct escape here = {.message = ""};
	pthread_once(&prepare_once, prepare);
	escape = &here;
	if (setjmp(here.jump)) {
		escape = NULL;
		text_add_format(error, "LLVM: %.*s", (int)strcspn(here.message, "\n"), here.message);
		return false;
	}
	open_context(&c, name, typed_pointers);
	bool ok = work(&c, context) && !c.failed;
	close_context(&c);
	escape = NULL;
	return ok;
}

bool compilation_set_target(struct compilation *c, const char *triple, const char *cpu, const char *features,
                            LLVMCodeGenOptLevel level)
{
	LLVMTargetRef target;
	char *message = NULL;
	if (LLVMGetTargetFromTriple(triple, &target, &message)) {
		fail(c, "", message);
		LLVMDisposeMessage(message);
		return false;
	}
	c->target = LLVMCreateTargetMachine(target, triple, cpu, features, level, LLVMRelocPIC, LLVMCodeModelDefault);
	if (!c->target)
		return fail(c, "no target machine for ", triple);
	LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(c->target);
	LLVMSetTarget(c->module, triple);
	LLVMSetModuleDataLayout(c->module, layout);
	LLVMDisposeTargetData(layout);
	return true;
}

static bool verify(struct compilation *c, const char *when)
{
	char *message = NULL;
	bool broken = LLVMVerifyModule(c->module, LLVMReturnStatusAction, &message);
	if (broken)
		fail(c, when, message);
	LLVMDisposeMessage(message);
	return !broken;
}

static bool run_passes(struct compilation *c, const char *passes)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error = LLVMRunPasses(c->module, passes, c->target, options);
	LLVMDisposePassBuilderOptions(options);
	if (!error)
		return true;
	char *message = LLVMGetErrorMessage(error);
	fail(c, "", message);
	LLVMDisposeErrorMessage(message);
	return false;
}

bool compilation_optimise(struct compilation *c, const char *passes)
{
	if (!verify(c, "unsound module: "))
		return false;
	return (!*passes || run_passes(c, passes)) && verify(c, "unsound module after the passes: ");
}

bool compilation_emit(struct compilation *c, LLVMCodeGenFileType type, struct text *out)
{
	LLVMMemoryBufferRef buffer = NULL;
	char *message = NULL;
	if (LLVMTargetMachineEmitToMemoryBuffer(c->target, c->module, type, &message, &buffer)) {
		fail(c, "", message);
		LLVMDisposeMessage(message);
		return false;
	}
	text_add_n(out, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
	LLVMDisposeMemoryBuffer(buffer);
	return !c->failed;
}

void compilation_print(struct compilation *c, struct text *out)
{
	char *printed = LLVMPrintModuleToString(c->module);
	text_add(out, printed);
	LLVMDisposeMessage(printed);
}
