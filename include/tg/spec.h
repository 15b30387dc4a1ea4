/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The specification: from text to a table, and which line a client gets (TimeGraph, section 3;
 * grammar in docs/spec-format.md).
 *
 * Terms (docs/glossary.md): entry, identity, line, match, serial.
 *
 *	policy NAME
 *	knob NAME VALUE
 *	name...:sched:resv:prio:C:T[:key=value,...]	# comment
 *	[vgpu NAME]:compute:copy:memory
 *
 * Parsing is pure: no allocation, no I/O, the same in the kernel, in tgctl and in the
 * tests. The host allocates room for tg_spec_room() entries, and keeps text and entries
 * alive and unchanged for as long as a tg_gpu uses the spec.
 */
#ifndef TG_SPEC_H
#define TG_SPEC_H

#include <tg/knobs.h>
#include <tg/types.h>

#define TG_SPEC_TEXT_MAX	65536	/* bytes of text */
#define TG_SPEC_PERIOD_MAX	(10 * TG_SEC)	/* longest T; the shortest is 1 us */
#define TG_SPEC_WEIGHT_MAX	10000
#define TG_SPEC_PATTERN_MAX	255	/* bytes in a name or qualified pattern */
#define TG_SPEC_MEM_MAX		(1024ULL << 30)	/* largest mem=, in bytes */
/* Knobs that a spec may set */
#define TG_SPEC_KNOBS_MAX	(TG_KNOBS + TG_HOST_KNOBS + TG_KNOBS_MAX)

/**
 * enum tg_match - what a pattern of an entry is held against
 * @TG_MATCH_COMM: the process's name, literally
 * @TG_MATCH_EXE: the executable's path, as a glob
 * @TG_MATCH_UID: the user's number, in decimal, as a glob
 * @TG_MATCH_CGROUP: the cgroup's path, as a glob
 * @TG_MATCH_KERNEL: the name of a driver whose own work it is, literally; beside no other of these
 *
 * @TG_MATCHES: how many there are
 *
 * A glob knows '*' (any run of characters, '/' too), '?' (any one) and nothing else.
 * Only @TG_MATCH_UID, @TG_MATCH_CGROUP of a cgroup that is not delegated, and @TG_MATCH_KERNEL,
 * which no process matches, are credentials (docs/threat-model.md).
 */
enum tg_match {
	TG_MATCH_COMM, TG_MATCH_EXE, TG_MATCH_UID, TG_MATCH_CGROUP, TG_MATCH_KERNEL, TG_MATCHES
};

/**
 * struct tg_str - a piece of the spec's text, quotes already left out
 * @off: its first byte's offset in the text
 * @len: bytes; 0 when absent
 */
struct tg_str {
	u32 off, len;
};

/**
 * struct tg_spec_entry - one line
 * @line: line number, from 1
 * @pattern: name and globs, by enum tg_match; each at most TG_SPEC_PATTERN_MAX bytes, 0 of
 *	those that the line does not name, and it names one at least, or @gpu. A plain name is cut
 *	to the 15 bytes that the kernel keeps of a process's name when it is matched
 * @gpu: the GPU on which alone the line counts: tg_spec_pci(); 0: it counts on all
 * @sched: PRT or HT
 * @resv: PE, AE, BG or CBS
 * @agpa: prio was '*': priority follows the foreground window (T11)
 * @nice: prio was `nice`: priority follows the process's on the CPU (tg/nice.h)
 * @prio: TG_PRIO_MIN to TG_PRIO_MAX; TG_PRIO_AGPA when @agpa, TG_PRIO_NICE when @nice
 * @capacity: C in ns; 0 only for BG, where it means: just be a member
 * @period: T in ns, at least @capacity, CBS: more; 0 exactly when @capacity is 0
 * @reserve: name of the shared reserve, at most TG_NAME_LEN - 1 bytes; not for BG
 * @weight: 1 to TG_SPEC_WEIGHT_MAX, default 1; where the line is a user's or cgroup's
 *	(tg_spec_sharer()), and shares are by these, it is that one's
 * @depth: 1 to TG_DEPTH_MAX groups in flight, 0: the policy's default
 * @vgpu: name of the virtual GPU, at most TG_NAME_LEN - 1 bytes
 * @mem: bytes of VRAM; 0: none named
 * @next_reserve: of the entries that are the first to name a shared reserve, the one before this,
 *	or -1
 */
struct tg_spec_entry {
	u32 line;
	u8 sched;
	u8 resv;
	bool agpa, nice;
	u8 prio;
	u8 depth;
	u16 weight;
	struct tg_str pattern[TG_MATCHES], reserve, vgpu;
	u64 gpu;
	s64 capacity, period;
	u64 mem;
	s32 next_reserve;
};

/**
 * struct tg_spec_vgpu - one [vgpu NAME] line
 * @line: line number, from 1
 * @name: 1 to TG_NAME_LEN - 1 bytes
 * @share: percent, 1 to 100; over all lines each adds up to 100 at most
 */
struct tg_spec_vgpu {
	u32 line;
	struct tg_str name;
	u8 share[TG_VGPU_SHARES];
};

/**
 * enum tg_knob_of - whose knob a spec sets
 * @TG_KNOB_OF_CORE: the core's: enum tg_knob
 * @TG_KNOB_OF_POLICY: that of the policy that the spec names
 * @TG_KNOB_OF_HOST: the host's: enum tg_host_knob
 */
enum tg_knob_of { TG_KNOB_OF_CORE, TG_KNOB_OF_POLICY, TG_KNOB_OF_HOST };

