// SPDX-License-Identifier: GPL-2.0
/*
 * What a job has used of the GPU, for Slurm's record: read from the totals of the node's tgd, by the
 * cgroups of the job's steps, and noted in the job's AdminComment, which needs no database:
 *
 *	gpu_time node1=12.345s node2=3.210s
 *
 * What stands there already stays before it. slurmctld takes no change of a job that has ended, so
 * each step notes the job's sum when it ends. Called as root, in slurmstepd and in the epilog.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/spank.h>
#include <uapi/tgd.h>
#include <uapi/timegraph.h>

#include "slurm.h"
#include "tgd/files.h"

#define WAIT_S		2
#define MOST		(64u << 20)	/* bytes of a snapshot */
#define TRIES		5		/* nodes of a job write at the same time: look whether ours is there */
#define TRY_US		100000
#define WORD		"gpu_time"

/* Is it a cgroup of this job's, ours or Slurm's? */
static bool of_job(const char *path, uint32_t job)
{
	char ours[48], slurms[48];

	snprintf(ours, sizeof(ours), "/timegraph-slurm-%u-", job);
	snprintf(slurms, sizeof(slurms), "/job_%u/", job);
	return !strncmp(path, ours, strlen(ours)) || strstr(path, slurms);
}

/* The whole snapshot, to be freed; NULL: tgd does not give it. */
static char *read_snapshot(const char *socket, size_t *len)
{
	uid_t peer;
	int fd = files_connect(socket, WAIT_S, &peer), n = fd < 0 || peer != geteuid() ? -1 : 1;
	char *text = NULL, *more;

	for (*len = 0; n > 0 && *len < MOST; *len += n > 0 ? n : 0) {
		more = realloc(text, *len + TGD_DATA);
		n = more ? files_ask(fd, TGD_READ, "snapshot", *len, NULL, 0, more + *len, TGD_DATA) : -1;
		text = more ?: text;
	}
	if (fd >= 0)
		close(fd);
	if (n < 0) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Add up the job's records of a part. Return: there is one. */
static bool sum_part(const char *at, const struct tg_snap_part *part, uint32_t job, int64_t *ns)
{
	struct tg_snap_total t;
	bool found = false;
	uint32_t i;

	for (i = 0; i < part->nr; i++, at += part->size) {
		memcpy(&t, at, sizeof(t));
		t.name[sizeof(t.name) - 1] = '\0';
		if (t.of != TG_TOTAL_CGROUP || !of_job(t.name, job))
			continue;
		*ns += t.gpu_time;
		found = true;
	}
	return found;
}

bool account_read(const char *socket, uint32_t job, int64_t *ns)
{
	struct tg_snap_head head;
	struct tg_snap_part part;
	bool found = false;
	size_t len, at;
	char *text = read_snapshot(socket, &len);

	*ns = 0;
	if (text && len >= sizeof(head)) {
		memcpy(&head, text, sizeof(head));
		at = sizeof(head) + (size_t)head.nr_clients * head.client_size;
		while (head.magic == TG_SNAP_MAGIC && at < len && len - at >= sizeof(part)) {
			memcpy(&part, text + at, sizeof(part));
			at += sizeof(part);
			if ((size_t)part.nr * part.size > len - at)
				break;
			if (part.kind == TG_PART_TOTALS && part.size >= sizeof(struct tg_snap_total))
				found |= sum_part(text + at, &part, job, ns);
			at += (size_t)part.nr * part.size;
		}
	}
	free(text);
	return found;
}

/* @was with this node's entry, which takes the place of one of an earlier run. */
static char *with_entry(const char *was, const char *node, const char *entry)
{
	const char *words = strstr(was, WORD " "), *own, *end;
	char name[80], *text = NULL;
	int n;

	snprintf(name, sizeof(name), " %s=", node);
	own = words ? strstr(words, name) : NULL;
	end = own ? own + 1 + strcspn(own + 1, " ;") : NULL;
	if (own)
		n = asprintf(&text, "%.*s %s%s", (int)(own - was), was, entry, end);
	else if (words)
		n = asprintf(&text, "%s %s", was, entry);
	else
		n = asprintf(&text, "%s%s" WORD " %s", was, *was ? "; " : "", entry);
	return n < 0 ? NULL : text;
}

/* The job's AdminComment, to be freed; NULL: slurmctld does not say. */
static char *comment_of(uint32_t job)
{
	job_info_msg_t *jobs = NULL;
	char *text = NULL;
	uint32_t i;

	if (slurm_load_job(&jobs, job, SHOW_ALL))
		return NULL;
	for (i = 0; i < jobs->record_count && !text; i++)
		if (jobs->job_array[i].job_id == job)
			text = strdup(jobs->job_array[i].admin_comment ?: "");
	slurm_free_job_info_msg(jobs);
	return text;
}

/* Return: 0, or an errno of Slurm's. */
static int set_comment(uint32_t job, char *text)
{
	job_desc_msg_t change;

	if (!text)
		return ENOMEM;
	slurm_init_job_desc_msg(&change);
	change.job_id = job;
	change.admin_comment = text;
	return slurm_update_job(&change) ? slurm_get_errno() : 0;
}

/* Once; *@noted: it was there already. Return: 0, or an errno of Slurm's. */
static int note(uint32_t job, const char *node, const char *entry, bool *noted)
{
	char *was = comment_of(job), *text;
	int error = was ? 0 : slurm_get_errno();

	*noted = was && strstr(was, entry);
	if (was && !*noted) {
		text = with_entry(was, node, entry);
		error = set_comment(job, text);
		free(text);
	}
	free(was);
	return error;
}

void account_note(uint32_t job, const char *node, int64_t ns, bool over)
{
	char host[65] = "", entry[112];
	bool noted = false;
	int i, error = 0;

	gethostname(host, sizeof(host) - 1);
	if (!node || !*node || strlen(node) >= sizeof(host))
		node = host;
	snprintf(entry, sizeof(entry), "%s=%.3fs", node, ns / 1e9);
	for (i = 0; i < TRIES && !noted && error != ESLURM_JOB_FINISHED; i++) {
		if (i)
			usleep(TRY_US * i);
		error = note(job, node, entry, &noted);
	}
	if (error && (over || error != ESLURM_JOB_FINISHED))
		slurm_error("timegraph: job %u has used %.3f s of the GPU, which is not in its record: %s", job,
			    ns / 1e9, slurm_strerror(error));
}
