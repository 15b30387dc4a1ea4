// SPDX-License-Identifier: GPL-2.0
/*
 * The flight recorder (tg/recorder.h): the longest wait of each client in each second, and which
 * clients ran meanwhile.
 *
 * Each engine remembers its latest runs: which client ran from when to when. Groups of a client
 * that follow each other closely are one run. When a job is over, its own run is added. Then, if it
 * waited for others for longer than any job of its client in this second, its record is written,
 * and a walk is due: the runs since its submission say whose they were. Where the host does it
 * later, newer runs may have replaced the oldest ones by then, and the last two may have gone on:
 * up to a millisecond too much of each is counted.
 *
 * What a client waited for others is its wait less the time that its own groups ran meanwhile. That
 * is the difference of its accounts between the job's submission and its start. The accounts of a
 * client count all engines, so a client that uses two engines at once looks better off than it is.
 *
 * job.c and client.c call this file under the GPU's lock. Hosts call what tg/recorder.h declares.
 */
#include "job.h"
#include "recorder.h"

#define PLACES	32	/* for the sums of clients in a walk over the runs */

/* --- the ring --- */

struct tg_recorder *tg_recorder_init(void *memory, u32 nr, u32 engines, u64 last)
{
	struct tg_recorder *rec = memory;

	rec->last = last;
	rec->nr = nr;
	rec->wait = (struct tg_wait *)(rec + 1);
	rec->runs = (struct tg_runs *)(rec->wait + nr);
	return rec;
}

/* The record of that number; NULL: there is none any more, or not yet. */
static struct tg_wait *find(const struct tg_recorder *rec, u64 number)
{
	u64 back = rec->last - number;
	u32 at;

	if (!number || back >= rec->nr)
		return NULL;
	at = rec->next + rec->nr - 1 - (u32)back;
	if (at >= rec->nr)
		at -= rec->nr;
	return rec->wait[at].number == number ? &rec->wait[at] : NULL;
}

/* A new record, empty but for its number, in the place of the oldest. */
static struct tg_wait *append(struct tg_recorder *rec)
{
	struct tg_wait *w = &rec->wait[rec->next];

	rec->dropped += w->number != 0;
	if (++rec->next == rec->nr)
		rec->next = 0;
	memset(w, 0, sizeof(*w));
	w->number = ++rec->last;
	return w;
}

/* Number of the oldest record that there may be. */
static u64 oldest(const struct tg_recorder *rec)
{
	return rec->last > rec->nr ? rec->last - rec->nr + 1 : 1;
}

static struct tg_recent *recent_of(struct tg_recorder *rec, u32 client)
{
	return &rec->recent[client % TG_RECENT];
}

/* The record of the client's latest waits has their sums, but for those since the longest. */
static void write_sums(const struct tg_recent *recent, struct tg_wait *w)
{
	if (!w || w->number != recent->number)
		return;
	w->waits = recent->waits;
	w->sum = recent->sum;
}

u32 tg_recorder_read(const struct tg_recorder *rec, u64 *number, struct tg_wait *to, u32 most)
{
	const struct tg_wait *w;
	u32 n = 0;

	for (*number = max(*number, oldest(rec)); n < most && *number <= rec->last; ++*number) {
		w = find(rec, *number);
		if (!w)
			continue;
		to[n] = *w;
		write_sums(&rec->recent[w->who.client % TG_RECENT], &to[n++]);
	}
	return n;
}

/* A client's latest record may have changed since the last call. */
static void move_recent(struct tg_recorder *to, const struct tg_recorder *from)
{
	struct tg_wait *copy;
	const struct tg_wait *w;
	u32 i;

	for (i = 0; i < TG_RECENT; i++) {
		w = find(from, to->recent[i].number);
		copy = find(to, to->recent[i].number);
		if (w && copy)
			*copy = *w;
	}
	memcpy(to->recent, from->recent, sizeof(to->recent));
}

