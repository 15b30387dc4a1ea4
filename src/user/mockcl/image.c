// SPDX-License-Identifier: GPL-2.0
/* Images, dense in memory, and samplers. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static const cl_image_format formats[] = {
	{ CL_RGBA, CL_UNORM_INT8 }, { CL_RGBA, CL_UNSIGNED_INT8 }, { CL_RGBA, CL_SIGNED_INT8 },
	{ CL_RGBA, CL_UNSIGNED_INT16 }, { CL_RGBA, CL_SIGNED_INT16 }, { CL_RGBA, CL_HALF_FLOAT },
	{ CL_RGBA, CL_UNSIGNED_INT32 }, { CL_RGBA, CL_SIGNED_INT32 }, { CL_RGBA, CL_FLOAT },
	{ CL_BGRA, CL_UNORM_INT8 }, { CL_R, CL_UNORM_INT8 }, { CL_R, CL_FLOAT }, { CL_R, CL_UNSIGNED_INT32 },
	{ CL_RG, CL_FLOAT }, { CL_RG, CL_UNORM_INT8 },
};

/* Bytes of a pixel; 0: no such format */
static size_t pixel(const cl_image_format *f)
{
	size_t channels, bytes;
	unsigned int i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (f->image_channel_order == formats[i].image_channel_order &&
		    f->image_channel_data_type == formats[i].image_channel_data_type)
			break;
	if (i == sizeof(formats) / sizeof(formats[0]))
		return 0;
	channels = f->image_channel_order == CL_R ? 1 : f->image_channel_order == CL_RG ? 2 : 4;
	switch (f->image_channel_data_type) {
	case CL_UNORM_INT8:
	case CL_SIGNED_INT8:
	case CL_UNSIGNED_INT8:
		bytes = 1;
		break;
	case CL_HALF_FLOAT:
	case CL_SIGNED_INT16:
	case CL_UNSIGNED_INT16:
		bytes = 2;
		break;
	default:
		bytes = 4;
	}
	return channels * bytes;
}

/* Fill in what the description leaves to the driver. Return: is it one of ours? */
static bool complete(cl_image_desc *d, size_t element, const void *host)
{
	size_t w = d->image_width, h, z;

	if (!w || w > 16384)
		return false;
	switch (d->image_type) {
	case CL_MEM_OBJECT_IMAGE1D:
	case CL_MEM_OBJECT_IMAGE1D_BUFFER:
		d->image_height = d->image_depth = d->image_array_size = 0;
		break;
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		d->image_height = d->image_depth = 0;
		break;
	case CL_MEM_OBJECT_IMAGE2D:
		d->image_depth = d->image_array_size = 0;
		break;
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		d->image_depth = 0;
		break;
	case CL_MEM_OBJECT_IMAGE3D:
		d->image_array_size = 0;
		break;
	default:
		return false;
	}
	if (d->image_type != CL_MEM_OBJECT_IMAGE1D && d->image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER &&
	    !d->image_height && !d->image_array_size)
		return false;
	h = d->image_height ? d->image_height : 1;
	z = d->image_depth ? d->image_depth : d->image_array_size ? d->image_array_size : 1;
	if (h > 16384 || z > 2048 || (!host && (d->image_row_pitch || d->image_slice_pitch) && !d->buffer))
		return false;
	if (d->image_row_pitch && d->image_row_pitch < w * element)
		return false;
	if (d->image_slice_pitch && d->image_slice_pitch < h * (d->image_row_pitch ? d->image_row_pitch : w * element))
		return false;
	d->image_row_pitch = d->image_row_pitch ? d->image_row_pitch : w * element;
	d->image_slice_pitch = d->image_slice_pitch ? d->image_slice_pitch : h * d->image_row_pitch;
	return !d->num_mip_levels && !d->num_samples;
}

static size_t slices(const cl_image_desc *d)
{
	return d->image_depth ? d->image_depth : d->image_array_size ? d->image_array_size : 1;
}

