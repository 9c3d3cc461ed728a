/* The ELF object loader: read the section table, lay the allocated sections out in one mapping
 * (code, then read-only data, then writable data), relocate, protect. */
#include "runtime/object_loader.h"

#include <elf.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "utils/base/arena.h"
#include "utils/base/table.h"

enum { STUB_SIZE = 16 }; /* `jmp *[rip + 2]`, padding, the address */

struct native_object {
	uint8_t *base;
	size_t size;
	struct arena names;
	struct table symbols; /* by name: the address */
};

/* What generated code may call, and nothing else: an object cannot reach the rest of the process. */
static const struct {
	const char *name;
	void (*function)(void);
} allowed[] = {
#define ALLOW(f)                                                                                                       \
	{                                                                                                              \
#f, (void (*)(void))f                                                                                  \
	}
    ALLOW(floorf), ALLOW(floor), ALLOW(ceilf), ALLOW(ceil),  ALLOW(roundf), ALLOW(round),  ALLOW(truncf),
    ALLOW(trunc),  ALLOW(sqrtf), ALLOW(sqrt),  ALLOW(fmodf), ALLOW(fmod),   ALLOW(memcpy), ALLOW(memset),
#undef ALLOW
};

/* Everything known about the object while it is loaded. */
struct loading {
	const uint8_t *bytes;
	size_t size;
	const Elf64_Ehdr *header;
	const Elf64_Shdr *sections;
	size_t section_count;
	uint64_t *placed; /* a section's offset in the mapping; UINT64_MAX: not loaded */
	const Elf64_Sym *symbols;
	size_t symbol_count;
	const char *strings;
	size_t strings_size;
	const struct native_import *imports;
	size_t import_count;
	struct native_object *object;
	uint64_t got, stubs; /* offsets of one slot a symbol */
	size_t code_end, constant_end;
	struct text *error;
};

static bool fail(struct loading *l, const char *what)
{
	text_add_format(l->error, "native object: %s", what);
	return false;
}

static bool in_file(const struct loading *l, uint64_t offset, uint64_t size)
{
	return offset <= l->size && size <= l->size - offset;
}

static bool read_header(struct loading *l)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)l->bytes;
	if (l->size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return fail(l, "not an ELF file");
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_type != ET_REL)
		return fail(l, "not a 64-bit little-endian relocatable object");
	if (h->e_machine != EM_X86_64)
		return fail(l, "made for another machine");
	if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shoff % 8 != 0 ||
	    !in_file(l, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
		return fail(l, "damaged section table");
	l->header = h;
	l->sections = (const Elf64_Shdr *)(l->bytes + h->e_shoff);
	l->section_count = h->e_shnum;
	return true;
}

static bool read_sections(struct loading *l)
{
	for (size_t i = 0; i < l->section_count; i++) {
		const Elf64_Shdr *s = &l->sections[i];
		if (s->sh_type != SHT_NOBITS && !in_file(l, s->sh_offset, s->sh_size))
			return fail(l, "a section lies outside the file");
		if (s->sh_addralign > 4096 || (s->sh_addralign & (s->sh_addralign - 1)))
			return fail(l, "a section's alignment is not supported");
		if (s->sh_type != SHT_SYMTAB)
			continue;
		if (l->symbols || s->sh_entsize != sizeof(Elf64_Sym) || s->sh_offset % 8 ||
		    s->sh_link >= l->section_count)
			return fail(l, "damaged symbol table");
		const Elf64_Shdr *names = &l->sections[s->sh_link];
		l->symbols = (const Elf64_Sym *)(l->bytes + s->sh_offset);
		l->symbol_count = s->sh_size / sizeof(Elf64_Sym);
		if (names->sh_type != SHT_STRTAB || !in_file(l, names->sh_offset, names->sh_size) ||
		    names->sh_size == 0 || l->bytes[names->sh_offset + names->sh_size - 1] != 0)
			return fail(l, "damaged symbol names");
		l->strings = (const char *)l->bytes + names->sh_offset;
		l->strings_size = names->sh_size;
	}
	if (!l->symbols)
		return fail(l, "no symbols");
	return true;
}

static uint64_t align_up(uint64_t x, uint64_t a)
{
	return a > 1 ? (x + a - 1) & ~(a - 1) : x;
}

/* Which of the three parts a section belongs to: 0 code, 1 constants, 2 writable; -1 not loaded. */
static int section_part(const Elf64_Shdr *s)
{
	if (!(s->sh_flags & SHF_ALLOC) || s->sh_size == 0)
		return -1;
	return s->sh_flags & SHF_EXECINSTR ? 0 : s->sh_flags & SHF_WRITE ? 2 : 1;
}

