// Metal and its Objective-C runtime for tests where there is no Mac: SSPUR_METAL_RUNTIME names the library built from
// this. Command buffers run when they are waited for, kernels on the CPU: clang++ compiles the sources with the mapping
// utils/dev/metal, into the folder FAKE_METAL_CACHE. What a program does wrong with objects ends it, and objects left at
// its end are told on standard error.
// FAKE_METAL=SELECTOR:N makes the N-th and later calls of a message fail; a `commit` that fails is a command buffer that
// does. FAKE_METAL_DEVICES is the number of devices, FAKE_METAL_THREADS the threads that a pipeline takes.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include "utils/dev/metal/metal_groups.h"

#ifndef __x86_64__
#error "objc_msgSend below takes arguments as x86-64 passes them"
#endif

namespace {

[[noreturn]] void die(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("fake_metal: ", stderr);
	vfprintf(stderr, format, arguments);
	fputs("\n", stderr);
	_exit(95);
}

struct size {
	uint64_t width, height, depth;
};

// ---- Objects ----

struct object {
	long references = 1;
	virtual ~object() = default;
};

std::set<object *> objects; // that there are
std::vector<std::vector<object *>> pools;

template <class T> T *made(T *o)
{
	objects.insert(o);
	return o;
}

object *retained(object *o)
{
	if (o)
		o->references++;
	return o;
}

void release(object *o)
{
	if (!o || --o->references)
		return;
	objects.erase(o);
	delete o;
}

object *pooled(object *o)
{
	if (pools.empty())
		die("an object is returned outside of every pool");
	pools.back().push_back(o);
	return o;
}

template <class T> T *as(void *o, const char *what)
{
	T *t = objects.count((object *)o) ? dynamic_cast<T *>((object *)o) : nullptr;
	if (!t)
		die("not a %s", what);
	return t;
}

struct class_object : object {
	std::string name;
};
std::map<std::string, class_object> classes;
struct string : object {
	std::string text;
};
struct error : object {
	std::string text;
};
struct data : object {
	std::string bytes;
};
struct options : object {
	bool fast = true;
};
struct array : object {
	std::vector<object *> items;
	~array() override
	{
		for (object *o : items)
			release(o);
	}
};

object *new_string(const std::string &text)
{
	string *s = made(new string);
	s->text = text;
	return s;
}

void *failed(void **at, const std::string &text)
{
	error *e = made(new error);
	e->text = text;
	if (at)
		*at = pooled(e);
	return nullptr;
}

struct buffer : object {
	static constexpr uint32_t mark = 0x5a5aa5a5; // behind its end
	uint64_t length;
	char *bytes;
	explicit buffer(uint64_t n) : length(n), bytes((char *)calloc(n / 16 + 2, 16))
	{
		memcpy(bytes + length, &mark, sizeof mark);
	}
	~buffer() override
	{
		if (memcmp(bytes + length, &mark, sizeof mark) != 0)
			die("written past the end of a buffer of %llu bytes", (unsigned long long)length);
		free(bytes);
	}
};

struct library : object {
	void *handle = nullptr;
	bool meets; // there are barriers
};
struct function : object {
	void (*run)(void **, const uint32_t *);
	bool meets;
};
struct pipeline : object {
	void (*run)(void **, const uint32_t *);
	bool meets;
};
struct queue;
struct command_buffer : object {
	queue *from; // kept
	std::vector<std::function<void()>> commands;
	std::vector<object *> kept;
	bool open_encoder = false, committed = false, done = false, fails = false;
	void keep(object *o) { kept.push_back(retained(o)); }
	void finish()
	{
		for (object *o : kept)
			release(o);
		kept.clear();
		done = true;
	}
	~command_buffer() override;
};
struct binding {
	object *memory;
	char *bytes;
};
struct encoder : object {
	command_buffer *commands;
	bool computes, ended = false;
	pipeline *kernel = nullptr;
	std::map<uint64_t, binding> bindings;
	~encoder() override
	{
		if (!ended)
			die("an encoder is dropped before endEncoding");
	}
};
struct queue : object {
	std::vector<command_buffer *> committed;
};

command_buffer::~command_buffer()
{
	if (committed && !done)
		finish();
	if (!committed && !commands.empty())
		die("a command buffer is dropped with %zu commands", commands.size());
	release(from);
}

struct device : object {
	int number;
};

// ---- Kernels ----

uint64_t hash_of(const std::string &text)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (unsigned char c : text)
		hash = (hash ^ c) * 0x100000001b3u;
	return hash;
}

