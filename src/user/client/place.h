/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Where one user's programs meet: tgd, tgctl, the layers under programs and libtimegraph-mem use this
 * rule and no other. The places, in order:
 *
 *	$XDG_RUNTIME_DIR/timegraph
 *	/run/user/UID/timegraph
 *	/tmp/timegraph-UID
 *
 * The first two only if the directory above is this user's alone: a directory, the effective user's,
 * which no other may write. (`su` and `sudo -E` keep the XDG_RUNTIME_DIR of the user before: it is
 * passed over.) A daemon starts in the first place. A program looks for one in all of them, so that
 * programs with and without XDG_RUNTIME_DIR meet: one that was started before /run/user/UID was
 * there is found in /tmp.
 *
 * In /tmp another user may have made the directory, or anything else with that name. That is never
 * used; if it is the first place, programs run unscheduled and say so.
 *
 * All functions may be called in any thread; none keeps anything.
 */
#ifndef TGU_PLACE_H
#define TGU_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/un.h>

#define TGU_PATH	sizeof(((struct sockaddr_un *)0)->sun_path)
#define TGU_WHY		256	/* a sentence for people, NUL included */

/**
 * tgu_rundir() - the next place
 * @place: 0 for the first; counts on
 * @shared: for the last place: a directory where all users may write, /tmp or /dev/shm
 * @dir: receives it. Nobody has looked at it yet
 * @size: bytes there; a place with a longer name is passed over
 *
 * Return: false: there are no more.
 */
bool tgu_rundir(int *place, const char *shared, char *dir, size_t size);

/**
 * tgu_rundir_make() - make such a directory, if it is not there
 * @dir: it
 * @mode: for a new one
 * @why: receives what is wrong
 *
 * Return: 0; -EPERM: it is there, and is not this user's alone; or another negative errno.
 */
int tgu_rundir_make(const char *dir, unsigned int mode, char why[TGU_WHY]);

/**
 * tgu_home() - where this user's daemon is to listen; makes the directory
 * @path: receives it: $TGD_SOCKET, else root's (TGD_SOCKET in uapi/tgd.h), else in the first place
 * @why: receives what is wrong
 *
 * Return: 0 or a negative errno.
 */
int tgu_home(char path[TGU_PATH], char why[TGU_WHY]);

/**
 * tgu_dial() - connect to the next daemon that is this user's or root's
 * @place: 0 for the first; counts on, so that the next call looks behind the daemon that was found
 * @path: receives where it listens, or where it is missing
 * @why: receives what is wrong, if a person has to mend that; else it is empty
 *
 * Only $TGD_SOCKET, if that is set; else root's, then this user's places. A daemon that takes no
 * connection (it is stopped, and its queue is full) is waited for 2 s.
 *
 * Return: the connection, SOCK_SEQPACKET; -ENOENT: nobody listens; -EPERM: what is there is another
 * user's; -EAGAIN: it takes no connection; or another negative errno.
 */
int tgu_dial(int *place, char path[TGU_PATH], char why[TGU_WHY]);

#endif /* TGU_PLACE_H */