static cl_mem over_buffer(cl_context c, cl_mem_flags flags, const cl_image_desc *d, cl_int *error)
{
	cl_mem b = d->buffer, m;

	if (!is(b, MEMORY) || b->context != c || b->size < d->image_slice_pitch) {
		*error = CL_INVALID_IMAGE_DESCRIPTOR;
		return NULL;
	}
	m = object_new(MEMORY, sizeof(*m));
	if (!m) {
		*error = CL_OUT_OF_HOST_MEMORY;
		return NULL;
	}
	*error = CL_SUCCESS;
	m->context = c;
	m->flags = flags ? flags : b->flags;
	m->size = d->image_slice_pitch;
	m->data = b->data;
	m->parent = b;
	atomic_fetch_add(&b->head.refs, 1);
	atomic_fetch_add(&c->head.refs, 1);
	return m;
}

API cl_mem CL_API_CALL clCreateImage(cl_context c, cl_mem_flags flags, const cl_image_format *format,
		const cl_image_desc *desc, void *host, cl_int *error)
{
	cl_image_desc d;
	size_t element;
	cl_int unused;
	cl_mem m;

	error = error ? error : &unused;
	element = format ? pixel(format) : 0;
	*error = !is(c, CONTEXT) ? CL_INVALID_CONTEXT : !format ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR :
		!desc ? CL_INVALID_IMAGE_DESCRIPTOR : !element ? CL_IMAGE_FORMAT_NOT_SUPPORTED : CL_SUCCESS;
	if (*error)
		return NULL;
	d = *desc;
	if (!complete(&d, element, host)) {
		*error = d.image_width > 16384 || d.image_height > 16384 ? CL_INVALID_IMAGE_SIZE :
			CL_INVALID_IMAGE_DESCRIPTOR;
		return NULL;
	}
	m = d.buffer ? over_buffer(c, flags, &d, error) :
		memory_new(c, flags, slices(&d) * d.image_slice_pitch, host, error);
	if (!m) {
		*error = *error == CL_INVALID_BUFFER_SIZE ? CL_INVALID_IMAGE_SIZE : *error;
		return NULL;
	}
	m->type = d.image_type;
	m->format = *format;
	m->desc = d;
	m->element = element;
	return m;
}

API cl_mem CL_API_CALL clCreateImageWithProperties(cl_context c, const cl_mem_properties *properties,
		cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *host, cl_int *error)
{
	cl_int unused;

	error = error ? error : &unused;
	if (properties && *properties) {
		*error = CL_INVALID_PROPERTY;
		return NULL;
	}
	return clCreateImage(c, flags, format, desc, host, error);
}

API cl_mem CL_API_CALL clCreateImage2D(cl_context c, cl_mem_flags flags, const cl_image_format *format, size_t width,
		size_t height, size_t pitch, void *host, cl_int *error)
{
	const cl_image_desc d = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height,
				  .image_row_pitch = pitch };

	return clCreateImage(c, flags, format, &d, host, error);
}

API cl_mem CL_API_CALL clCreateImage3D(cl_context c, cl_mem_flags flags, const cl_image_format *format, size_t width,
		size_t height, size_t depth, size_t row, size_t slice, void *host, cl_int *error)
{
	const cl_image_desc d = { .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = width, .image_height = height,
				  .image_depth = depth, .image_row_pitch = row, .image_slice_pitch = slice };

	return clCreateImage(c, flags, format, &d, host, error);
}

API cl_int CL_API_CALL clGetSupportedImageFormats(cl_context c, cl_mem_flags flags, cl_mem_object_type type,
		cl_uint room, cl_image_format *list, cl_uint *n)
{
	const cl_uint all = sizeof(formats) / sizeof(formats[0]);

	(void)flags;
	if (!is(c, CONTEXT))
		return CL_INVALID_CONTEXT;
	if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER || (list && !room))
		return CL_INVALID_VALUE;
	if (list)
		memcpy(list, formats, (room < all ? room : all) * sizeof(*list));
	if (n)
		*n = all;
	return CL_SUCCESS;
}