bool tg_recorder_move(struct tg_recorder *to, const struct tg_recorder *from, u32 engines,
		      u32 most)
{
	const struct tg_wait *w;
	struct tg_wait *copy;
	u64 number;

	if (!to->last) {
		number = oldest(from);
		if (from->last - number >= to->nr)
			number = from->last - to->nr + 1;
		to->last = number - 1;
		to->dropped = from->dropped + number - oldest(from);
	}
	move_recent(to, from);
	for (; most && to->last < from->last; most--) {
		w = find(from, to->last + 1);
		copy = append(to);
		if (w)
			*copy = *w;
		else
			copy->number = 0;
	}
	if (to->last < from->last)
		return false;
	memcpy(to->runs, from->runs, engines * sizeof(*to->runs));
	memcpy(to->due, from->due, sizeof(to->due));
	return true;
}

/* --- runs --- */

static struct tg_runs *runs_of(struct tg_gpu *gpu, const struct tg_job *job)
{
	return &gpu->recorder->runs[tg_job_engine(gpu, job)->index];
}

static void set_who(struct tg_who *who, const struct tg_client *client)
{
	const struct tg_identity *id = client->id_data;

	who->client = client->id;
	who->pid = id->pid;
	who->uid = id->uid;
	memcpy(who->comm, id->comm, sizeof(who->comm));
}

static u32 before(u32 at)
{
	return at ? at - 1 : TG_RUNS - 1;
}

static u32 after(u32 at)
{
	return at + 1 < TG_RUNS ? at + 1 : 0;
}

/* The run goes on up to @end, or its next group begins soon after it. Return: it is longer now. */
static bool prolong(struct tg_run *run, u32 client, s64 begin, s64 end)
{
	if (run->who.client != client || (begin > run->end && end - run->begin > TG_RUN_JOINED))
		return false;
	run->end = max(run->end, end);
	run->ran = min(run->ran + end - begin, run->end - run->begin);
	return true;
}

/* @client had the engine from @begin to @end. Two that take turns have two runs, which go on. */
static void add_run(struct tg_runs *runs, const struct tg_client *client, s64 begin, s64 end)
{
	struct tg_run *run = &runs->run[runs->latest];

	if (prolong(run, client->id, begin, end))
		return;
	if (end - begin < TG_RUN_JOINED &&
	    prolong(&runs->run[before(runs->latest)], client->id, begin, end))
		return;
	runs->latest = after(runs->latest);
	run = &runs->run[runs->latest];
	run->begin = begin;
	run->end = end;
	run->ran = end - begin;
	set_who(&run->who, client);
}

/* How much of the run lies between @from and @until. */
static s64 part(const struct tg_run *run, s64 from, s64 until)
{
	const s64 inside = min(run->end, until) - max(run->begin, from);

	return inside > 0 ? min(run->ran, inside) : 0;
}

/* --- who ran meanwhile --- */

/*
 * struct sums - of a walk over the runs, with interrupts off: a few instructions for each run
 * @of: at a client's number modulo PLACES, the first client that the walk meets; 0: none.
 *	Others of the same place are not named
 * @ran: how long it ran
 * @run: its latest run
 */
struct sums {
	u32 of[PLACES];
	s64 ran[PLACES];
	u8 run[PLACES];
};

/* Name those who ran longest, the longest first. */
static void name_rivals(struct tg_wait *w, const struct tg_runs *runs, const struct sums *sums)
{
	u32 i, k;

	for (i = 0; i < PLACES; i++) {
		if (sums->ran[i] <= w->rival[TG_WAIT_RIVALS - 1].ran)
			continue;
		w->rivals = min(w->rivals + 1, (u32)TG_WAIT_RIVALS);
		for (k = w->rivals - 1; k && w->rival[k - 1].ran < sums->ran[i]; k--)
			w->rival[k] = w->rival[k - 1];
		w->rival[k] = (struct tg_rival){
			.ran = sums->ran[i], .who = runs->run[sums->run[i]].who,
		};
	}
}

