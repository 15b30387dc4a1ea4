// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The functions of timegraph/mem.h: they check what the program says, find the device, and call
 * the books that the user has chosen.
 *
 * The lock is not held while a thread waits for memory or asks a driver, but while it connects to
 * tgd for the first time. It is taken before those of the books and of src/user/client.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

static const struct books *const kinds[] = { &books_tgd, &books_lock, &books_mutex };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct books *books;	/* NULL: not begun */
static unsigned int inits;		/* tg_mem_init() without tg_mem_fini() */
static unsigned int inside;		/* threads that use books */
static struct device *devices;

struct device *devices_first(void)
{
	return __atomic_load_n(&devices, __ATOMIC_ACQUIRE);
}

/* --- fork --- */

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
	if (books)
		books->fork_prepare();
}

static void in_parent(void)
{
	if (books)
		books->fork_parent();
	pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
	if (books)
		books->fork_child();
	books = NULL;
	inits = inside = 0;
	pthread_mutex_init(&lock, NULL);
}

/* --- begin and end --- */

static const struct books *chosen(void)
{
	const char *name = secure_getenv("TG_MEM_BOOKS");
	size_t i;

	if (!name || !*name)
		return kinds[0];
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(name, kinds[i]->name))
			return kinds[i];
	fprintf(stderr, "timegraph: TG_MEM_BOOKS: '%s' is none of tgd, lock, mutex\n", name);
	return NULL;
}

/* Under the lock. */
static int begin(void)
{
	const struct books *kind = device_table_right() ? chosen() : NULL;
	static bool forks;
	int ret;

	if (!kind)
		return -EINVAL;
	if (!forks && pthread_atfork(before_fork, in_parent, in_child))
		return -ENOMEM;
	forks = true;
	ret = kind->open();
	if (!ret)
		books = kind;
	return ret;
}

int tg_mem_init(unsigned int flags)
{
	const int was = errno;
	int ret = 0, state;

	if (flags)
		return -EINVAL;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&lock);
	if (!inits)
		ret = begin();
	inits += !ret;
	pthread_mutex_unlock(&lock);
	pthread_setcancelstate(state, NULL);
	errno = was;
	return ret;
}

int tg_mem_fini(void)
{
	const int was = errno;
	int ret = 0, state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&lock);
	if (!inits) {
		ret = -ENOTCONN;
	} else if (inits > 1) {
		inits--;
	} else if (inside) {
		ret = -EBUSY;
	} else {
		books->close();
		books = NULL;
		inits = 0;
	}
	pthread_mutex_unlock(&lock);
	pthread_setcancelstate(state, NULL);
	errno = was;
	return ret;
}

/* --- memory --- */

/* Under the lock. */
static struct device *known(const char *key)
{
	struct device *d;

	for (d = devices; d && strcmp(d->key, key); d = d->next)
		;
	return d;
}

/*
 * Under the lock, but it is released while a driver is asked: NVML may fork (nvidia-modprobe), and
 * before_fork() takes the lock.
 */
static int find(const char *name, struct device **found)
{
	char key[TGD_KEY];
	struct device *d;
	uint64_t size;
	int ret = device_key(name, key);

	if (ret)
		return ret;
	*found = known(key);
	if (*found)
		return 0;
	pthread_mutex_unlock(&lock);
	ret = device_size(key, &size);
	pthread_mutex_lock(&lock);
	if (ret)
		return ret;
	if (!inits)
		return -ENOTCONN;
	*found = known(key);
	if (*found)
		return 0;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	strcpy(d->key, key);
	d->size = size;
	d->next = devices;
	__atomic_store_n(&devices, d, __ATOMIC_RELEASE);
	*found = d;
	return 0;
}

/* Begin to use a device. Return: 0: leave() ends it. */
static int enter(const char *name, bool requests, struct device **d)
{
	int ret = -ENOTCONN;

	pthread_mutex_lock(&lock);
	if (inits)
		ret = find(name, d);
	if (!ret && requests && !(*d)->tgu && books->name_device)
		books->name_device(*d);
	inside += !ret;
	pthread_mutex_unlock(&lock);
	return ret;
}

static void leave(void)
{
	pthread_mutex_lock(&lock);
	inside--;
	pthread_mutex_unlock(&lock);
}

int tg_mem_pre_alloc(const char *device, uint64_t bytes, int timeout_ms)
{
	const int64_t until = timeout_ms < 0 ? FOREVER : tgu_now() + timeout_ms * 1000000LL;
	const int was = errno;
	struct device *d;
	int ret, state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	ret = enter(device, bytes, &d);
	if (!ret) {
		if (bytes > d->size)
			ret = -ENOMEM;
		else if (bytes)
			ret = books->request(d, bytes, until);
		leave();
	}
	pthread_setcancelstate(state, NULL);
	errno = was;
	return ret == -ETIMEDOUT && !timeout_ms ? -EAGAIN : ret;
}

/* Take @bytes off what the program holds. */
static bool holds(struct device *d, uint64_t bytes)
{
	uint64_t held = __atomic_load_n(&d->held, __ATOMIC_RELAXED);

	do {
		if (bytes > held)
			return false;
	} while (!__atomic_compare_exchange_n(&d->held, &held, held - bytes, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

int tg_mem_post_free(const char *device, uint64_t bytes)
{
	const int was = errno;
	struct device *d;
	int ret, state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	ret = enter(device, false, &d);
	if (!ret) {
		if (!holds(d, bytes))
			ret = -EINVAL;
		else if (bytes)
			books->release(d, bytes);
		leave();
	}
	pthread_setcancelstate(state, NULL);
	errno = was;
	return ret;
}
