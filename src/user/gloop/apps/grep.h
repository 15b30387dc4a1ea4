/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Grep: how often does each word occur in each file? Each logical block takes one file: it opens
 * it, reads it piece by piece, and searches each piece for one word after the other, with a task
 * for each word. For each word that the file has, it writes a line into the output file.
 */
#ifndef GLOOP_APPS_GREP_H
#define GLOOP_APPS_GREP_H

#include "app.h"

namespace apps {

struct grep {
	static constexpr uint32_t word_bytes = 32, name_bytes = 128, line_bytes = 192;

	const char *names;		/* name_bytes each */
	const char *words;		/* word_bytes each */
	uint32_t word_count, window;	/* bytes of a file at a time */
	int output;
	char *pieces;			/* of each block: window */
	char *lines;			/* of each block: line_bytes */
	uint32_t *counts;		/* of each block: word_count */
	uint32_t *end;			/* of the output file */
	uint32_t *errors;		/* files that could not be read to their end */

	GLOOP_DEVICE const char *name(uint32_t block) const { return names + block * name_bytes; }
	GLOOP_DEVICE char *piece(uint32_t block) const { return pieces + (size_t)block * window; }

	/* Occurrences of @word that begin in the first @starts of @n bytes */
	template <class T>
	GLOOP_DEVICE void search(T *team, const char *text, uint32_t n, uint32_t starts,
				 uint32_t word) const
	{
		const char *w = words + word * word_bytes;
		uint32_t found = 0;

		for (uint32_t i = team->thread(); i < starts; i += team->threads()) {
			uint32_t k = 0;

			while (w[k] && i + k < n && text[i + k] == w[k])
				k++;
			found += !w[k];
		}
		if (found)
			gloop::env::fetch_add(counts + team->logicalBlock() * word_count + word, found);
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const
	{
		struct grep self = *this;

		gloop::fs::open(loop, name(loop->logicalBlock()), O_RDONLY, 0,
				[=](gloop::DeviceLoop *loop, int fd) {
			if (fd < 0)
				self.failed(loop);
			else
				self.next(loop, fd, 0);
		});
	}

	GLOOP_DEVICE void failed(gloop::DeviceLoop *loop) const
	{
		if (!loop->thread())
			gloop::env::fetch_add(errors, 1u);
	}

	/* Each piece begins with what the one before could only begin to match */
	GLOOP_DEVICE void next(gloop::DeviceLoop *loop, int fd, uint64_t offset) const
	{
		struct grep self = *this;

		gloop::fs::read(loop, fd, offset, window, piece(loop->logicalBlock()),
				[=](gloop::DeviceLoop *loop, int64_t n) {
			if (n < 0)
				self.failed(loop);
			if (n > 0)
				self.word(loop, fd, offset, n, 0);
			else
				self.close(loop, fd);
		});
	}

	GLOOP_DEVICE void word(gloop::DeviceLoop *loop, int fd, uint64_t offset, uint32_t n,
			       uint32_t w) const
	{
		struct grep self = *this;
		uint32_t keep = n == window ? word_bytes : 0;

		if (w == word_count) {
			if (keep)
				next(loop, fd, offset + n - keep);
			else
				next(loop, fd, offset + n);
			return;
		}
		search(loop, piece(loop->logicalBlock()), n, n - keep, w);
		gloop::postTask(loop, [=](gloop::DeviceLoop *loop) {
			self.word(loop, fd, offset, n, w + 1);
		});
	}

	GLOOP_DEVICE void close(gloop::DeviceLoop *loop, int fd) const
	{
		struct grep self = *this;

		gloop::fs::close(loop, fd, [=](gloop::DeviceLoop *loop, int) { self.tell(loop, 0); });
	}

	GLOOP_DEVICE static char *append(char *to, const char *text)
	{
		while (*text)
			*to++ = *text++;
		return to;
	}

	/* "COUNT WORD FILE\n"; returns its length */
	GLOOP_DEVICE uint32_t line(uint32_t block, uint32_t w) const
	{
		char *begin = lines + block * line_bytes, *p = begin + 10;
		uint32_t n = counts[block * word_count + w];

		for (uint32_t i = 0; i < 10; i++, n /= 10)
			*--p = '0' + n % 10;
		p = append(begin + 10, " ");
		p = append(p, words + w * word_bytes);
		p = append(p, " ");
		p = append(p, name(block));
		*p++ = '\n';
		return p - begin;
	}

	GLOOP_DEVICE void tell(gloop::DeviceLoop *loop, uint32_t w) const
	{
		struct grep self = *this;
		uint32_t block = loop->logicalBlock();
		uint32_t *place = counts + block * word_count;

		loop->barrier();
		while (w < word_count && !place[w])
			w++;
		if (w == word_count)
			return;
		loop->barrier();
		uint32_t n = 0;
		if (!loop->thread()) {
			n = line(block, w);
			place[w] = gloop::env::fetch_add(end, n);
			lines[block * line_bytes + line_bytes - 1] = n;
		}
		loop->barrier();
		n = (unsigned char)lines[block * line_bytes + line_bytes - 1];
		gloop::fs::write(loop, output, place[w], n, lines + block * line_bytes,
				 [=](gloop::DeviceLoop *loop, int64_t done) {
			if (done != n)
				self.failed(loop);
			self.tell(loop, w + 1);
		});
	}
};

#ifdef __CUDACC__
/* The plain form has all files in memory, file after file */
struct grep_plain {
	struct grep g;
	const char *text;
	const uint32_t *starts;

