// SPDX-License-Identifier: GPL-2.0
/*
 * What a run gives, for people (a table, a picture) and for programs (JSON, CSV). Times are printed
 * in microseconds with three places, the simulator's full precision. Called by tgsim after a run.
 */
#include <stdlib.h>

#include "lib/json.h"
#include "mem.h"
#include "picture.h"
#include "report.h"

static const char *const cause_names[TGS_CAUSES] = {
	"backlog", "reserve", "window", "policy", "hardware",
};

static double us(s64 ns)
{
	return ns / 1e3;
}

static double seconds(const struct tgs_result *r)
{
	return r->scenario->duration / 1e9;
}

static double mean_wait(const struct tgs_stats *stats, enum tgs_cause cause)
{
	return stats->done ? stats->waited[cause] / 1e3 / stats->done : 0;
}

static u64 ejections(const struct tgs_gpu_result *gpu)
{
	return gpu->notes[TG_NOTE_EJECTED_PICK] + gpu->notes[TG_NOTE_EJECTED_STARVED];
}

static void merge(struct tgs_stats *sum, const struct tgs_stats *stats)
{
	u32 i;

	sum->released += stats->released;
	sum->done += stats->done;
	sum->failed += stats->failed;
	sum->missed += stats->missed;
	sum->used += stats->used;
	for (i = 0; i < TGS_CAUSES; i++)
		sum->waited[i] += stats->waited[i];
	tgs_hist_merge(&sum->latency, &stats->latency);
}

static void print_row(const struct tgs_result *r, const char *name, const struct tgs_stats *stats,
		      FILE *to)
{
	const struct tgs_hist *h = &stats->latency;
	u32 i;

	fprintf(to, "%-20s %8llu %10.2f %6.2f%%  %10.1f %10.1f %10.1f %10.1f ", name,
		(unsigned long long)stats->done, stats->done / seconds(r),
		1e2 * stats->used / r->scenario->duration, us(tgs_hist_at(h, 500)),
		us(tgs_hist_at(h, 900)), us(tgs_hist_at(h, 990)), us(h->max));
	for (i = 0; i < TGS_CAUSES; i++)
		fprintf(to, " %9.1f", mean_wait(stats, i));
	fprintf(to, " %7llu\n", (unsigned long long)stats->missed);
}

static void print_gpu(const struct tgs_result *r, u32 nr, FILE *to)
{
	const struct tgs_gpu_conf *conf = &r->scenario->gpus[nr];
	const struct tgs_gpu_result *gpu = &r->gpus[nr];
	u64 bad = 0;
	u32 i;

	for (i = 0; i < conf->engines; i++)
		fprintf(to, "%s, %s, engine %u: %.2f%% busy, %.2f%% switching (%llu times)\n",
			conf->name, gpu->policy->name, i,
			1e2 * gpu->engine[i].busy / r->scenario->duration,
			1e2 * gpu->engine[i].switching / r->scenario->duration,
			(unsigned long long)gpu->engine[i].switches);
	for (i = 0; i < TG_NOTE_POLICY; i++)
		bad += gpu->notes[i];
	if (bad)
		fprintf(to, "%s: %llu lost, %llu repaired, %llu overlaps, %llu ejections, %llu "
			"drains cut\n", conf->name, (unsigned long long)gpu->notes[TG_NOTE_LOST],
			(unsigned long long)gpu->notes[TG_NOTE_REPAIRED],
			(unsigned long long)gpu->notes[TG_NOTE_OVERLAP],
			(unsigned long long)ejections(gpu),
			(unsigned long long)gpu->notes[TG_NOTE_DRAIN_CUT]);
	if (gpu->notes[TG_NOTE_NOT_ADMITTED] || gpu->notes[TG_NOTE_OVERLONG])
		fprintf(to, "%s: %llu reserves not admitted, %llu clients with overlong groups\n",
			conf->name, (unsigned long long)gpu->notes[TG_NOTE_NOT_ADMITTED],
			(unsigned long long)gpu->notes[TG_NOTE_OVERLONG]);
}

