// SPDX-License-Identifier: GPL-2.0
/*
 * The user's host: tgd's files over its socket, and its OpenCL layer for `tgctl run`.
 */
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <uapi/tgd.h>
#include <uapi/timegraph.h>

#include "../../src/user/client/place.h"
#include "tgd/files.h"

static enum { AUTO, KERNEL, USER } chosen;
static bool neither;	/* nobody has chosen, and neither is there */
static bool busy;	/* a tgd is there, and takes no connection */

bool host_choose(const char *word)
{
	chosen = !strcmp(word, "user") ? USER : !strcmp(word, "kernel") ? KERNEL : AUTO;
	if (chosen == AUTO)
		tgctl_error("--host: '%s' is no host; user or kernel", word);
	return chosen != AUTO;
}

static bool in_sysfs(void)
{
	const char *dir = getenv("TG_SYSFS");
	struct stat st;

	return (dir && *dir) || !stat(TIMEGRAPH_SYSFS, &st);
}

/* --- the socket --- */

#define ANSWER_S	5	/* an answer is waited for */

static char path[TGU_PATH], why[TGU_WHY];
static int conn = -2;	/* the one connection; -1: there is no tgd, -2: nobody has looked yet */

/*
 * One tgd has answered. Where root's came when this user's own had a device already, the user's
 * programs on that device are clients of the other one, which nobody would look for.
 */
static void tell_second(int *place)
{
	char second[TGU_PATH], reason[TGU_WHY];
	struct stat one, other;
	int fd;

	while ((fd = tgu_dial(place, second, reason)) >= 0) {
		close(fd);
		/* XDG_RUNTIME_DIR mostly is /run/user/UID. */
		if (stat(path, &one) || stat(second, &other) ||
		    (one.st_dev == other.st_dev && one.st_ino == other.st_ino))
			continue;
		tgctl_error("%s answers; another tgd of yours runs: TGD_SOCKET=%s tgctl ... speaks to it",
			    path, second);
		return;
	}
}

/* Return: the connection, or -1 */
static int connection(void)
{
	const struct timeval limit = { .tv_sec = ANSWER_S };
	int place = 0;

	if (conn != -2)
		return conn;
	conn = tgu_dial(&place, path, why);
	busy = conn == -EAGAIN;
	if (busy)
		snprintf(why, sizeof(why), "the tgd at %s takes no connection: it is stopped, or "
			 "busy; ps -C tgd -o pid,user,stat tells (T: stopped)", path);
	if (conn < 0)
		return conn = -1;
	tell_second(&place);
	setsockopt(conn, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(conn, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	return conn;
}

/* @ret of a request. An answer that is late may come yet, and would be taken for the next one's. */
static int answer(int ret)
{
	if (ret == -ETIMEDOUT) {
		close(conn);
		conn = -2;
	}
	return ret;
}

void host_tell_silence(void)
{
	struct ucred peer = { .uid = -1 };
	socklen_t len = sizeof(peer);
	const char *as;
	char state;

	getsockopt(connection(), SOL_SOCKET, SO_PEERCRED, &peer, &len);
	as = geteuid() && !peer.uid ? "as root: " : "";
	state = peer.pid > 0 ? tgctl_process_state(peer.pid) : 0;
	if (state == 'T' || state == 't')
		tgctl_error("the tgd at %s (process %d) is stopped: %skill -CONT %d", path,
			    (int)peer.pid, as, (int)peer.pid);
	else if (state)
		tgctl_error("the tgd at %s (process %d, state %c) has not answered for %d s: try again, "
			    "or %skill %d", path, (int)peer.pid, state, ANSWER_S, as, (int)peer.pid);
	else
		tgctl_error("the tgd at %s has not answered for %d s: ps -C tgd -o pid,user,stat shows "
			    "it (T: stopped)", path, ANSWER_S);
}

const char *host_path(void)
{
	connection();
	return path;
}

const char *host_why(void)
{
	return *why ? why : NULL;
}

bool host_loaded(void)
{
	return connection() >= 0;
}

bool host_is_user(void)
{
	if (chosen == AUTO) {
		neither = !in_sysfs() && !host_loaded() && !busy;
		chosen = in_sysfs() || neither ? KERNEL : USER;
	}
	return chosen == USER;
}

bool host_is_kernel(void)
{
	return chosen == KERNEL;
}

bool host_is_neither(void)
{
	return neither;
}

char *host_read(const char *name, bool list, size_t *len)
{
	char *buf = tgctl_alloc(NULL, TGD_DATA), *data = NULL;
	int n;

	*len = 0;
	do {
		n = connection() < 0 ? -ENOTCONN :
		    answer(files_ask(connection(), list ? TGD_LIST : TGD_READ, name, *len, NULL, 0, buf,
				     TGD_DATA));
		if (n < 0) {
			errno = -n;
			free(data);
			data = NULL;
			break;
		}
		data = tgctl_alloc(data, *len + n + 1);
		memcpy(data + *len, buf, n);
		*len += n;
		data[*len] = '\0';
	} while (n);
	free(buf);
	return data;
}

int host_write(const char *name, const char *data, size_t len)
{
	return connection() < 0 ? -ENOTCONN : answer(files_write(connection(), name, data, len));
}

/* --- the layer --- */

#define LAYER	"libtimegraph-cl.so"

/* The layer: beside this program, as it was built or installed. */
static bool find_layer(char *path, size_t size)
{
	static const char *const places[] = { "/../lib/" LAYER, "/../lib/timegraph/" LAYER };
	char self[4096], *slash;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;

	if (len < 0)
		return false;
	self[len] = '\0';
	slash = strrchr(self, '/');
	*slash = '\0';
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		if ((size_t)snprintf(path, size, "%s%s", self, places[i]) < size && !access(path, R_OK))
			return true;
	}
	return false;
}

bool host_layer(void)
{
	const char *others = getenv("OPENCL_LAYERS");
	char layer[4200], layers[8400];

	if (chosen == KERNEL || (chosen == AUTO && in_sysfs()))
		return true;
	if (!find_layer(layer, sizeof(layer))) {
		tgctl_error("run: the OpenCL layer (%s) is not installed beside tgctl", LAYER);
		return false;
	}
	snprintf(layers, sizeof(layers), "%s%s%s", layer, others && *others ? ":" : "",
		 others && *others ? others : "");
	setenv("OPENCL_LAYERS", layers, 1);
	return true;
}