static bool map_sections(struct loading *l)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), end = 0;
	for (int part = 0; part < 3; part++) {
		for (size_t i = 0; i < l->section_count; i++) {
			const Elf64_Shdr *s = &l->sections[i];
			if (section_part(s) != part)
				continue;
			if (s->sh_size > (1u << 30) || end > (1u << 30))
				return fail(l, "larger than 1 GiB");
			l->placed[i] = align_up(end, s->sh_addralign);
			end = l->placed[i] + s->sh_size;
		}
		if (part == 0) {
			l->stubs = align_up(end, 16);
			end = align_up(l->stubs + l->symbol_count * STUB_SIZE, page);
			l->code_end = end;
		} else if (part == 1) {
			l->got = align_up(end, 8);
			end = align_up(l->got + l->symbol_count * 8, page);
			l->constant_end = end;
		}
	}
	l->object->size = align_up(end, page);
	void *map = mmap(NULL, l->object->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return fail(l, "no memory for its code");
	l->object->base = map;
	for (size_t i = 0; i < l->section_count; i++)
		if (l->placed[i] != UINT64_MAX && l->sections[i].sh_type != SHT_NOBITS)
			memcpy(l->object->base + l->placed[i], l->bytes + l->sections[i].sh_offset,
			       l->sections[i].sh_size);
	return true;
}

static const char *symbol_name(const struct loading *l, const Elf64_Sym *s)
{
	return s->st_name < l->strings_size ? l->strings + s->st_name : "";
}

/* NULL: the symbol is the object's own, or one of those that are allowed. */
static const struct native_import *import_of(const struct loading *l, const Elf64_Sym *s)
{
	if (s->st_shndx != SHN_UNDEF && ELF64_ST_BIND(s->st_info) != STB_WEAK)
		return NULL;
	for (size_t i = 0; i < l->import_count; i++)
		if (strcmp(l->imports[i].name, symbol_name(l, s)) == 0)
			return &l->imports[i];
	return NULL;
}

/* The run-time address of symbol n; calls that are out of a 32-bit jump's reach go through a stub. */
static bool symbol_address(struct loading *l, size_t n, uint64_t *address, bool *external)
{
	if (n >= l->symbol_count)
		return fail(l, "a relocation names no symbol");
	const Elf64_Sym *s = &l->symbols[n];
	const struct native_import *import = import_of(l, s);
	*external = import != NULL;
	if (import) {
		*address = import->address;
		return true;
	}
	if (s->st_shndx == SHN_ABS) {
		*address = s->st_value;
		return true;
	}
	if (s->st_shndx != SHN_UNDEF) {
		if (s->st_shndx >= l->section_count || l->placed[s->st_shndx] == UINT64_MAX ||
		    s->st_value > l->sections[s->st_shndx].sh_size)
			return fail(l, "a symbol lies outside its section");
		*address = (uint64_t)(uintptr_t)l->object->base + l->placed[s->st_shndx] + s->st_value;
		return true;
	}
	const char *name = symbol_name(l, s);
	for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
		if (strcmp(allowed[i].name, name) == 0) {
			*address = (uint64_t)(uintptr_t)allowed[i].function;
			*external = true;
			return true;
		}
	}
	text_add_format(l->error, "native object: needs the unknown function `%s`", name);
	return false;
}

static uint64_t call_stub(struct loading *l, size_t symbol, uint64_t target)
{
	static const uint8_t jump[] = {0xff, 0x25, 0x02, 0x00, 0x00, 0x00, 0x66, 0x90}; /* jmp *[rip+2]; nop */
	uint8_t *stub = l->object->base + l->stubs + symbol * STUB_SIZE;
	memcpy(stub, jump, sizeof jump);
	memcpy(stub + sizeof jump, &target, sizeof target);
	return (uint64_t)(uintptr_t)stub;
}

static uint64_t got_slot(struct loading *l, size_t symbol, uint64_t target)
{
	uint8_t *slot = l->object->base + l->got + symbol * 8;
	memcpy(slot, &target, sizeof target);
	return (uint64_t)(uintptr_t)slot;
}

static bool write_32(struct loading *l, uint8_t *at, int64_t value)
{
	int32_t narrow = (int32_t)value;
	if (narrow != value)
		return fail(l, "a relocation does not reach its symbol");
	memcpy(at, &narrow, sizeof narrow);
	return true;
}

/* Its address is not one of the process. */
static bool is_thread_local(const struct loading *l, size_t symbol)
{
	const struct native_import *import = symbol < l->symbol_count ? import_of(l, &l->symbols[symbol]) : NULL;
	return import && import->is_thread_local;
}

