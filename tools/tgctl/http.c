// SPDX-License-Identifier: GPL-2.0
/*
 * One HTTP request (RFC 9110, 9112), read from standard input, and its answer. There is one page,
 * /metrics, for GET and HEAD. A process serves one request, so each answer says that the connection
 * ends with it.
 */
#include "http.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tgctl.h"

#define HEAD_MAX	8192	/* bytes of a request's head */
#define REQUEST_MAX	2	/* seconds, for a peer to send its request: a silent one takes a place */
#define TIME_MAX	10	/* seconds, for a peer to read the answer */
#define LINGER		2	/* seconds for a peer to read the answer */

#define TOKEN	"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

static void give_up(int signal)
{
	_exit(TGCTL_FAILED);
}

static bool refuse(const struct http_request *r, const char *status, const char *hint)
{
	http_fail(r, status, hint);
	return false;
}

/*
 * Reads the head, up to its empty line, without the \r of line ends. Return: NULL, or the status
 * with which it is refused.
 */
static const char *read_head(char *head)
{
	size_t len = 0;
	int c;

	while ((c = getchar()) != EOF) {
		if (!c)
			return "400 Bad Request";
		if (c == '\n' && len && head[len - 1] == '\r')
			len--;
		if (c == '\n' && !len)
			continue;	/* empty lines in front */
		if (c == '\n' && head[len - 1] == '\n') {
			head[len] = '\0';
			return NULL;
		}
		if (len == HEAD_MAX)
			return "431 Request Header Fields Too Large";
		head[len++] = c;
	}
	return "400 Bad Request";
}

/*
 * How much the peer wants a format: the weight (q) of the most specific range that names it, and
 * how specific that is. RFC 9110, 12.5.1.
 */
struct wish {
	enum range { UNNAMED, ANYTHING, TYPE, EXACTLY } range;
	double q;
};

/*
 * The weight among the parameters @text of an Accept, 0 if it is none from 0 to 1; -1: it is of
 * another version than @version.
 */
static double weight(char *text, const char *version)
{
	double q = 1;
	char *p, *save;

	for (p = strtok_r(text, ";", &save); p; p = strtok_r(NULL, ";", &save)) {
		p += strspn(p, " \t");
		p[strcspn(p, " \t")] = '\0';
		if (!strncasecmp(p, "q=", 2))
			q = strtod(p + 2, NULL);
		if (!(q >= 0 && q <= 1))
			q = 0;
		if (strncasecmp(p, "version=", 8))
			continue;
		p += 8;
		if (*p == '"')
			p++;
		p[strcspn(p, "\"")] = '\0';
		if (strcmp(p, version))
			return -1;
	}
	return q;
}

/* The peer wants @wish as much as @q, says a range; a less specific one says nothing. */
static void wish(struct wish *wish, enum range range, double q)
{
	if (q < 0 || range < wish->range)
		return;
	wish->q = range > wish->range ? q : max(q, wish->q);
	wish->range = range;
}

/* One line Accept. */
static void accept_line(char *value, struct wish *openmetrics, struct wish *text)
{
	char *range, *type, *end, *save;
	double q;

	for (range = strtok_r(value, ",", &save); range; range = strtok_r(NULL, ",", &save)) {
		type = range + strspn(range, " \t");
		end = type + strcspn(type, "; \t");
		range = *end ? end + 1 : end;
		*end = '\0';
		if (!strcasecmp(type, "application/openmetrics-text")) {
			wish(openmetrics, EXACTLY, weight(range, "1.0.0"));
		} else if (!strcasecmp(type, "text/plain")) {
			wish(text, EXACTLY, weight(range, "0.0.4"));
		} else if (!strcasecmp(type, "application/*")) {
			wish(openmetrics, TYPE, weight(range, "1.0.0"));
		} else if (!strcasecmp(type, "text/*")) {
			wish(text, TYPE, weight(range, "0.0.4"));
		} else if (!strcmp(type, "*/*")) {
			q = weight(range, "");
			wish(openmetrics, ANYTHING, q);
			wish(text, ANYTHING, q);
		}
	}
}

