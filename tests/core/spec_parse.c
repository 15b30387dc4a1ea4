// SPDX-License-Identifier: GPL-2.0
/*
 * The specification's parser by tables: what good texts mean, and which byte of a bad one is
 * named with which words. Texts are parsed from memory of exactly their length, so that a
 * sanitizer sees a read of one byte too many.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tg/policy.h>

#define TEXT(s) { (s), sizeof(s) - 1 }

#define X10 "xxxxxxxxxx"
#define X50 "" X10 X10 X10 X10 X10
#define X250 "" X50 X50 X50 X50 X50

#define V4(x) "[vgpu " x "1]:1:1:1\n[vgpu " x "2]:1:1:1\n[vgpu " x "3]:1:1:1\n[vgpu " x "4]:1:1:1\n"

struct text {
	const char *bytes;
	size_t len;
};

static unsigned int passed, failed;

static void report(const char *name, const char *why)
{
	if (why) {
		printf("not ok %s: %s\n", name, why);
		failed++;
	} else {
		printf("ok %s\n", name);
		passed++;
	}
}

/* A text in memory of its own length, and what the parser made of it. */
struct parsed {
	char *text;
	struct tg_spec spec;
	struct tg_spec_error err;
	int ret;
};

static void parse(struct parsed *p, const char *text, size_t len)
{
	u32 room;

	p->text = malloc(len ? len : 1);
	memcpy(p->text, text, len);
	room = tg_spec_room(p->text, len);
	p->spec.text = p->text;
	p->spec.entries = malloc(room * sizeof(*p->spec.entries));
	memset(&p->err, 0, sizeof(p->err));
	p->ret = tg_spec_parse(&p->spec, len, &p->err);
}

static void parse_free(struct parsed *p)
{
	free(p->spec.entries);
	free(p->text);
}

/* --- texts that are good -------------------------------------------------------------- */

struct good {
	const char *name;
	struct text text;
	int background;
	const char *entries;	/* as render() writes them, one behind the other */
};

