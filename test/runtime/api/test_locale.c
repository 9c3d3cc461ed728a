/* The API, and what numbers are read and printed by, in a program that has chosen a locale with a decimal comma.
 * usage: test-locale LOCALE DEVICE... BUNDLE CONE_BUNDLE: of Inputs/host.ssp and Inputs/host.cone */
#include <locale.h>

#include "test/runtime/api/expect_api.h"
#include "test/runtime/api/host_kernels.h"
#include "utils/base/plain_locale.h"
#include "utils/base/text.h"

enum { COUNT = 1000 };

static sspur_context *context;
static struct host_data data;
static float got[COUNT];

static void test_numbers(void)
{
	struct text t = {0};
	const char *end;
	float v = 0.5f;
	char printed[40];
	EXPECT(plain_read_f64("1.5e3;", &end) == 1500 && *end == ';');
	EXPECT(plain_read_f32("0.25", NULL) == 0.25f && plain_read_f64("1,5", &end) == 1 && *end == ',');
	text_add_f64(&t, 0.1);
	text_add_char(&t, ' ');
	text_add_f32(&t, 1.5e-30f);
	text_add_char(&t, ' ');
	text_add_fixed(&t, 1234567.0625, 3);
	EXPECT(strcmp(text_string(&t), "0.1 1.5e-30 1234567.062") == 0);
	text_free(&t);
	plain_print(printed, sizeof printed, PLAIN_HEXADECIMAL, -1, 1.5);
	EXPECT(strcmp(printed, "0x1.8p+0") == 0);
	EXPECT(strcmp(plain_error_text(2), "No such file or directory") == 0);
	/* The program's own locale is as it was. */
	snprintf(printed, sizeof printed, "%.1f", v);
	EXPECT(strcmp(printed, "0,5") == 0 && strtof("0,5", NULL) == v);
}

static sspur_buffer *buffer(const void *bytes, uint64_t size)
{
	sspur_buffer *b;
	EXPECT(sspur_buffer_new(context, size, &b) == SSPUR_OK);
	EXPECT(sspur_buffer_write(b, bytes, size) == SSPUR_OK);
	return b;
}

static sspur_kernel *load(const char *path, const char *name)
{
	size_t size;
	sspur_module *m;
	sspur_kernel *k;
	unsigned char *bytes = host_read(path, &size);
	EXPECT(sspur_module_load(context, bytes, size, &m) == SSPUR_OK);
	EXPECT(sspur_kernel_find(m, name, &k) == SSPUR_OK);
	free(bytes);
	return k;
}

/* `pre` and literals of a bundle's IR. */
static void test_bundle(const char *path)
{
	sspur_kernel *mix = load(path, "mix");
	sspur_buffer *x = buffer(data.x, sizeof got), *y = buffer(data.y, sizeof got);
	sspur_argument arguments[] = {sspur_f32(0.25f), sspur_f32(data.tiny), sspur_slice(x, COUNT),
	                              sspur_slice(y, COUNT)};
	EXPECT_ERROR(sspur_launch(mix, arguments, 4), SSPUR_ERROR_LAUNCH, "pre");
	arguments[0] = sspur_f32(data.a);
	EXPECT(sspur_launch(mix, arguments, 4) == SSPUR_OK);
	EXPECT(sspur_buffer_read(y, got, sizeof got) == SSPUR_OK);
	EXPECT(memcmp(got, data.mixed, sizeof got) == 0);
}

static void test_cone_bundle(const char *path)
{
	sspur_kernel *blend = load(path, "blend");
	float settings[2] = {data.a, 1};
	sspur_buffer *x = buffer(data.x, sizeof got), *y = buffer(data.y, sizeof got);
	sspur_argument arguments[] = {sspur_bytes(settings, sizeof settings), sspur_slice(x, COUNT),
	                              sspur_slice(y, COUNT)};
	EXPECT(sspur_launch_groups(blend, (uint64_t[]){4, 1, 1}, arguments, 3) == SSPUR_OK);
	EXPECT(sspur_buffer_read(y, got, sizeof got) == SSPUR_OK);
	EXPECT(memcmp(got, data.mixed, sizeof got) == 0);
}

int main(int count, char **arguments)
{
	if (count < 5 || !setlocale(LC_ALL, arguments[1]) || strcmp(localeconv()->decimal_point, ",") != 0) {
		printf("there is no locale %s with a decimal comma\n", count > 1 ? arguments[1] : "");
		return 2;
	}
	host_data_fill(&data, COUNT);
	host_data_expect(&data);
	test_numbers();
	for (int i = 2; i < count - 2; i++) {
		printf("%s\n", arguments[i]);
		EXPECT(sspur_context_new(arguments[i], &context) == SSPUR_OK);
		test_bundle(arguments[count - 2]);
		test_cone_bundle(arguments[count - 1]);
		sspur_context_free(context);
		context = NULL;
	}
	printf("all as it should be\n");
	return 0;
}
