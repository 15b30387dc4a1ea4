// SPDX-License-Identifier: GPL-2.0
/*
 * Makes mutated specifications; see spec_mutate.h. A mutant begins as a text from the table of
 * seeds or as one put together at random, and goes through some changes. Gentle changes leave a
 * good text good most of the time (blanks, comments, quotes, other numbers); rough ones do not.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "spec_mutate.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct mutant {
	unsigned long long random;
	char *text;
	size_t len;
};

struct span {
	size_t at, len;
};

static const char *const seeds[] = {
	"",
	"# nothing but a comment\n\n   \t\n",
	"glxgears:prt:pe:10:2500:25000\n",
	"game:prt:pe:*:8000:16667:weight=200\nbomb:ht:ae:1:2500:25000:depth=2,mem=256M\n",
	"a:ht:pe:5:2500:25000:reserve=bombs\nb:ht:pe:6:2500:25000:reserve=bombs,depth=8\n"
	"c:prt:pe:7:2500:25000:weight=3,reserve=\"bombs\"\n",
	"tool:prt:pe:nice:2500:25000\nnice:ht:bg: nice :0:0\n",
	"\"Web Content\":ht:bg:0:0:0 # quoted\n*x:ht:bg:0:0:0\n",
	"exe=/usr/bin/foo*:ht:bg:0:2000:50000\nexe=\"/opt/my game/*\":ht:bg:0:0:0\n"
	"uid=1000:ht:bg:1:2000:50000\ncgroup=/user.slice/*:prt:pe:1:1:1:vgpu=\"v 1\"\n",
	"a:ht:pe:99:10000000:10000000:weight=10000,depth=64,mem=1024G,vgpu=v\r\n"
	"b:ht:pe:0:1:10000000:weight=1,depth=1,mem=1\r\n",
	"uid=1000 exe=/opt/*:prt:pe:5:1:2\ncgroup=\"/a b\"\tgame uid=100?:ht:bg:0:0:0\n"
	"exe=/opt/* uid=1001 :prt:pe:5:1:2\n",
	"kernel=nouveau:prt:pe:0:1:2:reserve=r\nkernel=\"x y\" : prt : bg : 00 : 0 : 0\na:ht:pe:3:1:2:reserve=r\n",
	"game gpu=0000:01:00.0:prt:pe:5:1:2\ngame gpu=\"01:00.1\" : prt : pe : 05 : 2 : 2 : reserve=r\n"
	"gpu=10101:Af:1f.7 uid=7:ht:bg:0:0:0\nkernel=nouveau gpu=00:02.0:prt:bg:0:0:0\ngpu=ab:00.0:ht:bg:0:0:0\n",
	"[vgpu a]:50:25:10\nx:ht:bg:0:0:0:vgpu=a\n  [vgpu \"b ]\"] : 50 : 75 : 090 # rest\r\n",
	"[vgpu 1]:1:1:1\n[vgpu 2]:1:1:1\n[vgpu 3]:1:1:1\n[vgpu 4]:1:1:1\n[vgpu 5]:1:1:1\n"
	"[vgpu 6]:1:1:1\n[vgpu 7]:1:1:1\n[vgpu 8]:1:1:1\n[vgpu 9]:1:1:1\n[vgpu 10]:1:1:1\n"
	"[vgpu 11]:1:1:1\n[vgpu 12]:1:1:1\n[vgpu 13]:1:1:1\n[vgpu 14]:1:1:1\n[vgpu 15]:1:1:1\n"
	"[vgpu 16]:1:1:1\n",
	"k\xc3\xa4se : prt : ae : 07 : 0001 : 2 : reserve=r\xc3\xb6st , weight = 2\n",
	"a:ht:bg:0:1:1\nb:ht:bg:0:1:2\n",
	"123456789012345:ht:pe:1:1:1\n1234567890123456:ht:pe:1:1:1\n",
	"policy timegraph\nknob lead_us 500\nknob timegraph_depth 4 # deep\nknob max_group_us 16.5ms\n"
	"knob poll_cpu 1\nknob admission_percent 80\na:prt:pe:1:2.5ms:0.025s\n",
	"  knob\tstall_us  1s \npolicy loga\r\nknob loga_poll_us 5000us\npolicy:ht:bg:0:0:0\n"
	"knob:ht:bg:0:0:0\n\"knob\" uid=1:ht:bg:0:0:0\n",
	"policy band\nknob band_period_us 0.0100000s\nknob share 2\nknob depth 7\n",
};

/* Pieces that mean something somewhere, most of the time not where they are put. */
static const char *const tokens[] = {
	"policy ", "knob ", "policy timegraph\n", "policy band\n", "\npolicy fifo\n", "policy nosuch", "lead_us", "timegraph_lead_us",
	"knob dry_run 1\n", "knob stall_us ", "knob share 1\n", "ms", "us", "s", "ns", "1.5ms", "0.5us", "2.", ".5s", "1000.000ms", "10s", "10.000001s",
	":", ",", "#", "\"", "=", "*", "?", " ", "\t", "\n", "\r", "\r\n", "/", "0", "-1", "+1",
	"1K", "1M", "1025G", "1.5G", "1g", "G", "0K", "64", "65", "99", "100", "10000", "10001",
	"10000000", "10000001", "4294967296", "9223372036854775808", "18446744073709551616",
	"1099511627776", "1099511627777", "17179869185G", "prt", "ht", "pe", "ae", "bg", "cbs", "nice",
	"PRT",
	"gpu=", "gpu=01:00.0", " gpu=\"0000:01:00.0\" ", "gpu=01:00.8 ", "00000000:01:00.0", "\ngpu=01:00.0:ht:bg:0:1:2\n",
	"exe=", "uid=", "cgroup=", "pid=", "kernel=", "kernel=nouveau", " kernel=a", "kernel=a:prt:bg:0:0:0\n", "exe=/a", "uid=1*", "uid=root", " uid=7", " exe=/b ", " a b", "uid=7 uid=8 ", "reserve=r", "reserve=",
	"weight=1", "weight=0", "[vgpu v]:50:50:50", "[vgpu ", "[", "]", "[vgpu a b]", "vgpu", "vGPU", "depth=65", "vgpu=v", "mem=1G", "wait=1", ":weight=2", ",depth=3",
	",vgpu=\"a,b\"", ":a:b", "::", ",,", "\"\"", "\" \"", "\"a:b\"", "name", "\xc3\xa4",
	"\xef\xbb\xbf", "\x7f", "\x1b[1m", "12345678901234567890123456789012",
	"a:ht:pe:1:1:1\n", "\na:ht:cbs:1:5:5\n", "\nb:prt:bg:0:0:0\n", "\n[vgpu w]:1:60:2\n", "\n# comment\n",
};