/* The lines behind the first. Return: NULL, or what is wrong. */
static const char *read_fields(struct http_request *r, char *lines, bool needs_host)
{
	struct wish openmetrics = { UNNAMED }, text = { UNNAMED };
	char *line, *value, *save;
	int hosts = 0;

	for (line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		value = line + strspn(line, TOKEN);
		if (value == line || *value != ':')
			return "a line of the request's head is no NAME: VALUE";
		*value++ = '\0';
		value += strspn(value, " \t");
		hosts += !strcasecmp(line, "Host");
		if (!strcasecmp(line, "Accept"))
			accept_line(value, &openmetrics, &text);
	}
	if (hosts > 1 || (needs_host && !hosts))
		return "one line Host wanted";
	/* Of what is wanted alike: OpenMetrics where it is named, text where anything will do. */
	r->openmetrics = openmetrics.q > text.q || (openmetrics.q > 0 && openmetrics.q >= text.q &&
			 openmetrics.range > ANYTHING && openmetrics.range >= text.range);
	return NULL;
}

/* Is @target, a path or a whole URL, that of the metrics? A query changes nothing. */
static bool is_metrics(const char *target)
{
	if (!strncasecmp(target, "http://", 7))
		target += 7 + strcspn(target + 7, "/?");
	return !strncmp(target, "/metrics", 8) && (!target[8] || target[8] == '?');
}

bool http_read(struct http_request *request)
{
	char head[HEAD_MAX + 1], *method = head, *target, *version, *lines;
	const char *wrong;

	*request = (struct http_request){ 0 };
	signal(SIGALRM, give_up);
	alarm(REQUEST_MAX);
	wrong = read_head(head);
	alarm(TIME_MAX);
	if (wrong)
		return refuse(request, wrong, *wrong == '4' && wrong[1] == '3' ? "8 KiB at most" :
			      "no whole request");
	lines = strchr(head, '\n');
	*lines++ = '\0';
	target = method + strspn(method, TOKEN);
	if (target == method || *target != ' ')
		return refuse(request, "400 Bad Request", "METHOD PATH HTTP/1.1 wanted");
	*target++ = '\0';
	version = target + strcspn(target, " ");
	if (version == target || strncmp(version, " HTTP/", 6) || !isdigit((unsigned char)version[6]) ||
	    version[7] != '.' || !isdigit((unsigned char)version[8]) || version[9])
		return refuse(request, "400 Bad Request", "METHOD PATH HTTP/1.1 wanted");
	*version = '\0';
	request->head_only = !strcmp(method, "HEAD");
	if (version[6] != '1')
		return refuse(request, "505 HTTP Version Not Supported", "HTTP/1.1 or 1.0 wanted");
	wrong = read_fields(request, lines, version[8] != '0');
	if (wrong)
		return refuse(request, "400 Bad Request", wrong);
	if (!is_metrics(target))
		return refuse(request, "404 Not Found", "the metrics are at /metrics");
	if (!request->head_only && strcmp(method, "GET"))
		return refuse(request, "405 Method Not Allowed", "GET or HEAD wanted");
	return true;
}

void http_answer(const struct http_request *request, const char *status, const char *type,
		 const char *body, size_t len)
{
	time_t now = time(NULL);
	char date[64], rest[4096];

	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime(&now));
	printf("HTTP/1.1 %s\r\nDate: %s\r\nConnection: close\r\nContent-Type: %s\r\nContent-Length: %zu\r\n",
	       status, date, type, len);
	if (*status == '2')
		fputs("Vary: Accept\r\n", stdout);
	if (!strncmp(status, "405", 3))
		fputs("Allow: GET, HEAD\r\n", stdout);
	fputs("\r\n", stdout);
	if (!request->head_only)
		fwrite(body, 1, len, stdout);
	/*
	 * A connection that is closed before all of the request was read is reset, and the peer may
	 * lose the answer: read the rest.
	 */
	if (fflush(stdout) || shutdown(STDOUT_FILENO, SHUT_WR))
		return;
	alarm(LINGER);
	while (read(STDIN_FILENO, rest, sizeof(rest)) > 0)
		;
}

void http_fail(const struct http_request *request, const char *status, const char *hint)
{
	char body[256];

	snprintf(body, sizeof(body), "%s: %s\n", status, hint);
	http_answer(request, status, "text/plain; charset=utf-8", body, strlen(body));
}
