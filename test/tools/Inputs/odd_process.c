/* Preloaded: the process that it is loaded into has the locale that the environment names, if ODD_LOCALE is set, and
 * rounds upward and flushes subnormals, if ODD_FLOATS is. */
#include <fenv.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void make_odd(void)
{
	if (getenv("ODD_LOCALE") && (!setlocale(LC_ALL, "") || strcmp(localeconv()->decimal_point, ",") != 0)) {
		fprintf(stderr, "no locale with a decimal comma\n");
		_Exit(98);
	}
	if (getenv("ODD_FLOATS")) {
		fesetround(FE_UPWARD);
#if defined(__x86_64__)
		unsigned control;
		__asm__ volatile("stmxcsr %0" : "=m"(control));
		control |= 0x8040;
		__asm__ volatile("ldmxcsr %0" : : "m"(control));
#endif
	}
}