/* splitmix64: every state gives a good number, so seed and index can simply be mixed. */
static unsigned long long rnd(struct mutant *m)
{
	unsigned long long z = m->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static size_t below(struct mutant *m, size_t n)
{
	return rnd(m) % n;
}

static bool one_in(struct mutant *m, size_t n)
{
	return below(m, n) == 0;
}

/* Puts @n bytes in the place of @del bytes; does nothing if there is no room. */
static void replace(struct mutant *m, size_t at, size_t del, const char *bytes, size_t n)
{
	if (m->len - del + n > SPEC_MUTANT_MAX)
		return;
	memmove(m->text + at + n, m->text + at + del, m->len - at - del);
	memcpy(m->text + at, bytes, n);
	m->len = m->len - del + n;
}

static void append(struct mutant *m, const char *s)
{
	replace(m, m->len, 0, s, strlen(s));
}

static void append_number(struct mutant *m, unsigned long n)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%lu", n);
	append(m, digits);
}

/* A line with its LF, if it has one. */
static struct span any_line(struct mutant *m)
{
	struct span s = { m->len ? below(m, m->len) : 0, 0 };

	while (s.at && m->text[s.at - 1] != '\n')
		s.at--;
	while (s.at + s.len < m->len && m->text[s.at + s.len++] != '\n')
		;
	return s;
}

/* What stands between two bytes that end words; may be empty. */
static struct span any_word(struct mutant *m)
{
	static const char ends[] = ":,#=\" \t\r\n";
	struct span s = { m->len ? below(m, m->len) : 0, 0 };

	while (s.at && !memchr(ends, m->text[s.at - 1], sizeof(ends) - 1))
		s.at--;
	while (s.at + s.len < m->len &&
	       !memchr(ends, m->text[s.at + s.len], sizeof(ends) - 1))
		s.len++;
	return s;
}

/* --- a text at random ----------------------------------------------------------------- */