	template <class T> __device__ void plain(T *team) const
	{
		uint32_t from = starts[team->logicalBlock()];
		uint32_t n = starts[team->logicalBlock() + 1] - from;

		for (uint32_t w = 0; w < g.word_count; w++)
			g.search(team, text + from, n, n, w);
	}
};
#endif

class grep_run {
public:
	/* Makes @files files of about @size bytes below @folder */
	grep_run(const std::string &folder, uint32_t files, uint32_t size, uint32_t word_count,
		 uint32_t threads, uint32_t window, uint64_t seed)
		: folder(folder), threads(threads), window(window), words(make_words(word_count)),
		  texts(make_texts(files, size, seed)), name(names()), word(flat_words()),
		  pieces((size_t)files * window), lines(files * grep::line_bytes),
		  counts(files * word_count), end(1), errors(1)
	{
		for (uint32_t i = 0; i < files; i++)
			put(path(i), texts[i]);
	}

	~grep_run()
	{
		for (uint32_t i = 0; i < texts.size(); i++)
			unlink(path(i).c_str());
		unlink((folder + "/out").c_str());
	}

	/* @output: where lines go, but to the file `out` if it is NULL */
	void gloop(gloop::HostLoop *host, gloop::launch_config config,
		   gloop::launch_stats *stats = nullptr, const char *output = nullptr)
	{
		std::string to = output ? output : folder + "/out";
		int fd = open(to.c_str(), O_WRONLY | O_CREAT | (output ? 0 : O_TRUNC), 0600);

		counts.clear();
		end.clear();
		errors.clear();
		config.logical = texts.size();
		config.threads = threads;
		config.page_bytes = window;
		launch(host, config, grep{name.get(), word.get(), (uint32_t)words.size(), window, fd,
					  pieces.get(), lines.get(), counts.get(), end.get(),
					  errors.get()}, stats);
		::close(fd);
	}
#ifdef __CUDACC__
	/* Copies the files to the device, and searches them there */
	void plain()
	{
		std::vector<char> all;
		std::vector<uint32_t> starts;

		counts.clear();
		for (uint32_t i = 0; i < texts.size(); i++) {
			std::string text(texts[i].size(), 0);
			int fd = open(path(i).c_str(), O_RDONLY);

			if (::read(fd, &text[0], text.size()) != (ssize_t)text.size())
				text.clear();
			::close(fd);
			starts.push_back(all.size());
			all.insert(all.end(), text.begin(), text.end());
		}
		starts.push_back(all.size());
		buffer<char> text(all);
		buffer<uint32_t> start(starts);
		grep g = {name.get(), word.get(), (uint32_t)words.size(), window, -1, nullptr,
			  nullptr, counts.get(), end.get(), errors.get()};
		run_plain(texts.size(), threads, 0, grep_plain{g, text.get(), start.get()});
	}
#endif

	uint32_t failures() const { return errors.take()[0]; }
	std::string path(uint32_t i) const { return folder + "/file" + std::to_string(i); }

	bool same() const
	{
		std::vector<std::string> want, got;
		std::string text = get(folder + "/out"), line;

		for (uint32_t i = 0; i < texts.size(); i++) {
			for (const std::string &w : words) {
				uint32_t n = 0;
				char count[16];

				for (size_t at = texts[i].find(w); at != std::string::npos;
				     at = texts[i].find(w, at + 1))
					n++;
				snprintf(count, sizeof(count), "%010u", n);
				if (n)
					want.push_back(count + (" " + w) + " " + path(i));
			}
		}
		for (char c : text) {
			if (c != '\n') {
				line += c;
				continue;
			}
			got.push_back(line);
			line.clear();
		}
		std::sort(want.begin(), want.end());
		std::sort(got.begin(), got.end());
		return want == got;
	}

private:
	static void put(const std::string &path, const std::string &text)
	{
		FILE *f = fopen(path.c_str(), "w");

		if (!f || fwrite(text.data(), 1, text.size(), f) != text.size() || fclose(f)) {
			perror(path.c_str());
			exit(1);
		}
	}

	static std::string get(const std::string &path)
	{
		std::string text;
		char some[4096];
		size_t n;
		FILE *f = fopen(path.c_str(), "r");

		while (f && (n = fread(some, 1, sizeof(some), f)))
			text.append(some, n);
		if (f)
			fclose(f);
		return text;
	}

	static std::vector<std::string> make_words(uint32_t n)
	{
		static const char *const parts[] = {"ba", "ko", "li", "nu", "sa", "te", "ri", "mo"};
		std::vector<std::string> v;

		for (uint32_t i = 0; i < n; i++) {
			std::string w;

			for (uint32_t k = i + 9; k; k /= 8)
				w += parts[k % 8];
			v.push_back(w);
		}
		return v;
	}

	std::vector<std::string> make_texts(uint32_t files, uint32_t size, uint64_t seed) const
	{
		std::vector<std::string> v;
		random next(seed);

		for (uint32_t i = 0; i < files; i++) {
			std::string text;

			while (text.size() < size / 2 + size / files * i)
				text += words[next.below(words.size())] + " ";
			v.push_back(text);
		}
		return v;
	}

	std::vector<char> names() const
	{
		std::vector<char> v(texts.size() * grep::name_bytes);

		for (uint32_t i = 0; i < texts.size(); i++)
			snprintf(&v[i * grep::name_bytes], grep::name_bytes, "%s", path(i).c_str());
		return v;
	}

	std::vector<char> flat_words() const
	{
		std::vector<char> v(words.size() * grep::word_bytes);

		for (uint32_t i = 0; i < words.size(); i++)
			snprintf(&v[i * grep::word_bytes], grep::word_bytes, "%s", words[i].c_str());
		return v;
	}

	std::string folder;
	uint32_t threads, window;
	std::vector<std::string> words, texts;
	buffer<char> name, word, pieces, lines;
	buffer<uint32_t> counts, end, errors;
};

}	/* namespace apps */

#endif /* GLOOP_APPS_GREP_H */