// Memory of the group is static: groups do not run at once. Each entry point gets a function of one type.
std::string as_cpp(const std::string &metal)
{
	static const std::regex shared("\n\tthreadgroup "), entry("\\[\\[kernel\\]\\] void (\\w+)\\(");
	std::string text = std::regex_replace(metal, shared, "\n\tstatic ");
	for (std::sregex_iterator i(metal.begin(), metal.end(), entry), end; i != end; ++i) {
		std::string name = (*i)[1];
		text += "extern \"C\" __attribute__((visibility(\"default\")))\nvoid metal_cpu_kernel_" + name +
		        "(void **buffers, const uint3 *positions)\n{\n\tmetal_cpu::run(::" + name +
		        ", buffers, positions);\n}\n";
	}
	return text;
}

#define CLANG "clang++ -std=c++20 -O1 -ffp-contract=off -fPIC -w -I '" FAKE_METAL_MAPPING "' "

// Made by one process of those that share the folder, or by several at once.
std::string mapping(const std::string &folder)
{
	std::string header = folder + "/metal_stdlib.pch", own = header + "." + std::to_string(getpid());
	std::string command = CLANG "-x c++-header '" FAKE_METAL_MAPPING "/metal_stdlib' -o '" + own + "'";
	if (access(header.c_str(), R_OK) != 0 && (system(command.c_str()) != 0 || rename(own.c_str(), header.c_str()) != 0))
		die("clang++ does not take the mapping");
	return header;
}

// The library's path; empty where clang++ does not take the source.
std::string compiled(const std::string &metal, std::string &log)
{
	const char *named = getenv("FAKE_METAL_CACHE");
	const std::string folder = named ? named : "/tmp";
	char name[32];
	std::string text = as_cpp(metal);
	snprintf(name, sizeof name, "/%016llx", (unsigned long long)hash_of(text));
	std::string stem = folder + name, library = stem + ".so",
	            own = stem + "." + std::to_string(getpid());
	if (access(library.c_str(), R_OK) == 0)
		return library;
	FILE *file = fopen((own + ".cpp").c_str(), "w");
	if (!file)
		die("cannot write %s.cpp", own.c_str());
	fwrite(text.data(), 1, text.size(), file);
	fclose(file);
	std::string command = CLANG "-include-pch '" + mapping(folder) + "' -shared '" + own + ".cpp' -o '" + own +
	                      ".so' 2> '" + own + ".log'";
	bool good = system(command.c_str()) == 0;
	if (good)
		rename((own + ".so").c_str(), library.c_str());
	if (FILE *said = fopen((own + ".log").c_str(), "r")) {
		char bytes[1000];
		log.assign(bytes, fread(bytes, 1, sizeof bytes, said));
		fclose(said);
	}
	unlink((own + ".cpp").c_str());
	unlink((own + ".log").c_str());
	return good ? library : "";
}

void *new_library(const std::string &source, void **why)
{
	std::string log, path = compiled(source, log);
	void *handle = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
	if (!handle && source.find("[[kernel]]") != std::string::npos) // else the processor would run it, unseen
		die("clang++ does not take the source: %s", log.c_str());
	if (!handle)
		return failed(why, log.empty() ? "no library" : log);
	*(void (**)(void))dlsym(handle, "metal_cpu_barrier") = metal_groups_barrier;
	library *l = made(new library);
	l->handle = handle;
	l->meets = source.find("threadgroup_barrier(") != std::string::npos;
	return l;
}