API cl_int CL_API_CALL clGetImageInfo(cl_mem m, cl_image_info name, size_t room, void *to, size_t *size_ret)
{
	if (!is(m, MEMORY) || !m->element)
		return CL_INVALID_MEM_OBJECT;
	switch (name) {
	case CL_IMAGE_FORMAT:
		return info(&m->format, sizeof(m->format), room, to, size_ret);
	case CL_IMAGE_ELEMENT_SIZE:
		return INFO(size_t, m->element);
	case CL_IMAGE_ROW_PITCH:
		return INFO(size_t, m->desc.image_row_pitch);
	case CL_IMAGE_SLICE_PITCH:
		return INFO(size_t, slices(&m->desc) > 1 ? m->desc.image_slice_pitch : 0);
	case CL_IMAGE_WIDTH:
		return INFO(size_t, m->desc.image_width);
	case CL_IMAGE_HEIGHT:
		return INFO(size_t, m->desc.image_height);
	case CL_IMAGE_DEPTH:
		return INFO(size_t, m->desc.image_depth);
	case CL_IMAGE_ARRAY_SIZE:
		return INFO(size_t, m->desc.image_array_size);
	case CL_IMAGE_BUFFER:
		return INFO(cl_mem, m->parent);
	case CL_IMAGE_NUM_MIP_LEVELS:
	case CL_IMAGE_NUM_SAMPLES:
		return INFO(cl_uint, 0);
	}
	return CL_INVALID_VALUE;
}

API cl_sampler CL_API_CALL clCreateSampler(cl_context c, cl_bool normalized, cl_addressing_mode addressing,
		cl_filter_mode filter, cl_int *error)
{
	cl_int unused;
	cl_sampler s;

	error = error ? error : &unused;
	*error = !is(c, CONTEXT) ? CL_INVALID_CONTEXT : addressing < CL_ADDRESS_NONE ||
		addressing > CL_ADDRESS_MIRRORED_REPEAT || (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR) ||
		normalized > 1 ? CL_INVALID_VALUE : CL_SUCCESS;
	if (*error)
		return NULL;
	s = object_new(SAMPLER, sizeof(*s));
	if (!s) {
		*error = CL_OUT_OF_HOST_MEMORY;
		return NULL;
	}
	s->context = c;
	s->normalized = normalized;
	s->addressing = addressing;
	s->filter = filter;
	atomic_fetch_add(&c->head.refs, 1);
	return s;
}

API cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context c, const cl_sampler_properties *list, cl_int *error)
{
	cl_sampler_properties normalized = CL_TRUE, addressing = CL_ADDRESS_CLAMP, filter = CL_FILTER_NEAREST;
	size_t n = 0;
	cl_sampler s;

	for (; list && list[n] && n < 14; n += 2)
		if (list[n] == CL_SAMPLER_NORMALIZED_COORDS)
			normalized = list[n + 1];
		else if (list[n] == CL_SAMPLER_ADDRESSING_MODE)
			addressing = list[n + 1];
		else if (list[n] == CL_SAMPLER_FILTER_MODE)
			filter = list[n + 1];
		else
			normalized = 2;		/* no such property: CL_INVALID_VALUE */
	s = clCreateSampler(c, (cl_bool)normalized, (cl_addressing_mode)addressing, (cl_filter_mode)filter, error);
	if (s && list) {
		memcpy(s->properties, list, (n + 1) * sizeof(*list));
		s->properties_size = (n + 1) * sizeof(*list);
	}
	return s;
}

void sampler_put(cl_sampler s)
{
	if (atomic_fetch_sub(&s->head.refs, 1) > 1)
		return;
	s->head.kind = 0;
	context_put(s->context);
	free(s);
}

API cl_int CL_API_CALL clRetainSampler(cl_sampler s)
{
	return object_retain(s, SAMPLER, CL_INVALID_SAMPLER);
}

API cl_int CL_API_CALL clReleaseSampler(cl_sampler s)
{
	return object_release(s, SAMPLER, CL_INVALID_SAMPLER);
}

API cl_int CL_API_CALL clGetSamplerInfo(cl_sampler s, cl_sampler_info name, size_t room, void *to, size_t *size_ret)
{
	if (!is(s, SAMPLER))
		return CL_INVALID_SAMPLER;
	switch (name) {
	case CL_SAMPLER_REFERENCE_COUNT:
		return INFO(cl_uint, s->head.refs);
	case CL_SAMPLER_CONTEXT:
		return INFO(cl_context, s->context);
	case CL_SAMPLER_NORMALIZED_COORDS:
		return INFO(cl_bool, s->normalized);
	case CL_SAMPLER_ADDRESSING_MODE:
		return INFO(cl_addressing_mode, s->addressing);
	case CL_SAMPLER_FILTER_MODE:
		return INFO(cl_filter_mode, s->filter);
	case CL_SAMPLER_PROPERTIES:
		return info(s->properties, s->properties_size, room, to, size_ret);
	}
	return CL_INVALID_VALUE;
}
