// SPDX-License-Identifier: GPL-2.0
/*
 * The SPANK plugin for Slurm: options --tg-mem and --tg-reserve of srun, sbatch and salloc, and on the
 * nodes the steps of jobs that have them.
 *
 * srun, sbatch and salloc load this plugin to know the options and to refuse wrong ones; cli_filter.lua
 * turns them into GRES. slurmstepd loads it as root. There the options only say that the job may have
 * GRES: how much it has says slurmctld, so variables that a user sets by hand give nothing. Each
 * task of such a step enters the step's cgroup and puts the step's line in force before it executes
 * its program. The line goes when the step ends, or at the latest in the job's epilog on this node.
 *
 * Nothing here ends a job: what fails is said in one line, and the job runs unscheduled.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/spank.h>
#include <uapi/tgd.h>

#include "slurm.h"

#define LAYER	"/usr/lib/timegraph/libtimegraph-cl.so"
#define MIB	(1ULL << 20)
#define MEM_MAX	(1ULL << 40)	/* of a line of the specification */

SPANK_PLUGIN(timegraph, 1)

static const char *tgd_socket = TGD_SOCKET, *layer = LAYER;
static bool asked;		/* an option was given */
static struct line line;	/* of this step; no name: it has none */
static uint32_t tasks_left;	/* of this step, on this node */
static bool scripted;		/* the job has a batch script, and ends with that */
static char *verdict;		/* why tgd takes no task, which share it; under spec_lock() */
static const char *refused;	/* why it has none, for its first task to say: before, nobody hears */

/* --- the options --- */

static bool mem_ok(const char *word)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(word, &end, 10);
	if (*word < '0' || *word > '9' || errno || (*end != 'M' && *end != 'G') || end[1])
		return false;
	return n && n <= MEM_MAX / (*end == 'M' ? MIB : MIB << 10);
}

static bool reserve_ok(const char *word)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(word, &end, 10);
	if (*word < '0' || *word > '9' || errno || strcmp(end, "%"))
		return false;
	return n && n <= 100;
}

static int on_mem(int val, const char *word, int remote)
{
	asked = true;
	if (remote || mem_ok(word ? word : ""))
		return ESPANK_SUCCESS;
	slurm_error("timegraph: --tg-mem: '%s' is wrong; 1M to 1024G, with M or G behind", word);
	return ESPANK_BAD_ARG;
}

static int on_reserve(int val, const char *word, int remote)
{
	asked = true;
	if (remote || reserve_ok(word ? word : ""))
		return ESPANK_SUCCESS;
	slurm_error("timegraph: --tg-reserve: '%s' is wrong; 1%% to 100%%", word);
	return ESPANK_BAD_ARG;
}

static struct spank_option options[] = {
	{ "tg-mem", "SIZE", "GPU memory that is set aside on each node, such as 4G or 512M", 1, 0, on_mem },
	{ "tg-reserve", "PERCENT", "part of a GPU's time that is reserved on each node, such as 25%",
	  1, 0, on_reserve },
};

/* The words of plugstack.conf. One that is wrong is said, and left out. */
static void read_words(int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "socket=/", 8))
			tgd_socket = argv[i] + 7;
		else if (!strncmp(argv[i], "layer=/", 7))
			layer = argv[i] + 6;
		else
			slurm_error("timegraph: plugstack.conf: '%s' is unknown; socket=/PATH, layer=/PATH",
				    argv[i]);
	}
}

/* In all contexts but the epilog's. Slurm keeps @argv as long as the plugin. */
int slurm_spank_init(spank_t sp, int argc, char **argv)
{
	int i;

	read_words(argc, argv);
	for (i = 0; i < 2; i++)
		if (spank_option_register(sp, &options[i]))
			return ESPANK_ERROR;
	return ESPANK_SUCCESS;
}

/* --- what the job has --- */

/*
 * The count behind a GRES's name in a list such as "gres:tgmem:4096,gres:tgtime:25". Of several, the
 * least: Slurm counts one of them.
 */
