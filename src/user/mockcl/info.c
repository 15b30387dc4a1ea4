// SPDX-License-Identifier: GPL-2.0
/* What every info call of OpenCL does with its value. */
#include <string.h>

#include "driver.h"

cl_int info(const void *value, size_t size, size_t room, void *to, size_t *size_ret)
{
	if (to && room < size)
		return CL_INVALID_VALUE;
	if (to && size)
		memcpy(to, value, size);
	if (size_ret)
		*size_ret = size;
	return CL_SUCCESS;
}

cl_int info_text(const char *text, size_t room, void *to, size_t *size_ret)
{
	return info(text, strlen(text) + 1, room, to, size_ret);
}
