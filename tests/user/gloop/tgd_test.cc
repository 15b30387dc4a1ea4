// SPDX-License-Identifier: GPL-2.0
/*
 * Turns from tgd: shares by weight, programs that do not give their turn back, the applications
 * while tgd suspends them every 10 ms, programs that wait for events, a daemon that dies. Each
 * program is a process with a kernel of one host thread; each part has a tgd of its own.
 *
 * Shares are of what all programs together held: a busy machine takes time from all of them. How
 * much of the time they held is printed beside.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <string>
#include <vector>

#include "../../../src/user/gloop/gloop.h"
#include "../../../src/user/gloop/tgd.h"
#include "apps_rows.h"
#include "overheard.h"

static const char head[] = "policy timeslice\nknob slice_us 10000\nknob job_deadline_us 1000000\n";
static char work[] = "/tmp/tg-gloopd.XXXXXX";

static std::string file(const char *name) { return std::string(work) + "/" + name; }

static double now_ms()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* A tgd with @spec, whose last words are kept */
class daemon_of {
public:
	explicit daemon_of(const std::string &spec, const char *option = nullptr)
	{
		FILE *f = fopen(file("spec").c_str(), "w");

		fputs(spec.c_str(), f);
		fclose(f);
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (!freopen(file("log").c_str(), "w", stderr))
				_exit(126);
			execl("build/bin/tgd", "tgd", "--socket", file("sock").c_str(), "--spec",
			      file("spec").c_str(), "--trace-kib", "65536", option, nullptr);
			_exit(127);
		}
		for (int i = 0; i < 500 && access(file("sock").c_str(), F_OK); i++)
			usleep(10000);
	}

	~daemon_of()
	{
		kill(pid, SIGTERM);
		waitpid(pid, nullptr, 0);
		unlink(file("sock").c_str());
	}

	std::string said()
	{
		char text[4096] = "";
		FILE *f = fopen(file("log").c_str(), "r");

		if (f) {
			text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
			fclose(f);
		}
		return text;
	}

	/* It says @text within 20 s */
	bool says(const std::string &text)
	{
		for (int i = 0; i < 2000; i++) {
			if (said().find(text) != std::string::npos)
				return true;
			usleep(10000);
		}
		return false;
	}

	pid_t pid;
};

/* What programs tell: how long each has held the turn, how often, and since when it does */
struct place { uint64_t held_ns, since_ns; uint32_t turns; };
static struct place *board;

static uint64_t held_ns(const struct place *p)
{
	uint64_t since = __atomic_load_n(&p->since_ns, __ATOMIC_ACQUIRE);

	return __atomic_load_n(&p->held_ns, __ATOMIC_ACQUIRE) +
	       (since ? (uint64_t)(now_ms() * 1e6) - since : 0);
}

class meter : public gloop::tgd {
public:
	explicit meter(int at) : at(board + at) { }

	bool take(uint32_t wait_us) override
	{
		bool got = gloop::tgd::take(wait_us);

		if (got) {
			__atomic_store_n(&at->since_ns, (uint64_t)(now_ms() * 1e6), __ATOMIC_RELEASE);
			__atomic_fetch_add(&at->turns, 1, __ATOMIC_RELAXED);
		}
		return got;
	}

	void give(bool again) override
	{
		uint64_t held = held_ns(at);

		__atomic_store_n(&at->since_ns, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&at->held_ns, held, __ATOMIC_RELEASE);
		gloop::tgd::give(again);
	}

private:
	struct place *at;
};

/* A kernel without end; from @stuck_ms on one of its callbacks does not return */
struct spin {
	double stuck_ms;

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const
	{
		struct spin self = *this;

		for (;;) {
			for (volatile int i = 0; i < 2000; i = i + 1)
				;
			while (stuck_ms && now_ms() >= stuck_ms)
				usleep(10000);
			if (gloop::postTaskIfNecessary(loop, self))
				return;
		}
	}
};

/* A kernel that waits for a connection which does not come */
struct awaits {
	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const
	{
		gloop::net::listen(loop, 0x7f000001, 0, [=](gloop::DeviceLoop *loop,
							    gloop::net::listener l) {
			gloop::net::accept(loop, l.socket, [=](gloop::DeviceLoop *, int64_t) { });
		});
	}
};

/* A crowd of programs p0, p1, ... */
class crowd {
public:
	~crowd()
	{
		for (pid_t p : programs) {
			kill(p, SIGKILL);
			waitpid(p, nullptr, 0);
		}
	}

	template <class F> void add(const F &entry)
	{
		int number = programs.size();
		pid_t p = fork();

		if (!p) {
			std::string name = "p" + std::to_string(number);
			gloop::launch_config k;

			prctl(PR_SET_PDEATHSIG, SIGKILL);
			prctl(PR_SET_NAME, name.c_str());
			k.logical = k.physical = 1;
			meter turns(number);
			gloop::HostLoop host(gloop::IO_ANY, &turns);
			host.launch(k, entry);
			_exit(0);
		}
		board[number] = place{};
		programs.push_back(p);
	}