/* The client has run for @ns, in the run of that index. */
static inline void count(struct sums *sums, u32 client, s64 ns, u32 run)
{
	const u32 i = client % PLACES;

	if (sums->of[i] == client) {
		sums->ran[i] += ns;
	} else if (!sums->of[i] && ns) {
		sums->of[i] = client;
		sums->ran[i] = ns;
		sums->run[i] = run;
	}
}

/* Of the wait @w, from @from to @until: which clients ran, and how long none did. */
static void blame(struct tg_wait *w, const struct tg_runs *runs, s64 from, s64 until)
{
	const struct tg_run *const first = runs->run, *const latest = &first[runs->latest];
	const struct tg_run *const oldest = &first[after(runs->latest)];
	const u32 own = w->who.client % PLACES;
	const struct tg_run *run = latest;
	struct sums sums = { };
	s64 ns, sum = 0;
	u32 i;

	sums.of[own] = w->who.client;
	do {
		ns = run->ran;
		if (run->begin < from || run->end > until) {
			/* An older run may end later than a newer one, but by less than that. */
			if (run->end <= from - TG_RUN_JOINED)
				break;
			ns = part(run, from, until);
		}
		sum += ns;
		count(&sums, run->who.client, ns, run - first);
		run = run > first ? run - 1 : &first[TG_RUNS - 1];
	} while (run != latest);
	ns = part(&first[TG_RUNS], from, until);
	sum += ns;
	count(&sums, first[TG_RUNS].who.client, ns, TG_RUNS);
	/* What was before the oldest run is not known: it is others' time. */
	if (oldest->begin > from)
		sum += oldest->begin - from;
	w->idle = max(until - from - sum, (s64)0);
	w->others = sum - sums.ran[own];
	sums.ran[own] = 0;
	name_rivals(w, runs, &sums);
	for (i = 0; i < w->rivals; i++)
		w->others -= w->rival[i].ran;
}

/* Do the walk, if its record is still there. */
static void walk(struct tg_recorder *rec, struct tg_walk *due)
{
	struct tg_wait *w = find(rec, due->number);
	struct tg_client *client = due->client;

	due->client = NULL;
	if (!w)
		return;
	blame(w, &rec->runs[w->engine], w->ended - w->waited, w->ended);
	if (rec->took)
		rec->took(rec, w, client);
}

/* The oldest record goes: a walk for it is done now. */
static void walk_oldest(struct tg_recorder *rec)
{
	const u64 number = rec->wait[rec->next].number;
	u32 i;

	for (i = 0; number && i < TG_WALKS_DUE; i++)
		if (rec->due[i].client && rec->due[i].number == number)
			walk(rec, &rec->due[i]);
}

static struct tg_walk *due_of(struct tg_recorder *rec, const struct tg_client *client)
{
	u32 i;

	for (i = 0; i < TG_WALKS_DUE; i++)
		if (rec->due[i].client == client)
			return &rec->due[i];
	return NULL;
}

bool tg_recorder_walk(struct tg_gpu *gpu)
{
	u32 i;

	for (i = 0; gpu->recorder && i < TG_WALKS_DUE; i++) {
		if (gpu->recorder->due[i].client) {
			walk(gpu->recorder, &gpu->recorder->due[i]);
			return true;
		}
	}
	return false;
}

void tg_recorder_leaves(struct tg_gpu *gpu, const struct tg_client *client)
{
	struct tg_walk *due = gpu->recorder ? due_of(gpu->recorder, client) : NULL;

	if (due)
		walk(gpu->recorder, due);
}

/*
 * The client's record @w needs a walk. One that its earlier record still waits for is done now, as
 * is another client's where there is no place.
 */
