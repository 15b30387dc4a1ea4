/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The values of a client: one table, from which every place that names them is made.
 *
 *	struct tg_snap_client	the snapshot's record, members in the table's order
 *	struct tg_stats		what the core counts
 *	clients/<id>/		the module's files
 *	tgctl clients		the table and its JSON
 *	tgctl metrics		OpenMetrics
 *	docs			sysfs-abi.md and man/tgctl.8: scripts/counters-docs writes theirs
 *
 * A new counter is a new row at the end, a line where the core counts it, and a run of
 * scripts/counters-docs. tests/counters adds one. Programs rely on the order: rows never move.
 *
 *	row(name, form, from, column, json, metric, help)
 *
 * @name: of the record's member and of the file
 * @form: what is stored and how it is shown: enum tg_form, without its TG_FORM_
 * @from: STATS or STATS32: the core counts it in struct tg_stats, in 64 or 32 bits, and it is
 *	copied; HOST: tg/snap.h or the host finds it out
 * @column: its place in the table of `tgctl clients`, from 1; 0: in the JSON alone
 * @json: its key; NULL: neither in the JSON nor in the table
 * @metric: GAUGE(family), COUNTER(family) or, of a HIST, HISTOGRAM(family), with @help as the
 *	family's help; COUNTER_OF(family, label, help), where a family has several rows or a label:
 *	the rows follow each other, and the help of those after the first is NULL; NONE
 * @help: a phrase for both documents. `code` is set as code
 */
#ifndef TG_COUNTERS_H
#define TG_COUNTERS_H

#include <tg/hist.h>

/**
 * enum tg_form - how a value of a client is stored, and shown by tgctl
 * @TG_FORM_U8: a number, as are U32 and U64
 * @TG_FORM_U32: a number
 * @TG_FORM_U64: a number
 * @TG_FORM_NS: 64 bits, signed: nanoseconds; `tgctl clients` shows microseconds, metrics seconds
 * @TG_FORM_BYTES: 64 bits
 * @TG_FORM_TEXT16: 16 bytes, NUL-padded
 * @TG_FORM_TEXT32: 32 bytes, NUL-padded
 * @TG_FORM_SCHED: 8 bits, enum tg_sched, shown as a word
 * @TG_FORM_RESV: 8 bits, enum tg_resv, shown as a word
 * @TG_FORM_STATE: 8 bits, TG_STATE_*, shown as a word
 * @TG_FORM_HIST: TG_HIST_BUCKETS counts of 32 bits: a histogram of times (tg/hist.h), shown by its
 *	median and its 99th percentile
 */
enum tg_form {
	TG_FORM_U8, TG_FORM_U32, TG_FORM_U64, TG_FORM_NS, TG_FORM_BYTES,
	TG_FORM_TEXT16, TG_FORM_TEXT32, TG_FORM_SCHED, TG_FORM_RESV, TG_FORM_STATE,
	TG_FORM_HIST,
};

