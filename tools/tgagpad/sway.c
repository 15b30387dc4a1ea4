// SPDX-License-Identifier: GPL-2.0
/*
 * The focus as sway tells it (sway-ipc(7)): the tree of its windows has the focused one and its
 * process. main.c calls, in its one thread; nothing here waits for sway. At each event that may
 * move the focus the tree is asked for, once at a time.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <json-c/json.h>

#include "agpad.h"

enum { SUBSCRIBE = 2, GET_TREE = 4, EVENT = 1u << 31 };

#define MAGIC "i3-ipc"
enum { MAGIC_LEN = 6, HEAD = MAGIC_LEN + 8, LONGEST = 16 << 20, DEEPEST = 512 };

static struct {
	int fd;
	char *in;		/* what has come of a message */
	size_t len, room;
	unsigned int pid;	/* focused in the latest tree */
	bool asked, again;	/* a tree is on its way; an event has come since it was asked for */
	bool subscribed;
} sway = { .fd = -1 };

static bool request(uint32_t type, const char *payload)
{
	char message[128] = MAGIC;
	uint32_t len = strlen(payload);

	memcpy(message + MAGIC_LEN, &len, 4);
	memcpy(message + MAGIC_LEN + 4, &type, 4);
	memcpy(message + HEAD, payload, len);
	len += HEAD;
	return send(sway.fd, message, len, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)len;
}

static bool connect_sway(void)
{
	const char *path = getenv(source_sway.variable);
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(address.sun_path)) {
		say("SWAYSOCK is longer than %zu bytes", sizeof(address.sun_path) - 1);
		return false;
	}
	strcpy(address.sun_path, path);
	sway.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (sway.fd < 0 || connect(sway.fd, (struct sockaddr *)&address, sizeof(address)) ||
	    !request(SUBSCRIBE, "[\"window\",\"workspace\"]")) {
		say("no sway at SWAYSOCK '%s': %s", path, strerror(errno));
		return false;
	}
	return true;
}

/* Process of the focused node at or below this one; -1: none of them has the focus. */
static int64_t focused(struct json_object *node)
{
	static const char *const below[] = { "nodes", "floating_nodes" };
	struct json_object *value;
	int64_t pid;
	size_t i, k;

	if (json_object_object_get_ex(node, "focused", &value) && json_object_get_boolean(value)) {
		pid = json_object_object_get_ex(node, "pid", &value) ?
			json_object_get_int64(value) : 0;
		return pid > 0 && pid <= INT32_MAX ? pid : 0;
	}
	for (k = 0; k < 2; k++) {
		if (!json_object_object_get_ex(node, below[k], &value) ||
		    !json_object_is_type(value, json_type_array))
			continue;
		for (i = 0; i < json_object_array_length(value); i++) {
			pid = focused(json_object_array_get_idx(value, i));
			if (pid >= 0)
				return pid;
		}
	}
	return -1;
}

static bool take_tree(const char *text, size_t len)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEEPEST);
	struct json_object *tree = tokener ? json_tokener_parse_ex(tokener, text, len) : NULL;
	bool good = json_object_is_type(tree, json_type_object);
	int64_t pid = good ? focused(tree) : 0;

	sway.pid = pid > 0 ? pid : 0;
	json_object_put(tree);
	if (tokener)
		json_tokener_free(tokener);
	return good;
}

/* One whole message. Return: is it one that sway sends? */
static bool take(uint32_t type, const char *text, size_t len, bool *changed)
{
	if (type & EVENT) {
		sway.again = true;
	} else if (type == SUBSCRIBE) {
		sway.subscribed = true;
		sway.again = true;
	} else if (type == GET_TREE) {
		sway.asked = false;
		*changed = true;
		return take_tree(text, len);
	}
	return true;
}

/* Takes the whole messages that have come. */
static bool take_all(bool *changed)
{
	size_t at = 0;
	uint32_t len, type;

	while (sway.len - at >= HEAD) {
		if (memcmp(sway.in + at, MAGIC, MAGIC_LEN))
			return false;
		memcpy(&len, sway.in + at + MAGIC_LEN, 4);
		memcpy(&type, sway.in + at + MAGIC_LEN + 4, 4);
		if (len > LONGEST)
			return false;
		if (sway.len - at - HEAD < len)
			break;
		if (!take(type, sway.in + at + HEAD, len, changed))
			return false;
		at += HEAD + len;
	}
	sway.len -= at;
	memmove(sway.in, sway.in + at, sway.len);
	return true;
}

/* Return: bytes read; 0: nothing has come; -1: sway has gone. */
static ssize_t receive(void)
{
	ssize_t got;

	if (sway.room - sway.len < 65536) {
		size_t room = sway.room ? 2 * sway.room : 1 << 18;
		char *in = realloc(sway.in, room);

		if (!in) {
			say("out of memory");
			return -1;
		}
		sway.in = in;
		sway.room = room;
	}
	got = recv(sway.fd, sway.in + sway.len, sway.room - sway.len, MSG_DONTWAIT);
	if (got > 0)
		sway.len += got;
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		return -1;
	return got > 0 ? got : 0;
}

static enum state read_messages(bool *changed)
{
	ssize_t got = receive();

	if (got > 0 && !take_all(changed)) {
		say("SWAYSOCK: what came is no answer of sway");
		return GONE;
	}
	if (got >= 0 && sway.again && !sway.asked) {
		sway.again = false;
		sway.asked = true;
		if (!request(GET_TREE, ""))
			got = -1;
	}
	if (got < 0) {
		say("sway has gone");
		return GONE;
	}
	return GOING;
}

static unsigned int foreground(void)
{
	return sway.pid;
}

static int descriptor(void)
{
	return sway.fd;
}

static bool waits(void)
{
	return sway.asked || !sway.subscribed;
}

static void disconnect(void)
{
	close(sway.fd);
	free(sway.in);
}

const struct source source_sway = {
	.variable = "SWAYSOCK",
	.open = connect_sway,
	.fd = descriptor,
	.read = read_messages,
	.foreground = foreground,
	.waits = waits,
	.close = disconnect,
};
