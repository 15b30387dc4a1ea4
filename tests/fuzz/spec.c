// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: the specification's parser and matcher. Whatever the text, it is taken or refused;
 * what is taken keeps its promises (tg/spec.h), what is refused says where and why.
 */
#include <stdlib.h>
#include <tg/policy.h>

#define REQUIRE(what)	do { if (!(what)) abort(); } while (0)

static void check_string(const struct tg_str *s, size_t size, u32 most)
{
	REQUIRE(s->len <= most && (u64)s->off + s->len <= size);
}

static void check_entry(const struct tg_spec_entry *e, size_t size)
{
	u32 i, asked = 0;

	for (i = 0; i < TG_MATCHES; i++) {
		check_string(&e->pattern[i], size, TG_SPEC_PATTERN_MAX);
		asked += e->pattern[i].len;
	}
	REQUIRE(asked || e->gpu);
	REQUIRE(e->line && e->sched <= TG_HT && e->resv <= TG_CBS);
	REQUIRE(e->prio <= TG_PRIO_MAX && (!e->agpa || e->prio == TG_PRIO_AGPA));
	REQUIRE(!e->nice || (!e->agpa && e->prio == TG_PRIO_NICE));
	REQUIRE(e->depth <= TG_DEPTH_MAX && e->weight && e->weight <= TG_SPEC_WEIGHT_MAX);
	REQUIRE(e->capacity >= 0 && e->period >= e->capacity && e->period <= TG_SPEC_PERIOD_MAX);
	REQUIRE(!e->period == !e->capacity && (e->period || e->resv == TG_BG));
	REQUIRE(e->mem <= TG_SPEC_MEM_MAX);
	check_string(&e->reserve, size, TG_NAME_LEN - 1);
	check_string(&e->vgpu, size, TG_NAME_LEN - 1);
}

static void check_vgpus(const struct tg_spec *spec, size_t size)
{
	u32 sum[TG_VGPU_SHARES] = { }, i, k;

	REQUIRE(spec->nr_vgpus <= TG_VGPUS_MAX);
	for (i = 0; i < spec->nr_vgpus; i++) {
		REQUIRE(spec->vgpus[i].line && spec->vgpus[i].name.len);
		check_string(&spec->vgpus[i].name, size, TG_NAME_LEN - 1);
		for (k = 0; k < TG_VGPU_SHARES; k++) {
			sum[k] += spec->vgpus[i].share[k];
			REQUIRE(spec->vgpus[i].share[k] && sum[k] <= 100);
		}
	}
}

static void check_settings(const struct tg_spec *spec)
{
	const struct tg_policy *policy = spec->policy < 0 ? NULL : tg_policy_get(spec->policy);
	const struct tg_param *table, *param;
	u32 i, k;

	REQUIRE(spec->policy < 0 || (policy && spec->policy_at.line && spec->policy_at.column));
	REQUIRE(spec->nr_knobs <= TG_SPEC_KNOBS_MAX);
	for (i = 0; i < spec->nr_knobs; i++) {
		const struct tg_spec_knob *knob = &spec->knobs[i];

		REQUIRE(knob->of != TG_KNOB_OF_POLICY || policy);
		table = knob->of == TG_KNOB_OF_POLICY ? policy->params :
			knob->of == TG_KNOB_OF_CORE ? tg_core_params : tg_host_params;
		for (k = 0; table[k].name && k < knob->nr; k++)
			;
		param = &table[k];
		REQUIRE(param->name && knob->value >= param->min && knob->value <= param->max);
		REQUIRE(knob->at.line && knob->at.column);
	}
}

static void match(const struct tg_spec *spec, size_t size)
{
	struct tg_identity id = {
		.pid = 1, .uid = 1000, .comm = "game", .exe = "/usr/bin/game", .cgroup = "/user.slice",
		.gpu = "0000:01:00.0",
	};
	const struct tg_spec_entry *e;
	u32 i;

	e = tg_spec_match(spec, &id);
	REQUIRE(!e || (e >= spec->entries && e < spec->entries + spec->nr));
	/* a name that stands in the text, and nothing else is known */
	for (i = 0; i < spec->nr && i < 4; i++) {
		const struct tg_str *s = &spec->entries[i].pattern[TG_MATCH_COMM];
		const struct tg_str *more = s + 1;

		memset(&id, 0, sizeof(id));
		memcpy(id.comm, spec->text + s->off, min(s->len, (u32)TG_COMM_LEN - 1));
		e = tg_spec_match(spec, &id);
		REQUIRE(e || spec->entries[i].gpu || !s->len || more[0].len || more[1].len || more[2].len);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct tg_spec_error error = { };
	struct tg_spec spec;
	char *text;
	u32 room, i;

	if (size > TG_SPEC_TEXT_MAX + 16)
		return 0;
	text = malloc(size ? size : 1);
	REQUIRE(text);
	memcpy(text, data, size);
	room = tg_spec_room(text, size);
	REQUIRE(room && room <= size + 1);
	spec.text = text;
	spec.entries = malloc(room * sizeof(*spec.entries));
	REQUIRE(spec.entries);
	if (tg_spec_parse(&spec, size, &error)) {
		REQUIRE(error.line && error.column && error.what && *error.what && error.want);
	} else {
		REQUIRE(spec.nr <= room && spec.background < (s32)spec.nr);
		for (i = 0; i < spec.nr; i++)
			check_entry(&spec.entries[i], size);
		check_vgpus(&spec, size);
		check_settings(&spec);
		match(&spec, size);
	}
	free(spec.entries);
	free(text);
	return 0;
}