static void write_name(struct mutant *m, unsigned int line)
{
	static const char *const forms[] = {
		"p%u", "proc%u", "\"p %u\"", "exe=/bin/x%u", "exe=\"/opt/a b/%u*\"", "uid=10%u?",
		"cgroup=/user.slice/%u/*", "\xd0\xb6%u", "\"a=%u\"", "exe=*/y%u", "1234567890123%u",
		"kernel=k%u", "x gpu=\"1%04u:aB:1f.7\"",
	};
	char name[64];

	/* at times a number that an earlier line may have, too */
	snprintf(name, sizeof(name), forms[below(m, COUNT(forms))],
		 one_in(m, 12) ? (unsigned int)below(m, 4) : line);
	append(m, name);
}

static void write_vgpu(struct mutant *m)
{
	static const char *const forms[] = {
		"[vgpu v%u]", "[vgpu \"v: %u\"] ", " [vgpu\tv%u ] ", "[vgpu \"%u]\"]",
		"[vgpu\"w%u\"]",
	};
	char text[64];
	int i;

	snprintf(text, sizeof(text), forms[below(m, COUNT(forms))], (unsigned int)below(m, 64));
	append(m, text);
	for (i = 0; i < 3; i++) {
		append(m, one_in(m, 4) ? " : " : ":");
		append_number(m, one_in(m, 40) ? below(m, 200) : 1 + below(m, 25));
	}
	append(m, one_in(m, 8) ? " # comment: ]\n" : "\n");
}

static void write_options(struct mutant *m, bool background, size_t shared)
{
	static const char *const texts[] = {
		"weight=%lu", "depth=%lu", "mem=%luK", "mem=%luM", "mem=\"%lu\"", "vgpu=v%lu",
		"vgpu=\"v: %lu\"", "weight=\"%lu\"", "depth=0%lu",
	};
	const char *sep = ":";
	unsigned int used = 0;
	char option[64];

	if (shared && (!background || one_in(m, 100))) {
		snprintf(option, sizeof(option),
			 one_in(m, 2) ? ":reserve=r%zu" : ": reserve=\"r%zu\"", shared);
		append(m, option);
		sep = ",";
	}
	while (!one_in(m, 3)) {
		const char *form = texts[below(m, COUNT(texts))];

		if (used & 1 << form[0] % 32)
			continue;
		used |= 1 << form[0] % 32;
		snprintf(option, sizeof(option), form, 1 + (unsigned long)below(m, 64));
		append(m, sep);
		append(m, option);
		sep = one_in(m, 4) ? " , " : ",";
	}
}

/* Microseconds, plainly or with a unit. */
static void append_time(struct mutant *m, unsigned long us)
{
	char text[40];

	if (one_in(m, 2))
		snprintf(text, sizeof(text), "%lu", us);
	else if (one_in(m, 3))
		snprintf(text, sizeof(text), "%luus", us);
	else if (one_in(m, 2))
		snprintf(text, sizeof(text), "%lu.%03lums", us / 1000, us % 1000);
	else
		snprintf(text, sizeof(text), "%lu.%06lu0s", us / 1000000, us % 1000000);
	append(m, text);
}

static void write_settings(struct mutant *m)
{
	static const char *const texts[] = {
		"policy timegraph\n", "knob lead_us 500\n", "knob timegraph_depth 3\n",
		"knob stall_us 2.5ms # c\n", " knob  dry_run 0 \r\n", "knob max_group_us 1s\n",
		"knob poll_cpu 3\n",
	};
	size_t i, nr = below(m, COUNT(texts));

	for (i = 0; i <= nr; i++)
		append(m, texts[one_in(m, 16) ? below(m, COUNT(texts)) : i]);
}

static void write_entry(struct mutant *m, unsigned int line)
{
	static const char *const scheds[] = { ":prt:", ":ht:", " : ht : " };
	static const char *const resvs[] = { "pe:", "ae:", "bg:" };
	size_t resv = below(m, 3);
	size_t shared = one_in(m, 3) ? 1 + below(m, 2) : 0;
	unsigned long c = 1 + below(m, 10000000), t = c + below(m, 10000001 - c);

	/* lines of one reserve agree, but not always */
	if (resv == 2 || (shared && !one_in(m, 20))) {
		resv = resv == 2 ? 2 : shared % 2;
		c = one_in(m, 20) ? 7 : 10;
		t = one_in(m, 20) ? 19 : 20;
	}
	if (resv == 2 && one_in(m, 2)) {
		c = 0;
		t = 0;
	}
	write_name(m, line);
	append(m, scheds[below(m, 3)]);
	append(m, resvs[resv]);
	if (one_in(m, 5))
		append(m, "*");
	else
		append_number(m, below(m, 100));
	append(m, ":");
	append_time(m, c);
	append(m, ":");
	append_time(m, t);
	write_options(m, resv == 2, shared);
	append(m, one_in(m, 8) ? " # comment: \"\n" : "\n");
}