	/* Each has @more turns from now on */
	bool go(uint32_t more = 2)
	{
		std::vector<struct place> first(board, board + programs.size());

		for (size_t i = 0; i < programs.size(); i++)
			for (int n = 0; board[i].turns < first[i].turns + more; n++) {
				if (n == 2000)
					return false;
				usleep(10000);
			}
		return true;
	}

	bool begins()
	{
		for (size_t i = 0; i < programs.size(); i++)
			for (int n = 0; !board[i].turns; n++) {
				if (n == 2000)
					return false;
				usleep(10000);
			}
		return true;
	}

	/* Percent of what all from @first on have held in @ms; @busy: how much of the time that was */
	std::vector<double> shares(uint32_t ms, double *busy, size_t first = 0)
	{
		double from = now_ms(), sum = 0;
		std::vector<double> v;

		for (size_t i = 0; i < programs.size(); i++)
			v.push_back(-(held_ns(board + i) / 1e6));
		usleep(ms * 1000);
		for (size_t i = 0; i < programs.size(); i++) {
			v[i] += held_ns(board + i) / 1e6;
			sum += i < first ? 0 : v[i];
		}
		*busy = sum * 100 / (now_ms() - from);
		for (double &x : v)
			x *= 100 / sum;
		return v;
	}

	std::vector<pid_t> programs;
};

static std::string lines(const std::vector<uint32_t> &weights, size_t first = 0)
{
	std::string text = head;

	for (size_t i = 0; i < weights.size(); i++)
		text += "p" + std::to_string(first + i) + " : prt : bg : 0 : 0 : 0 : weight=" +
			std::to_string(weights[i]) + "\n";
	return text;
}

/* Are the shares of programs @first, ... by @weights within 3 points? They are printed. */
static bool by_weight(const char *name, crowd *c, const std::vector<uint32_t> &weights, size_t first,
		      uint32_t ms)
{
	double busy, sum = 0;
	std::vector<double> v = c->shares(ms, &busy, first);
	bool right = true;

	for (uint32_t w : weights)
		sum += w;
	printf("# %s:", name);
	for (size_t i = 0; i < weights.size(); i++) {
		double off = v[first + i] - weights[i] * 100 / sum;

		right &= off < 3 && off > -3;
		printf(" %.1f", v[first + i]);
	}
	printf(" %% of what they held, which was %.1f %% of the time\n", busy);
	return right;
}

/* Up to three times: others may take the CPUs meanwhile */
static void row_of_shares(const char *name, crowd *c, const std::vector<uint32_t> &weights,
			  size_t first, bool more, uint32_t ms = 4000)
{
	bool right = false;

	for (int i = 0; more && i < 3 && !right; i++)
		right = by_weight(name, c, weights, first, ms);
	test_row(name, right, "three times");
}

static void shares(const char *name, const std::vector<uint32_t> &weights)
{
	daemon_of tgd(lines(weights));
	crowd c;

	for (size_t i = 0; i < weights.size(); i++)
		c.add(spin{0});
	bool all = c.go();
	row_of_shares(name, &c, weights, 0, all);
	std::string replay = "build/bin/tgctl --host user record " + file("trace") + " >/dev/null" +
			     " && build/bin/tgsim replay " + file("trace") + " >/dev/null";
	test_row((std::string(name) + ": the trace replays").c_str(), !system(replay.c_str()),
		 "see tgsim replay");
}

/* Two under @settings; then after @command, if there is one. Their shares are as these weights' */
static void settings(const char *name, const char *settings, const char *command = nullptr,
		     uint32_t ms = 4000, const std::vector<uint32_t> &weights = {1, 1})
{
	daemon_of tgd(settings);
	crowd c;

	c.add(spin{0});
	c.add(spin{0});
	bool all = c.begins() && (!command || !system(command)) && c.go();
	row_of_shares(name, &c, weights, 0, all, ms);
}

