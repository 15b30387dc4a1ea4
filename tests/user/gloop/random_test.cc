// SPDX-License-Identifier: GPL-2.0
/*
 * Random sequences of events against a model. Each logical block has a file of its own and a
 * sequence of 12 events, drawn at random: tasks, reads (some at a time, more than there are pages),
 * writes, truncation, fstat, a mapped page that is changed and written back, and calls that must
 * fail. Launches are suspended all the time. The model is an array of bytes; what each event gives
 * must be what the model says.
 *
 *	random_test [SEQUENCES [SEED]]
 */
#include "../../lib/test.h"
#include "../../../src/user/gloop/apps/app.h"

using gloop::DeviceLoop;

enum what { TASK, READ, MANY, WRITE, TRUNCATE, SIZE, CHANGE, WRONG, KINDS };

struct event { uint32_t what, offset, size, value; };

static constexpr uint32_t length = 12, page = 256, room = 1024;

struct player {
	const char *names;		/* 64 bytes each */
	const event *events;		/* length of each block */
	int64_t *results;		/* likewise */
	uint8_t *memory;		/* of each block: 8 pages */
	int32_t *open;			/* of each block: reads that are not back */

	GLOOP_DEVICE void operator()(DeviceLoop *loop) const
	{
		struct player self = *this;

		gloop::fs::open(loop, names + loop->logicalBlock() * 64, O_RDWR | O_CREAT | O_TRUNC, 0600,
				[=](DeviceLoop *loop, int fd) { self.step(loop, fd, 0); });
	}

	GLOOP_DEVICE uint8_t *mine(DeviceLoop *loop) const
	{
		return memory + loop->logicalBlock() * 8 * page;
	}

	/* A sum that depends on order, of a buffer that all threads see */
	GLOOP_DEVICE static int64_t sum(const uint8_t *p, int64_t n)
	{
		uint64_t s = n;

		for (int64_t i = 0; i < n; i++)
			s = s * 31 + p[i];
		return s;
	}

	GLOOP_DEVICE void done(DeviceLoop *loop, int fd, uint32_t i, int64_t result) const
	{
		loop->barrier();
		if (!loop->thread())
			results[loop->logicalBlock() * length + i] = result;
		step(loop, fd, i + 1);
	}

	GLOOP_DEVICE void change(DeviceLoop *loop, int fd, uint32_t i, const event &e) const
	{
		struct player self = *this;

		gloop::fs::map(loop, fd, e.offset, [=](DeviceLoop *loop, gloop::fs::mapping m) {
			if (m.size <= 0) {
				if (m.size == 0)
					gloop::fs::unmap(loop, m);
				self.done(loop, fd, i, m.size);
				return;
			}
			if (!loop->thread())
				m.at[e.size % m.size] = e.value;
			gloop::fs::sync(loop, m, [=](DeviceLoop *loop, int64_t n) {
				gloop::fs::unmap(loop, m);
				self.done(loop, fd, i, n);
			});
		});
	}

	/* Eight reads at a time, of two pages: the last that comes back goes on */
	GLOOP_DEVICE void several(DeviceLoop *loop, int fd, uint32_t i, const event &e) const
	{
		struct player self = *this;
		uint32_t block = loop->logicalBlock();

		if (!loop->thread())
			open[block] = 8;
		loop->barrier();
		for (int r = 0; r < 8; r++)
			gloop::fs::read(loop, fd, e.offset + r * 16, 16, mine(loop) + r * 16,
					[=](DeviceLoop *loop, int64_t) {
				loop->barrier();
				if (!loop->thread())
					self.open[block]--;
				loop->barrier();
				if (!self.open[block])
					self.done(loop, fd, i, sum(self.mine(loop), 128));
			});
	}

	GLOOP_DEVICE void step(DeviceLoop *loop, int fd, uint32_t i) const
	{
		struct player self = *this;
		event e = i < length ? events[loop->logicalBlock() * length + i] : event{};
		auto end = [=](DeviceLoop *loop, int64_t n) { self.done(loop, fd, i, n); };
		uint8_t *m = mine(loop);

		if (i == length) {
			gloop::fs::close(loop, fd, [=](DeviceLoop *, int) { });
			return;
		}
		switch (e.what) {
		case TASK:
			gloop::postTask(loop, [=](DeviceLoop *loop) { self.done(loop, fd, i, e.value); });
			break;
		case READ:
			gloop::fs::read(loop, fd, e.offset, e.size, m, [=](DeviceLoop *loop, int64_t n) {
				self.done(loop, fd, i, sum(m, n));
			});
			break;
		case MANY:
			for (uint32_t b = loop->thread(); b < 128; b += loop->threads())
				m[b] = e.value;
			several(loop, fd, i, e);
			break;
		case WRITE:
			for (uint32_t b = loop->thread(); b < e.size; b += loop->threads())
				m[b] = e.value + b;
			loop->barrier();
			gloop::fs::write(loop, fd, e.offset, e.size, m, end);
			break;
		case TRUNCATE:
			gloop::fs::ftruncate(loop, fd, e.offset, [=](DeviceLoop *loop, int error) {
				self.done(loop, fd, i, error);
			});
			break;
		case SIZE:
			gloop::fs::fstat(loop, fd, [=](DeviceLoop *loop, gloop::fs::stat s) {
				self.done(loop, fd, i, s.size);
			});
			break;
		case CHANGE:
			change(loop, fd, i, e);
			break;
		case WRONG:
			gloop::fs::read(loop, -1, e.offset, e.size, m, end);
			break;
		}
	}
};