void dispatch(encoder *e, size groups, size threads)
{
	pipeline *p = e->kernel;
	if (!p || !e->computes || e->ended)
		die("dispatchThreadgroups: without a pipeline, or in an encoder that has ended");
	std::vector<char *> bound;
	for (auto &[index, b] : e->bindings) {
		while (bound.size() < index)
			bound.push_back(nullptr);
		bound.push_back(b.bytes);
		e->commands->keep(b.memory);
	}
	e->commands->keep(p);
	e->commands->commands.push_back([p, bound, groups, threads]() {
		std::vector<void *> buffers(bound.begin(), bound.end());
		struct metal_groups run = {};
		run.kernel = p->run;
		run.meets = p->meets;
		run.buffers = buffers.data();
		const uint64_t size[3] = {threads.width, threads.height, threads.depth},
		               count[3] = {groups.width, groups.height, groups.depth};
		for (int axis = 0; axis < 3; axis++) {
			run.size[axis] = (uint32_t)size[axis];
			run.count[axis] = count[axis];
		}
		if (!metal_groups_run(&run))
			die("no memory for the threads of a group");
	});
}

void wait(command_buffer *c)
{
	if (!c->committed)
		die("waitUntilCompleted before commit");
	while (!c->done) {
		command_buffer *next = c->from->committed.front();
		c->from->committed.erase(c->from->committed.begin());
		if (!next->fails)
			for (auto &command : next->commands)
				command();
		next->finish();
		release(next);
	}
}

// ---- Messages ----

struct call {
	object *self;
	uintptr_t a, b, c, d;
	struct size s1, s2;
};
typedef uintptr_t method(call &c);

void *bind(call &c, object *memory, char *bytes)
{
	encoder *e = as<encoder>(c.self, "encoder");
	if (c.c > 30 || e->ended)
		die("a buffer is bound at %zu, or in an encoder that has ended", (size_t)c.c);
	e->commands->keep(memory);
	e->bindings[c.c] = {memory, bytes};
	return nullptr;
}

void *new_command_buffer(call &c)
{
	command_buffer *b = made(new command_buffer);
	b->from = as<queue>(retained(c.self), "command queue");
	return pooled(b);
}

void *new_encoder(call &c, bool computes)
{
	command_buffer *b = as<command_buffer>(c.self, "command buffer");
	if (b->open_encoder || b->committed)
		die("an encoder is asked of a command buffer that has one, or is committed");
	encoder *e = made(new encoder);
	e->commands = b;
	e->computes = computes;
	b->open_encoder = true;
	return pooled(e);
}

void *new_pipeline(call &c)
{
	pipeline *p = made(new pipeline);
	function *f = as<function>((void *)c.a, "function");
	p->run = f->run;
	p->meets = f->meets;
	return p;
}

void *new_function(call &c)
{
	std::string name = "metal_cpu_kernel_" + as<string>((void *)c.a, "NSString")->text;
	void *found = dlsym(as<library>(c.self, "library")->handle, name.c_str());
	if (!found)
		return nullptr;
	function *f = made(new function);
	*(void **)&f->run = found;
	f->meets = as<library>(c.self, "library")->meets;
	return f;
}

buffer *new_buffer(uint64_t length)
{
	return length && length <= UINT64_C(1) << 32 ? made(new buffer(length)) : nullptr;
}

void *new_buffer_of(call &c)
{
	buffer *b = new_buffer(c.b);
	if (b)
		memcpy(b->bytes, (void *)c.a, c.b);
	return b;
}

void copy(call &c)
{
	encoder *e = as<encoder>(c.self, "encoder");
	buffer *from = as<buffer>((void *)c.a, "buffer"), *to = as<buffer>((void *)c.c, "buffer");
	uint64_t size = c.s1.width; // the sixth argument is on the stack
	if (e->computes || e->ended || c.b + size > from->length || c.d + size > to->length)
		die("a copy outside of buffers, or in another encoder");
	e->commands->keep(from);
	e->commands->keep(to);
	e->commands->commands.push_back([=, at = c.b, place = c.d]() {
		memcpy(to->bytes + place, from->bytes + at, size);
	});
}

