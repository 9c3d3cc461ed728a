/* Any bytes as a NumPy file: it is refused with a message, or what its header says fits the file; and the header that
 * is written for the same reads back. */
#include <stdlib.h>

#include "utils/tools/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct npy header, again;
	struct text error = {0}, out = {0};
	bool good = npy_read((const char *)bytes, size, &header, &error);
	if (good == (error.length != 0))
		abort();
	if (good) {
		uint64_t shape[1] = {header.count};
		if (header.data > size || !header.size || header.count > (size - header.data) / header.size)
			abort();
		npy_write_header(&out, header.kind, header.size, shape, 1);
		text_add_n(&out, (const char *)bytes + header.data, header.count * header.size);
		if (!npy_read(out.data, out.length, &again, &error) || again.kind != header.kind ||
		    again.size != header.size || again.count != header.count)
			abort();
	}
	text_free(&error);
	text_free(&out);
	return 0;
}