static void write_text(struct mutant *m)
{
	unsigned int lines = one_in(m, 50) ? 200 : 1 + below(m, 8);
	unsigned int i;

	if (one_in(m, 6))
		write_settings(m);
	for (i = 0; i < lines; i++) {
		if (one_in(m, lines > 50 ? 200 : 8))
			write_vgpu(m);
		write_entry(m, i);
	}
	for (i = one_in(m, 300) ? 17 : 0; i; i--) {
		append(m, "[vgpu of17-");
		append_number(m, i);
		append(m, "]:1:1:1\n");
	}
}

/* --- gentle changes ------------------------------------------------------------------- */

static void add_blanks(struct mutant *m)
{
	static const char *const blanks[] = { " ", "\t", "   ", " \t " };
	const char *b = blanks[below(m, COUNT(blanks))];
	size_t at = m->len ? below(m, m->len) : 0;

	while (at < m->len && !memchr(":\n,", m->text[at], 3))
		at++;
	if (one_in(m, 2) && at < m->len && m->text[at] != '\n')
		at++;
	replace(m, at, 0, b, strlen(b));
}

static void add_comment(struct mutant *m)
{
	static const char *const comments[] = {
		"#", " # a:b:c", "#\"", " # \xe2\x82\xac\t#", "# ends here",
	};
	const char *c = comments[below(m, COUNT(comments))];
	struct span s = any_line(m);

	if (s.len && m->text[s.at + s.len - 1] == '\n')
		s.len--;
	if (s.len && m->text[s.at + s.len - 1] == '\r')
		s.len--;
	replace(m, s.at + s.len, 0, c, strlen(c));
}

static void add_empty_line(struct mutant *m)
{
	static const char *const lines[] = { "\n", "\r\n", " \t\n", "# comment\n", "\t# :\r\n" };
	const char *l = lines[below(m, COUNT(lines))];

	replace(m, any_line(m).at, 0, l, strlen(l));
}

static void use_cr_lf(struct mutant *m)
{
	size_t i;

	for (i = 0; i < m->len; i++) {
		if (m->text[i] == '\n' && (!i || m->text[i - 1] != '\r'))
			replace(m, i++, 0, "\r", 1);
	}
}

static void drop_last_lf(struct mutant *m)
{
	if (m->len && m->text[m->len - 1] == '\n')
		m->len--;
}

static void delete_line(struct mutant *m)
{
	struct span s = any_line(m);

	replace(m, s.at, s.len, "", 0);
}

static void move_line(struct mutant *m)
{
	static char line[SPEC_MUTANT_MAX];
	struct span s = any_line(m);

	if (!s.len || m->text[s.at + s.len - 1] != '\n')
		return;
	memcpy(line, m->text + s.at, s.len);
	replace(m, s.at, s.len, "", 0);
	replace(m, any_line(m).at, 0, line, s.len);
}

/* Puts a line's name, or the value behind a =, into quotes. */
static void quote_value(struct mutant *m)
{
	struct span s = any_line(m);
	char *equals = memchr(m->text + s.at, '=', s.len);
	size_t end;

	if (equals && one_in(m, 2))
		s.at = equals + 1 - m->text;
	for (end = s.at; end < m->len && !memchr(":,# \t\r\n\"", m->text[end], 9); end++)
		;
	if (end == s.at)
		return;
	replace(m, end, 0, "\"", 1);
	replace(m, s.at, 0, "\"", 1);
}

static void change_number(struct mutant *m)
{
	static const unsigned long numbers[] = { 1, 2, 9, 10, 64, 65, 99, 100, 1000, 10000 };
	struct span s = any_word(m);
	char digits[24];

	if (!s.len || m->text[s.at] < '0' || m->text[s.at] > '9')
		return;
	snprintf(digits, sizeof(digits), one_in(m, 4) ? "00%lu" : "%lu",
		 numbers[below(m, COUNT(numbers))]);
	replace(m, s.at, s.len, digits, strlen(digits));
}

/* --- rough changes -------------------------------------------------------------------- */

static void change_byte(struct mutant *m)
{
	if (m->len)
		m->text[below(m, m->len)] = (char)rnd(m);
}