/**
 * struct tg_spec_place - where something stands in the text
 * @line: from 1
 * @column: in bytes, from 1
 */
struct tg_spec_place {
	u32 line, column;
};

/**
 * struct tg_spec_knob - one `knob NAME VALUE` line
 * @at: the value's place, for a host that must refuse it
 * @of: enum tg_knob_of
 * @nr: number of the knob among those
 * @value: within the range of its struct tg_param
 */
struct tg_spec_knob {
	struct tg_spec_place at;
	u32 of, nr;
	s64 value;
};

/**
 * struct tg_spec - a parsed specification
 * @text: as given to tg_spec_parse()
 * @entries: in the order of their lines
 * @nr: entries in use
 * @vgpus: the virtual GPUs, in the order of their lines
 * @nr_vgpus: how many
 * @policy: number of the policy that it names, or -1: the one in force stays
 * @policy_at: the place of that name
 * @knobs: the knobs that it sets, each once; others stay as they are
 * @nr_knobs: how many
 * @background: index of the first entry that configures the Background reserve (resv bg
 *	with C and T), or -1
 * @reserves: index of the last entry that is the first to name a shared reserve, or -1; others
 *	follow by next_reserve
 * @mem: an entry names VRAM
 * @serial: the host's number of this spec, never used again; 0: its identities keep no answers
 *	(struct tg_identity)
 */
struct tg_spec {
	const char *text;
	struct tg_spec_entry *entries;
	struct tg_spec_vgpu vgpus[TG_VGPUS_MAX];
	u32 nr, nr_vgpus;
	s32 policy;
	struct tg_spec_place policy_at;
	struct tg_spec_knob knobs[TG_SPEC_KNOBS_MAX];
	u32 nr_knobs;
	s32 background, reserves;
	bool mem;
	u32 serial;
};

/** tg_spec_sets() - the line that sets a knob; NULL: the spec does not name it */
static inline const struct tg_spec_knob *tg_spec_sets(const struct tg_spec *spec,
						      enum tg_knob_of of, u32 nr)
{
	const struct tg_spec_knob *knob;

	for (knob = spec->knobs; knob < spec->knobs + spec->nr_knobs; knob++)
		if (knob->of == of && knob->nr == nr)
			return knob;
	return NULL;
}

/**
 * struct tg_spec_error - the first thing that is wrong
 * @line: from 1
 * @column: in bytes, from 1; one past the line's end when something is missing there
 * @what: static text: what is wrong
 * @want: static text: what would be right
 */
struct tg_spec_error {
	u32 line, column;
	const char *what, *want;
};

/**
 * tg_spec_pci() - read a PCI address
 * @text: begins with it: DOMAIN:BUS:DEVICE.FUNCTION, in hexadecimal digits. The domain has 4 to 8
 *	of them; without it, it is 0
 * @len: bytes of text
 * @pci: its number: that of another address is another one, and 0 is none's
 *
 * Return: how many bytes the address has; 0: the text begins with none.
 */
u32 tg_spec_pci(const char *text, u32 len, u64 *pci);

/**
 * tg_spec_room() - how many entries a text can need at most
 * @text: the text
 * @len: its bytes
 *
 * Return: number of lines, at least 1.
 */
u32 tg_spec_room(const char *text, u32 len);

/**
 * tg_spec_parse() - parse a whole text, or refuse it whole
 * @spec: result; @spec->text and @spec->entries must be set by the caller, the latter with
 *	room for tg_spec_room() entries; undefined after an error
 * @len: bytes of text, at most TG_SPEC_TEXT_MAX
 * @err: filled in on error
 *
 * Refused beside what the grammar refuses: lines that name the same shared reserve with
 * another resv, C or T; two bg lines that configure Background differently; a repeated
 * set of patterns, of plain names the first 15 bytes, for the same GPU (the second could never
 * match); a repeated or TG_VGPUS_MAX + 1st virtual GPU, and shares of them that add up to more than
 * 100. Of several errors the one reported is the same everywhere; docs/spec-format.md says which.
 * Context: any; does not sleep; time grows with len and with the square of the number of
 * entries (at most some thousand).
 *
 * Return: 0, or -EINVAL with @err filled in.
 */
int tg_spec_parse(struct tg_spec *spec, u32 len, struct tg_spec_error *err);

/**
 * tg_spec_match() - which line a client gets
 * @spec: a parsed spec
 * @id: the client
 *
 * The first line whose patterns all match, and which counts on the client's GPU, wins. An identity
 * without exe, cgroup or gpu matches no line that names it. A driver's own work matches a line with
 * its kernel= alone, a process none.
 *
 * Return: the entry, or NULL: lowest priority, Background.
 */
const struct tg_spec_entry *tg_spec_match(const struct tg_spec *spec,
					  const struct tg_identity *id);

/**
 * tg_spec_sharer() - which line says the weight of a client's user or cgroup
 * @spec: a parsed spec
 * @id: the client
 * @by: TG_BY_USER or TG_BY_CGROUP
 *
 * The first line that names nothing but uid= (cgroup=), that counts on the client's GPU, and whose
 * glob matches the user that pays for the client (the path of the nearest cgroup that is not
 * delegated).
 *
 * Return: the entry, or NULL: the weight is 1.
 */
const struct tg_spec_entry *tg_spec_sharer(const struct tg_spec *spec,
					   const struct tg_identity *id, enum tg_share_by by);

#endif /* TG_SPEC_H */
