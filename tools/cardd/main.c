// SPDX-License-Identifier: GPL-2.0
/*
 * cardd - runs the modelled card: owns its clock, its sockets and its memory.
 *
 * One loop: sleep until a message comes or the card's next event is due, then let the card catch
 * up. The loop runs with real-time priority when the system allows it, because every microsecond
 * that it oversleeps is lateness in the ground truth (though never a modelled time). A virtual
 * machine's CPU can be taken away for milliseconds, and a timer with it, so two more threads, on a
 * half of the CPUs each, let the card catch up where the loop is late.
 *
 * Lock: `card_lock`. A thread holds it whenever it touches the card, the server or a control
 * connection; the loop gives it up only while it sleeps.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "lib/json.h"
#include "lib/opt.h"
#include "complaints.h"
#include "truth.h"
#include "vfu.h"

#define CONTROL_MAX	8	/* connections to the control socket at once */
#define LINE_MAX_BYTES	256
#define NSEC_PER_SEC	1000000000ll
#define EARLY_NS	50000	/* how long before an event the loop no longer sleeps */
#define WATCH_NS	1000000	/* how often the other threads look whether the loop is in time, */
#define GRACE_NS	20000	/* and how long after an event that they know of */

static const struct opt options[] = {
	{ "socket", 0, "PATH", "vfio-user socket, for QEMU's device vfio-user-pci" },
	{ "control", 0, "PATH",
	  "a line 'truth' is answered with the ground truth as JSON;\n"
	  "'fault KIND[@WHEN][:CHANNEL]' lets something break: see below" },
	{ "json", 0, "FILE", "where the ground truth goes when QEMU leaves, or on SIGTERM" },
	{ "options", 0, "LIST",
	  "chip=NAME G92 (default, the 9800 GT) or GF100 (the GTX 480)\n"
	  "scale=N  so many times slower than life, 1 (default) to 1000\n"
	  "seed=N   for whatever is random in the model (default 1)\n"
	  "vram=MIB video memory: 64, 128, 256 (default), 512 or 1024;\n"
	  "         GF100: 96, 192, 384 (default), 768 or 1536\n"
	  "cold=0   caches are warm right after a context switch\n"
	  "jitter=0 the same work always takes the same time\n"
	  "fault=KIND[@WHEN][:CHANNEL], several joined by +. WHEN: N (the N-th command group), "
	  "a time like 20ms (us, ms, s), random (a group of the next thousand); CHANNEL: its "
	  "groups and work alone. KIND:\n"
	  "  hang mmu method        next work: endless, fault, illegal\n"
	  "  semaphore lost-irq     the next completion: it is not\n"
	  "  late-irq early-time    written, not interrupted for, or 100\n"
	  "                         ms later; told 15 ms early\n"
	  "  spurious-irq notify    interrupts: no cause, no completion\n"
	  "  stop gone              the engine stops, the card is gone\n"
	  "  clock-fast clock-back  PTIMER 200 ppm fast, set back by 1 s\n"
	  "  heal                   ends hang, stop, gone and clock-fast" },
	{ 0 }
};

static void help(void)
{
	puts("usage: cardd --socket PATH --control PATH --json FILE [--options LIST]\n"
	     "Runs the modelled GPU (a GeForce 9800 GT, or a GTX 480) for one QEMU.");
	opt_help(stdout, options, 19);
	opt_help(stdout, opt_standard, 19);
}

struct control {
	int fd;			/* -1: free */
	char in[LINE_MAX_BYTES];
	size_t got;
	char *out;		/* what the peer has not taken yet */
	size_t out_at;
	size_t out_len;
};

static pthread_mutex_t card_lock = PTHREAD_MUTEX_INITIALIZER;
static struct card *card;
static struct vfu *vfu;
static struct control controls[CONTROL_MAX];

s64 clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static s64 on_clock(void *ctx)
{
	(void)ctx;
	return clock_ns();
}