static void walk_later(struct tg_gpu *gpu, struct tg_client *client, struct tg_wait *w)
{
	struct tg_recorder *rec = gpu->recorder;
	struct tg_walk *due = due_of(rec, client) ?: due_of(rec, NULL) ?:
			      &rec->due[w->number % TG_WALKS_DUE];

	if (due->client && due->number != w->number)
		walk(rec, due);
	*due = (struct tg_walk){ .number = w->number, .client = client };
	if (rec->later)
		rec->later(gpu, w);
	else
		walk(rec, due);
}

/* --- records --- */

/* What the client has used, with what its group that is running has used so far. */
s64 tg_recorder_own(struct tg_gpu *gpu, const struct tg_job *job)
{
	const struct tg_engine *engine = tg_job_engine(gpu, job);
	const struct tg_client *client = job->client;
	const struct tg_job *running;
	s64 own = client->stats.gpu_time;

	if (list_empty(&engine->busy))
		return own;
	running = list_first_entry(&engine->busy, struct tg_job, wait);
	if (running->client == client)
		own += max(gpu->now - max(running->since, engine->last_done), (s64)0);
	return own;
}

/*
 * Does a wait that ended at @ended belong to the client's latest record? Two clients with the same
 * last bits may get more than one record in a second.
 */
static bool same_second(const struct tg_recent *recent, const struct tg_client *client, s64 ended)
{
	return recent->client == client->id && recent->uid == client->id_data->uid &&
	       ended - recent->since < TG_WAIT_SPAN;
}

/* An empty record for a wait that is the longest of its client in this second. */
static struct tg_wait *record_of(struct tg_recorder *rec, const struct tg_client *client, s64 ended,
				 s64 lost)
{
	struct tg_recent *recent = recent_of(rec, client->id);
	struct tg_wait *w = find(rec, recent->number);

	if (!w || !same_second(recent, client, ended)) {
		write_sums(recent, w);
		walk_oldest(rec);
		w = append(rec);
		*recent = (struct tg_recent){
			.number = w->number, .since = ended, .client = client->id,
			.uid = client->id_data->uid,
		};
	}
	memset(w, 0, sizeof(*w));
	w->number = recent->number;
	recent->lost = lost;
	recent->waits++;
	recent->sum += lost;
	write_sums(recent, w);
	return w;
}

/* What the client lost by its job's wait until @began. */
static s64 lost_by(const struct tg_gpu *gpu, const struct tg_job *job, s64 began)
{
	const struct tg_times *times = tg_job_times(gpu, job);
	const s64 own = (s64)job->client->stats.gpu_time - times->own;
	const s64 waited = began - times->arrived;

	return own > 0 ? waited - own : waited;
}

/* The job has waited until @began, the longest of its client in this second. */
static noinline void record(struct tg_gpu *gpu, struct tg_job *job, s64 began, s64 ran,
			    enum tg_wait_end end)
{
	struct tg_recorder *rec = gpu->recorder;
	struct tg_client *client = job->client;
	const struct tg_times *times = tg_job_times(gpu, job);
	const s64 freed = end == TG_WAIT_GIVEN_UP ? began : min(times->freed, began);
	const s64 started = end == TG_WAIT_GIVEN_UP ? began : max(min(job->since, began), freed);
	const s64 lost = lost_by(gpu, job, began);
	struct tg_wait *w = record_of(rec, client, began, lost);

	set_who(&w->who, client);
	w->job = job->id;
	w->ended = began;
	w->waited = began - times->arrived;
	w->lost = lost;
	w->reserve = min(job->throttled, freed - times->arrived);
	w->policy = freed - times->arrived - w->reserve;
	w->driver = started - freed;
	w->behind = began - started;
	w->ran = ran;
	w->prio = client->prio;
	w->engine = tg_job_engine(gpu, job)->index;
	w->end = end;
	w->others = lost;
	walk_later(gpu, client, w);
}

/*
 * The job has waited until @began. Only a wait that is the longest of its client in this second has
 * a record. Inline, for each job that waited comes here.
 */
