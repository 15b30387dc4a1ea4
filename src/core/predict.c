// SPDX-License-Identifier: GPL-2.0
/*
 * The cost predictor: keys of command groups, and each client's history of costs.
 *
 * Keys are built by hosts in any context, without a lock, from memory that a client may be
 * changing. Everything else is called by job.c and client.c, under the GPU's lock.
 *
 * A record lives as follows::
 *
 *	first prediction -> new: in keys -- first run --> known: in keys, costs, lru
 *	                      `- last user drops -> pool    `- evicted -> in nothing,
 *	                                                       with its last user -> pool
 *
 * Lookups go down a tree that is ordered by the whole key, so that a client that forges hashes
 * gains nothing: O(log records) comparisons of at most 4 KiB each.
 */
#include <tg/gpu.h>

#define PAIR_TIMES	0xffffULL		/* bits of a pair that count */
#define MEMORY		TG_LATEST		/* runs that a mean looks back on */
#define ODD		4	/* off by more than one part in so many of its mean */
#define COST_MAX	(1000000 * TG_SEC)	/* no cost is more: sums and per mille fit */
#define UNREAD_MAX	127	/* groups that go unread between two that are read */

/* ---- keys ------------------------------------------------------------------------------- */

#define NV50_METHOD	0x1ffc
#define LONG_HEADER	0x00030000u		/* of a method whose size is in the next word */
#define LONG_SIZE	0x00ffffffu
#define NV50_ZERO	0xa0030003u		/* clear in the header of any other method */
#define GF100_SIZE	0x1fff
#define GF100_METHOD	0xfff			/* in words */
#define GF100_BOARDS	0x00030000u		/* of an NV50's header: it chooses boards */

void tg_key_init(struct tg_key_builder *b, enum tg_methods methods)
{
	b->methods = methods;
	b->skip = 0;
	b->held = 0;
	b->bad = false;
	b->key.nr = 0;
}

static u64 pair_of(u32 header, u32 method, u32 size)
{
	u64 subchannel = header >> 13 & 7;

	return subchannel << 56 | (u64)method << 40 | (u64)size << 16;
}

/* Count one more command. The pairs stay in order. */
static void add(struct tg_key_builder *b, u64 pair)
{
	struct tg_key *key = &b->key;
	u32 low = 0, high = key->nr, i;

	/* Most programs send methods in ascending order: try the end first. */
	if (high && (key->pair[high - 1] | PAIR_TIMES) < pair)
		low = high;
	while (low < high) {
		u32 mid = (low + high) / 2;

		if ((key->pair[mid] | PAIR_TIMES) < pair)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < key->nr && (key->pair[low] & ~PAIR_TIMES) == pair) {
		if ((key->pair[low] & PAIR_TIMES) == PAIR_TIMES)
			b->bad = true;
		else
			key->pair[low]++;
		return;
	}
	if (key->nr == TG_KEY_PAIRS) {
		b->bad = true;
		return;
	}
	for (i = key->nr++; i > low; i--)
		key->pair[i] = key->pair[i - 1];
	key->pair[low] = pair + 1;
}

/* A command whose @size words of data come next. */
static void add_methods(struct tg_key_builder *b, u32 header, u32 method, u32 size)
{
	b->skip = size;
	if (size)
		add(b, pair_of(header, method, size));
}

/* One command's header, or the second word of a long one. */
static void nv50_header(struct tg_key_builder *b, u32 word)
{
	if (b->held) {
		add_methods(b, b->held, b->held & NV50_METHOD, word & LONG_SIZE);
		b->held = 0;
	} else if ((word & 0xffff0003) == LONG_HEADER) {
		b->held = word;
	} else if (word & NV50_ZERO) {
		b->bad = true;
	} else {
		add_methods(b, word, word & NV50_METHOD, word >> 18 & 0x7ff);
	}
}

/* As envytools and NVIDIA's class 906f have it. What neither of them names ends the key. */
static void gf100_header(struct tg_key_builder *b, u32 word)
{
	u32 method = (word & GF100_METHOD) << 2, size = word >> 16 & GF100_SIZE;

	switch (word >> 29) {
	case 0:
		if (word & GF100_BOARDS)
			break;
		add_methods(b, word, word & NV50_METHOD, size >> 2);
		break;
	case 2:
		if (word & GF100_BOARDS)
			b->bad = true;
		else
			add_methods(b, word, word & NV50_METHOD, size >> 2);
		break;
	case 1:
	case 3:
	case 5:
		add_methods(b, word, method, size);
		break;
	case 4:
		add(b, pair_of(word, method, 0));
		break;
	default:
		b->bad = true;
	}
}