static void __attribute__((noreturn, format(printf, 2, 3))) die(int status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("cardd: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(status);
}

static void on_log(void *ctx, const char *what, int chid, u64 value)
{
	static u32 printed;

	(void)ctx;
	if (!complaint_next(&printed))
		return;
	fprintf(stderr, "cardd: %s: channel %d, %#llx\n", what, chid, (unsigned long long)value);
	if (printed == COMPLAINTS_MAX)
		fputs("cardd: that was the last complaint printed; the ground truth counts them\n",
		      stderr);
}

/* ---- options --------------------------------------------------------------------------------- */

static u64 option_number(const char *name, const char *value, u64 min, u64 max)
{
	char *end;
	u64 n;

	errno = 0;
	n = strtoull(value, &end, 0);
	if (!*value || *value == '-' || *end || errno || n < min || n > max)
		die(2, "option %s=%s: a number from %llu to %llu is wanted", name, value,
		    (unsigned long long)min, (unsigned long long)max);
	return n;
}

static void parse_options(char *list, struct card_config *config, const char **fault)
{
	for (char *item = strtok(list, ","); item; item = strtok(NULL, ",")) {
		char *value = strchr(item, '=');

		if (value)
			*value++ = 0;
		else
			value = "";
		if (!strcmp(item, "scale")) {
			config->scale = (u32)option_number(item, value, 1, 1000);
		} else if (!strcmp(item, "seed")) {
			config->seed = option_number(item, value, 0, UINT64_MAX);
		} else if (!strcmp(item, "vram")) {
			config->vram_mib = (u32)option_number(item, value, 64, 1536);
		} else if (!strcmp(item, "chip")) {
			if (!card_vram_default(value))
				die(2, "option chip=%s: G92 or GF100 is wanted", value);
			config->chip = value;
		} else if (!strcmp(item, "cold")) {
			config->cold = option_number(item, value, 0, 1);
		} else if (!strcmp(item, "jitter")) {
			config->jitter = option_number(item, value, 0, 1);
		} else if (!strcmp(item, "fault")) {
			*fault = value;
		} else {
			die(2, "unknown option '%s' (known: chip, scale, seed, vram, cold, jitter, fault)",
			    item);
		}
	}
}

/* As much video memory as the options say, else what the chip's boards have. */
static void choose_vram(struct card_config *config)
{
	if (!config->vram_mib)
		config->vram_mib = card_vram_default(config->chip);
	if (!card_vram_ok(config->chip, config->vram_mib))
		die(2, "option vram=%u: %s is wanted", config->vram_mib,
		    strcmp(config->chip, "G92") ? "96, 192, 384, 768 or 1536" :
						  "64, 128, 256, 512 or 1024");
}

/* Whole or not at all: a reader never sees half a file. */
static void truth_write(const char *path)
{
	char tmp[4096];
	size_t len;
	char *json = truth_json(card, vfu, &len);
	FILE *f;

	if (!json)
		die(1, "out of memory");
	if (snprintf(tmp, sizeof(tmp), "%s.tmp", path) >= (int)sizeof(tmp))
		die(1, "%s: name too long", path);
	f = fopen(tmp, "w");
	if (!f || fwrite(json, 1, len, f) != len || fclose(f) || rename(tmp, path))
		die(1, "%s: %s", path, strerror(errno));
	free(json);
}

/* ---- the control socket ---------------------------------------------------------------------- */

static void control_close(struct control *c)
{
	close(c->fd);
	free(c->out);
	*c = (struct control){ .fd = -1 };
}

static void control_accept(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0)
		return;
	for (int i = 0; i < CONTROL_MAX; i++) {
		if (controls[i].fd < 0) {
			controls[i] = (struct control){ .fd = fd };
			return;
		}
	}
	fprintf(stderr, "cardd: more than %d control connections\n", CONTROL_MAX);
	close(fd);
}

static void control_flush(struct control *c)
{
	ssize_t n = send(c->fd, c->out + c->out_at, c->out_len - c->out_at, MSG_NOSIGNAL);

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			control_close(c);
		return;
	}
	c->out_at += (size_t)n;
	if (c->out_at == c->out_len) {
		free(c->out);
		c->out = NULL;
	}
}

/* The answer is an object with one string, one line. */
static void control_say(struct control *c, const char *key, const char *text)
{
	FILE *f = open_memstream(&c->out, &c->out_len);
	struct json j = { .to = f, .bytes = JSON_ASCII };

	if (!f)
		die(1, "out of memory");
	json_open(&j, NULL, '{');
	json_string(&j, key, text);
	json_close(&j, '}');
	fputc('\n', f);
	if (fclose(f))
		die(1, "out of memory");
}

