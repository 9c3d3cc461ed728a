/* The functions of libvulkan that fake_vulkan.c does not have: they are there, and nothing may call them. */
#include <stdlib.h>

#include "runtime/vulkan_driver.h"

#define F(name)                                                                                                        \
	__attribute__((weak)) void name(void)                                                                          \
	{                                                                                                              \
		abort();                                                                                               \
	}
VULKAN_FUNCTIONS(F)
