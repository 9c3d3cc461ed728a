/* The header is the text of a Python dictionary with three keys; of Python this reads what NumPy writes there. */
#include "utils/tools/npy.h"

#include <string.h>

enum { MAGIC_SIZE = 6, HEADER_MOST = 64 << 10, ALIGNMENT = 64 };

static const char magic[MAGIC_SIZE + 1] = "\x93NUMPY";

/* The dictionary being read. */
struct reader {
	const char *at, *end;
	struct npy *header;
	struct text *error;
};

static bool refuse(struct reader *r, const char *what)
{
	if (!r->error->length)
		text_add(r->error, what);
	return false;
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\n'))
		r->at++;
}

static bool take(struct reader *r, const char *word)
{
	size_t length = strlen(word);
	skip_blanks(r);
	if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
		return false;
	r->at += length;
	return true;
}

static bool expect(struct reader *r, const char *word)
{
	return take(r, word) || refuse(r, "its header is damaged");
}

/* A string's characters, which have no escapes. */
static bool take_string(struct reader *r, const char **start, size_t *length)
{
	const char *quote = take(r, "'") ? "'" : take(r, "\"") ? "\"" : NULL;
	if (!quote)
		return false;
	*start = r->at;
	while (r->at < r->end && *r->at != *quote && *r->at != '\\')
		r->at++;
	*length = (size_t)(r->at - *start);
	return expect(r, quote);
}

static bool take_number(struct reader *r, uint64_t *number)
{
	skip_blanks(r);
	const char *start = r->at;
	*number = 0;
	for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(*r->at - '0'), number))
			return refuse(r, "its shape is too large");
	return r->at > start;
}

static bool is_one_of(uint64_t number, char kind)
{
	switch (kind) {
	case 'b': return number == 1;
	case 'i':
	case 'u': return number == 1 || number == 2 || number == 4 || number == 8;
	case 'f': return number == 2 || number == 4 || number == 8;
	case 'V': return number > 0 && number <= UINT32_MAX;
	}
	return false;
}

static bool read_descr(struct reader *r)
{
	const char *text;
	size_t length;
	uint64_t size;
	if (take(r, "["))
		return refuse(r, "it has named fields; give a view of plain numbers (`a.view('<f4')`) or of bytes "
		                 "(`a.view('V12')`)");
	if (!take_string(r, &text, &length))
		return refuse(r, "its header is damaged");
	struct reader of = {.at = text + 2, .end = text + length, .error = r->error};
	if (length < 3 || !strchr("<>|=", text[0]) || !strchr("biufV", text[1]) || !take_number(&of, &size) ||
	    of.at != of.end || !is_one_of(size, text[1])) {
		if (!r->error->length)
			text_add_format(r->error, "its elements `%.*s` are no numbers",
			                (int)(length < 40 ? length : 40), text);
		return false;
	}
	if (text[0] == '>' && size > 1)
		return refuse(r, "it is big-endian; `a.astype(a.dtype.newbyteorder('<'))` changes that");
	r->header->kind = text[1];
	r->header->size = (uint32_t)size;
	return true;
}

static bool read_order(struct reader *r)
{
	if (take(r, "True"))
		return refuse(r, "it is in Fortran order; `numpy.ascontiguousarray(a)` changes that");
	return expect(r, "False");
}

static bool read_shape(struct reader *r)
{
	uint64_t axis;
	uint32_t axes = 0;
	bool comma = true, empty = false;
	r->header->count = 1;
	if (!expect(r, "("))
		return false;
	for (; comma && take_number(r, &axis); comma = take(r, ",")) {
		empty = empty || axis == 0;
		if (++axes > NPY_AXES_MOST ||
		    (!empty && __builtin_mul_overflow(r->header->count, axis, &r->header->count)))
			return refuse(r, "its shape is too large");
	}
	if (empty)
		r->header->count = 0;
	return !r->error->length && (axes != 1 || comma || refuse(r, "its header is damaged")) && expect(r, ")");
}

static bool read_dictionary(struct reader *r)
{
	static const struct {
		const char *key;
		bool (*read)(struct reader *r);
	} keys[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};
	bool seen[3] = {false}, comma = true;
	const char *name;
	size_t length;
	if (!expect(r, "{"))
		return false;
	for (; comma && take_string(r, &name, &length); comma = take(r, ",")) {
		unsigned key = 0;
		while (key < 3 && (strlen(keys[key].key) != length || memcmp(keys[key].key, name, length) != 0))
			key++;
		if (key == 3 || seen[key] || !expect(r, ":"))
			return refuse(r, "its header is damaged");
		seen[key] = true;
		if (!keys[key].read(r))
			return false;
	}
	if (r->error->length || !expect(r, "}"))
		return false;
	skip_blanks(r);
	return (seen[0] && seen[1] && seen[2] && r->at == r->end) || refuse(r, "its header is damaged");
}

bool npy_read(const char *bytes, uint64_t size, struct npy *header, struct text *error)
{
	const uint8_t *head = (const uint8_t *)bytes;
	struct reader r = {.header = header, .error = error};
	*header = (struct npy){0};
	if (size < MAGIC_SIZE + 4 || memcmp(bytes, magic, MAGIC_SIZE) != 0)
		return refuse(&r, "it is no .npy file");
	if ((head[6] != 1 && head[6] != 2) || head[7] != 0) {
		text_add_format(error, "it is of format %u.%u, and 1.0 and 2.0 are known", head[6], head[7]);
		return false;
	}
	uint64_t start = head[6] == 1 ? 10 : 12, length = head[8] | (uint64_t)head[9] << 8;
	if (size < start)
		return refuse(&r, "it is cut short");
	if (head[6] == 2)
		length |= (uint64_t)head[10] << 16 | (uint64_t)head[11] << 24;
	if (length > HEADER_MOST)
		return refuse(&r, "its header is too long");
	if (size - start < length)
		return refuse(&r, "it is cut short");
	header->data = start + length;
	r.at = bytes + start;
	r.end = bytes + header->data;
	if (!read_dictionary(&r))
		return false;
	uint64_t needed;
	if (__builtin_mul_overflow(header->count, (uint64_t)header->size, &needed))
		return refuse(&r, "its shape is too large");
	if (needed != size - header->data) {
		text_add_format(error, "it has %llu bytes of data, and its shape asks for %llu",
		                (unsigned long long)(size - header->data), (unsigned long long)needed);
		return false;
	}
	return true;
}

void npy_write_header(struct text *out, char kind, uint32_t size, const uint64_t *shape, uint32_t axes)
{
	struct text header = {0};
	text_add_format(&header, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
	                size == 1 || kind == 'V' ? '|' : '<', kind, size);
	for (uint32_t i = 0; i < axes; i++)
		text_add_format(&header, axes == 1 ? "%llu," : i ? ", %llu" : "%llu", (unsigned long long)shape[i]);
	text_add(&header, "), }");
	size_t whole = MAGIC_SIZE + 4 + header.length + 1;
	text_add_repeat(&header, ' ', (ALIGNMENT - whole % ALIGNMENT) % ALIGNMENT);
	text_add_char(&header, '\n');
	const uint8_t head[4] = {1, 0, (uint8_t)header.length, (uint8_t)(header.length >> 8)};
	text_add_n(out, magic, MAGIC_SIZE);
	text_add_n(out, head, sizeof head);
	text_add_n(out, header.data, header.length);
	text_free(&header);
}
