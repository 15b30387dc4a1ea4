/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One HTTP request on standard input, and its answer on standard output: `tgctl metrics --http`,
 * which systemd starts with a connection. metrics.c calls it.
 */
#ifndef TGCTL_HTTP_H
#define TGCTL_HTTP_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct http_request - what the peer wants
 * @head_only: HEAD: all of the answer but its body
 * @openmetrics: of the two formats it would rather have OpenMetrics (its lines Accept)
 */
struct http_request {
	bool head_only, openmetrics;
};

/**
 * http_read() - read a request for /metrics
 * @request: filled in
 *
 * The process ends when the peer has not sent its request after two seconds, or has not read the
 * answer ten seconds after that.
 *
 * Return: false: it is for something else, or none; then it is answered.
 */
bool http_read(struct http_request *request);

/**
 * http_answer() - send the answer, and wait until the peer has closed the connection
 * @request: from http_read()
 * @status: "200 OK" or another
 * @type: of @body
 * @body: what it is about
 * @len: its bytes
 */
void http_answer(const struct http_request *request, const char *status, const char *type,
		 const char *body, size_t len);

/** http_fail() - http_answer() with a page of one line: @status, and @hint, which says what to do */
void http_fail(const struct http_request *request, const char *status, const char *hint);

#endif /* TGCTL_HTTP_H */
