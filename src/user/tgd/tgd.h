/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgd: what its files share. The daemon is one thread: it waits in main.c, and all else is called
 * from there. So nothing here is locked. docs/architecture.md says how it drives the core.
 */
#ifndef TGD_H
#define TGD_H

#include <stdio.h>

#include <tg/hist.h>
#include <tg/policy.h>
#include <tg/record.h>
#include <uapi/tgd.h>

#define TGD_PER_USER	128	/* connections of one user */
#define TGD_DEVICES	64
#define TGD_DEVICES_PER_USER	16	/* that a user's programs were the first to name */

/**
 * struct source - what epoll wakes main.c for
 * @fd: -1: closed
 * @ready: called when it can be read, or has ended
 * @owner: its argument
 */
struct source {
	int fd;
	void (*ready)(void *owner);
	void *owner;
};

/** enum total_kind - what a total is of; enum total_sum - what it counts, as struct tg_snap_total */
enum total_kind { TOTAL_OF_USER, TOTAL_OF_CGROUP, TOTAL_KINDS };
enum total_sum { TOTAL_GPU_TIME, TOTAL_WAIT_TIME, TOTAL_SUBMITTED, TOTAL_COMPLETED, TOTAL_SUMS };

/** enum slot_state - what a client's slot stands for, as the daemon knows */
enum slot_state { SLOT_FREE, SLOT_WAITS, SLOT_FREED, SLOT_BUSY, SLOT_ESCAPED, SLOT_MEMORY };

/**
 * struct slot - a job or request of a client; cookie of the core
 * @client: whose
 * @state: enum slot_state
 * @leased: BUSY or FREED: it went under the lease
 * @ending: its job is to end early (YIELD)
 * @number: of the job or request, for the core
 * @arrived: when it was submitted, or launched under the lease
 * @freed: when it was let go: it has not started before
 */
struct slot {
	struct client *client;
	u8 state;
	bool leased, ending;
	u64 number;
	s64 arrived, freed;
};

/**
 * struct client - a process on a device; cookie of the core, until TG_ACT_GONE
 * @device: which
 * @conn: its connection; NULL: it has gone
 * @id: for the core
 * @account: of its memory
 * @channels: it has joined with channels 1 to this
 * @identity: of its process; the strings are its own, but for the device's name
 * @page: shared
 * @taken: records taken from it
 * @bell: its eventfd
 * @gate: enum tg_gate, as the core last said
 * @shown: enum tgd_state that the page says, but for a lease
 * @leased: jobs that went under the lease and have not ended
 * @synced: number of the last SYNC
 * @open: launches through the open gate, as far as told
 * @waits: histogram (tg/hist.h): from submission to FREE. As @latencies, not what went through an open
 *	gate; a launch under a lease has waited for 0
 * @latencies: likewise: from submission to its end
 * @totals: its rows; NULL: none yet
 * @totalled: what they have of it
 * @slot: its jobs and requests
 * @next: of the device's
 */
struct client {
	struct device *device;
	struct conn *conn;
	u32 id, account, channels;
	struct tg_identity identity;
	struct tgd_page *page;
	u64 taken;
	struct source bell;
	u8 gate, shown;
	u32 leased, synced;
	u64 open;
	u32 waits[TG_HIST_BUCKETS], latencies[TG_HIST_BUCKETS];
	struct total *totals[TOTAL_KINDS];
	s64 totalled[TOTAL_SUMS];
	struct slot slot[TGD_SLOTS];
	struct client *next;
};

/** enum counter - counters of all devices, in stats/ */
enum counter {
	STAT_SUBMITTED, STAT_BYPASSED, STAT_LEASES, STAT_ESCAPED, STAT_COMPLETED, STAT_LOST,
	STAT_REFUSED_EVENTS, STAT_NOTES, STAT_CLIENTS, STAT_TURNED_AWAY, STAT_HUNG_UP,
	STATS
};

extern u64 stats[STATS];

/**
 * struct device - a physical device, and its core
 * @index: from 0
 * @uid: whose program named it first
 * @key: as in struct tgd_hello
 * @name: for people
 * @claim: holds the device against other daemons; -1: none
 * @core: the policy core
 * @out: its actions come here
 * @armed: when it wants TIMER
 * @as_of: the time of what is fed, which was published under a lease; 0: now
 * @clients: those that are there or owe something
 * @lessee: has the lease; NULL: nobody
 * @lease_until: when it ends, whatever happens
 * @lease_look: when to look whether it is used
 * @lease_seen: records taken from the lessee at the last look
 * @asker: who submitted last
 * @streak: how often it has, without another client between, when the core would have let it bypass
 * @last_job: numbers given so far; also of requests
 * @last_account: likewise
 * @knobs_due: the policy that is about to come into force gets its knobs then
 * @trace: what was recorded
 */
