/* Any bytes as a manifest: a table, or one line of why not with a place within it. */
#include <stdlib.h>
#include <string.h>

#include "utils/tools/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void walk(const struct toml_value *v)
{
	if (v->kind == TOML_STRING && !v->text)
		abort();
	for (uint32_t i = 0; i < v->item_count; i++)
		walk(v->items[i]);
	for (uint32_t i = 0; i < v->entry_count; i++) {
		if (toml_find(v, v->entries[i]->key) != v->entries[i])
			abort();
		walk(v->entries[i]->value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct source source;
	struct arena arena = {0};
	struct text error = {0};
	struct span place = {0};
	source_init(&source, "congo.toml", (const char *)bytes, size);
	const struct toml_value *table = toml_read(&arena, &source, &place, &error);
	if (!table != (error.length != 0) || (!table && (size_t)place.end > source.length))
		abort();
	if (table)
		walk(table);
	text_free(&error);
	arena_free(&arena);
	source_free(&source);
	return 0;
}