void commit(call &c, bool fails)
{
	command_buffer *b = as<command_buffer>(c.self, "command buffer");
	if (b->open_encoder || b->committed)
		die("commit of a command buffer with an open encoder, or for the second time");
	b->committed = true;
	b->fails = fails;
	b->from->committed.push_back((command_buffer *)retained(b));
}

void end_encoding(call &c)
{
	encoder *e = as<encoder>(c.self, "encoder");
	if (e->ended)
		die("endEncoding for the second time");
	e->ended = true;
	e->commands->open_encoder = false;
}

void *new_object(call &c)
{
	if (dynamic_cast<class_object &>(*c.self).name != "MTLCompileOptions")
		die("new of another class than MTLCompileOptions");
	return made(new options);
}

void *library_of_source(call &c)
{
	if (as<options>((void *)c.b, "MTLCompileOptions")->fast)
		die("compiled with fast math");
	return new_library(as<string>((void *)c.a, "NSString")->text, (void **)c.c);
}

// What the stand-in of the toolchain makes: `MTLB`, then the source.
void *library_of_data(call &c)
{
	return new_library(as<data>((void *)c.a, "dispatch_data_t")->bytes.substr(4), (void **)c.b);
}

void *error_of(call &c)
{
	command_buffer *b = as<command_buffer>(c.self, "command buffer");
	void *e = nullptr;
	if (b->fails)
		failed(&e, "Caused GPU Timeout Error (fake)\nsecond line");
	return e;
}

uint64_t number_of(const char *variable, uint64_t usual)
{
	const char *value = getenv(variable);
	return value ? strtoull(value, nullptr, 10) : usual;
}

#define R(x) [](call &c) -> uintptr_t { (void)c; return (uintptr_t)(x); }
#define V(x) [](call &c) -> uintptr_t { (void)c; x; return 0; }
const std::map<std::string, method *> methods = {
    {"retain", R(retained(c.self))},
    {"release", V(release(c.self))},
    {"new", R(new_object(c))},
    {"count", R(as<array>(c.self, "NSArray")->items.size())},
    {"objectAtIndex:", R(as<array>(c.self, "NSArray")->items.at(c.a))},
    {"stringWithUTF8String:", R(pooled(new_string((const char *)c.a)))},
    {"UTF8String", R(as<string>(c.self, "NSString")->text.c_str())},
    {"localizedDescription", R(pooled(new_string(as<error>(c.self, "NSError")->text)))},
    {"name", R(pooled(new_string("Fake GPU " + std::to_string(as<device>(c.self, "device")->number))))},
    {"recommendedMaxWorkingSetSize", R(UINT64_C(1) << 30)},
    {"maxBufferLength", R(UINT64_C(1) << 29)},
    {"maxThreadgroupMemoryLength", R(32768)},
    {"newCommandQueue", R(made(new queue))},
    {"newBufferWithLength:options:", R(new_buffer(c.a))},
    {"newBufferWithBytes:length:options:", R(new_buffer_of(c))},
    {"contents", R(as<buffer>(c.self, "buffer")->bytes)},
    {"setFastMathEnabled:", V(as<options>(c.self, "MTLCompileOptions")->fast = c.a & 1)},
    {"newLibraryWithSource:options:error:", R(library_of_source(c))},
    {"newLibraryWithData:error:", R(library_of_data(c))},
    {"newFunctionWithName:", R(new_function(c))},
    {"newComputePipelineStateWithFunction:error:", R(new_pipeline(c))},
    {"maxTotalThreadsPerThreadgroup", R(number_of("FAKE_METAL_THREADS", 1024))},
    {"commandBuffer", R(new_command_buffer(c))},
    {"computeCommandEncoder", R(new_encoder(c, true))},
    {"blitCommandEncoder", R(new_encoder(c, false))},
    {"endEncoding", V(end_encoding(c))},
    {"commit", V(commit(c, false))},
    {"waitUntilCompleted", V(wait(as<command_buffer>(c.self, "command buffer")))},
    {"status", R(as<command_buffer>(c.self, "command buffer")->fails ? 5 : 4)},
    {"error", R(error_of(c))},
    {"setComputePipelineState:", V(as<encoder>(c.self, "encoder")->kernel = as<pipeline>((void *)c.a, "pipeline"))},
    {"setBuffer:offset:atIndex:",
     V(buffer *b = as<buffer>((void *)c.a, "buffer"); if (c.b >= b->length) die("bound behind a buffer");
       bind(c, b, b->bytes + c.b))},
    {"setBytes:length:atIndex:",
     V(if (c.b > 4096) die("setBytes: of %zu bytes", (size_t)c.b); buffer *b = new_buffer(c.b);
       memcpy(b->bytes, (void *)c.a, c.b); bind(c, b, b->bytes); release(b))},
    {"dispatchThreadgroups:threadsPerThreadgroup:", V(dispatch(as<encoder>(c.self, "encoder"), c.s1, c.s2))},
    {"copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", V(copy(c))},
};