void tgs_report_text(const struct tgs_result *r, FILE *to)
{
	const struct tgs_scenario *s = r->scenario;
	u32 i, j, nr = 0;

	for (i = 0; i < s->nr_gpus; i++)
		print_gpu(r, i, to);
	fprintf(to, "%-20s %8s %10s %7s  %-43s  %-49s %7s\n", "", "", "", "",
		"latency, us", "mean wait, us", "");
	fprintf(to, "%-20s %8s %10s %7s  %10s %10s %10s %10s ", "client", "groups", "per s",
		"share", "p50", "p90", "p99", "max");
	for (i = 0; i < TGS_CAUSES; i++)
		fprintf(to, " %9s", cause_names[i]);
	fprintf(to, " %7s\n", "missed");

	for (i = 0; i < s->nr_clients; i++) {
		const struct tgs_client_conf *conf = &s->clients[i];
		struct tgs_stats sum = { };
		char name[TGS_NAME_LEN + 16];

		for (j = 0; j < conf->count; j++)
			merge(&sum, &r->clients[nr++].stats);
		if (conf->count > 1)
			snprintf(name, sizeof(name), "%s x %u", conf->name, conf->count);
		else
			strcpy(name, conf->name);
		print_row(r, name, &sum, to);
		tgs_hist_deinit(&sum.latency);
	}
}

