// SPDX-License-Identifier: GPL-2.0
/*
 * What a run gives, for people (a table, a picture) and for programs (JSON, CSV). Times in
 * microseconds with three places: all that there is.
 */
#include <stdlib.h>

#include "mem.h"
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
	return stats->done ? us(stats->waited[cause]) / stats->done : 0;
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
			conf->name, tg_policy_get(conf->policy)->name, i,
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
			(unsigned long long)(gpu->notes[TG_NOTE_EJECTED_PICK] +
					     gpu->notes[TG_NOTE_EJECTED_STARVED]),
			(unsigned long long)gpu->notes[TG_NOTE_DRAIN_CUT]);
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

void tgs_report_json(const struct tgs_result *r, FILE *to)
{
	const struct tgs_scenario *s = r->scenario;
	u32 i, j;

	fprintf(to, "{\"seed\":%llu,\"duration_us\":%.3f,\"events\":%llu,\"gpus\":[",
		(unsigned long long)s->seed, us(s->duration), (unsigned long long)r->events);
	for (i = 0; i < s->nr_gpus; i++) {
		const struct tgs_gpu_result *gpu = &r->gpus[i];

		fprintf(to, "%s{\"name\":\"%s\",\"policy\":\"%s\",\"engines\":[", i ? "," : "",
			s->gpus[i].name, tg_policy_get(s->gpus[i].policy)->name);
		for (j = 0; j < s->gpus[i].engines; j++)
			fprintf(to, "%s{\"busy_us\":%.3f,\"switch_us\":%.3f,\"switches\":%llu}",
				j ? "," : "", us(gpu->engine[j].busy),
				us(gpu->engine[j].switching),
				(unsigned long long)gpu->engine[j].switches);
		fprintf(to, "],\"lost\":%llu,\"repaired\":%llu,\"overlaps\":%llu,\"ejected\":%llu,"
			"\"drains_cut\":%llu}", (unsigned long long)gpu->notes[TG_NOTE_LOST],
			(unsigned long long)gpu->notes[TG_NOTE_REPAIRED],
			(unsigned long long)gpu->notes[TG_NOTE_OVERLAP],
			(unsigned long long)(gpu->notes[TG_NOTE_EJECTED_PICK] +
					     gpu->notes[TG_NOTE_EJECTED_STARVED]),
			(unsigned long long)gpu->notes[TG_NOTE_DRAIN_CUT]);
	}
	fprintf(to, "],\"clients\":[");
	for (i = 0; i < r->nr_clients; i++) {
		const struct tgs_client_result *c = &r->clients[i];
		const struct tgs_hist *h = &c->stats.latency;

		fprintf(to, "%s\n{\"name\":\"%s\",\"nr\":%u,\"groups\":%llu,\"wanted\":%llu,"
			"\"refused\":%llu,\"rate_hz\":%.3f,\"share\":%.6f,\"used_us\":%.3f,",
			i ? "," : "", s->clients[c->conf].name, c->nr,
			(unsigned long long)c->stats.done, (unsigned long long)c->stats.released,
			(unsigned long long)c->stats.failed, c->stats.done / seconds(r),
			(double)c->stats.used / s->duration, us(c->stats.used));
		fprintf(to, "\"latency_us\":{\"p50\":%.3f,\"p90\":%.3f,\"p99\":%.3f,\"max\":%.3f},"
			"\"mean_wait_us\":{", us(tgs_hist_at(h, 500)), us(tgs_hist_at(h, 900)),
			us(tgs_hist_at(h, 990)), us(h->max));
		for (j = 0; j < TGS_CAUSES; j++)
			fprintf(to, "%s\"%s\":%.3f", j ? "," : "", cause_names[j],
				mean_wait(&c->stats, j));
		fprintf(to, "},\"modelled\":%llu,\"would_wait_us\":%.3f,\"missed\":%llu}",
			(unsigned long long)c->stats.modelled,
			c->stats.modelled ? us(c->stats.would) / c->stats.modelled : 0,
			(unsigned long long)c->stats.missed);
	}
	fprintf(to, "]}\n");
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
	const char *as = tgs_terminal(path);
	FILE *to;

	if (!as || strchr(path, '\'')) {
		snprintf(error, TGS_MESSAGE, "%.160s: a name that ends in .png, .svg or .pdf "
			 "wanted, without quotes", path);
		return -EINVAL;
	}
	to = popen("gnuplot", "w");
	if (!to) {
		snprintf(error, TGS_MESSAGE, "cannot start gnuplot: %s", strerror(errno));
		return -errno;
	}
	fprintf(to, "set terminal %s\nset output '%s'\n", as, path);
	plot_data(r, to);
	fprintf(to, "set multiplot layout 2,1\n");
	plot_timeline(r, to);
	plot_share(r, to);
	fprintf(to, "unset multiplot\n");
	if (pclose(to)) {
		snprintf(error, TGS_MESSAGE, "gnuplot could not draw %.160s", path);
		return -EIO;
	}
	return 0;
}
