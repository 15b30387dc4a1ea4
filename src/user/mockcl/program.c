// SPDX-License-Identifier: GPL-2.0
/*
 * Programs. Of a source only the kernels' declarations are read. How long a kernel takes:
 *	an argument named `ns`: so long
 *	an argument, or a number in source or options, `ns_per_group`: so long for each work-group
 *	otherwise 1000 ns for each work-group
 * A source with `#error` does not build. A binary is the source.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static const struct { const char *name; size_t size; } scalars[] = {
	{ "char", 1 }, { "uchar", 1 }, { "short", 2 }, { "ushort", 2 }, { "int", 4 }, { "uint", 4 }, { "float", 4 },
	{ "long", 8 }, { "ulong", 8 }, { "double", 8 }, { "unsigned", 4 }, { "size_t", 8 }, { "sampler_t", sizeof(void *) },
};

/* The word behind @at goes to @word. Return: what follows it */
static const char *next_word(const char *at, char *word, size_t room)
{
	size_t n = 0;

	while (*at && isspace((unsigned char)*at))
		at++;
	while (isalnum((unsigned char)*at) || *at == '_') {
		if (n + 1 < room)
			word[n++] = *at;
		at++;
	}
	word[n] = 0;
	return at;
}

/* One parameter: "__global const int *data" */
static void parameter(struct signature *s, const char *from, const char *to)
{
	unsigned int n = s->n++, i;
	char word[64];

	s->arg[n].type[0] = 0;
	for (; from < to; ) {
		from = next_word(from, word, sizeof(word));
		if (!word[0]) {
			if (*from == '*')
				s->arg[n].memory = true;
			from++;
			continue;
		}
		if (from > to)
			break;
		if (strstr(word, "image") == word || !strcmp(word, "pipe"))
			s->arg[n].memory = true;
		if (!strcmp(word, "local") || !strcmp(word, "__local"))
			s->arg[n].local = true;
		for (i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
			if (!strcmp(word, scalars[i].name)) {
				s->arg[n].size = scalars[i].size;
				strcpy(s->arg[n].type, word);
			}
		strcpy(s->arg[n].name, word);
	}
	if (s->arg[n].local)
		s->arg[n].memory = false;
	if (s->arg[n].memory)
		s->arg[n].size = sizeof(void *);
	if (!strcmp(s->arg[n].name, "ns"))
		s->ns = (int)n;
	if (!strcmp(s->arg[n].name, "ns_per_group"))
		s->ns_per_group = (int)n;
}

/* @at is behind "kernel": a return type, a name, and parameters */
static void declaration(cl_program p, const char *at)
{
	struct signature *s = &p->kernel[p->n];
	const char *open = strchr(at, '('), *close = open, *from;
	int depth = 0;
	char word[64];

	memset(s, 0, sizeof(*s));
	s->ns = s->ns_per_group = -1;
	/* Attributes have brackets of their own */
	while (open && (at = strstr(at, "__attribute__")) && at < open) {
		for (close = open; *close && (depth += (*close == '(') - (*close == ')')); close++)
			;
		at = close;
		open = strchr(at + !!*at, '(');
	}
	if (!open)
		return;
	for (from = open; from > p->source && (isalnum((unsigned char)from[-1]) || from[-1] == '_'); from--)
		;
	next_word(from, s->name, sizeof(s->name));
	for (from = open + 1, depth = 1; *from && depth && s->n < MAX_ARGS; from = close + 1) {
		for (close = from; *close && (depth > 1 || (*close != ',' && *close != ')')); close++)
			depth += (*close == '(') - (*close == ')');
		next_word(from, word, sizeof(word));
		if (word[0] && strcmp(word, "void"))
			parameter(s, from, close);
		if (*close != ',')
			break;
	}
	if (s->name[0])
		p->n++;
}

static void number_of(cl_program p, const char *text)
{
	const char *at = text;

	while (at && (at = strstr(at, "ns_per_group"))) {
		at += strlen("ns_per_group");
		if (strspn(at, " =") && isdigit((unsigned char)at[strspn(at, " =")]))
			p->ns_per_group = strtoull(at + strspn(at, " ="), NULL, 10);
	}
}

static void parse(cl_program p)
{
	const char *at = p->source;
	char word[64];

	p->n = 0;
	p->ns_per_group = 1000;
	number_of(p, p->source);
	number_of(p, p->options);
	while (*at && p->n < MAX_KERNELS) {
		at = next_word(at, word, sizeof(word));
		if (!strcmp(word, "kernel") || !strcmp(word, "__kernel"))
			declaration(p, at);
		if (!word[0] && *at)
			at++;
	}
}

static cl_program create(cl_context c, cl_int *error)
{
	cl_program p = object_new(PROGRAM, sizeof(*p));

	*error = p ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	if (!p)
		return NULL;
	p->context = c;
	p->status = CL_BUILD_NONE;
	atomic_fetch_add(&c->head.refs, 1);
	return p;
}

API cl_program CL_API_CALL clCreateProgramWithSource(cl_context c, cl_uint n, const char **text, const size_t *len,
		cl_int *error)
{
	size_t all = 0, one;
	cl_int unused;
	cl_program p;
	cl_uint i;

	error = error ? error : &unused;
	*error = !is(c, CONTEXT) ? CL_INVALID_CONTEXT : !n || !text ? CL_INVALID_VALUE : CL_SUCCESS;
	for (i = 0; i < n && !*error; i++)
		if (!text[i])
			*error = CL_INVALID_VALUE;
	p = *error ? NULL : create(c, error);
	if (!p)
		return NULL;
	for (i = 0; i < n; i++)
		all += len && len[i] ? len[i] : strlen(text[i]);
	p->told = true;
	p->source = calloc(1, all + 1);
	for (all = 0, i = 0; i < n && p->source; i++, all += one) {
		one = len && len[i] ? len[i] : strlen(text[i]);
		memcpy(p->source + all, text[i], one);
	}
	return p;
}

API cl_program CL_API_CALL clCreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *list,
		const size_t *len, const unsigned char **binary, cl_int *status, cl_int *error)
{
	cl_int unused;
	cl_program p;
	cl_uint i;

	error = error ? error : &unused;
	*error = !is(c, CONTEXT) ? CL_INVALID_CONTEXT : !n || !list || !len || !binary ? CL_INVALID_VALUE : CL_SUCCESS;
	for (i = 0; i < n && !*error; i++) {
		*error = !is(list[i], DEVICE) || !context_has(c, list[i]) ? CL_INVALID_DEVICE :
			!len[i] || !binary[i] ? CL_INVALID_VALUE :
			len[i] < 7 || memcmp(binary[i], "mockcl\n", 7) ? CL_INVALID_BINARY : CL_SUCCESS;
		if (status)
			status[i] = *error;
	}
	p = *error ? NULL : create(c, error);
	if (p) {
		p->source = strndup((const char *)binary[0] + 7, len[0] - 7);
		p->binary = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	}
	return p;
}

API cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context c, cl_uint n, const cl_device_id *list,
		const char *names, cl_int *error)
{
	cl_int unused;

	(void)n;
	error = error ? error : &unused;
	*error = !is(c, CONTEXT) ? CL_INVALID_CONTEXT : !list || !names ? CL_INVALID_VALUE : CL_INVALID_VALUE;
	return NULL;
}

API cl_program CL_API_CALL clCreateProgramWithIL(cl_context c, const void *il, size_t len, cl_int *error)
{
	cl_int unused;

	error = error ? error : &unused;
	*error = !is(c, CONTEXT) ? CL_INVALID_CONTEXT : !il || !len ? CL_INVALID_VALUE : CL_INVALID_OPERATION;
	return NULL;
}

API cl_int CL_API_CALL clBuildProgram(cl_program p, cl_uint n, const cl_device_id *list, const char *options,
		void (CL_CALLBACK *notify)(cl_program, void *), void *user)
{
	cl_int error = CL_SUCCESS;
	cl_uint i;

	if (!is(p, PROGRAM))
		return CL_INVALID_PROGRAM;
	if (!n != !list || (!notify && user))
		return CL_INVALID_VALUE;
	for (i = 0; i < n; i++)
		if (!is(list[i], DEVICE) || !context_has(p->context, list[i]))
			return CL_INVALID_DEVICE;
	if (p->kernels)
		return CL_INVALID_OPERATION;
	free(p->options);
	p->options = strdup(options ? options : "");
	if (!p->options || !p->source)
		return CL_OUT_OF_HOST_MEMORY;
	p->built = !strstr(p->source, "#error");
	p->status = p->built ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
	if (p->built) {
		parse(p);
		p->binary = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	} else {
		error = CL_BUILD_PROGRAM_FAILURE;
	}
	if (notify)
		notify(p, user);
	return notify ? CL_SUCCESS : error;
}