static const struct good goods[] = {
	{ "empty text", TEXT(""), -1, "" },
	{ "only a line end", TEXT("\n"), -1, "" },
	{ "only comments", TEXT("# one\n  # two\n\t\n#"), -1, "" },
	{ "plain", TEXT("glxgears:prt:pe:10:2500:25000\n"), -1,
	  "1 comm=glxgears prt pe 10 2500000/25000000 w1\n" },
	{ "no line end", TEXT("a:ht:ae:99:1:1"), -1, "1 comm=a ht ae 99 1000/1000 w1\n" },
	{ "CR LF", TEXT("a:ht:ae:0:1:1\r\n\r\nb:ht:ae:1:1:1\r"), -1,
	  "1 comm=a ht ae 0 1000/1000 w1\n3 comm=b ht ae 1 1000/1000 w1\n" },
	{ "blanks around everything", TEXT(" \ta : ht\t: ae :1 : 2 : 3 : weight=4 , depth=5 \t"),
	  -1, "1 comm=a ht ae 1 2000/3000 w4 d5\n" },
	{ "comment without a blank", TEXT("a:ht:pe:1:2:3#c"), -1,
	  "1 comm=a ht pe 1 2000/3000 w1\n" },
	{ "comment with everything in it", TEXT("a:ht:pe:1:2:3 # :,\"#\t\xc3\xa4"), -1,
	  "1 comm=a ht pe 1 2000/3000 w1\n" },
	{ "agpa", TEXT("a:prt:pe:*:1:1"), -1, "1 comm=a prt pe 50* 1000/1000 w1\n" },
	{ "nice", TEXT("a:prt:pe: nice :1:1"), -1, "1 comm=a prt pe 20nice 1000/1000 w1\n" },
	{ "a process called nice", TEXT("nice:ht:bg:nice:0:0"), -1,
	  "1 comm=nice ht bg 20nice 0/0 w1\n" },
	{ "bg member", TEXT("a:ht:bg:0:0:0"), -1, "1 comm=a ht bg 0 0/0 w1\n" },
	{ "bg configured", TEXT("a:ht:bg:0:0:0\nb:ht:bg:0:1000:30000\nc:ht:bg:0:1000:30000"), 1,
	  "1 comm=a ht bg 0 0/0 w1\n2 comm=b ht bg 0 1000000/30000000 w1\n"
	  "3 comm=c ht bg 0 1000000/30000000 w1\n" },
	{ "largest numbers", TEXT("a:ht:pe:99:10000000:10000000:weight=10000,depth=64,mem=1024G"),
	  -1, "1 comm=a ht pe 99 10000000000/10000000000 w10000 d64 m1099511627776\n" },
	{ "leading zeros", TEXT("a:ht:pe:007:00000000000000000000000000002:03"), -1,
	  "1 comm=a ht pe 7 2000/3000 w1\n" },
	{ "all keys", TEXT("a:ht:pe:1:2:3:reserve=r,weight=2,depth=3,vgpu=v,mem=4"), -1,
	  "1 comm=a ht pe 1 2000/3000 w2 d3 m4 reserve=r vgpu=v\n" },
	{ "all keys the other way round",
	  TEXT("a:ht:pe:1:2:3:mem=4,vgpu=v,depth=3,weight=2,reserve=r"), -1,
	  "1 comm=a ht pe 1 2000/3000 w2 d3 m4 reserve=r vgpu=v\n" },
	{ "quoted values", TEXT("a:ht:pe:1:2:3:reserve=\"r:, #\",weight=\"2\",mem=\"3K\""), -1,
	  "1 comm=a ht pe 1 2000/3000 w2 m3072 reserve=r:, #\n" },
	{ "suffixes", TEXT("a:ht:pe:1:1:1:mem=5K\nb:ht:pe:1:1:1:mem=6M\nc:ht:pe:1:1:1:mem=7G"), -1,
	  "1 comm=a ht pe 1 1000/1000 w1 m5120\n2 comm=b ht pe 1 1000/1000 w1 m6291456\n"
	  "3 comm=c ht pe 1 1000/1000 w1 m7516192768\n" },
	{ "times with units", TEXT("a:ht:pe:1:2.5ms:1.0s\nb:ht:bg:0:0ms:0s\nc:ht:pe:1:7us:0007.5000ms"), -1,
	  "1 comm=a ht pe 1 2500000/1000000000 w1\n2 comm=b ht bg 0 0/0 w1\n"
	  "3 comm=c ht pe 1 7000/7500000 w1\n" },
	{ "policy and knobs", TEXT("# c\npolicy timegraph # this\n knob lead_us 500\t\n"
				   "knob timegraph_depth 3\nknob stall_us 2.5ms\r\n"
				   "knob poll_cpu 2\na:ht:bg:0:0:0"), -1,
	  "7 comm=a ht bg 0 0/0 w1\npolicy timegraph 2:8\nknob policy 1=500 3:15\n"
	  "knob policy 0=3 4:22\nknob core 10=2500 5:15\nknob host 0=2 6:15\n" },
	{ "a knob and no policy", TEXT("knob dry_run 1"), -1, "knob core 5=1 1:14\n" },
	{ "clients called policy and knob", TEXT("policy:ht:bg:0:0:0\nknob : ht:bg:0:0:0\n"
						"\"policy\" uid=1:ht:bg:0:0:0"), -1,
	  "1 comm=policy ht bg 0 0/0 w1\n2 comm=knob ht bg 0 0/0 w1\n"
	  "3 comm=policy uid=1 ht bg 0 0/0 w1\n" },
	{ "virtual GPUs", TEXT("[vgpu a]:50:25:10\nx:ht:bg:0:0:0:vgpu=a\n"
			       " [vgpu  \"b ]\" ] : 50 : 75 : 090 # rest"), -1,
	  "2 comm=x ht bg 0 0/0 w1 vgpu=a\n1 vgpu=a 50/25/10\n3 vgpu=b ] 50/75/90\n" },
	{ "virtual GPU with a quoted name right behind the word", TEXT("[vgpu\"a\"]:1:2:100"), -1,
	  "1 vgpu=a 1/2/100\n" },
	{ "a name that begins with [", TEXT("\"[vgpu a]\":ht:bg:0:0:0"), -1,
	  "1 comm=[vgpu a] ht bg 0 0/0 w1\n" },
	{ "quoted name", TEXT("\"Web Content\":ht:pe:1:1:1"), -1,
	  "1 comm=Web Content ht pe 1 1000/1000 w1\n" },
	{ "quoted name with =", TEXT("\"exe=/a\":ht:pe:1:1:1"), -1,
	  "1 comm=exe=/a ht pe 1 1000/1000 w1\n" },
	{ "UTF-8 name", TEXT("k\xc3\xa4se:ht:pe:1:1:1"), -1,
	  "1 comm=k\xc3\xa4se ht pe 1 1000/1000 w1\n" },
	{ "exe", TEXT("exe=/usr/bin/foo*:ht:pe:1:1:1"), -1,
	  "1 exe=/usr/bin/foo* ht pe 1 1000/1000 w1\n" },
	{ "exe with = in it", TEXT("exe=*/a=b:ht:pe:1:1:1"), -1,
	  "1 exe=*/a=b ht pe 1 1000/1000 w1\n" },
	{ "exe quoted", TEXT("exe=\"/opt/my game/bin:1\":ht:pe:1:1:1"), -1,
	  "1 exe=/opt/my game/bin:1 ht pe 1 1000/1000 w1\n" },
	{ "uid", TEXT("uid=100?:ht:pe:1:1:1"), -1, "1 uid=100? ht pe 1 1000/1000 w1\n" },
	{ "cgroup", TEXT("cgroup=/user.slice/*:ht:pe:1:1:1"), -1,
	  "1 cgroup=/user.slice/* ht pe 1 1000/1000 w1\n" },
	{ "uid and exe", TEXT("uid=1000 exe=/opt/x/*:ht:pe:1:1:1"), -1,
	  "1 exe=/opt/x/* uid=1000 ht pe 1 1000/1000 w1\n" },
	{ "all of a client, and blanks", TEXT(" cgroup=/a\tgame  uid=\"7\" exe=\"/b c\" : ht:pe:1:1:1"),
	  -1, "1 comm=game exe=/b c uid=7 cgroup=/a ht pe 1 1000/1000 w1\n" },
	{ "same name, another user", TEXT("a uid=1:ht:pe:1:1:1\na uid=2:ht:pe:1:1:1\na:ht:pe:1:1:1"),
	  -1, "1 comm=a uid=1 ht pe 1 1000/1000 w1\n2 comm=a uid=2 ht pe 1 1000/1000 w1\n"
	  "3 comm=a ht pe 1 1000/1000 w1\n" },
	{ "a driver's own work", TEXT("kernel=nouveau : prt : pe : 0 : 1 : 2 : reserve=r\n"
	       "kernel=\"x\":prt:bg:0:0:0\n\"kernel=x\":ht:bg:9:0:0"), -1,
	  "1 kernel=nouveau prt pe 0 1000/2000 w1 reserve=r\n2 kernel=x prt bg 0 0/0 w1\n"
	  "3 comm=kernel=x ht bg 9 0/0 w1\n" },
	{ "GPUs", TEXT("a gpu=0001:0a:1f.7 : prt:pe:5:1:2\ngpu=01:00.0:ht:bg:0:0:0\n"
		       "gpu=\"ABCD1234:Fe:02.1\" uid=7:ht:pe:1:1:1# c\ngpu=00012345:00:00.0\t\"x\" : ht:bg:1:0:0"),
	  -1, "1 comm=a gpu=10a:1f.7 prt pe 5 1000/2000 w1\n2 gpu=1:0.0 ht bg 0 0/0 w1\n"
	  "3 uid=7 gpu=abcd1234fe:2.1 ht pe 1 1000/1000 w1\n4 comm=x gpu=1234500:0.0 ht bg 1 0/0 w1\n" },
	{ "same name, another GPU", TEXT("a gpu=01:00.0:ht:pe:1:1:1\na gpu=01:00.1:ht:pe:1:1:1\n"
					 "a gpu=0001:01:00.0:ht:pe:1:1:1\na:ht:pe:1:1:1"), -1,
	  "1 comm=a gpu=1:0.0 ht pe 1 1000/1000 w1\n2 comm=a gpu=1:0.1 ht pe 1 1000/1000 w1\n"
	  "3 comm=a gpu=101:0.0 ht pe 1 1000/1000 w1\n4 comm=a ht pe 1 1000/1000 w1\n" },
	{ "a driver's own work on a GPU", TEXT("gpu=01:00.0 kernel=x:prt:bg:0:0:0\n"
					       "kernel=x gpu=02:00.0:prt:pe:0:1:2"), -1,
	  "1 kernel=x gpu=1:0.0 prt bg 0 0/0 w1\n2 kernel=x gpu=2:0.0 prt pe 0 1000/2000 w1\n" },
	{ "a process called gpu", TEXT("gpu:ht:bg:0:0:0\n\"gpu=01:00.0\":ht:bg:0:0:0"), -1,
	  "1 comm=gpu ht bg 0 0/0 w1\n2 comm=gpu=01:00.0 ht bg 0 0/0 w1\n" },
	{ "same pattern, other kind", TEXT("exe=/a:ht:pe:1:1:1\ncgroup=/a:ht:pe:1:1:1"), -1,
	  "1 exe=/a ht pe 1 1000/1000 w1\n2 cgroup=/a ht pe 1 1000/1000 w1\n" },
	{ "names differ in byte 15",
	  TEXT("12345678901234A:ht:pe:1:1:1\n12345678901234B:ht:pe:1:1:1"), -1,
	  "1 comm=12345678901234A ht pe 1 1000/1000 w1\n"
	  "2 comm=12345678901234B ht pe 1 1000/1000 w1\n" },
	{ "shared reserve", TEXT("a:ht:pe:1:2:3:reserve=r\n\nb:prt:pe:9:2:3:reserve=\"r\""), -1,
	  "1 comm=a ht pe 1 2000/3000 w1 reserve=r\n3 comm=b prt pe 9 2000/3000 w1 reserve=r\n" },
	{ "longest short names",
	  TEXT("a:ht:pe:1:1:1:vgpu=" X10 X10 X10 "1,reserve=" X10 X10 X10 "2"), -1,
	  "1 comm=a ht pe 1 1000/1000 w1 reserve=" X10 X10 X10 "2 vgpu=" X10 X10 X10 "1\n" },
	{ "longest pattern", TEXT("exe=/" X250 "1234:ht:pe:1:1:1"), -1,
	  "1 exe=/" X250 "1234 ht pe 1 1000/1000 w1\n" },
};