static __always_inline void note(struct tg_gpu *gpu, struct tg_job *job, s64 began, s64 ran,
				 enum tg_wait_end end)
{
	struct tg_recent *recent = recent_of(gpu->recorder, job->client->id);
	const s64 lost = lost_by(gpu, job, began);

	if (lost < TG_WAIT_LEAST)
		return;
	if (lost > recent->lost || !same_second(recent, job->client, began)) {
		record(gpu, job, began, ran, end);
		return;
	}
	recent->waits++;
	recent->sum += lost;
}

/* It leaves the GPU at @at, which it has used for @used. Not charged yet. */
void tg_recorder_over(struct tg_gpu *gpu, struct tg_job *job, s64 at, s64 used,
		      enum tg_wait_end end)
{
	struct tg_runs *runs = runs_of(gpu, job);
	const s64 began = at - used;

	runs->run[TG_RUNS].ran = 0;
	add_run(runs, job->client, began, at);
	if (began - tg_job_times(gpu, job)->arrived >= TG_WAIT_LEAST)
		note(gpu, job, began, used, end);
}

/* The job's thread gives it up while it waits; its times are booked up to now. */
void tg_recorder_given_up(struct tg_gpu *gpu, struct tg_job *job)
{
	const struct tg_engine *engine = tg_job_engine(gpu, job);
	const struct tg_job *running;
	struct tg_run *run;
	s64 begun;

	if (!gpu->recorder || gpu->now - tg_job_times(gpu, job)->arrived < TG_WAIT_LEAST)
		return;
	/* The group that runs now counts up to now, until a group is over. */
	if (!list_empty(&engine->busy)) {
		running = list_first_entry(&engine->busy, struct tg_job, wait);
		begun = max(running->since, engine->last_done);
		run = &runs_of(gpu, job)->run[TG_RUNS];
		run->begin = begun;
		run->end = gpu->now;
		run->ran = max(gpu->now - begun, (s64)0);
		set_who(&run->who, running->client);
	}
	note(gpu, job, gpu->now, 0, TG_WAIT_GIVEN_UP);
}

/* --- for readers --- */

void tg_wait_keep(struct tg_wait *kept, const struct tg_wait *wait)
{
	struct tg_wait *place = kept;
	bool aged, place_aged;
	u32 i;

	for (i = 0; i < TG_WAITS_OWN; i++) {
		if (kept[i].number == wait->number || !kept[i].number) {
			kept[i] = *wait;
			return;
		}
	}
	/* The shortest of those that are too old; if there is none, the shortest of all. */
	place_aged = wait->ended - place->ended > TG_WAIT_AGE;
	for (i = 1; i < TG_WAITS_OWN; i++) {
		aged = wait->ended - kept[i].ended > TG_WAIT_AGE;
		if (aged > place_aged || (aged == place_aged && kept[i].lost < place->lost)) {
			place = &kept[i];
			place_aged = aged;
		}
	}
	if (place_aged || wait->lost > place->lost)
		*place = *wait;
}

void tg_wait_hide(struct tg_wait *w)
{
	struct tg_rival foreign = { .who.uid = U32_MAX };
	u32 i, own = 0;

	for (i = 0; i < w->rivals; i++) {
		if (w->rival[i].who.uid == w->who.uid)
			w->rival[own++] = w->rival[i];
		else
			foreign.ran += w->rival[i].ran;
	}
	foreign.ran += w->others;
	for (i = own; i < TG_WAIT_RIVALS; i++)
		w->rival[i] = (struct tg_rival){ };
	w->rivals = own;
	if (own == TG_WAIT_RIVALS) {
		w->others = foreign.ran;
	} else {
		w->others = 0;
		if (foreign.ran)
			w->rival[w->rivals++] = foreign;
	}
	w->number = 0;
	w->job = 0;
	w->waits = 0;
	w->sum = 0;
}