API cl_int CL_API_CALL clCompileProgram(cl_program p, cl_uint n, const cl_device_id *list, const char *options,
		cl_uint headers, const cl_program *header, const char **name,
		void (CL_CALLBACK *notify)(cl_program, void *), void *user)
{
	cl_int error;

	if (!headers != !header || !headers != !name)
		return CL_INVALID_VALUE;
	error = clBuildProgram(p, n, list, options, notify, user);
	if (!error)
		p->binary = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
	return error == CL_BUILD_PROGRAM_FAILURE ? CL_COMPILE_PROGRAM_FAILURE : error;
}

API cl_program CL_API_CALL clLinkProgram(cl_context c, cl_uint n, const cl_device_id *list, const char *options,
		cl_uint inputs, const cl_program *input, void (CL_CALLBACK *notify)(cl_program, void *), void *user,
		cl_int *error)
{
	size_t all = 1, at = 0;
	cl_int unused;
	cl_program p;
	cl_uint i;

	error = error ? error : &unused;
	*error = !is(c, CONTEXT) ? CL_INVALID_CONTEXT : !inputs || !input || !n != !list || (!notify && user) ?
		CL_INVALID_VALUE : CL_SUCCESS;
	for (i = 0; i < inputs && !*error; i++)
		*error = !is(input[i], PROGRAM) ? CL_INVALID_PROGRAM : !input[i]->built ? CL_INVALID_OPERATION : CL_SUCCESS;
	p = *error ? NULL : create(c, error);
	if (!p)
		return NULL;
	for (i = 0; i < inputs; i++)
		all += strlen(input[i]->source) + 1;
	p->source = calloc(1, all);
	for (i = 0; i < inputs && p->source; i++)
		at += sprintf(p->source + at, "%s\n", input[i]->source);
	*error = clBuildProgram(p, n, list, options, notify, user);
	return p;
}

API cl_int CL_API_CALL clUnloadCompiler(void)
{
	return CL_SUCCESS;
}

API cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id p)
{
	return is(p, PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

API cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program p, void (CL_CALLBACK *fn)(cl_program, void *), void *user)
{
	(void)user;
	return !is(p, PROGRAM) ? CL_INVALID_PROGRAM : !fn ? CL_INVALID_VALUE : CL_INVALID_OPERATION;
}

API cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program p, cl_uint id, size_t size, const void *value)
{
	(void)id;
	(void)size;
	(void)value;
	return is(p, PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

API cl_int CL_API_CALL clRetainProgram(cl_program p)
{
	return object_retain(p, PROGRAM, CL_INVALID_PROGRAM);
}

API cl_int CL_API_CALL clReleaseProgram(cl_program p)
{
	return object_release(p, PROGRAM, CL_INVALID_PROGRAM);
}

void program_put(cl_program p)
{
	if (atomic_fetch_sub(&p->head.refs, 1) > 1)
		return;
	p->head.kind = 0;
	context_put(p->context);
	free(p->source);
	free(p->options);
	free(p);
}

static cl_int binaries(cl_program p, size_t room, void *to, size_t *size_ret)
{
	unsigned char **out = to;
	cl_uint i;

	if (to && room < p->context->n * sizeof(*out))
		return CL_INVALID_VALUE;
	for (i = 0; out && i < p->context->n; i++)
		if (out[i]) {
			memcpy(out[i], "mockcl\n", 7);
			memcpy(out[i] + 7, p->source, strlen(p->source));
		}
	if (size_ret)
		*size_ret = p->context->n * sizeof(*out);
	return CL_SUCCESS;
}

API cl_int CL_API_CALL clGetProgramInfo(cl_program p, cl_program_info name, size_t room, void *to, size_t *size_ret)
{
	size_t sizes[MOCK_DEVICES];
	char names[MAX_KERNELS * 65] = "";
	unsigned int i, at = 0;

	if (!is(p, PROGRAM))
		return CL_INVALID_PROGRAM;
	switch (name) {
	case CL_PROGRAM_REFERENCE_COUNT:
		return INFO(cl_uint, p->head.refs);
	case CL_PROGRAM_CONTEXT:
		return INFO(cl_context, p->context);
	case CL_PROGRAM_NUM_DEVICES:
		return INFO(cl_uint, p->context->n);
	case CL_PROGRAM_DEVICES:
		return info(p->context->device, p->context->n * sizeof(cl_device_id), room, to, size_ret);
	case CL_PROGRAM_SOURCE:
		return info_text(p->told ? p->source : "", room, to, size_ret);
	case CL_PROGRAM_IL:
		return info(NULL, 0, room, to, size_ret);
	case CL_PROGRAM_BINARY_SIZES:
		for (i = 0; i < p->context->n; i++)
			sizes[i] = p->built ? strlen(p->source) + 7 : 0;
		return info(sizes, p->context->n * sizeof(size_t), room, to, size_ret);
	case CL_PROGRAM_BINARIES:
		return binaries(p, room, to, size_ret);
	case CL_PROGRAM_NUM_KERNELS:
		return p->built ? INFO(size_t, p->n) : CL_INVALID_PROGRAM_EXECUTABLE;
	case CL_PROGRAM_KERNEL_NAMES:
		for (i = 0; i < p->n; i++)
			at += sprintf(names + at, "%s%s", i ? ";" : "", p->kernel[i].name);
		return p->built ? info_text(names, room, to, size_ret) : CL_INVALID_PROGRAM_EXECUTABLE;
	case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
	case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
		return INFO(cl_bool, CL_FALSE);
	}
	return CL_INVALID_VALUE;
}

API cl_int CL_API_CALL clGetProgramBuildInfo(cl_program p, cl_device_id d, cl_program_build_info name, size_t room,
		void *to, size_t *size_ret)
{
	if (!is(p, PROGRAM))
		return CL_INVALID_PROGRAM;
	if (!is(d, DEVICE) || !context_has(p->context, d))
		return CL_INVALID_DEVICE;
	switch (name) {
	case CL_PROGRAM_BUILD_STATUS:
		return INFO(cl_build_status, p->status);
	case CL_PROGRAM_BUILD_OPTIONS:
		return info_text(p->options ? p->options : "", room, to, size_ret);
	case CL_PROGRAM_BUILD_LOG:
		return info_text(p->status == CL_BUILD_ERROR ? "#error" : "", room, to, size_ret);
	case CL_PROGRAM_BINARY_TYPE:
		return INFO(cl_program_binary_type, p->binary);
	case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
		return INFO(size_t, 0);
	}
	return CL_INVALID_VALUE;
}