static void render_str(char **out, const char *key, const char *text, struct tg_str s)
{
	if (s.len)
		*out += sprintf(*out, "%s=%.*s", key, (int)s.len, text + s.off);
}

static void render(char *out, const struct tg_spec *spec)
{
	static const char *const kinds[] = { "comm", "exe", "uid", "cgroup", "kernel" };
	static const char *const scheds[] = { "prt", "ht" };
	static const char *const resvs[] = { "pe", "ae", "bg", "cbs" };
	static const char *const whose[] = { "core", "policy", "host" };
	u32 i, k;

	*out = '\0';
	for (i = 0; i < spec->nr; i++) {
		const struct tg_spec_entry *e = &spec->entries[i];

		out += sprintf(out, "%u ", e->line);
		for (k = 0; k < TG_MATCHES; k++) {
			out += sprintf(out, "%s", out[-1] == ' ' || !e->pattern[k].len ? "" : " ");
			render_str(&out, kinds[k], spec->text, e->pattern[k]);
		}
		if (e->gpu)
			out += sprintf(out, "%sgpu=%llx:%x.%x", out[-1] == ' ' ? "" : " ",
				       (unsigned long long)(e->gpu & ~(1ULL << 48)) >> 8,
				       (u32)e->gpu >> 3 & 0x1f, (u32)e->gpu & 7);
		out += sprintf(out, " %s %s %u%s %lld/%lld w%u", scheds[e->sched], resvs[e->resv],
			       e->prio, e->agpa ? "*" : e->nice ? "nice" : "", (long long)e->capacity,
			       (long long)e->period, e->weight);
		if (e->depth)
			out += sprintf(out, " d%u", e->depth);
		if (e->mem)
			out += sprintf(out, " m%llu", (unsigned long long)e->mem);
		render_str(&out, " reserve", spec->text, e->reserve);
		render_str(&out, " vgpu", spec->text, e->vgpu);
		out += sprintf(out, "\n");
	}
	for (i = 0; i < spec->nr_vgpus; i++) {
		const struct tg_spec_vgpu *v = &spec->vgpus[i];

		out += sprintf(out, "%u", v->line);
		render_str(&out, " vgpu", spec->text, v->name);
		out += sprintf(out, " %u/%u/%u\n", v->share[TG_COMPUTE], v->share[TG_COPY],
			       v->share[TG_MEMORY]);
	}
	if (spec->policy >= 0)
		out += sprintf(out, "policy %s %u:%u\n", tg_policy_get(spec->policy)->name,
			       spec->policy_at.line, spec->policy_at.column);
	for (i = 0; i < spec->nr_knobs; i++)
		out += sprintf(out, "knob %s %u=%lld %u:%u\n", whose[spec->knobs[i].of],
			       spec->knobs[i].nr, (long long)spec->knobs[i].value,
			       spec->knobs[i].at.line, spec->knobs[i].at.column);
}

static void test_good(const struct good *row)
{
	char why[4096], got[2048];
	struct parsed p;

	parse(&p, row->text.bytes, row->text.len);
	why[0] = '\0';
	if (p.ret) {
		snprintf(why, sizeof(why), "refused at %u:%u: %s, want %s", p.err.line,
			 p.err.column, p.err.what, p.err.want);
	} else {
		render(got, &p.spec);
		if (strcmp(got, row->entries))
			snprintf(why, sizeof(why), "got '%s'", got);
		else if (p.spec.background != row->background)
			snprintf(why, sizeof(why), "background is %d", p.spec.background);
	}
	report(row->name, why[0] ? why : NULL);
	parse_free(&p);
}

/* --- texts that are bad --------------------------------------------------------------- */

struct bad {
	const char *name;
	struct text text;
	unsigned int line, column;
	const char *what;
};

#define EARLY "the line ends too early"
#define CONTROL "control character"
#define NUMBER "not a decimal number"
#define OTHER "unexpected character"
#define TIME "not a time"
#define BELOW "a setting below a client"
#define FINE "finer than a microsecond"

#define ADDRESS "not a PCI address"
#define LIMIT "Background's C on one GPU"
#define ALONE "kernel= beside another name"
#define HELD "a driver's own work is never held"