static uint64_t count_of(const char *list, const char *name)
{
	const size_t len = strlen(name);
	uint64_t least = UINT64_MAX, count;
	const char *at = list;

	for (; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, "gres:", 5) || !strncmp(at, "gres/", 5))
			at += 5;
		if (strncmp(at, name, len) || (at[len] != ':' && at[len] != '='))
			continue;
		count = strtoull(at + len + 1, NULL, 10);
		least = count < least ? count : least;
	}
	return least == UINT64_MAX ? 0 : least;
}

/* Fill in the line's amounts, as slurmctld has granted them, and what kind of job it is. */
static bool load_amounts(uint32_t job, uint32_t tasks)
{
	job_info_msg_t *jobs = NULL;
	const char *tres = NULL;
	uint64_t percent;
	uint32_t i;

	if (slurm_load_job(&jobs, job, SHOW_DETAIL)) {
		refused = "slurmctld does not say what it has";
		return false;
	}
	for (i = 0; i < jobs->record_count; i++) {
		if (jobs->job_array[i].job_id != job)
			continue;
		tres = jobs->job_array[i].tres_per_node;
		scripted = jobs->job_array[i].batch_flag;
	}
	percent = count_of(tres, "tgtime");
	line.percent = percent < 100 ? percent : 100;
	line.mem = count_of(tres, "tgmem") * MIB / (tasks ? tasks : 1);
	slurm_free_job_info_msg(jobs);
	if (!line.percent && !line.mem)
		refused = "it has neither tgmem nor tgtime (cli_filter.lua asks for them)";
	return !refused;
}