/* p0 does not suspend any more after half a second */
static void stuck(const char *option)
{
	daemon_of tgd(lines({2, 1}, 1), option);
	std::string name = "one that does not suspend", text, line;
	int status = 0;
	crowd c;

	c.add(spin{now_ms() + 500});
	c.add(spin{0});
	c.add(spin{0});
	line = "p0[" + std::to_string(c.programs[0]) + "] has not given its turn back in time";
	bool named = tgd.says(line);
	test_row((name + " is named").c_str(), named, "\"%s\"", tgd.said().c_str());
	row_of_shares(option ? "the others have their shares when it is ended" :
		      "the others have their shares beside it", &c, {2, 1}, 1, true);
	text = tgd.said();
	test_row("it is named once", text.find(line) == text.rfind(line), "\"%s\"", text.c_str());
	bool ended = waitpid(c.programs[0], &status, WNOHANG) > 0;
	bool says = text.find("; the program is ended\n") != text.npos;
	if (option) {
		test_row((name + " is ended where that was asked for").c_str(), ended && says &&
			 WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %x", status);
		c.programs[0] = c.programs[1];
		c.programs.erase(c.programs.begin() + 1);
	} else {
		test_row((name + " is left alone otherwise").c_str(), !ended && !says, "status %x",
			 status);
	}
}

static void applications()
{
	daemon_of tgd(head);
	crowd c;

	c.add(spin{0});
	bool runs = c.begins();
	test_row("a program runs beside the applications", runs, "it had no turn");
	gloop::tgd source;
	suspenders = {{"by tgd every 10 ms", 0, &source}};
	apps_rows();
}

static void rests()
{
	daemon_of tgd(head);
	double busy;
	crowd c;

	c.add(spin{0});
	c.add(awaits());
	bool runs = c.begins();
	std::vector<double> v = c.shares(2000, &busy);
	test_row("one that waits for events has no turn meanwhile", runs && v[1] < 3, "%.1f %%", v[1]);
}

static int count(gloop::HostLoop *host)
{
	gloop::launch_config k;
	static int sum;
	int *at = &sum;

	sum = 0;
	k.logical = 4;
	k.physical = 1;
	return host->launch(k, [=] GLOOP_DEVICE (gloop::DeviceLoop *) { ++*at; }) ? -1 : sum;
}

static void alone()
{
	std::string text;
	int sum;
	{
		overheard errors;
		gloop::tgd source;
		gloop::HostLoop host(gloop::IO_ANY, &source);

		sum = count(&host);
		text = errors.text();
	}
	test_row("without a daemon a program runs, and says so in a line", sum == 4 &&
		 text.c_str() == std::string("gloop: no tgd answers; this program runs unscheduled\n"),
		 "%d, \"%s\"", sum, text.c_str());
}

static void *stops(void *host)
{
	usleep(300000);
	((gloop::HostLoop *)host)->stop();
	return nullptr;
}

/* stop() reaches a program that waits for its turn. The next one that it asks for it gets. */
static void stop()
{
	daemon_of tgd("policy timeslice\nknob slice_us 10000\n");
	int error, sum = 0;
	pthread_t thread;
	{
		crowd c;
		gloop::launch_config k;

		c.add(spin{now_ms()});
		c.begins();
		gloop::tgd source;
		gloop::HostLoop host(gloop::IO_ANY, &source);

		pthread_create(&thread, nullptr, stops, &host);
		k.physical = 1;
		error = host.launch(k, spin{0});
		pthread_join(thread, nullptr);
		kill(c.programs[0], SIGKILL);
		sum = count(&host);
	}
	{
		gloop::tgd source;
		gloop::HostLoop host(gloop::IO_ANY, &source);
		gloop::launch_config k;

		pthread_create(&thread, nullptr, stops, &host);
		k.physical = 1;
		error += host.launch(k, spin{0}) - ECANCELED;
		pthread_join(thread, nullptr);
		sum += count(&host) - 4;
	}
	test_row("a program that has, or waits for, its turn is stopped", error == ECANCELED, "%d", error);
	test_row("and has the next one that it asks for", sum == 4, "%d", sum);
}

static void dies()
{
	daemon_of *tgd = new daemon_of(head);
	double busy;
	crowd c;

	c.add(spin{0});
	c.add(spin{0});
	bool before = c.go();
	kill(tgd->pid, SIGKILL);
	usleep(300000);
	delete tgd;
	tgd = new daemon_of(head);
	bool after = c.go(3);
	std::vector<double> v = c.shares(2000, &busy);
	test_row("the daemon dies: the next one finds both, and shares between them",
		 before && after && v[0] > 45 && v[0] < 55, "%d %d %.1f", before, after, v[0]);
	delete tgd;
}

int main()
{
	setvbuf(stdout, nullptr, _IOLBF, 0);
	board = (struct place *)mmap(nullptr, 16 * sizeof(*board), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED || !mkdtemp(work))
		return 2;
	setenv("TGD_SOCKET", file("sock").c_str(), 1);
	setenv("TGD_DAEMON", "/bin/false", 1);
	alone();
	shares("two of equal weight", {1, 1});
	shares("weights 2 and 1", {2, 1});
	shares("weights 4, 2 and 1", {4, 2, 1});
	shares("50, 25, 12.5, 12.5", {4, 2, 1, 1});
	settings("an open gate (dtimeslice)", "policy dtimeslice\nknob slice_us 10000\n");
	settings("no turns (timegraph): half of the deadline",
		 "policy timegraph\nknob job_deadline_us 200000\n", nullptr, 6000);
	settings("a reserve of 40 %, at a higher priority",
		 "policy timegraph\np0 : prt : pe : 90 : 20000 : 50000\np1 : prt : bg : 10 : 0 : 0\n",
		 nullptr, 4000, {2, 3});
	settings("no policy, then timeslice", "policy none\n",
		 "build/bin/tgctl --host user policy timeslice >/dev/null");
	stuck(nullptr);
	stuck("--end-stuck");
	rests();
	stop();
	dies();
	applications();
	return test_end() | (system(("rm -rf " + std::string(work)).c_str()) != 0);
}