static const struct bad bads[] = {
	/* name */
	{ "no name", TEXT(":ht:pe:1:1:1"), 1, 1, "empty value" },
	{ "no name, blanks", TEXT(" \t:ht:pe:1:1:1"), 1, 3, "empty value" },
	{ "empty quoted name", TEXT("\"\":ht:pe:1:1:1"), 1, 2, "empty value" },
	{ "name with a blank", TEXT("Web Content:ht:pe:1:1:1"), 1, 5, "two names" },
	{ "two quoted names", TEXT("\"a\" uid=1 \"b\":ht:pe:1:1:1"), 1, 11, "two names" },
	{ "two users", TEXT("uid=1 exe=/a uid=x:ht:pe:1:1:1"), 1, 14, "repeated qualifier" },
	{ "a comma between qualifiers", TEXT("uid=1, exe=/a:ht:pe:1:1:1"), 1, 6, OTHER },
	{ "a comma behind a blank", TEXT("uid=1 ,exe=/a:ht:pe:1:1:1"), 1, 7, OTHER },
	{ "no blank between qualifiers", TEXT("uid=\"1\"exe=/a:ht:pe:1:1:1"), 1, 8, OTHER },
	{ "a second qualifier without a glob", TEXT("uid=1 exe=:ht:pe:1:1:1"), 1, 11, "empty value" },
	{ "a second qualifier unknown", TEXT("uid=1 pid=2:ht:pe:1:1:1"), 1, 7, "unknown word before =" },
	{ "a bad second glob", TEXT("uid=1 exe=/a cgroup=b:ht:pe:1:1:1"), 1, 21,
	  "path does not begin with /" },
	{ "a driver and a user", TEXT("kernel=a uid=1:prt:bg:0:0:0"), 1, 10, ALONE },
	{ "a path and a driver", TEXT("exe=/a kernel=a:prt:bg:0:0:0"), 1, 8, ALONE },
	{ "a driver and a group", TEXT("kernel=a cgroup=/:prt:bg:0:0:0"), 1, 10, ALONE },
	{ "a driver and a name", TEXT("kernel=a \"b\":prt:bg:0:0:0"), 1, 10, ALONE },
	{ "a name and a driver", TEXT("b kernel=a:prt:bg:0:0:0"), 1, 3, ALONE },
	{ "two drivers", TEXT("kernel=a kernel=b:prt:bg:0:0:0"), 1, 10, "repeated qualifier" },
	{ "no driver", TEXT("kernel=:prt:bg:0:0:0"), 1, 8, "empty value" },
	{ "a driver by glob", TEXT("kernel=no*:prt:bg:0:0:0"), 1, 10, "wildcard in a driver's name" },
	{ "a driver, ht", TEXT("kernel=a:ht:bg:0:0:0"), 1, 10, HELD },
	{ "a driver, ae", TEXT("kernel=a:prt:ae:0:1:1"), 1, 14, HELD },
	{ "a driver, cbs", TEXT("kernel=a:prt:cbs:0:1:2"), 1, 14, HELD },
	{ "a driver, a priority", TEXT("kernel=a:prt:pe:1:1:1"), 1, 17, HELD },
	{ "a driver, the foreground", TEXT("kernel=a:prt:pe:*:1:1"), 1, 17, HELD },
	{ "a driver, nice", TEXT("kernel=a:prt:pe:nice:1:1"), 1, 17, HELD },
	{ "a driver, no such priority", TEXT("kernel=a:prt:pe:100:1:1"), 1, 17, "prio out of range" },
	{ "a driver, a weight", TEXT("kernel=a:prt:pe:0:1:1:reserve=r,weight=1"), 1, 33, HELD },
	{ "a driver, a depth", TEXT("kernel=a:prt:pe:0:1:1:depth=1"), 1, 23, HELD },
	{ "a driver, a vgpu", TEXT("kernel=a:prt:pe:0:1:1:vgpu=v"), 1, 23, HELD },
	{ "a driver, memory", TEXT("kernel=a:prt:pe:0:1:1:mem=1"), 1, 23, HELD },
	{ "a driver twice", TEXT("kernel=a:prt:bg:0:0:0\n kernel=\"a\":prt:pe:0:1:1"), 2, 2,
	  "repeated name" },
	{ "a driver's reserve is another's", TEXT("a:ht:pe:3:1:2:reserve=r\nkernel=a:prt:pe:0:1:3:reserve=r"), 2, 21,
	  "another T than an earlier line of this reserve" },
	{ "no address", TEXT("gpu=:ht:bg:0:0:0"), 1, 5, "empty value" },
	{ "no address, and a name", TEXT("gpu= a:ht:bg:0:0:0"), 1, 5, "empty value" },
	{ "an empty address", TEXT("gpu=\"\":ht:bg:0:0:0"), 1, 6, "empty value" },
	{ "an address without an end", TEXT("gpu=\"01:00.0:ht:bg:0:0:0"), 1, 5, "quote without an end" },
	{ "the line ends behind gpu=", TEXT("a gpu="), 1, 7, EARLY },
	{ "the line ends behind an address", TEXT("a gpu=01:00.0"), 1, 14, EARLY },
	{ "a number for an address", TEXT("a gpu=0:ht:bg:0:0:0"), 1, 7, ADDRESS },
	{ "a render node", TEXT("gpu=/dev/dri/renderD128:ht:bg:0:0:0"), 1, 5, ADDRESS },
	{ "an address by glob", TEXT("gpu=01:00.*:ht:bg:0:0:0"), 1, 5, ADDRESS },
	{ "no function", TEXT("gpu=0000:01:00:ht:bg:0:0:0"), 1, 5, ADDRESS },
	{ "no function, quoted", TEXT("gpu=\"0000:01:00\":ht:bg:0:0:0"), 1, 6, ADDRESS },
	{ "function 8", TEXT("gpu=01:00.8:ht:bg:0:0:0"), 1, 5, ADDRESS },
	{ "function 00", TEXT("gpu=01:00.00:ht:bg:0:0:0"), 1, 5, ADDRESS },
	{ "device 20", TEXT("gpu=01:20.0:ht:bg:0:0:0"), 1, 5, ADDRESS },
	{ "a bus of one digit", TEXT("gpu=1:00.0:ht:bg:0:0:0"), 1, 5, ADDRESS },
	{ "a bus of three digits", TEXT("gpu=100:00.0:ht:bg:0:0:0"), 1, 5, ADDRESS },
	{ "a domain of three digits", TEXT("gpu=000:01:00.0:ht:bg:0:0:0"), 1, 5, ADDRESS },
	{ "a domain of nine digits", TEXT("gpu=000000000:01:00.0:ht:bg:0:0:0"), 1, 5, ADDRESS },
	{ "tgd's key", TEXT("gpu=pci:0000:01:00.0:ht:bg:0:0:0"), 1, 5, ADDRESS },
	{ "no hexadecimal digit", TEXT("gpu=0g:00.0:ht:bg:0:0:0"), 1, 5, ADDRESS },
	{ "a blank in an address", TEXT("gpu=\"01:00.0 \":ht:bg:0:0:0"), 1, 6, ADDRESS },
	{ "more behind an address", TEXT("gpu=01:00.0=a:ht:bg:0:0:0"), 1, 5, ADDRESS },
	{ "a quote behind an address", TEXT("gpu=01:00.0\"a\":ht:bg:0:0:0"), 1, 12, OTHER },
	{ "gpu in upper case", TEXT("GPU=01:00.0:ht:bg:0:0:0"), 1, 1, "unknown word before =" },
	{ "gpu= as a key", TEXT("a:ht:bg:0:0:0:gpu=01:00.0"), 1, 15, "unknown key" },
	{ "two GPUs", TEXT("gpu=01:00.0 a gpu=02:00.0:ht:bg:0:0:0"), 1, 15, "repeated qualifier" },
	{ "two GPUs, the second is none", TEXT("gpu=01:00.0 gpu=x:ht:bg:0:0:0"), 1, 13,
	  "repeated qualifier" },
	{ "the same name on a GPU", TEXT("a gpu=01:00.0:ht:bg:0:0:0\ngpu=\"00000000:01:00.0\" a:ht:bg:0:0:0"),
	  2, 1, "repeated name" },
	{ "the same driver on a GPU", TEXT("kernel=a gpu=AB:00.0:prt:bg:0:0:0\nkernel=a gpu=ab:00.0:prt:bg:0:0:0"),
	  2, 1, "repeated name" },
	{ "a GPU, a driver and a user", TEXT("gpu=01:00.0 kernel=a uid=1:prt:bg:0:0:0"), 1, 22, ALONE },
	{ "a user, a GPU and a driver", TEXT("uid=1 gpu=01:00.0 kernel=a:prt:bg:0:0:0"), 1, 19, ALONE },
	{ "Background on one GPU", TEXT("gpu=01:00.0:ht:bg:0:2ms:50ms"), 1, 21, LIMIT },
	{ "name with a comma", TEXT("a,b:ht:pe:1:1:1"), 1, 2, OTHER },
	{ "quote inside a name", TEXT("a\"b\":ht:pe:1:1:1"), 1, 2, OTHER },
	{ "text behind a quoted name", TEXT("\"a\"b:ht:pe:1:1:1"), 1, 4, OTHER },
	{ "quote without an end", TEXT("a:ht:pe:1:1:1\n \"b:ht:pe:1:1:1\n\""), 2, 2,
	  "quote without an end" },
	{ "star in a plain name", TEXT("foo*:ht:pe:1:1:1"), 1, 4, "wildcard in a plain name" },
	{ "question mark in a quoted name", TEXT("\"f?o\":ht:pe:1:1:1"), 1, 3,
	  "wildcard in a plain name" },
	{ "just a star", TEXT("*:ht:pe:1:1:1"), 1, 1, "wildcard in a plain name" },
	{ "name of 256 bytes", TEXT(X250 "123456:ht:pe:1:1:1"), 1, 256, "name too long" },
	{ "unknown qualifier", TEXT(" pid=1:ht:pe:1:1:1"), 1, 2, "unknown word before =" },
	{ "qualifier in upper case", TEXT("Exe=/a:ht:pe:1:1:1"), 1, 1, "unknown word before =" },
	{ "no qualifier", TEXT("=/a:ht:pe:1:1:1"), 1, 1, "unknown word before =" },
	{ "blank before =", TEXT("exe =/a:ht:pe:1:1:1"), 1, 5, "unknown word before =" },
	{ "blank after =", TEXT("exe= /a:ht:pe:1:1:1"), 1, 5, "empty value" },
	{ "empty exe", TEXT("exe=:ht:pe:1:1:1"), 1, 5, "empty value" },
	{ "relative exe", TEXT("exe=foo:ht:pe:1:1:1"), 1, 5, "path does not begin with /" },
	{ "relative cgroup", TEXT("cgroup=\"a b\":ht:pe:1:1:1"), 1, 9,
	  "path does not begin with /" },
	{ "exe of 256 bytes", TEXT("exe=/" X250 "12345:ht:pe:1:1:1"), 1, 260, "name too long" },
	{ "uid by name", TEXT("uid=1root:ht:pe:1:1:1"), 1, 6, "not a user number" },
	{ "quoted uid with a blank", TEXT("uid=\"1 \":ht:pe:1:1:1"), 1, 7, "not a user number" },
	{ "only a name", TEXT("a"), 1, 2, EARLY },
	{ "only a name and blanks", TEXT("a\t \r\nb"), 1, 4, EARLY },
	{ "only a name and a comment", TEXT("a #:ht:pe:1:1:1"), 1, 3, EARLY },
	{ "only a name and CR LF", TEXT("a\r\nb"), 1, 2, EARLY },

	/* sched, resv, prio */
	{ "no sched", TEXT("a:"), 1, 3, EARLY },
	{ "empty sched", TEXT("a: :pe:1:1:1"), 1, 4, "empty field" },
	{ "unknown sched", TEXT("a: rr:pe:1:1:1"), 1, 4, "unknown sched" },
	{ "sched in upper case", TEXT("a:HT:pe:1:1:1"), 1, 3, "unknown sched" },
	{ "sched too long", TEXT("a:prtx:pe:1:1:1"), 1, 3, "unknown sched" },
	{ "sched too short", TEXT("a:pr:pe:1:1:1"), 1, 3, "unknown sched" },
	{ "quoted sched", TEXT("a:\"ht\":pe:1:1:1"), 1, 3, "empty field" },
	{ "two words", TEXT("a:ht x:pe:1:1:1"), 1, 6, OTHER },
	{ "unknown resv", TEXT("a:ht:xx:1:1:1"), 1, 6, "unknown resv" },
	{ "no resv", TEXT("a:ht"), 1, 5, EARLY },
	{ "no prio", TEXT("a:ht:pe"), 1, 8, EARLY },
	{ "empty prio", TEXT("a:ht:pe::1:1"), 1, 9, "empty field" },
	{ "prio 100", TEXT("a:ht:pe:100:1:1"), 1, 9, "prio out of range" },
	{ "negative prio", TEXT("a:ht:pe:-1:1:1"), 1, 9, NUMBER },
	{ "prio with a letter", TEXT("a:ht:pe:1x:1:1"), 1, 10, NUMBER },
	{ "two stars", TEXT("a:ht:pe:**:1:1"), 1, 9, NUMBER },
	{ "nice with a number", TEXT("a:ht:pe:nice5:1:1"), 1, 9, NUMBER },
	{ "nice in upper case", TEXT("a:ht:pe:NICE:1:1"), 1, 9, NUMBER },
	{ "nice cut short", TEXT("a:ht:pe:nic:1:1"), 1, 9, NUMBER },
	{ "huge prio", TEXT("a:ht:pe:18446744073709551617:1:1"), 1, 9, "prio out of range" },

	/* C and T */
	{ "no C", TEXT("a:ht:pe:1"), 1, 10, EARLY },
	{ "no T", TEXT("a:ht:pe:1:1"), 1, 12, EARLY },
	{ "empty T", TEXT("a:ht:pe:1:1: # c"), 1, 14, EARLY },
	{ "C is 0 with pe", TEXT("a:ht:pe:1:0:0"), 1, 11, "C out of range" },
	{ "C is 0 with ae", TEXT("a:ht:ae:1:0:1"), 1, 11, "C out of range" },
	{ "C is 0, T is not", TEXT("a:ht:bg:1:0:1"), 1, 13, "T without C" },
	{ "T is 0, C is not", TEXT("a:ht:bg:1:1:0"), 1, 13, "T out of range" },
	{ "C too large", TEXT("a:ht:bg:1:10000001:10000001"), 1, 11, "C out of range" },
	{ "T too large", TEXT("a:ht:pe:1:1:10000001"), 1, 13, "T out of range" },
	{ "T less than C", TEXT("a:ht:pe:1:3: 2"), 1, 14, "T is less than C" },
	{ "guarantee of all", TEXT("a:ht:cbs:1:3: 3"), 1, 15, "a guarantee of the whole GPU" },
	{ "guarantee of more", TEXT("a:ht:cbs:1:3:2"), 1, 14, "T is less than C" },
	{ "guarantee of nothing", TEXT("a:ht:cbs:1:0:2"), 1, 12, "C out of range" },
	{ "a guarantee and a cap share", TEXT("a:ht:pe:1:2:3:reserve=r\nb:ht:cbs:1:2:3:reserve=r"),
	  2, 6, "another resv than an earlier line of this reserve" },
	{ "fraction without a unit", TEXT("a:ht:pe:1:1.5:2"), 1, 14, TIME },
	{ "fraction without digits", TEXT("a:ht:pe:1:1.ms:2"), 1, 13, TIME },
	{ "fraction without a whole", TEXT("a:ht:pe:1:.5ms:2"), 1, 11, TIME },
	{ "unknown unit", TEXT("a:ht:pe:1:1:2ns"), 1, 14, "unknown unit" },
	{ "unit in upper case", TEXT("a:ht:pe:1:1:2MS"), 1, 14, "unknown unit" },
	{ "blank before the unit", TEXT("a:ht:pe:1:1:2 ms"), 1, 15, OTHER },
	{ "unit alone", TEXT("a:ht:pe:1:ms:2"), 1, 11, TIME },
	{ "negative C", TEXT("a:ht:pe:1:-1:2"), 1, 11, TIME },
	{ "half a microsecond", TEXT("a:ht:pe:1:1:1.5us"), 1, 13, FINE },
	{ "half a microsecond in ms", TEXT("a:ht:pe:1:1:1.0005ms"), 1, 13, FINE },
	{ "C too large in s", TEXT("a:ht:pe:1:10.000001s:10s"), 1, 11, "C out of range" },
	{ "C of 2^64 s", TEXT("a:ht:pe:1:18446744073709551616s:10s"), 1, 11, "C out of range" },
	{ "T less than C in other units", TEXT("a:ht:pe:1:3ms:2999"), 1, 15, "T is less than C" },
	{ "quoted C", TEXT("a:ht:pe:1:\"1\":2"), 1, 11, "empty field" },
	{ "C of 2^64 + 1", TEXT("a:ht:pe:1:18446744073709551617:2"), 1, 11, "C out of range" },
	{ "options without a colon", TEXT("a:ht:pe:1:1:2 weight=1"), 1, 15, OTHER },
	{ "options after a comma", TEXT("a:ht:pe:1:1:2,weight=1"), 1, 14, OTHER },

	/* options */
	{ "empty list", TEXT("a:ht:pe:1:1:2:"), 1, 15, EARLY },
	{ "empty list, comment", TEXT("a:ht:pe:1:1:2: # c"), 1, 16, EARLY },
	{ "comma at the end", TEXT("a:ht:pe:1:1:2:weight=1,"), 1, 24, EARLY },
	{ "two commas", TEXT("a:ht:pe:1:1:2:weight=1,,depth=1"), 1, 24, "no key" },
	{ "no key", TEXT("a:ht:pe:1:1:2:=1"), 1, 15, "no key" },
	{ "unknown key", TEXT("a:ht:pe:1:1:2:weight=1, wait=1"), 1, 25, "unknown key" },
	{ "key too long", TEXT("a:ht:pe:1:1:2:weights=1"), 1, 15, "unknown key" },
	{ "repeated key", TEXT("a:ht:pe:1:1:2:weight=1,depth=2,weight=1"), 1, 32,
	  "repeated key" },
	{ "key without =", TEXT("a:ht:pe:1:1:2:weight"), 1, 21, EARLY },
	{ "key and a comma", TEXT("a:ht:pe:1:1:2:weight,depth=1"), 1, 21, "key without =" },
	{ "blank before a key's =", TEXT("a:ht:pe:1:1:2:weight =1"), 1, 21, "key without =" },
	{ "blank after a key's =", TEXT("a:ht:pe:1:1:2:weight= 1"), 1, 22, "empty value" },
	{ "no value", TEXT("a:ht:pe:1:1:2:weight="), 1, 22, EARLY },
	{ "empty value", TEXT("a:ht:pe:1:1:2:vgpu=\"\""), 1, 21, "empty value" },
	{ "two values", TEXT("a:ht:pe:1:1:2:vgpu=a b"), 1, 22, OTHER },
	{ "one colon too many", TEXT("a:ht:pe:1:1:2:vgpu=a:depth=1"), 1, 21, OTHER },
	{ "weight 0", TEXT("a:ht:pe:1:1:2:weight=0"), 1, 22, "weight out of range" },
	{ "weight 10001", TEXT("a:ht:pe:1:1:2:weight=10001"), 1, 22, "weight out of range" },
	{ "depth 0", TEXT("a:ht:pe:1:1:2:depth=0"), 1, 21, "depth out of range" },
	{ "depth 65", TEXT("a:ht:pe:1:1:2:depth=\"65\""), 1, 22, "depth out of range" },
	{ "quoted number with a blank", TEXT("a:ht:pe:1:1:2:depth=\"6 \""), 1, 23, NUMBER },
	{ "mem 0", TEXT("a:ht:pe:1:1:2:mem=0"), 1, 19, "mem out of range" },
	{ "mem 0K", TEXT("a:ht:pe:1:1:2:mem=0K"), 1, 19, "mem out of range" },
	{ "mem 1025G", TEXT("a:ht:pe:1:1:2:mem=1025G"), 1, 19, "mem out of range" },
	{ "mem 2^40 + 1", TEXT("a:ht:pe:1:1:2:mem=1099511627777"), 1, 19, "mem out of range" },
	{ "mem 2^40 K", TEXT("a:ht:pe:1:1:2:mem=1099511627776K"), 1, 19, "mem out of range" },
	{ "mem 2^34 + 1 G", TEXT("a:ht:pe:1:1:2:mem=17179869185G"), 1, 19, "mem out of range" },
	{ "mem with only a suffix", TEXT("a:ht:pe:1:1:2:mem=G"), 1, 19, NUMBER },
	{ "mem with two suffixes", TEXT("a:ht:pe:1:1:2:mem=1KB"), 1, 20, NUMBER },
	{ "mem with k", TEXT("a:ht:pe:1:1:2:mem=1k"), 1, 20, NUMBER },
	{ "mem with a fraction", TEXT("a:ht:pe:1:1:2:mem=1.5G"), 1, 20, NUMBER },
	{ "reserve of 32 bytes", TEXT("a:ht:pe:1:1:2:reserve=" X10 X10 X10 "12"), 1, 54,
	  "name too long" },
	{ "quoted vgpu of 32 bytes", TEXT("a:ht:pe:1:1:2:vgpu=\"" X10 X10 X10 "12\""), 1, 52,
	  "name too long" },
	{ "reserve with bg", TEXT("a:ht:bg:1:0:0: reserve=r"), 1, 16, "reserve= in a bg line" },

	/* bytes that are no text */
	{ "NUL in a name", TEXT("a\0b:ht:pe:1:1:1"), 1, 2, CONTROL },
	{ "NUL as a name", TEXT("\0:ht:pe:1:1:1"), 1, 1, CONTROL },
	{ "NUL in a quoted name", TEXT("\"a\0\":ht:pe:1:1:1"), 1, 3, CONTROL },
	{ "NUL in a quoted vgpu", TEXT("a:ht:pe:1:1:2:vgpu=\"x\0\""), 1, 22, CONTROL },
	{ "NUL in a comment", TEXT("a:ht:pe:1:1:1 # \0"), 1, 17, CONTROL },
	{ "NUL after the last line", TEXT("a:ht:pe:1:1:1\n\0"), 2, 1, CONTROL },
	{ "escape in a comment line", TEXT("\n# \x1b[1m"), 2, 3, CONTROL },
	{ "delete", TEXT("a:ht:pe:1:1:1\x7f"), 1, 14, CONTROL },
	{ "CR inside a line", TEXT("a:ht:pe\r:1:1:1"), 1, 8, CONTROL },
	{ "two CR before LF", TEXT("a:ht:pe:1:1:1\r\r\n"), 1, 14, CONTROL },
	{ "form feed for a blank", TEXT("a:\fht:pe:1:1:1"), 1, 3, CONTROL },
	{ "byte-order mark", TEXT("\xef\xbb\xbfz:ht:pe:1:1:1"), 1, 1, "byte-order mark" },

	/* which of several */
	{ "the first line", TEXT("a:ht:pe:1:1:1\nb:ht:pe:1:1\nc"), 2, 12, EARLY },
	{ "the first field", TEXT("a:ht:pe:1:1:x:y"), 1, 13, TIME },
	{ "a line before its peers", TEXT("a:ht:pe:1:1:1\na:ht:pe:1:1:1:x"), 2, 15, "unknown key" },
	{ "a comment before peers", TEXT("a:ht:pe:1:1:1\na:ht:pe:1:1:1 #\v"), 2, 16, CONTROL },

	/* lines that contradict each other */
	{ "repeated name", TEXT("a:ht:pe:1:1:1\n\n  \"a\":prt:ae:2:2:2"), 3, 3, "repeated name" },
	{ "repeated exe", TEXT("exe=\"/a\":ht:pe:1:1:1\n exe=/a:ht:pe:1:1:1"), 2, 2,
	  "repeated name" },
	{ "repeated names in another order", TEXT("uid=1 a:ht:pe:1:1:1\n a uid=1:ht:pe:1:1:1"), 2, 2,
	  "repeated name" },
	{ "same first 15 bytes", TEXT("123456789012345:ht:pe:1:1:1\n1234567890123456:ht:pe:1:1:1"),
	  2, 1, "repeated name" },
	{ "reserve with two resvs",
	  TEXT("a:ht:pe:1:2:3:reserve=r\nb:ht:ae:1:1:1:reserve=r"), 2, 6,
	  "another resv than an earlier line of this reserve" },
	{ "reserve with two Cs",
	  TEXT("a:ht:pe:1:2:3:reserve=r\nb:ht:pe:1:2:3:reserve=r\nc:ht:pe:1: 1:3:reserve=r"),
	  3, 12, "another C than an earlier line of this reserve" },
	{ "reserve with two Ts", TEXT("a:ht:pe:1:2:3:reserve=r\nb:ht:pe:1:2:4:reserve=\"r\""), 2,
	  13, "another T than an earlier line of this reserve" },
	{ "Background with two Cs", TEXT("a:ht:bg:1:2:3\nb:ht:bg:1:0:0\nc:ht:bg:1:1:3"), 3, 11,
	  "another C than an earlier line of this reserve" },
	{ "Background with two Ts", TEXT("a:ht:bg:1:2:3\nb:ht:bg:1:2:4"), 2, 13,
	  "another T than an earlier line of this reserve" },

	/* policy and knobs */
	{ "just policy", TEXT("policy"), 1, 7, EARLY },
	{ "policy and a comment", TEXT("policy # fifo"), 1, 8, EARLY },
	{ "unknown policy", TEXT("\npolicy  cfs"), 2, 9, "unknown policy" },
	{ "policy in upper case", TEXT("policy FIFO"), 1, 8, "unknown policy" },
	{ "Policy", TEXT("Policy fifo"), 1, 8, "two names" },
	{ "policy=", TEXT("policy=fifo"), 1, 1, "unknown word before =" },
	{ "quoted policy", TEXT("policy \"fifo\""), 1, 8, "empty field" },
	{ "two policies in a line", TEXT("policy fifo dfq"), 1, 13, OTHER },
	{ "a second policy", TEXT("policy fifo\npolicy fifo"), 2, 8, "a second policy" },
	{ "policy below a client", TEXT("a:ht:bg:0:0:0\n policy fifo"), 2, 2, BELOW },
	{ "policy below a virtual GPU", TEXT("[vgpu a]:1:1:1\npolicy fifo"), 2, 1, BELOW },
	{ "just knob", TEXT("knob "), 1, 6, EARLY },
	{ "unknown knob", TEXT("knob starved_us 1"), 1, 6, "unknown knob" },
	{ "knob without a value", TEXT("knob stall_us"), 1, 14, EARLY },
	{ "knob with two values", TEXT("knob stall_us 500 600"), 1, 19, OTHER },
	{ "knob with =", TEXT("knob stall_us=500"), 1, 6, "unknown knob" },
	{ "knob below its range", TEXT("knob stall_us 99"), 1, 15, "knob out of range" },
	{ "knob above its range", TEXT("knob stall_us 60.000001s"), 1, 15, "knob out of range" },
	{ "negative knob", TEXT("knob stall_us -1"), 1, 15, TIME },
	{ "knob without a unit's meaning", TEXT("knob predict_records 1ms"), 1, 23, NUMBER },
	{ "a policy's knob without its policy", TEXT("knob timegraph_lead_us 1"), 1, 6, "unknown knob" },
	{ "a policy's knob above its policy", TEXT("knob lead_us 1\npolicy timegraph"), 1, 6,
	  "unknown knob" },
	{ "another policy's knob", TEXT("policy fifo\nknob timegraph_lead_us 1"), 2, 6,
	  "unknown knob" },
	{ "repeated knob", TEXT("knob stall_us 500\nknob stall_us 500"), 2, 6, "repeated knob" },
	{ "repeated by its other name",
	  TEXT("policy timegraph\nknob timegraph_lead_us 1\nknob lead_us 2"), 3, 6, "repeated knob" },
	{ "knob below a client", TEXT("a:ht:bg:0:0:0\nknob stall_us 500"), 2, 1, BELOW },
	{ "a bad value below a client", TEXT("a:ht:bg:0:0:0\nknob stall_us 5"), 2, 15,
	  "knob out of range" },

	/* virtual GPUs */
	{ "another word after [", TEXT(" [gpu a]:1:1:1"), 1, 3, "unknown word after [" },
	{ "a blank after [", TEXT("[ vgpu a]:1:1:1"), 1, 2, "unknown word after [" },
	{ "just [", TEXT("["), 1, 2, EARLY },
	{ "vgpu and name in one word", TEXT("[vgpua]:1:1:1"), 1, 2, "unknown word after [" },
	{ "vgpu without a name", TEXT("[vgpu ]:1:1:1"), 1, 7, "empty value" },
	{ "vgpu with an empty name", TEXT("[vgpu \"\"]:1:1:1"), 1, 8, "empty value" },
	{ "vgpu with two names", TEXT("[vgpu a b]:1:1:1"), 1, 9, OTHER },
	{ "vgpu without ]", TEXT("[vgpu a:1:1:1"), 1, 8, OTHER },
	{ "vgpu that ends before ]", TEXT("[vgpu a # ]"), 1, 9, EARLY },
	{ "vgpu of 32 bytes", TEXT("[vgpu " X10 X10 X10 "12]:1:1:1"), 1, 38, "name too long" },
	{ "text behind ]", TEXT("[vgpu a]b:1:1:1"), 1, 9, OTHER },
	{ "vgpu without shares", TEXT("[vgpu a]"), 1, 9, EARLY },
	{ "vgpu with one share", TEXT("[vgpu a]:1\n"), 1, 11, EARLY },
	{ "vgpu with four shares", TEXT("[vgpu a]:1:1:1:1"), 1, 15, OTHER },
	{ "empty share", TEXT("[vgpu a]:1::1"), 1, 12, "empty field" },
	{ "share of 0", TEXT("[vgpu a]:1:0:1"), 1, 12, "share out of range" },
	{ "share of 101", TEXT("[vgpu a]:1:1: 101"), 1, 15, "share out of range" },
	{ "share with a sign", TEXT("[vgpu a]:1:1:50%"), 1, 16, "not a decimal number" },
	{ "repeated vgpu", TEXT("[vgpu a]:1:1:1\n[vgpu \"a\"]:100:1:1"), 2, 7,
	  "repeated virtual GPU" },
	{ "shares of more than 100 percent",
	  TEXT("[vgpu a]:50:25:1\n[vgpu b]:50:75:99\n[vgpu c]:1:1:1"), 3, 10,
	  "shares of more than 100 percent" },
	{ "copy shares of more than 100 percent", TEXT("[vgpu a]:50:25:9\n[vgpu b]:50:76:92"),
	  2, 13, "shares of more than 100 percent" },
	{ "memory shares of more than 100 percent", TEXT("[vgpu a]:50:25:9\n[vgpu b]:50:75:92"),
	  2, 16, "shares of more than 100 percent" },
	{ "17 virtual GPUs", TEXT(V4("a") V4("b") V4("c") V4("d") " [vgpu a1]:1:1:1"), 17, 2,
	  "too many virtual GPUs" },
};

