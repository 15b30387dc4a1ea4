// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Where one user's programs meet: see place.h. Every check is one that another user cannot undo
 * afterwards: only root and this user can change what lies in a directory that is this user's alone,
 * or take such a directory away from one that is sticky.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <uapi/tgd.h>

#include "place.h"

#define CONNECT_S	2
#define NAME		"/tgd.sock"

/* Is it a directory of this user's, which no other may write? Symbolic links are not followed. */
static bool is_own(const char *dir)
{
	struct stat st;

	return !lstat(dir, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

bool tgu_rundir(int *place, const char *shared, char *dir, size_t size)
{
	const char *run = secure_getenv("XDG_RUNTIME_DIR");
	char logind[32];
	size_t len;

	snprintf(logind, sizeof(logind), "/run/user/%u", geteuid());
	while (*place < 3) {
		len = size;
		switch ((*place)++) {
		case 0:
			if (run && *run == '/' && is_own(run))
				len = snprintf(dir, size, "%s/timegraph", run);
			break;
		case 1:
			if (is_own(logind))
				len = snprintf(dir, size, "%s/timegraph", logind);
			break;
		default:
			len = snprintf(dir, size, "%s/timegraph-%u", shared, geteuid());
		}
		if (len < size)
			return true;
	}
	return false;
}

/* Return: 0; -ENOENT: it is not there; -EPERM: it is, and is not this user's alone. */
static int check(const char *dir, char why[TGU_WHY])
{
	const char *slash = strrchr(dir, '/');
	char above[4096];
	struct stat st;

	if (lstat(dir, &st))
		return -errno;
	if (!is_own(dir)) {
		snprintf(why, TGU_WHY, "%.107s is not this user's directory, or others may write "
			 "there; one of mode 0700 that user %u owns is wanted", dir, geteuid());
		return -EPERM;
	}
	snprintf(above, sizeof(above), "%.*s", (int)(slash ? slash - dir : 0), dir);
	if (*above && !stat(above, &st) && st.st_mode & S_IWOTH && !(st.st_mode & S_ISVTX)) {
		snprintf(why, TGU_WHY, "others may rename what is in %.107s; mode 1777 is wanted",
			 above);
		return -EPERM;
	}
	return 0;
}

int tgu_rundir_make(const char *dir, unsigned int mode, char why[TGU_WHY])
{
	if (mkdir(dir, mode) && errno != EEXIST) {
		snprintf(why, TGU_WHY, "cannot make %.107s: %m", dir);
		return -errno;
	}
	return check(dir, why);
}

/* --- the daemon's socket --- */

static const char *given_socket(void)
{
	const char *given = secure_getenv("TGD_SOCKET");

	return given && *given ? given : NULL;
}

/* The socket in this user's next place */
static bool next_socket(int *place, char path[TGU_PATH])
{
	if (!tgu_rundir(place, "/tmp", path, TGU_PATH - strlen(NAME)))
		return false;
	strcat(path, NAME);
	return true;
}

int tgu_home(char path[TGU_PATH], char why[TGU_WHY])
{
	const char *given = given_socket();
	char dir[TGU_PATH];
	int place = 0;

	*path = '\0';
	if (given && strlen(given) >= TGU_PATH) {
		snprintf(why, TGU_WHY, "the socket's path is longer than %zu bytes (TGD_SOCKET)",
			 TGU_PATH - 1);
		return -ENAMETOOLONG;
	}
	if (given || !geteuid())
		strcpy(path, given ?: TGD_SOCKET);
	else
		next_socket(&place, path);
	strcpy(dir, path);
	*(strrchr(dir, '/') ?: dir) = '\0';
	return *dir ? tgu_rundir_make(dir, geteuid() ? 0700 : 0755, why) : 0;
}

/* Return: the connection; -ENOENT: nobody listens; or another negative errno */
static int connect_to(const char *path, char why[TGU_WHY])
{
	const struct timeval limit = { .tv_sec = CONNECT_S };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct ucred peer = { .uid = -1 };
	socklen_t len = sizeof(peer);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), ret;

	if (fd < 0)
		return -errno;
	memcpy(address.sun_path, path, strlen(path));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	ret = connect(fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
	if (!ret && !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
	    (!peer.uid || peer.uid == geteuid()))
		return fd;
	close(fd);
	if (!ret) {
		snprintf(why, TGU_WHY, "user %d listens at %.107s; a tgd of user %u or of root is "
			 "wanted there", (int)peer.uid, path, geteuid());
		return -EPERM;
	}
	if (ret == -EACCES || ret == -EPROTOTYPE)
		snprintf(why, TGU_WHY, "%.107s: %s; a socket of tgd is wanted there", path,
			 strerror(-ret));
	return ret == -ECONNREFUSED ? -ENOENT : ret;
}

static int dial_given(const char *given, char path[TGU_PATH], char why[TGU_WHY])
{
	snprintf(path, TGU_PATH, "%s", given);
	return strlen(given) < TGU_PATH ? connect_to(given, why) : -ENOENT;
}

/* In this user's places. @place: as tgu_rundir() */
static int dial_own(int *place, char path[TGU_PATH], char why[TGU_WHY])
{
	char dir[TGU_PATH], home[TGU_PATH] = "";
	const bool first = !*place;
	int ret;

	while (next_socket(place, path)) {
		snprintf(dir, sizeof(dir), "%.*s", (int)(strlen(path) - strlen(NAME)), path);
		ret = check(dir, why) ?: connect_to(path, why);
		if (ret >= 0 || ret == -EAGAIN)
			return ret;
		/* What is wrong in a later place keeps no daemon from starting in the first. */
		if (ret != -ENOENT && first && !*home)
			return ret;
		if (!*home)
			strcpy(home, path);
		*why = '\0';
	}
	strcpy(path, home);
	return -ENOENT;
}

int tgu_dial(int *place, char path[TGU_PATH], char why[TGU_WHY])
{
	const char *given = given_socket();
	int own, ret;

	*why = *path = '\0';
	if (given)
		return (*place)++ ? -ENOENT : dial_given(given, path, why);
	if (!*place) {
		*place = 1;
		strcpy(path, TGD_SOCKET);
		ret = connect_to(path, why);
		if (ret >= 0 || ret == -EAGAIN || !geteuid())
			return ret;
		*why = '\0';
	}
	if (!geteuid())
		return -ENOENT;
	own = *place - 1;
	ret = dial_own(&own, path, why);
	*place = own + 1;
	return ret;
}