static void json_gpu(struct json *j, const struct tgs_gpu_conf *conf,
		     const struct tgs_gpu_result *gpu)
{
	u32 i;

	json_open(j, NULL, '{');
	json_string(j, "name", conf->name);
	json_string(j, "policy", gpu->policy->name);
	json_open(j, "engines", '[');
	for (i = 0; i < conf->engines; i++) {
		json_open(j, NULL, '{');
		json_fixed(j, "busy_us", us(gpu->engine[i].busy), 3);
		json_fixed(j, "switch_us", us(gpu->engine[i].switching), 3);
		json_u64(j, "switches", gpu->engine[i].switches);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_u64(j, "lost", gpu->notes[TG_NOTE_LOST]);
	json_u64(j, "repaired", gpu->notes[TG_NOTE_REPAIRED]);
	json_u64(j, "overlaps", gpu->notes[TG_NOTE_OVERLAP]);
	json_u64(j, "ejected", ejections(gpu));
	json_u64(j, "drains_cut", gpu->notes[TG_NOTE_DRAIN_CUT]);
	json_u64(j, "not_admitted", gpu->notes[TG_NOTE_NOT_ADMITTED]);
	json_u64(j, "overlong", gpu->notes[TG_NOTE_OVERLONG]);
	json_close(j, '}');
}

static void json_client(struct json *j, const struct tgs_result *r, const struct tgs_client_result *c)
{
	const struct tgs_hist *h = &c->stats.latency;
	u32 i;

	json_line(j);
	json_open(j, NULL, '{');
	json_string(j, "name", r->scenario->clients[c->conf].name);
	json_u64(j, "nr", c->nr);
	json_u64(j, "groups", c->stats.done);
	json_u64(j, "wanted", c->stats.released);
	json_u64(j, "refused", c->stats.failed);
	json_fixed(j, "rate_hz", c->stats.done / seconds(r), 3);
	json_fixed(j, "share", (double)c->stats.used / r->scenario->duration, 6);
	json_fixed(j, "used_us", us(c->stats.used), 3);
	json_open(j, "latency_us", '{');
	json_fixed(j, "p50", us(tgs_hist_at(h, 500)), 3);
	json_fixed(j, "p90", us(tgs_hist_at(h, 900)), 3);
	json_fixed(j, "p99", us(tgs_hist_at(h, 990)), 3);
	json_fixed(j, "max", us(h->max), 3);
	json_close(j, '}');
	json_open(j, "mean_wait_us", '{');
	for (i = 0; i < TGS_CAUSES; i++)
		json_fixed(j, cause_names[i], mean_wait(&c->stats, i), 3);
	json_close(j, '}');
	json_u64(j, "modelled", c->stats.modelled);
	json_fixed(j, "would_wait_us",
		   c->stats.modelled ? c->stats.would / 1e3 / c->stats.modelled : 0, 3);
	json_u64(j, "missed", c->stats.missed);
	json_close(j, '}');
}

void tgs_report_json(const struct tgs_result *r, FILE *to)
{
	const struct tgs_scenario *s = r->scenario;
	struct json j = { .to = to, .bytes = JSON_ASCII };
	u32 i;

	json_open(&j, NULL, '{');
	json_u64(&j, "seed", s->seed);
	json_fixed(&j, "duration_us", us(s->duration), 3);
	json_u64(&j, "events", r->events);
	json_open(&j, "gpus", '[');
	for (i = 0; i < s->nr_gpus; i++)
		json_gpu(&j, &s->gpus[i], &r->gpus[i]);
	json_close(&j, ']');
	json_open(&j, "clients", '[');
	for (i = 0; i < r->nr_clients; i++)
		json_client(&j, r, &r->clients[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	fputc('\n', to);
}

void tgs_report_csv(const struct tgs_result *r, FILE *to)
{
	u32 i, j;

	fprintf(to, "name,nr,groups,wanted,refused,rate_hz,share,used_us,p50_us,p90_us,p99_us,"
		"max_us");
	for (i = 0; i < TGS_CAUSES; i++)
		fprintf(to, ",%s_us", cause_names[i]);
	fprintf(to, ",missed\n");
	for (i = 0; i < r->nr_clients; i++) {
		const struct tgs_client_result *c = &r->clients[i];
		const struct tgs_hist *h = &c->stats.latency;

		fprintf(to, "%s,%u,%llu,%llu,%llu,%.3f,%.6f,%.3f,%.3f,%.3f,%.3f,%.3f",
			r->scenario->clients[c->conf].name, c->nr,
			(unsigned long long)c->stats.done, (unsigned long long)c->stats.released,
			(unsigned long long)c->stats.failed, c->stats.done / seconds(r),
			(double)c->stats.used / r->scenario->duration, us(c->stats.used),
			us(tgs_hist_at(h, 500)), us(tgs_hist_at(h, 900)), us(tgs_hist_at(h, 990)),
			us(h->max));
		for (j = 0; j < TGS_CAUSES; j++)
			fprintf(to, ",%.3f", mean_wait(&c->stats, j));
		fprintf(to, ",%llu\n", (unsigned long long)c->stats.missed);
	}
}

/* ---- picture ---------------------------------------------------------------------------- */

/* Section @conf's time on the hardware in step @step of the run. */
static s64 share(const struct tgs_result *r, u32 conf, u32 step)
{
	s64 sum = 0;
	u32 i;

	for (i = 0; i < r->nr_clients; i++)
		if (r->clients[i].conf == conf)
			sum += r->clients[i].stats.share[step];
	return sum;
}

/* Boxes from left to right, a row per section; as far as stretches were kept. */
static void plot_timeline(const struct tgs_result *r, FILE *to)
{
	const struct tgs_scenario *s = r->scenario;
	u32 i;

	fprintf(to, "set title 'who ran when'\nset xlabel 'ms'\nset yrange [-0.6:%u-0.4]\n"
		"set ytics (", s->nr_clients);
	for (i = 0; i < s->nr_clients; i++)
		fprintf(to, "%s'%s' %u", i ? "," : "", s->clients[i].name, i);
	fprintf(to, ")\nset style fill solid noborder\nunset key\n"
		"plot $ran using (($1+$2)/2):3:1:2:($3-0.4):($3+0.4):($3+1) with boxxyerror "
		"lc variable\n");
}

static void plot_share(const struct tgs_result *r, FILE *to)
{
	const struct tgs_scenario *s = r->scenario;
	u32 i;

	fprintf(to, "set title 'share of the hardware'\nset xlabel 's'\nset ylabel '%%'\n"
		"set yrange [0:*]\nset ytics auto\nset key outside right\nplot ");
	for (i = 0; i < s->nr_clients; i++)
		fprintf(to, "%s$share using 1:%u with lines lw 2 lc %u title '%s'",
			i ? "," : "", i + 2, i + 1, s->clients[i].name);
	fprintf(to, "\n");
}

static void plot_data(const struct tgs_result *r, FILE *to)
{
	const struct tgs_scenario *s = r->scenario;
	s64 step = (s->duration + TGS_SHARE_STEPS - 1) / TGS_SHARE_STEPS;
	u32 i, j;

	fprintf(to, "$ran << end\n");
	for (i = 0; i < r->nr_stretches; i++)
		fprintf(to, "%.6f %.6f %u\n", r->stretches[i].from / 1e6,
			r->stretches[i].to / 1e6, r->stretches[i].conf);
	fprintf(to, "end\n$share << end\n");
	for (i = 0; i < TGS_SHARE_STEPS; i++) {
		fprintf(to, "%.6f", (i + 0.5) * step / 1e9);
		for (j = 0; j < s->nr_clients; j++)
			fprintf(to, " %.3f", 1e2 * share(r, j, i) / step);
		fprintf(to, "\n");
	}
	fprintf(to, "end\n");
}

int tgs_report_plot(const struct tgs_result *r, const char *path, char *error)
{
	FILE *to;
	int err = tgs_picture_open(&to, path, error);

	if (err)
		return err;
	plot_data(r, to);
	/* or gnuplot takes what follows a _ of a name for an index */
	fprintf(to, "set termoption noenhanced\nset multiplot layout 2,1\n");
	plot_timeline(r, to);
	plot_share(r, to);
	fprintf(to, "unset multiplot\n");
	return tgs_picture_close(to, path, error);
}
