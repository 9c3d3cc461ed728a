/* Any bytes as an entry of the object cache: only what was written for the key is read, and nothing past the end. */
#include <stdlib.h>
#include <string.h>

#include "utils/tools/object_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct text key = {.data = (char[]){"sspur\nkey\n"}, .length = 10};

static bool read(const void *entry, size_t size, struct text *artifact)
{
	artifact->length = 0;
	return object_cache_decode(entry, size, &key, artifact);
}

static void require_artifact(bool good, const struct text *artifact, const uint8_t *bytes, size_t size)
{
	if (!good || artifact->length != size || (size && memcmp(artifact->data, bytes, size) != 0))
		abort();
}

/* The input as an artifact: whole it is read, cut, longer or with a byte changed it is not. */
static void check_artifact(const uint8_t *bytes, size_t size)
{
	struct text artifact = {.data = (char *)bytes, .length = size}, entry = {0}, again = {0};
	struct text other = {.data = (char[]){"sspur\nkez\n"}, .length = 10};
	object_cache_encode(&key, &artifact, &entry);
	require_artifact(read(entry.data, entry.length, &again), &again, bytes, size);
	size_t at = hash_bytes(HASH_SEED, bytes, size) % entry.length;
	if (read(entry.data, at, &again) || object_cache_decode(entry.data, entry.length, &other, &again))
		abort();
	entry.data[at] = (char)(entry.data[at] ^ 1);
	if (read(entry.data, entry.length, &again))
		abort();
	entry.data[at] = (char)(entry.data[at] ^ 1);
	text_add(&entry, "+");
	if (read(entry.data, entry.length, &again))
		abort();
	text_free(&entry);
	text_free(&again);
}

/* The first sixteen bytes as the sizes of an entry whose checksum is right. */
static void check_sizes(const uint8_t *bytes, size_t size)
{
	struct text artifact = {.data = (char *)bytes + 16, .length = size - 16}, entry = {0}, again = {0};
	object_cache_encode(&key, &artifact, &entry);
	bool same = memcmp(entry.data + 8, bytes, 16) == 0;
	memcpy(entry.data + 8, bytes, 16);
	if (read(entry.data, entry.length, &again) != same)
		abort();
	text_free(&entry);
	text_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text artifact = {0};
	if (read(bytes, size, &artifact) && artifact.length >= size)
		abort();
	text_free(&artifact);
	check_artifact(bytes, size);
	if (size >= 16)
		check_sizes(bytes, size);
	return 0;
}
