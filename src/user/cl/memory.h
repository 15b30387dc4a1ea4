/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * memory.c: the books of memory.
 */
#ifndef TGCL_MEMORY_H
#define TGCL_MEMORY_H

#include "cl.h"

struct booked;

struct booked *memory_book(cl_context context, size_t size, bool *refused);
bool memory_again(int64_t since, cl_int error);
void memory_unbook(struct booked *b);
void memory_made(struct booked *b, cl_mem memory);
void memory_in_child(void);
extern __typeof__(clReleaseMemObject) layer_clReleaseMemObject;
extern __typeof__(clCreateContext) layer_clCreateContext;
extern __typeof__(clCreateContextFromType) layer_clCreateContextFromType;

#endif /* TGCL_MEMORY_H */