#define TG_CLIENT_ROWS(row)									\
	row(id, U32, HOST, 1, "id", NONE,							\
	    "its number, not used again while the module is loaded")				\
	row(pid, U32, HOST, 2, "pid", NONE, "thread-group id of its process")			\
	row(uid, U32, HOST, 4, "uid", NONE, "effective user when it became a client")		\
	row(gpu, U32, HOST, 5, "gpu", NONE, "number of the GPU, from 0")			\
	row(comm, TEXT16, HOST, 3, "comm", NONE,						\
	    "name of the thread-group leader when it became a client")				\
	row(reserve_name, TEXT32, HOST, 17, "reserve", NONE,					\
	    "name of its shared reserve, `background`, or empty: its own")			\
	row(sched, SCHED, HOST, 6, "sched", NONE, "`prt` or `ht`")				\
	row(resv, RESV, HOST, 7, "resv", NONE, "`pe`, `ae`, `cbs` or `bg`")			\
	row(prio, U8, HOST, 8, "prio", GAUGE("timegraph_priority"),				\
	    "priority, 0 (lowest) to 99")							\
	row(state, STATE, HOST, 16, "state", NONE,						\
	    "`idle`, `waiting` (for the policy), `throttled` (by its reserve), `running`,"	\
	    " `lost` (a group is past its deadline), or `left` (its process has left, and it"	\
	    " owes something)")									\
	row(line, U32, HOST, 0, "line", NONE,							\
	    "line of the specification that it matched; 0: none")				\
	row(inflight, U32, HOST, 0, "inflight", GAUGE("timegraph_groups_inflight"),		\
	    "command groups on their way to the GPU or on it, but for overdue ones")		\
	row(waiting, U32, HOST, 0, "waiting", GAUGE("timegraph_groups_waiting"),		\
	    "command groups that wait")								\
	row(capacity, NS, HOST, 9, "capacity_us", GAUGE("timegraph_reserve_capacity_seconds"),	\
	    "capacity C of its reserve")							\
	row(period, NS, HOST, 10, "period_us", GAUGE("timegraph_reserve_period_seconds"),	\
	    "period T of its reserve")								\
	row(budget, NS, HOST, 11, "budget_us", GAUGE("timegraph_reserve_budget_seconds"),	\
	    "what is left of the capacity; negative: debt")					\
	row(gpu_time, NS, STATS, 12, "gpu_time_us",						\
	    COUNTER_OF("timegraph_drm_engine_seconds", "engine=\"gr\"",				\
		       "GPU time used (drm-engine-gr)"), "GPU time used")			\
	row(wait_time, NS, HOST, 13, "wait_us", NONE,						\
	    "time that its groups waited, for reserve and policy")				\
	row(submitted, U64, HOST, 14, "submitted", COUNTER("timegraph_groups_submitted"),	\
	    "command groups that arrived; also those that no policy saw (`none`)")		\
	row(completed, U64, STATS, 15, "completed", COUNTER("timegraph_groups_completed"),	\
	    "command groups whose fence signalled")						\
	row(failed, U64, STATS32, 0, "failed", COUNTER("timegraph_groups_failed"),		\
	    "command groups that the driver refused")						\
	row(lost, U64, STATS32, 0, "lost", COUNTER("timegraph_groups_lost"),			\
	    "command groups written off")							\
	row(overlaps, U64, STATS32, 0, "overlaps", COUNTER("timegraph_groups_overlapped"),	\
	    "command groups that lost their slot: they did not reach the GPU in time")		\
	row(wait_reserve, NS, STATS, 0, "wait_reserve_us",					\
	    COUNTER_OF("timegraph_wait_seconds", "cause=\"reserve\"",				\
		       "time that command groups waited, by cause"),				\
	    "of the time waited: for the reserve")						\
	row(wait_policy, NS, STATS, 0, "wait_policy_us",					\
	    COUNTER_OF("timegraph_wait_seconds", "cause=\"policy\"", NULL),			\
	    "of the time waited: for the policy")						\
	row(would_reserve, NS, STATS, 0, "would_reserve_us",					\
	    COUNTER_OF("timegraph_would_wait_seconds", "cause=\"reserve\"",			\
		       "dry run: time that command groups would have waited, by cause"),	\
	    "dry run: time that its groups would have waited for the reserve")			\
	row(would_policy, NS, STATS, 0, "would_policy_us",					\
	    COUNTER_OF("timegraph_would_wait_seconds", "cause=\"policy\"", NULL),		\
	    "dry run: time that its groups would have waited for the policy")			\
	row(modelled, U64, STATS32, 0, "modelled", COUNTER("timegraph_groups_modelled"),	\
	    "dry run: command groups whose wait was modelled")					\
	row(polled_time, NS, STATS, 0, NULL, NONE,						\
	    "GPU time that polls have seen it use, in poll phases alone")			\
	row(polled_groups, U64, STATS32, 0, NULL, NONE, "groups of it that polls have seen")	\
	row(predict_hits, U64, HOST, 0, "predict_hits", NONE,					\
	    "groups whose cost was predicted from groups of the same commands (`ae`)")		\
	row(predict_misses, U64, HOST, 0, "predict_misses", NONE, "the other predictions")	\
	row(predict_unreadable, U64, HOST, 0, "predict_unreadable", NONE,			\
	    "of these: groups whose commands could not be read")				\
	row(predict_error, U32, HOST, 0, "predict_error", NONE,					\
	    "mean relative error of its predictions, per mille of the real cost")		\
	row(vram_waiting, U32, HOST, 0, "vram_waiting", NONE,					\
	    "requests of its process for VRAM that wait")					\
	row(vgpu_name, TEXT32, HOST, 18, "vgpu", NONE,						\
	    "name of its virtual GPU; empty: it belongs to none")				\
	row(vram, BYTES, HOST, 0, "vram", GAUGE("timegraph_drm_memory_bytes"),			\
	    "bytes of VRAM that its process holds")						\
	row(vram_peak, BYTES, HOST, 0, "vram_peak", NONE,					\
	    "the most bytes of VRAM that its process ever held")				\
	row(vram_set_aside, BYTES, HOST, 0, "vram_set_aside", NONE,				\
	    "bytes of VRAM set aside for its process (`mem=`)")					\
	row(vram_waited, U64, HOST, 0, "vram_waited", NONE,					\
	    "requests for VRAM that had to wait")						\
	row(vram_refused, U64, HOST, 0, "vram_refused", COUNTER("timegraph_vram_refused"),	\
	    "requests for VRAM that failed")							\
	row(vram_wait_time, NS, HOST, 0, "vram_wait_us",					\
	    COUNTER("timegraph_vram_wait_seconds"), "time that requests for VRAM waited")	\
	row(held_time, NS, STATS, 0, "held_us", COUNTER("timegraph_held_seconds"),		\
	    "time from the pick of command groups to their starts; no GPU time")		\
	row(waits, HIST, HOST, 19, "waits_us", HISTOGRAM("timegraph_group_wait_seconds"),	\
	    "how long each command group waited, for reserve and policy")			\
	row(latencies, HIST, HOST, 20, "latencies_us",						\
	    HISTOGRAM("timegraph_group_latency_seconds"),					\
	    "how long each command group took from its submission to its end")

#endif /* TG_COUNTERS_H */