// Whether this call is one that FAKE_METAL wants to fail.
bool fails(const std::string &selector)
{
	static std::map<std::string, unsigned> calls;
	const char *fault = getenv("FAKE_METAL");
	const char *number = fault ? strrchr(fault, ':') : nullptr;
	return number && selector == std::string(fault, number) && ++calls[selector] >= (unsigned)atoi(number + 1);
}

void *fault(const std::string &selector, call &c)
{
	static const std::map<std::string, int> errors = {{"newLibraryWithSource:options:error:", 2},
	                                                  {"newLibraryWithData:error:", 1},
	                                                  {"newComputePipelineStateWithFunction:error:", 1}};
	if (selector == "commit")
		commit(c, true);
	auto at = errors.find(selector);
	return at == errors.end() ? nullptr : failed((void **)(at->second == 2 ? c.c : c.b), "a fake fault");
}

struct report {
	~report()
	{
		if (!objects.empty())
			fprintf(stderr, "fake_metal: %zu objects are left\n", objects.size());
	}
} report_at_end;

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void *objc_getClass(const char *name)
{
	class_object &c = classes[name];
	c.name = name;
	return &c;
}

EXPORT const void *sel_registerName(const char *name)
{
	static std::set<std::string> names;
	return &*names.insert(name).first;
}

EXPORT void *objc_autoreleasePoolPush(void)
{
	pools.emplace_back();
	return (void *)pools.size();
}

EXPORT void objc_autoreleasePoolPop(void *pool)
{
	if ((void *)pools.size() != pool)
		die("pools end out of order");
	std::vector<object *> last = pools.back();
	pools.pop_back();
	for (object *o : last)
		release(o);
}

// As a caller passes them on x86-64: the first four after the selector in registers, the rest, MTLSize too, on the stack.
EXPORT uintptr_t objc_msgSend(object *self, const std::string *selector, uintptr_t a, uintptr_t b, uintptr_t c,
                              uintptr_t d, struct size s1, struct size s2)
{
	if (!self)
		return 0;
	bool is_class = false;
	for (auto &[name, known] : classes)
		is_class |= &known == self;
	if (!is_class && !objects.count(self))
		die("%s to an object that is gone", selector->c_str());
	auto found = methods.find(*selector);
	if (found == methods.end())
		die("no message %s", selector->c_str());
	call sent = {self, a, b, c, d, s1, s2};
	return fails(*selector) ? (uintptr_t)fault(*selector, sent) : found->second(sent);
}

EXPORT struct size objc_msgSend_stret(object *self, const std::string *selector)
{
	as<device>(self, "device");
	if (*selector != "maxThreadsPerThreadgroup")
		die("no message %s", selector->c_str());
	return {1024, 1024, 64};
}

EXPORT void *MTLCopyAllDevices(void)
{
	array *all = made(new array);
	for (uint64_t n = 0; n < number_of("FAKE_METAL_DEVICES", 2); n++) {
		device *d = made(new device);
		d->number = (int)n;
		all->items.push_back(d);
	}
	return all;
}

EXPORT void *dispatch_data_create(const void *bytes, size_t size, void *, void *)
{
	data *d = made(new data);
	d->bytes.assign((const char *)bytes, size);
	return d;
}