static bool relocate_one(struct loading *l, uint64_t section, const Elf64_Rela *r)
{
	uint64_t target = 0;
	bool external = false;
	size_t symbol = ELF64_R_SYM(r->r_info);
	if (!symbol_address(l, symbol, &target, &external))
		return false;
	uint32_t type = ELF64_R_TYPE(r->r_info);
	uint64_t width = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
	if (r->r_offset > l->sections[section].sh_size || width > l->sections[section].sh_size - r->r_offset)
		return fail(l, "a relocation lies outside its section");
	uint8_t *at = l->object->base + l->placed[section] + r->r_offset;
	uint64_t place = (uint64_t)(uintptr_t)at;
	if (is_thread_local(l, symbol) != (type == R_X86_64_GOTTPOFF))
		return fail(l, "a relocation does not fit a thread's variable");
	switch (type) {
	case R_X86_64_64:
		target += (uint64_t)r->r_addend;
		memcpy(at, &target, 8);
		return true;
	case R_X86_64_PC64:
		target += (uint64_t)r->r_addend - place;
		memcpy(at, &target, 8);
		return true;
	case R_X86_64_PLT32:
	case R_X86_64_PC32:
		if (external)
			target = call_stub(l, symbol, target);
		return write_32(l, at, (int64_t)(target + (uint64_t)r->r_addend - place));
	case R_X86_64_GOTTPOFF:
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
		target = got_slot(l, symbol, target);
		return write_32(l, at, (int64_t)(target + (uint64_t)r->r_addend - place));
	default: /* the numbers are the file's, not ours */
		text_add_format(l->error, "native object: unknown relocation type %u", type);
		return false;
	}
}

static bool relocate(struct loading *l)
{
	for (size_t i = 0; i < l->section_count; i++) {
		const Elf64_Shdr *s = &l->sections[i];
		if (s->sh_type == SHT_REL)
			return fail(l, "relocations without addends");
		if (s->sh_type != SHT_RELA || s->sh_info >= l->section_count || l->placed[s->sh_info] == UINT64_MAX)
			continue;
		if (s->sh_entsize != sizeof(Elf64_Rela) || s->sh_offset % 8)
			return fail(l, "damaged relocations");
		const Elf64_Rela *r = (const Elf64_Rela *)(l->bytes + s->sh_offset);
		for (uint64_t n = 0; n < s->sh_size / sizeof *r; n++)
			if (!relocate_one(l, s->sh_info, &r[n]))
				return false;
	}
	return true;
}

static bool keep_symbols(struct loading *l)
{
	struct native_object *o = l->object;
	o->symbols.arena = &o->names;
	for (size_t i = 0; i < l->symbol_count; i++) {
		const Elf64_Sym *s = &l->symbols[i];
		if (ELF64_ST_BIND(s->st_info) != STB_GLOBAL || s->st_shndx == SHN_UNDEF)
			continue;
		uint64_t address = 0;
		bool external = false;
		if (!symbol_address(l, i, &address, &external))
			return false;
		table_set(&o->symbols, symbol_name(l, s), (void *)(uintptr_t)address);
	}
	return true;
}

static bool protect(struct loading *l)
{
	uint8_t *base = l->object->base;
	if (mprotect(base, l->code_end, PROT_READ | PROT_EXEC) != 0 ||
	    (l->constant_end > l->code_end &&
	     mprotect(base + l->code_end, l->constant_end - l->code_end, PROT_READ) != 0))
		return fail(l, "the system does not allow new code");
	return true;
}

struct native_object *native_object_load(const void *bytes, size_t size, struct text *error)
{
	return native_object_link(bytes, size, NULL, 0, error);
}

uint64_t native_thread_offset(const void *variable)
{
#if defined(__x86_64__)
	uint64_t own;
	__asm__("movq %%fs:0, %0" : "=r"(own));
	return (uint64_t)(uintptr_t)variable - own;
#else
	return (uint64_t)(uintptr_t)variable; /* no object can be loaded here */
#endif
}

struct native_object *native_object_link(const void *bytes, size_t size, const struct native_import *imports,
                                         size_t import_count, struct text *error)
{
	/* The file's structures are read in place: copy them to aligned memory. */
	uint8_t *copy = memory_alloc(size + 1);
	memcpy(copy, bytes, size);
	struct loading l = {
	    .bytes = copy, .size = size, .imports = imports, .import_count = import_count, .error = error};
	l.object = memory_zeroed(1, sizeof *l.object);
	bool good = read_header(&l);
	if (good) {
		l.placed = memory_alloc((l.section_count + 1) * sizeof *l.placed);
		memset(l.placed, 0xff, (l.section_count + 1) * sizeof *l.placed);
		good = read_sections(&l) && map_sections(&l) && relocate(&l) && keep_symbols(&l) && protect(&l);
	}
	free(l.placed);
	free(copy);
	if (good)
		return l.object;
	native_object_free(l.object);
	return NULL;
}

void *native_object_symbol(const struct native_object *object, const char *name)
{
	return table_get(&object->symbols, name);
}

void native_object_free(struct native_object *object)
{
	if (!object)
		return;
	arena_free(&object->names);
	if (object->base)
		munmap(object->base, object->size);
	free(object);
}