/* In slurmstepd, before it has tasks. */
int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv)
{
	uint32_t job, step, tasks = 1;

	if (spank_context() != S_CTX_REMOTE || !asked)
		return ESPANK_SUCCESS;
	if (spank_get_item(sp, S_JOB_ID, &job) || spank_get_item(sp, S_JOB_STEPID, &step) ||
	    step == SLURM_EXTERN_CONT)
		return ESPANK_SUCCESS;
	spank_get_item(sp, S_JOB_LOCAL_TASK_COUNT, &tasks);
	line.job = job;
	tasks_left = tasks;
	if (!load_amounts(job, tasks))
		return ESPANK_SUCCESS;
	if (step == SLURM_BATCH_SCRIPT)
		snprintf(line.name, sizeof(line.name), "%u-batch", job);
	else if (step == SLURM_INTERACTIVE_STEP)
		snprintf(line.name, sizeof(line.name), "%u-interactive", job);
	else
		snprintf(line.name, sizeof(line.name), "%u-%u", job, step);
	verdict = mmap(NULL, LINE_WHY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (verdict == MAP_FAILED)
		verdict = NULL;
	return ESPANK_SUCCESS;
}

/* --- a task --- */

/* The value of a variable of the job's, of any length; "": it has none. */
static const char *variable(spank_t sp, const char *name)
{
	const size_t len = strlen(name);
	char **env = NULL;

	spank_get_item(sp, S_JOB_ENV, &env);
	for (; env && *env; env++)
		if (!strncmp(*env, name, len) && (*env)[len] == '=')
			return *env + len + 1;
	return "";
}

/* Is the layer one of these? */
static bool has_layer(const char *list)
{
	const size_t len = strlen(layer);

	for (; list; list = strchr(list, ':')) {
		list += *list == ':';
		if (!strncmp(list, layer, len) && (!list[len] || list[len] == ':'))
			return true;
	}
	return false;
}

/* The layer goes before those that the user has chosen, if it is none of them. */
static void add_layer(spank_t sp)
{
	const char *had = variable(sp, "OPENCL_LAYERS");
	char *both;

	if (!has_layer(had) && asprintf(&both, "%s%s%s", layer, *had ? ":" : "", had) >= 0) {
		spank_setenv(sp, "OPENCL_LAYERS", both, 1);
		free(both);
	}
	if (strcmp(tgd_socket, TGD_SOCKET))
		spank_setenv(sp, "TGD_SOCKET", tgd_socket, 1);
}

/*
 * Does tgd answer? The step's first task finds out, and a tgd that is stopped is waited for once.
 * Under the lock.
 */
static bool answers(char why[LINE_WHY])
{
	bool ok;

	if (verdict && *verdict) {
		memcpy(why, verdict, LINE_WHY);
		return false;
	}
	ok = spec_change(tgd_socket, NULL, NULL, why);
	if (!ok && verdict)
		memcpy(verdict, why, LINE_WHY);
	return ok;
}

/*
 * Puts this task into the step's cgroup, and the step's line in force. The first change shows
 * whether tgd answers: if it does not, the task is not touched.
 */
static bool join(char why[LINE_WHY])
{
	int lock = spec_lock(tgd_socket);
	bool ok;

	if (lock < 0 && errno == ETIMEDOUT) {
		snprintf(why, LINE_WHY, "other steps keep %s.slurm locked", tgd_socket);
		return false;
	}
	if (lock < 0) {
		snprintf(why, LINE_WHY, "no tgd at %s: %s", tgd_socket, strerror(errno));
		return false;
	}
	ok = answers(why);
	if (ok) {
		spec_mark(tgd_socket, line.job);
		ok = step_enter(&line, why) && spec_change(tgd_socket, line.name, &line, why);
	}
	close(lock);
	return ok;
}

/* In the task, as root. */
int slurm_spank_task_init_privileged(spank_t sp, int argc, char **argv)
{
	char why[LINE_WHY] = "";
	int task = 0;

	if (*line.name && join(why))
		add_layer(sp);
	else if (*line.name)
		refused = why;
	spank_get_item(sp, S_TASK_ID, &task);
	if (refused && !task)
		slurm_error("timegraph: job %u is not scheduled on the GPU: %s", line.job, refused);
	refused = NULL;
	return ESPANK_SUCCESS;
}

/* --- the end --- */

/* Return: tgd has answered. */
static bool take_back(const char *name)
{
	char why[LINE_WHY];
	int lock = spec_lock(tgd_socket);
	bool ok;

	if (lock < 0)
		return false;
	ok = spec_change(tgd_socket, name, NULL, why);
	if (!ok)
		slurm_error("timegraph: %s: its line stays until another job comes: %s", name, why);
	close(lock);
	return ok;
}

static void record(spank_t sp)
{
	int64_t ns;

	if (account_read(tgd_socket, line.job, &ns))
		account_note(line.job, variable(sp, "SLURMD_NODENAME"), ns, false);
}

/*
 * In slurmstepd. After the last task an srun that has made the job ends it at once, and slurmctld takes
 * no record any more: so what the job has used by now is noted before srun hears of it. But a batch
 * script's steps do not wait for slurmctld, nor any for a tgd that has not answered the tasks.
 */
int slurm_spank_task_exit(spank_t sp, int argc, char **argv)
{
	if (*line.name && !scripted && !--tasks_left && !(verdict && *verdict))
		record(sp);
	return ESPANK_SUCCESS;
}

/* In slurmstepd the step has ended. */
int slurm_spank_exit(spank_t sp, int argc, char **argv)
{
	if (spank_context() == S_CTX_REMOTE && *line.name && take_back(line.name))
		record(sp);
	return ESPANK_SUCCESS;
}

/* In slurmd's helper, as root: the job has ended on this node, whatever became of its slurmstepd. */
int slurm_spank_job_epilog(spank_t sp, int argc, char **argv)
{
	char name[LINE_NAME];
	uint32_t job;
	int64_t ns;

	read_words(argc, argv);
	if (spank_get_item(sp, S_JOB_ID, &job))
		return ESPANK_SUCCESS;
	snprintf(name, sizeof(name), "%u", job);
	if (spec_unmark(tgd_socket, job)) {
		step_end_job(job);
		if (take_back(name) && account_read(tgd_socket, job, &ns))
			account_note(job, getenv("SLURMD_NODENAME"), ns, true);
	}
	return ESPANK_SUCCESS;
}
