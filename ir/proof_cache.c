/* Proofs of launches that come again: an entry a hash, its key the numbers that the proof depends on. */
#include <stdlib.h>
#include <string.h>

#include "ir/proof_program.h"

#define ENTRIES 64
/* Numbers of a key: the program's, three extents, then scalars and lengths. Longer keys are not kept. */
#define KEY_NUMBERS 24

struct entry {
	uint64_t key[KEY_NUMBERS]; /* key[0] is 0 in an entry not in use */
	struct ir_proof proof;
	bool has_range; /* what ir_proof_range finds */
	uint64_t first, last;
};

struct ir_proof_cache {
	struct entry entries[ENTRIES];
};

struct ir_proof_cache *ir_proof_cache_new(void)
{
	return memory_zeroed(1, sizeof(struct ir_proof_cache));
}

void ir_proof_cache_free(struct ir_proof_cache *cache)
{
	free(cache);
}

static uint64_t mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

/* The launch's entry, evaluated; NULL: its key is too long. */
static struct entry *find_entry(struct ir_proof_cache *cache, const struct ir_proof_program *program,
                                const struct ir_argument *arguments, const uint64_t extents[3])
{
	uint64_t key[KEY_NUMBERS] = {program->number, extents[0], extents[1], extents[2]}, hash = 0;
	if (4 + program->integer_count > KEY_NUMBERS)
		return NULL;
	uint32_t count = 4;
	for (uint32_t n = 0; n < program->integer_count; n++) {
		uint32_t parameter = program->integers[n];
		bool buffer = program->kernel->parameters[parameter].kind == IR_PARAMETER_BUFFER;
		key[count++] = buffer ? arguments[parameter].length : arguments[parameter].bits;
	}
	for (uint32_t n = 0; n < count; n++)
		hash = mix(hash, key[n]);
	struct entry *entry = &cache->entries[hash % ENTRIES];
	if (memcmp(entry->key, key, sizeof key) != 0) {
		ir_proof_evaluate(program, arguments, extents, &entry->proof);
		memcpy(entry->key, key, sizeof key);
		entry->has_range = false;
	}
	return entry;
}

void ir_proof_cached(struct ir_proof_cache *cache, const struct ir_proof_program *program,
                     const struct ir_argument *arguments, const uint64_t extents[3], struct ir_proof *proof)
{
	const struct entry *entry = find_entry(cache, program, arguments, extents);
	if (entry)
		*proof = entry->proof;
	else
		ir_proof_evaluate(program, arguments, extents, proof);
}

bool ir_proof_cached_range(struct ir_proof_cache *cache, const struct ir_proof_program *program,
                           const struct ir_argument *arguments, const uint64_t extents[3], uint64_t *first,
                           uint64_t *last)
{
	struct entry *entry = find_entry(cache, program, arguments, extents);
	if (!entry)
		return ir_proof_range(program, arguments, extents, first, last);
	if (!entry->has_range)
		ir_proof_range(program, arguments, extents, &entry->first, &entry->last);
	entry->has_range = true;
	*first = entry->first;
	*last = entry->last;
	return *first < *last;
}