/* Answer the first line, if one has arrived; the next waits until the peer took this answer. */
static void control_answer(struct control *c)
{
	char *end = memchr(c->in, '\n', c->got);
	char why[CARD_WHY];
	size_t line;

	if (c->out || !end)
		return;
	*end = 0;
	if (end > c->in && end[-1] == '\r')
		end[-1] = 0;
	line = (size_t)(end - c->in) + 1;
	if (!strcmp(c->in, "truth")) {
		c->out = truth_json(card, vfu, &c->out_len);
		if (!c->out)
			die(1, "out of memory");
	} else if (!strncmp(c->in, "fault ", 6)) {
		if (card_fault(card, clock_ns(), c->in + 6, why, sizeof(why)))
			control_say(c, "fault", c->in + 6);
		else
			control_say(c, "error", why);
	} else {
		control_say(c, "error", "unknown request (known: truth, fault)");
	}
	c->out_at = 0;
	c->got -= line;
	memmove(c->in, c->in + line, c->got);
	control_flush(c);
}

static void control_serve(struct control *c, short events)
{
	ssize_t n;

	if (events & POLLOUT && c->out)
		control_flush(c);
	if (c->fd >= 0 && events & (POLLIN | POLLHUP | POLLERR)) {
		n = recv(c->fd, c->in + c->got, sizeof(c->in) - c->got, 0);
		if (n > 0) {
			c->got += (size_t)n;
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			/* the peer has left, or fills the buffer without ever ending a line */
			control_close(c);
			return;
		}
	}
	while (c->fd >= 0 && !c->out && memchr(c->in, '\n', c->got))
		control_answer(c);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static int listen_at(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path))
		die(2, "%s: a socket's name is at most %zu bytes long", path,
		    sizeof(addr.sun_path) - 1);
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, CONTROL_MAX))
		die(1, "%s: %s", path, strerror(errno));
	return fd;
}

static void go_realtime(void)
{
	struct sched_param param = { .sched_priority = 10 };
	int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
	s32 us = 0;

	/*
	 * As long as this file is open no CPU falls asleep.  One of a virtual machine that does is
	 * lent to others, and comes back milliseconds late.
	 */
	if (fd < 0 || write(fd, &us, sizeof(us)) != sizeof(us))
		fprintf(stderr, "cardd: /dev/cpu_dma_latency: %s: expect more lateness\n",
			strerror(errno));
	/* the kernel rounds sleeps of ordinary threads up by 50 us otherwise */
	prctl(PR_SET_TIMERSLACK, 1);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		fprintf(stderr, "cardd: no real-time priority (%s): expect more lateness\n",
			strerror(errno));
}

/* How long to sleep: a timer is some 40 us late, so the rest is spent looking at the clock. */
static struct timespec until(s64 due)
{
	s64 ns = due - EARLY_NS - clock_ns();

	if (ns < 0)
		ns = 0;
	return (struct timespec){ ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };
}

/* One of the two threads that watch the loop; @arg is the half of the CPUs that it runs on. */
static void *watch(void *arg)
{
	struct timespec ts;
	cpu_set_t all, half;
	s64 now, next;

	CPU_ZERO(&half);
	sched_getaffinity(0, sizeof(all), &all);
	for (int cpu = 0, n = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && n++ % 2 == (arg ? 1 : 0))
			CPU_SET(cpu, &half);
	sched_setaffinity(0, sizeof(half), &half);
	for (;;) {
		pthread_mutex_lock(&card_lock);
		now = clock_ns();
		if (card_next_event(card) <= now)
			card_advance(card, now);
		next = card_next_event(card);
		pthread_mutex_unlock(&card_lock);
		next = next < now || next > now + WATCH_NS ? now + WATCH_NS : next + GRACE_NS;
		ts = (struct timespec){ next / NSEC_PER_SEC, next % NSEC_PER_SEC };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	}
	return NULL;
}

static void watch_start(void)
{
	pthread_t thread;

	for (long half = 0; half < 2; half++) {
		if (pthread_create(&thread, NULL, watch, (void *)half))
			die(1, "out of threads");
		pthread_detach(thread);
	}
}

/* Until QEMU leaves or we are told to stop, which can be read from @signals.  Under `card_lock`. */
static void serve(int listener, int control_listener, int signals)
{
	int client = -1, ret;

	for (;;) {
		struct pollfd p[3 + CONTROL_MAX] = {
			{ client < 0 ? listener : client, POLLIN, 0 },
			{ control_listener, POLLIN, 0 },
			{ signals, POLLIN, 0 },
		};
		s64 next = card_next_event(card);
		struct timespec ts = until(next);

		for (int i = 0; i < CONTROL_MAX; i++)
			p[3 + i] = (struct pollfd){
				controls[i].fd, POLLIN | (controls[i].out ? POLLOUT : 0), 0
			};
		pthread_mutex_unlock(&card_lock);
		ret = ppoll(p, 3 + CONTROL_MAX, next == CARD_NEVER ? NULL : &ts, NULL);
		pthread_mutex_lock(&card_lock);
		if (ret < 0 && errno == EINTR)
			continue;
		if (ret < 0)
			die(1, "poll: %s", strerror(errno));
		card_advance(card, clock_ns());
		truth_count(card, vfu);
		if (p[2].revents)
			return;
		if (p[0].revents && client < 0) {
			client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
			if (client < 0)
				die(1, "accept: %s", strerror(errno));
			vfu_attach(vfu, card, client);
		} else if (p[0].revents && !vfu_serve(vfu)) {
			return;
		}
		truth_count(card, vfu);
		if (p[1].revents)
			control_accept(control_listener);
		for (int i = 0; i < CONTROL_MAX; i++)
			if (p[3 + i].fd >= 0 && p[3 + i].revents)
				control_serve(&controls[i], p[3 + i].revents);
	}
}