static int64_t model_sum(const uint8_t *p, int64_t n)
{
	uint64_t s = n;

	for (int64_t i = 0; i < n; i++)
		s = s * 31 + p[i];
	return s;
}

/* What the same events do to an array of bytes */
static int64_t model(std::vector<uint8_t> *file, const event &e)
{
	uint32_t size = e.size < page ? e.size : page;
	std::vector<uint8_t> buffer(8 * page, e.value);
	uint32_t left = e.offset < file->size() ? file->size() - e.offset : 0;

	switch (e.what) {
	case TASK:
		return e.value;
	case READ:
		size = std::min(size, left);
		return model_sum(file->data() + e.offset, size);
	case MANY:
		std::copy_n(file->data() + e.offset, std::min(128u, left), buffer.data());
		return model_sum(buffer.data(), 128);
	case WRITE:
		if (file->size() < e.offset + size)
			file->resize(e.offset + size);
		for (uint32_t i = 0; i < size; i++)
			(*file)[e.offset + i] = e.value + i;
		return size;
	case TRUNCATE:
		file->resize(e.offset);
		return 0;
	case SIZE:
		return file->size();
	case CHANGE:
		size = std::min(page, left);
		if (size)
			(*file)[e.offset + e.size % size] = e.value;
		return size;
	}
	return -EBADF;
}

/* batch() - @n sequences in one launch; how many of them did as the model */
static uint32_t batch(enum gloop::io_kind kind, const char *folder, uint32_t n, uint64_t seed)
{
	apps::random next(seed);
	std::vector<char> names(n * 64);
	std::vector<event> events;
	uint32_t right = 0;

	for (uint32_t b = 0; b < n; b++)
		snprintf(&names[b * 64], 64, "%s/%u", folder, b);
	for (uint32_t i = 0; i < n * length; i++)
		events.push_back(event{next.below(KINDS), next.below(room), 1 + next.below(2 * page),
				       next.below(256)});
	apps::buffer<char> name(names);
	apps::buffer<event> list(events);
	apps::buffer<int64_t> results(n * length);
	apps::buffer<uint8_t> memory(n * 8 * page);
	apps::buffer<int32_t> open(n);
	gloop::HostLoop host(kind);
	gloop::launch_config k;

	k.logical = n;
	k.physical = 1 + next.below(4);
	k.page_bytes = page;
	k.pages = 1 + next.below(3);
	k.shared_slots = next.below(2);
	k.signal_us = next.below(2) * 50;
	k.suspend_us = 100 + next.below(400);
	apps::launch(&host, k, player{name.get(), list.get(), results.get(), memory.get(), open.get()});

	std::vector<int64_t> got = results.take();
	for (uint32_t b = 0; b < n; b++) {
		std::vector<uint8_t> file;
		bool same = true;

		for (uint32_t i = 0; i < length; i++) {
			int64_t want = model(&file, events[b * length + i]);

			if (same && want != got[b * length + i])
				printf("# seed %llu, block %u, event %u (%u): %lld, want %lld\n",
				       (unsigned long long)seed, b, i, events[b * length + i].what,
				       (long long)got[b * length + i], (long long)want);
			same &= want == got[b * length + i];
		}
		right += same;
		unlink(&names[b * 64]);
	}
	return right;
}

int main(int argc, char **argv)
{
	uint32_t sequences = argc > 1 ? atoi(argv[1]) : 10000;
	uint64_t seed = argc > 2 ? atoll(argv[2]) : 1;
	char folder[] = "/tmp/tg-gloop.XXXXXX";

	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	for (enum gloop::io_kind kind : {gloop::IO_ANY, gloop::IO_THREADS}) {
		uint32_t right = 0, n = sequences / 2, done = 0;
		char name[80];

		for (uint32_t i = 0; done < n; i++, done += 100)
			right += batch(kind, folder, std::min(100u, n - done), seed + i);
		snprintf(name, sizeof(name), "%u random sequences of events, %s", n,
			 kind == gloop::IO_ANY ? "any I/O" : "threads");
		test_row(name, right == n, "%u did as the model", right);
	}
	rmdir(folder);
	return test_end();
}
