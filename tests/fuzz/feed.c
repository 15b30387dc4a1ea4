// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: tg_gpu_feed(). Each four bytes of input are one event; small numbers, so that events
 * meet. After every one the core's own check must hold, and an error must have changed
 * nothing that is seen from outside.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tg/dry.h>
#include <tg/policy.h>

#define REQUIRE(what)	do { if (!(what)) abort(); } while (0)
#define OBJECTS	8

static const char *const spec_texts[] = {
	"a:prt:pe:80:1000:2000\nb:ht:pe:40:200:1000:depth=3\nc:prt:ae:60:300:2000\n",
	"a:prt:pe:80:500:1000:reserve=one\nb:ht:pe:40:500:1000:reserve=one\nc:prt:bg:0:200:1000\n",
	"a:ht:ae:*:1:1\nc:ht:ae:99:1:10000000\nb:prt:pe:1:1:2:mem=7\nd:prt:bg:9:0:0:mem=3\n",
	"",
	"[vgpu v]:50:20:50\n[vgpu w]:25:80:1\na:ht:bg:9:0:0:vgpu=v\nb:prt:bg:1:0:0:vgpu=v\n"
	"c:prt:pe:1:500:1000:vgpu=w\nd:ht:bg:0:0:0:vgpu=x\n",
	"policy timegraph\nknob lead_us 500\nknob dry_run 1\na:prt:pe:7:500:1000\n",
	"knob dry_run 0\npolicy band\nknob share 1\nknob stall_us 1ms\nb:ht:bg:9:0:0\n",
};

static struct tg_spec specs[ARRAY_SIZE(spec_texts)];

static struct out {
	struct tg_actions out;
	u32 actions;
	u64 freed[4];		/* jobs: a bit each */
} out;

static void emit(struct tg_actions *o, const struct tg_action *action)
{
	out.actions++;
	if (action->kind != TG_ACT_FREE)
		return;
	REQUIRE(action->job < 256);
	REQUIRE(!(out.freed[action->job / 64] & 1ull << action->job % 64));
	out.freed[action->job / 64] |= 1ull << action->job % 64;
}

static void parse_specs(void)
{
	struct tg_spec_error error;
	u32 i, len;

	for (i = 0; i < ARRAY_SIZE(specs); i++) {
		len = strlen(spec_texts[i]);
		specs[i].text = spec_texts[i];
		specs[i].entries = calloc(tg_spec_room(spec_texts[i], len),
					  sizeof(*specs[i].entries));
		REQUIRE(specs[i].entries && !tg_spec_parse(&specs[i], len, &error));
	}
}

static const struct tg_vgpu_conf *vgpu(const u8 *in)
{
	static struct tg_vgpu_conf conf;
	u32 k;

	conf = (struct tg_vgpu_conf){ .name = { 'v' + (in[1] & 3) } };
	for (k = 0; k < TG_VGPU_SHARES; k++)
		conf.share[k] = in[2] & 127;
	return &conf;
}

/* A few keys: of one pair, of several chunks, with equal hashes. */
static const struct tg_key *key(u8 which)
{
	static u64 room[1 + 64];
	struct tg_key *key = (struct tg_key *)room;

	key->hash = which & 1;
	key->nr = which & 8 ? 40 : 1;
	key->pair[0] = 1 + ((u64)(which & 7) << 16);
	return key;
}

/* Of a phase: short, long, or one that cannot be. */
static const struct tg_sample *sample(const u8 *in)
{
	static struct tg_sample s;

	s.length = (s64)(in[2] & 31) << (in[3] >> 3);
	s.busy = (s64)(in[3] & 31) << (in[3] >> 3);
	s.groups = in[2];
	s.active = in[2] >> 5;
	return &s;
}

static struct tg_event event(const u8 *in, s64 now, u64 *jobs)
{
	static const struct tg_identity ids[] = {
		{ .pid = 1, .comm = "a" }, { .pid = 2, .comm = "b" },
		{ .pid = 3, .comm = "c" }, { .pid = 4, .comm = "d" },
	};
	struct tg_event ev = {
		.kind = in[0] & 31, .client = in[1] & 3, .channel = in[1] >> 2 & 1,
		.job = in[2], .arg = in[3] & 15, .now = now, .at = now - (in[1] >> 4 ? 0 : 500),
	};