static void *vram_create(u32 mib)
{
	size_t size = (size_t)mib << 20;
	int fd = memfd_create("vram", MFD_CLOEXEC);
	void *p;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		die(1, "video memory: %s", strerror(errno));
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		die(1, "video memory: %s", strerror(errno));
	close(fd);
	return p;
}

/* What the command line says. */
struct settings {
	const char *socket, *control, *json, *fault;
	struct card_config config;
};

static void set(struct settings *set, const struct opts *o)
{
	if (opt_is(o, "socket"))
		set->socket = o->value;
	else if (opt_is(o, "control"))
		set->control = o->value;
	else if (opt_is(o, "json"))
		set->json = o->value;
	else
		parse_options((char *)o->value, &set->config, &set->fault);
}

/* Ends the program for --help and its like, and when the command line is wrong. */
static void parse(char **argv, struct settings *to)
{
	struct opts o = { .table = options, .argv = argv, .abbreviate = true };
	const char *stray = NULL;
	enum opt_what what;

	while ((what = opt_next(&o)) != OPT_END) {
		switch (what) {
		case OPT_GIVEN:
			set(to, &o);
			break;
		case OPT_HELP:
			help();
			exit(0);
		case OPT_VERSION:
			exit(opt_version("cardd"));
		case OPT_LIST:
			exit(opt_list_all(options));
		case OPT_DASHES:
		case OPT_WORD:
			stray = stray || what == OPT_DASHES ? stray : o.word;
			break;
		default:
			opt_complain("cardd", &o, what);
			exit(2);
		}
	}
	if (stray)
		die(2, "unexpected argument '%s' (try --help)", stray);
	if (!to->socket || !to->control || !to->json)
		die(2, "--socket, --control and --json are needed (try --help)");
}

/* SIGTERM and SIGINT come as bytes to read from the descriptor that is returned. */
static int catch_signals(void)
{
	sigset_t stop;
	int fd;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGINT);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	fd = signalfd(-1, &stop, SFD_CLOEXEC);
	if (fd < 0)
		die(1, "signals: %s", strerror(errno));
	signal(SIGPIPE, SIG_IGN);
	return fd;
}

int main(int argc, char **argv)
{
	struct settings set = {
		.config = { .chip = "G92", .scale = 1, .seed = 1, .cold = true, .jitter = true },
	};
	int listener, control_listener, signals;
	char why[CARD_WHY];
	struct card_host host;

	parse(argv + (argc > 0), &set);
	signals = catch_signals();
	for (int i = 0; i < CONTROL_MAX; i++)
		controls[i].fd = -1;
	choose_vram(&set.config);
	set.config.vram = vram_create(set.config.vram_mib);
	vfu = vfu_create();
	if (!vfu)
		die(1, "out of memory");
	host = vfu_card_host(vfu);
	host.log = on_log;
	host.clock = on_clock;
	card = card_create(&set.config, &host, clock_ns());
	if (!card)
		die(1, "out of memory");
	if (set.fault && !card_fault(card, clock_ns(), set.fault, why, sizeof(why)))
		die(2, "option fault: %s", why);
	listener = listen_at(set.socket);
	control_listener = listen_at(set.control);
	go_realtime();
	pthread_mutex_lock(&card_lock);
	watch_start();
	serve(listener, control_listener, signals);
	truth_write(set.json);
	unlink(set.socket);
	unlink(set.control);
	for (int i = 0; i < CONTROL_MAX; i++)
		if (controls[i].fd >= 0)
			control_close(&controls[i]);
	vfu_destroy(vfu);
	card_destroy(card);
	munmap(set.config.vram, (size_t)set.config.vram_mib << 20);
	return 0;
}