struct device {
	u32 index, uid;
	char key[TGD_KEY], name[TGD_NAME];
	int claim;
	struct tg_gpu core;
	struct tg_actions out;
	struct tg_buckets buckets;
	s64 armed, as_of;
	struct client *clients, *lessee, *asker;
	s64 lease_until, lease_look;
	u64 lease_seen;
	u32 streak;
	u64 last_job;
	u32 last_account;
	bool knobs_due;
	struct trace {
		char *bytes;
		u64 len, room, begun;
		u64 lost;
	} trace;
};

/**
 * struct conn - a connection
 * @socket: its source
 * @process: pidfd; -1: there is none
 * @pid: of the peer
 * @uid: of the peer
 * @client: what it is, after HELLO; NULL: a tool, or nothing yet
 * @content: what a tool reads
 * @len: bytes of it
 * @spec: what a tool has written to `spec`
 * @spec_len: bytes of it
 * @next: of all
 */
struct conn {
	struct source socket, process;
	u32 pid, uid;
	struct client *client;
	char *content;
	size_t len;
	char *spec;
	size_t spec_len;
	struct conn *next;
};

/**
 * struct settings - what holds for each device, and for those that come
 * @policy: its number
 * @knobs: of the core, each
 * @policy_knobs: of @policy, each
 * @spec: in force; NULL: none
 * @trace_kib: room for each device's trace; 0: nothing is recorded
 * @system: the daemon serves all users
 * @end_stuck: end a program whose launch is lost though it was to end early
 */
struct settings {
	u32 policy;
	s64 knobs[TG_KNOBS], policy_knobs[TG_KNOBS_MAX];
	struct spec {
		struct tg_spec spec;
		u32 len;
	} *spec;
	u32 trace_kib;
	bool system, end_stuck;
};

extern struct settings settings;
extern struct device *devices[TGD_DEVICES];
extern u32 nr_devices, last_client;

/* main.c */
s64 now(void);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *need(void *memory);
int watch(struct source *s, int fd, void (*ready)(void *), void *owner);
void unwatch(struct source *s);

/* device.c */
struct device *device_get(const struct tgd_hello *hello, u32 uid, const char **why);
const char *device_name(const struct device *d);
s64 device_now(const struct device *d);
int device_feed(struct device *d, struct tg_event *ev);
void device_settle(struct device *d);
void device_time(struct device *d);
s64 device_due(const struct device *d);
int device_takes_spec(struct device *d, const struct spec *spec, bool rematch);
int device_spec(struct device *d, const struct spec *spec, bool rematch, bool all);

/* settings.c */
void settings_init(u32 policy);
int settings_read_knob(FILE *to, const char *name);
void settings_list_knobs(FILE *to);
int settings_set_knob(const char *name, s64 value);
const char *settings_policy_name(void);
int settings_set_policy(const char *name);
int spec_commit(const char *text, u32 len, bool rematch, char *result, size_t room);
u32 settings_first_policy(void);
void settings_feed(struct device *d);
void settings_policy_knobs(struct device *d);

/* lease.c */
void lease_end(struct device *d);
void lease_look(struct device *d);
void lease_try(struct device *d);

/* client.c */
struct client *client_new(struct device *d, struct conn *conn, const struct tgd_hello *hello,
			  int *memory);
void client_gone(struct client *c);
void client_forget(struct client *c);
void client_drain(struct client *c, u64 head);
void client_answer(struct slot *s, enum tgd_answer answer);
void client_yield(struct slot *s);
void client_notice(struct client *c, u32 kind, u32 number);

/* identity.c */
bool identity_read(struct tg_identity *id, u32 pid, u32 uid);
void identity_free(struct tg_identity *id);

/* socket.c */
void socket_open(int fd);
void conn_close(struct conn *c);
u32 conns_open(void);

/* files.c */
int file_read(struct conn *conn, const char *name);
int file_write(struct conn *conn, const char *name, const char *data, u32 offset, u32 len);
int file_list(struct conn *conn, const char *name);

/* totals.c */
void totals_find(struct client *c);
void totals_joined(struct client *c);
void totals_add(struct client *c);
void totals_leave(struct client *c);
void totals_write(FILE *to, u32 uid, bool all);

/* trace.c */
void trace_start(struct device *d);
void trace_begin(struct device *d, const struct tg_event *ev, u32 spec_len);
void trace_action(struct device *d, const struct tg_action *action);
void trace_end(struct device *d, const struct tg_event *ev, u32 spec_len, int result);

#endif /* TGD_H */