static void test_bad(const struct bad *row)
{
	char why[512];
	struct parsed p;

	parse(&p, row->text.bytes, row->text.len);
	why[0] = '\0';
	if (!p.ret)
		snprintf(why, sizeof(why), "accepted");
	else if (p.ret != -EINVAL)
		snprintf(why, sizeof(why), "returned %d", p.ret);
	else if (p.err.line != row->line || p.err.column != row->column ||
		 strcmp(p.err.what, row->what) || !p.err.want || !*p.err.want)
		snprintf(why, sizeof(why), "got %u:%u: %s", p.err.line, p.err.column, p.err.what);
	report(row->name, why[0] ? why : NULL);
	parse_free(&p);
}

/* --- texts at the limit of length ----------------------------------------------------- */

struct sized {
	const char *name;
	const char *piece;	/* repeated until the text has @len bytes */
	size_t len;
	int ret;
	unsigned int line, column;
};

static const struct sized sizeds[] = {
	{ "64 KiB of comment", "#", 65536, 0, 0, 0 },
	{ "64 KiB of line ends", "\n", 65536, 0, 0, 0 },
	{ "one byte more of comment", "#", 65537, -EINVAL, 1, 65537 },
	{ "one byte more of line ends", "\n", 65537, -EINVAL, 65537, 1 },
	{ "too long counts before what is wrong", "?\n", 65537, -EINVAL, 32769, 1 },
	{ "1 MiB", "#345\n", 1 << 20, -EINVAL, 13108, 2 },
	{ "64 KiB of one name", "x", 65536, -EINVAL, 1, 256 },
	{ "64 KiB of one quoted name", "\"", 65536, -EINVAL, 1, 2 },
};

static void test_sized(const struct sized *row)
{
	char *text = malloc(row->len);
	size_t n = strlen(row->piece);
	struct parsed p;
	char why[256];
	size_t i;

	for (i = 0; i < row->len; i++)
		text[i] = row->piece[i % n];
	parse(&p, text, row->len);
	why[0] = '\0';
	if (p.ret != row->ret || p.err.line != row->line || p.err.column != row->column)
		snprintf(why, sizeof(why), "got %d at %u:%u", p.ret, p.err.line, p.err.column);
	report(row->name, why[0] ? why : NULL);
	parse_free(&p);
	free(text);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(goods); i++)
		test_good(&goods[i]);
	for (i = 0; i < ARRAY_SIZE(bads); i++)
		test_bad(&bads[i]);
	for (i = 0; i < ARRAY_SIZE(sizeds); i++)
		test_sized(&sizeds[i]);
	printf("%u passed, %u failed\n", passed, failed);
	return failed || !passed;
}