	if (ev.kind == TG_EV_JOIN)
		ev.data = &ids[ev.client];
	else if (ev.kind == TG_EV_SUBMIT && in[3] & 15)
		ev.data = key(in[3]);
	else if (ev.kind == TG_EV_SPEC)
		ev.data = &specs[in[2] % ARRAY_SIZE(specs)];
	if (ev.kind == TG_EV_SPEC)
		ev.spec.settings = in[3] >> 4 & 1;
	else if (ev.kind == TG_EV_SAMPLE)
		ev.data = sample(in);
	else if (ev.kind == TG_EV_VGPU)
		ev.data = vgpu(in);
	else if (ev.kind == TG_EV_KNOB)
		ev.at = (s64)in[2] << (in[3] >> 4);
	else if (ev.kind == TG_EV_SUBMIT && in[2] & 128)
		ev.job = ++*jobs;	/* likely a new number */
	else if (ev.kind >= TG_EV_CANCEL && ev.kind <= TG_EV_DONE && in[2] & 128)
		ev.job = *jobs - min((u64)(in[2] & 7), *jobs);
	if (ev.kind == TG_EV_JOIN)
		ev.job = in[2] & 3;
	if (ev.kind == TG_EV_KNOB)
		ev.job = in[1] & 3;
	return ev;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct tg_job *jobs[8], jobs_mem[256];
	static struct tg_client *clients[8], clients_mem[OBJECTS];
	static struct tg_channel *channels[8], channels_mem[OBJECTS];
	static struct tg_reserve reserves_mem[OBJECTS];
	static struct tg_sharer sharers_mem[OBJECTS];
	static struct tg_history histories_mem[OBJECTS / 2];
	static struct tg_cost costs_mem[OBJECTS / 2];
	static struct tg_chunk chunks_mem[OBJECTS];
	static struct tg_account accounts_mem[3];
	static struct tg_mem_request asks_mem[OBJECTS];
	static struct tg_dry dry_mem;
	static struct tg_gpu gpu;
	const struct tg_buckets buckets = { jobs, clients, channels, 3 };
	s64 now = 1000;
	u64 last = 0;
	u32 policies, i;

	if (!specs[0].text)
		parse_specs();
	if (!size)
		return 0;
	memset(jobs, 0, sizeof(jobs));
	memset(clients, 0, sizeof(clients));
	memset(channels, 0, sizeof(channels));
	memset(&out, 0, sizeof(out));
	out.out.emit = emit;
	for (policies = 0; tg_policy_get(policies); policies++)
		;
	tg_gpu_init(&gpu, 1 + (data[0] >> 4 & 1), (data[0] & 15) % policies, &buckets, now);
	for (i = 0; i < OBJECTS; i++) {
		tg_gpu_give(&gpu, TG_POOL_CLIENT, &clients_mem[i]);
		tg_gpu_give(&gpu, TG_POOL_SHARER, &sharers_mem[i]);
		tg_gpu_give(&gpu, TG_POOL_CHANNEL, &channels_mem[i]);
		tg_gpu_give(&gpu, TG_POOL_RESERVE, &reserves_mem[i]);
		tg_gpu_give(&gpu, TG_POOL_REQUEST, &asks_mem[i]);
	}
	for (i = 0; i < ARRAY_SIZE(accounts_mem); i++)
		tg_gpu_give(&gpu, TG_POOL_ACCOUNT, &accounts_mem[i]);
	for (i = 0; i < OBJECTS / 2; i++) {
		tg_gpu_give(&gpu, TG_POOL_HISTORY, &histories_mem[i]);
		tg_gpu_give(&gpu, TG_POOL_COST, &costs_mem[i]);
		tg_gpu_give(&gpu, TG_POOL_CHUNK, &chunks_mem[2 * i]);
		tg_gpu_give(&gpu, TG_POOL_CHUNK, &chunks_mem[2 * i + 1]);
	}
	tg_gpu_give(&gpu, TG_POOL_DRY, &dry_mem);
	for (i = 0; i < (data[0] & 32 ? 4 : ARRAY_SIZE(jobs_mem)); i++)
		tg_gpu_give(&gpu, TG_POOL_JOB, &jobs_mem[i]);

	for (data++, size--; size >= 5 && last < 255; data += 5, size -= 5) {
		struct tg_event ev;
		const char *wrong;
		int result;

		now += data[4] < 250 ? (s64)1 << (data[4] & 31) : data[4] == 255 ? -1 : 0;
		ev = event(data, now, &last);
		if (ev.job < 256 && ev.kind == TG_EV_SUBMIT &&
		    out.freed[ev.job / 64] & 1ull << ev.job % 64)
			continue;	/* a number is never used again */
		out.actions = 0;
		result = tg_gpu_feed(&gpu, &ev, &out.out);
		REQUIRE(result <= 0 && (!result || !out.actions));
		if (result)
			now = max(now, gpu.now);
		wrong = tg_gpu_check(&gpu);
		if (wrong) {
			fprintf(stderr, "after event %d: %s\n", ev.kind, wrong);
			abort();
		}
	}
	return 0;
}
