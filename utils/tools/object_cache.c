/* The cache's files: a header, the whole key, the artifact, with a checksum over both. */
#include "utils/tools/object_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

#include "ir/ir_text.h"
#include "utils/base/arena.h"
#include "utils/base/file.h"
#include "utils/base/table.h"
#include "utils/tools/compiler.h"

#define MAGIC "SSPURC1\n"

struct entry_header {
	char magic[8];
	uint64_t key_size, artifact_size;
	uint64_t checksum; /* of key and artifact */
};

/* What the code generator may look at: code for one processor must not be run on another. */
static void add_processor(struct text *key)
{
#if defined(__x86_64__)
	static const unsigned leaves[][2] = {{0, 0},    {1, 0},    {7, 0},           {7, 1},          {0xd, 1},
	                                     {0x14, 0}, {0x19, 0}, {0x80000001u, 0}, {0x80000008u, 0}};
	for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
		unsigned a = 0, b = 0, c = 0, d = 0;
		__get_cpuid_count(leaves[i][0], leaves[i][1], &a, &b, &c, &d);
		if (leaves[i][0] == 1)
			b = 0; /* this core's number */
		text_add_format(key, "cpu %x.%x %x %x %x %x\n", leaves[i][0], leaves[i][1], a, b, c, d);
	}
#else
	text_add_format(key, "cpu %lx %lx\n", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
#endif
}

static bool is_native(const char *target)
{
	return strncmp(target, "native", strlen("native")) == 0 || strncmp(target, "twin", strlen("twin")) == 0;
}

bool object_cache_key(const struct ir_module *module, const char *target, struct text *key)
{
	struct stat s;
	char *path = compiler_path();
	bool good = path && stat(path, &s) == 0;
	if (good) {
		text_add_format(key, "sspur %s\ncompiler %s %lld %lld.%09ld\ntarget %s\n", SSPUR_VERSION, path,
		                (long long)s.st_size, (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec, target);
		if (is_native(target))
			add_processor(key);
		ir_print(key, module);
	}
	free(path);
	return good;
}

/* The cache's folder: SSPUR_CACHE_DIR, else XDG_CACHE_HOME/sspur, else ~/.cache/sspur; NULL: none. */
static char *cache_folder(void)
{
	const char *folder = getenv("SSPUR_CACHE_DIR"), *home = getenv("XDG_CACHE_HOME");
	if (folder && *folder)
		return path_join(folder, "");
	if (home && *home)
		return path_join(home, "sspur");
	home = getenv("HOME");
	return home && *home ? path_join(home, ".cache/sspur") : NULL;
}

static char *entry_path(const struct text *key)
{
	char *folder = cache_folder(), name[48];
	if (!folder)
		return NULL;
	snprintf(name, sizeof name, "%016llx%016llx.bin",
	         (unsigned long long)hash_bytes(HASH_SEED, key->data, key->length),
	         (unsigned long long)hash_bytes(~HASH_SEED, key->data, key->length));
	char *path = path_join(folder, name);
	free(folder);
	return path;
}

static uint64_t entry_checksum(const void *key, size_t key_size, const void *artifact, size_t artifact_size)
{
	return hash_bytes(hash_bytes(HASH_SEED, key, key_size), artifact, artifact_size);
}

/* Only what this user wrote, and nobody else can change, is ever executed. */
static bool read_private_file(const char *path, struct text *out)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat s;
	bool good = file >= 0 && fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
	            !(s.st_mode & (S_IWGRP | S_IWOTH)) && s.st_size < (1 << 30);
	char chunk[16384];
	ssize_t n = 0;
	while (good && (n = read(file, chunk, sizeof chunk)) > 0)
		text_add_n(out, chunk, (size_t)n);
	if (file >= 0)
		close(file);
	return good && n == 0;
}

bool object_cache_decode(const void *entry, size_t size, const struct text *key, struct text *bytes)
{
	struct entry_header h;
	if (size < sizeof h)
		return false;
	memcpy(&h, entry, sizeof h);
	size_t rest = size - sizeof h;
	const char *stored = (const char *)entry + sizeof h;
	bool good = memcmp(h.magic, MAGIC, sizeof h.magic) == 0 && h.key_size == key->length && h.key_size <= rest &&
	            h.artifact_size == rest - h.key_size && memcmp(stored, key->data, key->length) == 0 &&
	            h.checksum == entry_checksum(stored, h.key_size, stored + h.key_size, h.artifact_size);
	if (good)
		text_add_n(bytes, stored + h.key_size, h.artifact_size);
	return good;
}

void object_cache_encode(const struct text *key, const struct text *bytes, struct text *entry)
{
	struct entry_header h = {.key_size = key->length, .artifact_size = bytes->length};
	memcpy(h.magic, MAGIC, sizeof h.magic);
	h.checksum = entry_checksum(key->data, key->length, bytes->data, bytes->length);
	text_add_n(entry, &h, sizeof h);
	text_add_n(entry, key->data, key->length);
	text_add_n(entry, bytes->data, bytes->length);
}

bool object_cache_read(const struct text *key, struct text *bytes)
{
	char *path = entry_path(key);
	struct text file = {0};
	bool good = path && read_private_file(path, &file) && object_cache_decode(file.data, file.length, key, bytes);
	text_free(&file);
	free(path);
	return good;
}

void object_cache_write(const struct text *key, const struct text *bytes)
{
	char *folder = cache_folder(), *path = entry_path(key);
	struct text ignored = {0}, file = {0};
	object_cache_encode(key, bytes, &file);
	if (folder && path && folder_make(folder, &ignored))
		file_write_private(path, file.data, file.length, &ignored);
	text_free(&file);
	text_free(&ignored);
	free(folder);
	free(path);
}