u32 tg_key_skip(struct tg_key_builder *b, u32 n)
{
	u32 data = min(b->skip, n);

	b->skip -= data;
	return data;
}

bool tg_key_build(struct tg_key_builder *b, const u32 *words, u32 n)
{
	u32 i = 0;

	while (i < n && !b->bad) {
		i += tg_key_skip(b, n - i);
		if (i == n)
			break;
		if (b->methods == TG_METHODS_GF100)
			gf100_header(b, words[i++]);
		else
			nv50_header(b, words[i++]);
	}
	return !b->bad;
}

const struct tg_key *tg_key_finish(struct tg_key_builder *b)
{
	struct tg_key *key = &b->key;
	u64 hash = key->nr;
	u32 i;

	if (b->bad || b->skip || b->held)
		return NULL;
	for (i = 0; i < key->nr; i++) {
		hash = (hash ^ key->pair[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 29;
	}
	key->hash = hash >> 32;
	return key;
}

/* ---- records ---------------------------------------------------------------------------- */

static s64 between(s64 value, s64 least, s64 most)
{
	return min(max(value, least), most);
}

/* Which of the two comes first, as memcmp() says it. */
static int compare(const struct tg_cost *cost, const struct tg_key *key)
{
	const struct tg_chunk *chunk;
	u32 i, n;
	int rc;

	if (cost->hash != key->hash)
		return cost->hash < key->hash ? -1 : 1;
	if (cost->nr != key->nr)
		return cost->nr < key->nr ? -1 : 1;
	for (i = 0, chunk = cost->chunks; i < key->nr; i += n, chunk = chunk->next) {
		n = min(key->nr - i, (u32)TG_CHUNK_PAIRS);
		rc = memcmp(chunk->pair, key->pair + i, n * sizeof(u64));
		if (rc)
			return rc;
	}
	return 0;
}

/* False for a record that was evicted while a job used it. */
static bool in_table(const struct tg_cost *cost)
{
	return !RB_EMPTY_NODE(&cost->by_key);
}

static void give(struct tg_gpu *gpu, struct tg_cost *cost)
{
	while (cost->chunks) {
		struct tg_chunk *chunk = cost->chunks;

		cost->chunks = chunk->next;
		tg_gpu_give(gpu, TG_POOL_CHUNK, chunk);
	}
	tg_gpu_give(gpu, TG_POOL_COST, cost);
}

/* A new record of this key; NULL: the pools cannot keep it. */
static struct tg_cost *take(struct tg_gpu *gpu, const struct tg_key *key)
{
	struct tg_chunk **link;
	struct tg_cost *cost;
	u32 i, n;

	if (!gpu->pooled[TG_POOL_COST] || gpu->pooled[TG_POOL_CHUNK] < TG_KEY_CHUNKS(key->nr))
		return NULL;
	cost = tg_gpu_take(gpu, TG_POOL_COST);
	memset(cost, 0, sizeof(*cost));
	INIT_LIST_HEAD(&cost->lru);
	cost->hash = key->hash;
	cost->nr = key->nr;
	link = &cost->chunks;
	for (i = 0; i < key->nr; i += n, link = &(*link)->next) {
		n = min(key->nr - i, (u32)TG_CHUNK_PAIRS);
		*link = tg_gpu_take(gpu, TG_POOL_CHUNK);
		memcpy((*link)->pair, key->pair + i, n * sizeof(u64));
	}
	*link = NULL;
	return cost;
}

/* The record of this key, a new one if there is none; NULL: the pools cannot keep it. */
static struct tg_cost *find(struct tg_gpu *gpu, struct tg_history *h, const struct tg_key *key)
{
	struct rb_node **link = &h->keys.rb_root.rb_node, *parent = NULL;
	struct tg_cost *cost;
	bool leftmost = true;

	while (*link) {
		int rc;

		parent = *link;
		cost = rb_entry(parent, struct tg_cost, by_key);
		rc = compare(cost, key);
		if (!rc)
			return cost;
		if (rc > 0) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	cost = take(gpu, key);
	if (!cost)
		return NULL;
	rb_link_node(&cost->by_key, parent, link);
	rb_insert_color_cached(&cost->by_key, &h->keys, leftmost);
	return cost;
}

static void insert_cost(struct tg_history *h, struct tg_cost *cost)
{
	struct rb_node **link = &h->costs.rb_root.rb_node, *parent = NULL;
	bool leftmost = true;

	while (*link) {
		parent = *link;
		if (cost->x > rb_entry(parent, struct tg_cost, by_x)->x) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	rb_link_node(&cost->by_x, parent, link);
	rb_insert_color_cached(&cost->by_x, &h->costs, leftmost);
}

/* Take a known record out of the table; it stays as long as jobs use it. */
static void evict(struct tg_gpu *gpu, struct tg_history *h, struct tg_cost *cost)
{
	rb_erase_cached(&cost->by_key, &h->keys);
	RB_CLEAR_NODE(&cost->by_key);
	rb_erase_cached(&cost->by_x, &h->costs);
	list_del_init(&cost->lru);
	h->nr--;
	if (!cost->users)
		give(gpu, cost);
}

/* ---- history ---------------------------------------------------------------------------- */

struct tg_history *tg_history_new(struct tg_gpu *gpu)
{
	struct tg_history *h = tg_gpu_take(gpu, TG_POOL_HISTORY);

	if (!h)
		return NULL;
	memset(h, 0, sizeof(*h));
	INIT_LIST_HEAD(&h->lru);
	h->impact = gpu->knob[TG_KNOB_SWITCH] ? gpu->knob[TG_KNOB_SWITCH] : gpu->impact;
	h->impact_runs = 1;
	return h;
}

void tg_history_free(struct tg_gpu *gpu, struct tg_history *h)
{
	while (!list_empty(&h->lru))
		evict(gpu, h, list_first_entry(&h->lru, struct tg_cost, lru));
	tg_gpu_give(gpu, TG_POOL_HISTORY, h);
}

u32 tg_history_error(const struct tg_history *h)
{
	return h->runs ? div64_u64(h->errors, h->runs) : 0;
}

s64 tg_predict(struct tg_gpu *gpu, struct tg_history *h, const struct tg_key *key, bool switches,
	       struct tg_cost **cost)
{
	const struct rb_node *worst = rb_first_cached(&h->costs);
	struct tg_cost *found = key ? find(gpu, h, key) : NULL;
	s64 x = 0;

	h->unread = 0;
	if (found && found->runs) {
		h->hits++;
		h->stretch = min(2 * h->stretch + 1, (u32)UNREAD_MAX);
		list_move_tail(&found->lru, &h->lru);
		x = found->x;
	} else {
		h->misses++;
		h->stretch = 0;
		if (worst)
			x = rb_entry(worst, struct tg_cost, by_x)->x;
	}
	*cost = found ? found : &h->blank;
	(*cost)->users++;
	return switches ? tg_predict_switch(h, x, true) : x;
}

void tg_predict_unread_ran(struct tg_history *h, s64 x, s64 used)
{
	if (used - x > x / ODD)
		h->stretch = 0;
}

s64 tg_predict_switch(const struct tg_history *h, s64 x, bool switches)
{
	return max(x + (switches ? h->impact : -h->impact), (s64)0);
}

static void fold(s64 *mean, u32 *runs, s64 value)
{
	*runs = min(*runs + 1, (u32)MEMORY);
	*mean += div64_s64(value - *mean, *runs);
}

static void count_error(struct tg_history *h, s64 x, s64 used)
{
	s64 off = x > used ? x - used : used - x;

	if (off < used)
		h->errors += div64_s64(off * 1000, used);
	else if (off)
		h->errors += 1000;
	h->runs++;
}

static void learn_mean(struct tg_cost *cost, s64 used)
{
	fold(&cost->mean, &cost->runs, used);
}

/* The highest but one of the latest runs. */
static s64 quantile(const struct tg_cost *cost)
{
	const u32 n = cost->seen < TG_LATEST ? cost->seen : TG_LATEST;
	s64 high = cost->latest[0], next = -1;
	u32 i;

	for (i = 1; i < n; i++) {
		next = max(next, min(high, cost->latest[i]));
		high = max(high, cost->latest[i]);
	}
	return n > 1 ? next : high;
}

static void learn_impact(struct tg_gpu *gpu, struct tg_history *h, s64 impact)
{
	fold(&h->impact, &h->impact_runs, impact);
	fold(&gpu->impact, &gpu->impact_runs, impact);
}

static bool is_off(const struct tg_cost *cost, s64 used)
{
	s64 off = used > cost->mean ? used - cost->mean : cost->mean - used;

	return off > cost->mean / ODD;
}

/*
 * Is this run off the mean while the run before was not? An interrupt that comes late does that to
 * one group and the next. Two such runs in a row are no accident: the mean starts again with the
 * second.
 */
static bool is_stray(struct tg_cost *cost, s64 used)
{
	bool odd = is_off(cost, used);

	if (odd && cost->odd) {
		cost->runs = 0;
		odd = false;
	}
	cost->odd = odd;
	return odd;
}

/*
 * Learn the mean of a key. As long as all its runs came after a switch, it is made of those, less
 * the impact, as @bare is: when two programs draw in turn, every group comes after a switch.
 */
static void learn_key(struct tg_cost *cost, s64 bare, bool switched)
{
	if (cost->runs && is_stray(cost, bare))
		return;
	cost->warm |= !switched;
	learn_mean(cost, bare);
}

/*
 * A run after a switch, of a key whose mean is made of runs without one. No switch makes a group
 * cheaper: if two runs in a row take that much less than the mean, the mean was wrong, and is made
 * of these from now on.
 */
static void learn_switched(struct tg_gpu *gpu, struct tg_history *h, struct tg_cost *cost, s64 used,
			   s64 bare)
{
	if (used >= cost->mean - cost->mean / ODD) {
		cost->odd &= is_off(cost, used - h->impact);
		learn_impact(gpu, h, used - cost->mean);
	} else if (!is_stray(cost, used)) {
		cost->warm = false;
		learn_mean(cost, bare);
	}
}

/*
 * What a record knows has changed: so has x, and its place among the others. With its first run it
 * enters the table, and the least recently used ones beyond predict_records leave it.
 */
static void rank(struct tg_gpu *gpu, struct tg_history *h, struct tg_cost *cost, bool first)
{
	u32 i;

	if (!first)
		rb_erase_cached(&cost->by_x, &h->costs);
	cost->x = gpu->knob[TG_KNOB_AE_FAITHFUL] ? cost->mean : quantile(cost);
	insert_cost(h, cost);
	if (!first || cost == &h->blank)
		return;
	list_add_tail(&cost->lru, &h->lru);
	h->nr++;
	/* Two at most: when the knob is lowered, the table shrinks step by step. */
	for (i = 0; i < 2 && h->nr > gpu->knob[TG_KNOB_RECORDS]; i++)
		evict(gpu, h, list_first_entry(&h->lru, struct tg_cost, lru));
}

/* A run of a record that is in the table, or enters it with this run. */
static void learn(struct tg_gpu *gpu, struct tg_history *h, struct tg_cost *cost, s64 used,
		  bool switched)
{
	const bool blank = cost == &h->blank, first = !cost->runs;
	const s64 bare = between(switched && !blank ? used - h->impact : used, 0, COST_MAX);

	cost->latest[cost->seen++ % TG_LATEST] = bare;
	if (blank)
		learn_mean(cost, used);
	else if (switched && cost->warm)
		learn_switched(gpu, h, cost, used, bare);
	else
		learn_key(cost, bare, switched);
	rank(gpu, h, cost, first);
}

void tg_predict_learn(struct tg_gpu *gpu, struct tg_history *h, struct tg_cost *cost, s64 x,
		      s64 used, bool switched)
{
	used = between(used, 0, COST_MAX);
	count_error(h, between(x, 0, 2 * COST_MAX), used);
	if (cost == &h->blank || !cost->runs || in_table(cost))
		learn(gpu, h, cost, used, switched);
	tg_predict_drop(gpu, h, cost);
}

void tg_predict_drop(struct tg_gpu *gpu, struct tg_history *h, struct tg_cost *cost)
{
	if (--cost->users || cost == &h->blank)
		return;
	if (!cost->runs)
		rb_erase_cached(&cost->by_key, &h->keys);
	else if (in_table(cost))
		return;
	give(gpu, cost);
}