static void flip_bit(struct mutant *m)
{
	if (m->len)
		m->text[below(m, m->len)] ^= (char)(1 << below(m, 8));
}

static void add_byte(struct mutant *m)
{
	static const char bytes[] = ":,#\"=*?/ \t\n\r\0\x01\x7f-+.KGaZ09\x80\xff";

	replace(m, below(m, m->len + 1), 0, bytes + below(m, sizeof(bytes) - 1), 1);
}

static void delete_byte(struct mutant *m)
{
	if (m->len)
		replace(m, below(m, m->len), 1, "", 0);
}

static void add_token(struct mutant *m)
{
	const char *t = tokens[below(m, COUNT(tokens))];

	replace(m, below(m, m->len + 1), 0, t, strlen(t));
}

static void replace_word(struct mutant *m)
{
	const char *t = tokens[below(m, COUNT(tokens))];
	struct span s = any_word(m);

	replace(m, s.at, s.len, t, strlen(t));
}

static void delete_word(struct mutant *m)
{
	struct span s = any_word(m);

	replace(m, s.at, s.len, "", 0);
}

/* Deletes a word and the byte before it, mostly its : or , */
static void delete_field(struct mutant *m)
{
	struct span s = any_word(m);

	if (s.at)
		replace(m, s.at - 1, s.len + 1, "", 0);
}

static void swap_words(struct mutant *m)
{
	char word[2][300];
	struct span a = any_word(m), b = any_word(m), first, last;

	first = a.at < b.at ? a : b;
	last = a.at < b.at ? b : a;
	if (first.at + first.len > last.at || first.len > 300 || last.len > 300)
		return;
	memcpy(word[0], m->text + first.at, first.len);
	memcpy(word[1], m->text + last.at, last.len);
	replace(m, last.at, last.len, word[0], first.len);
	replace(m, first.at, first.len, word[1], last.len);
}

static void repeat_line(struct mutant *m)
{
	static char line[SPEC_MUTANT_MAX];
	struct span s = any_line(m);

	memcpy(line, m->text + s.at, s.len);
	replace(m, s.at, 0, line, s.len);
}

static void repeat_word(struct mutant *m)
{
	char word[300];
	struct span s = any_word(m);
	size_t times = 1 + below(m, 40);

	if (s.len > sizeof(word))
		return;
	memcpy(word, m->text + s.at, s.len);
	while (times--)
		replace(m, s.at, 0, word, s.len);
}

static void cut_end(struct mutant *m)
{
	m->len = below(m, m->len + 1);
}

static void join_lines(struct mutant *m)
{
	char *lf = m->len ? memchr(m->text, '\n', m->len) : NULL;

	if (lf)
		*lf = ' ';
}

/* --- and both ------------------------------------------------------------------------- */

static void (*const gentle[])(struct mutant *m) = {
	add_blanks, add_blanks, add_comment, add_empty_line, use_cr_lf, drop_last_lf, delete_line,
	move_line, quote_value, quote_value, change_number,
};

static void (*const rough[])(struct mutant *m) = {
	change_byte, flip_bit, add_byte, delete_byte, add_token, replace_word, delete_word,
	delete_field, swap_words, repeat_line, repeat_word, cut_end, join_lines,
};

/* Fills up to some bytes more or less than 64 KiB. */
static void fill(struct mutant *m)
{
	static const char *const fillers[] = { "#", "\n", " ", "# comment\r\n", "x" };
	const char *f = fillers[below(m, COUNT(fillers))];
	size_t n = strlen(f), goal = 65536 - 4 + below(m, 9);

	for (; m->len < goal; m->len++)
		m->text[m->len] = f[m->len % n];
	m->len = goal;
}

size_t spec_mutate(unsigned long long seed, unsigned long long index, char *out)
{
	struct mutant m = { seed, out, 0 };
	size_t changes;

	m.random = rnd(&m) ^ index;
	if (one_in(&m, 3))
		append(&m, seeds[below(&m, COUNT(seeds))]);
	else
		write_text(&m);
	for (changes = below(&m, 4); changes; changes--)
		gentle[below(&m, COUNT(gentle))](&m);
	if (one_in(&m, 2)) {
		for (changes = 1 + below(&m, 3); changes; changes--)
			rough[below(&m, COUNT(rough))](&m);
	}
	if (one_in(&m, 500))
		fill(&m);
	return m.len;
}
