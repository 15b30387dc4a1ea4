// SPDX-License-Identifier: GPL-2.0
/*
 * Which line of a specification a client gets: the first whose patterns all match, of those that
 * count on its GPU. And which line says the weight of its user or cgroup: the first of those that
 * names nothing else.
 *
 * Hosts call it before they take the GPU's lock, since its time is the client's choice (struct
 * tg_identity); match.c calls it under the lock for what a host has not matched. Pure: it reads the
 * spec and the identity, which the caller keeps alive.
 */
#include "spec.h"

/*
 * After a mismatch only the last '*' needs to take one byte more, since an earlier one could
 * only repeat what the last one tries: at worst len(glob) * len(subject) steps.
 */
static bool glob_matches(const char *glob, u32 len, const char *subject, u32 subject_len)
{
	const char *end = subject + subject_len;
	const char *again = NULL;	/* where the last '*' ends in the subject */
	u32 star = 0;			/* offset behind it in the glob */
	u32 i = 0;

	while (subject < end) {
		if (i < len && glob[i] == '*') {
			star = ++i;
			again = subject;
		} else if (i < len && (glob[i] == '?' || glob[i] == *subject)) {
			i++;
			subject++;
		} else if (again) {
			i = star;
			subject = ++again;
		} else {
			return false;
		}
	}
	while (i < len && glob[i] == '*')
		i++;
	return i == len;
}

/* Writes a number in decimal; @buf has room for the 10 digits of a u32 and a NUL. */
static void write_decimal(u32 value, char buf[11])
{
	char digits[10];
	u32 n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (n)
		*buf++ = digits[--n];
	*buf = '\0';
}

/* The number of the client's GPU; 0: it has no PCI address. */
static u64 gpu_of(const struct tg_identity *id)
{
	const u32 len = id->gpu ? strlen(id->gpu) : 0;
	u64 pci;

	return len && tg_spec_pci(id->gpu, len, &pci) == len ? pci : 0;
}

static bool counts_on(const struct tg_spec_entry *e, u64 gpu)
{
	return !e->gpu || e->gpu == gpu;
}

const struct tg_spec_entry *tg_spec_match(const struct tg_spec *spec,
					  const struct tg_identity *id)
{
	char uid[11];
	const char *const process[TG_MATCHES] = {
		[TG_MATCH_COMM] = id->comm,
		[TG_MATCH_EXE] = id->exe,
		[TG_MATCH_UID] = uid,
		[TG_MATCH_CGROUP] = id->cgroup,
	};
	const char *const driver[TG_MATCHES] = {
		[TG_MATCH_KERNEL] = id->comm + strlen(TG_KERNEL),
	};
	const char *const *subjects = id->kernel ? driver : process;
	const u64 gpu = gpu_of(id);
	const struct tg_spec_entry *e;
	struct tg_str pattern;
	enum tg_match i;

	write_decimal(id->uid, uid);
	for (e = spec->entries; e < spec->entries + spec->nr; e++) {
		/* A line of nothing but a GPU is for the processes there. */
		if (!counts_on(e, gpu) || (id->kernel && !e->pattern[TG_MATCH_KERNEL].len))
			continue;
		for (i = 0; i < TG_MATCHES; i++) {
			pattern = tg_spec_pattern(e, i);
			if (!pattern.len)
				continue;
			/* A name without wildcards, as a glob, matches literally. */
			if (!subjects[i] ||
			    !glob_matches(spec->text + pattern.off, pattern.len, subjects[i],
					  strlen(subjects[i])))
				break;
		}
		if (i == TG_MATCHES)
			return e;
	}
	return NULL;
}

/* Does the line name nothing but this, its GPU aside? */
static bool names_only(const struct tg_spec_entry *e, enum tg_match match)
{
	enum tg_match i;

	for (i = 0; i < TG_MATCHES; i++)
		if (i == match ? !e->pattern[i].len : e->pattern[i].len)
			return false;
	return true;
}

const struct tg_spec_entry *tg_spec_sharer(const struct tg_spec *spec,
					   const struct tg_identity *id, enum tg_share_by by)
{
	const enum tg_match match = by == TG_BY_USER ? TG_MATCH_UID : TG_MATCH_CGROUP;
	const char *subject = id->cgroup;
	const u64 gpu = gpu_of(id);
	const struct tg_spec_entry *e;
	char uid[11];
	u32 len;

	if (id->kernel)
		return NULL;
	if (by == TG_BY_USER) {
		write_decimal(id->payer, uid);
		subject = uid;
	}
	if (!subject)
		return NULL;
	len = by == TG_BY_USER ? strlen(uid) : tg_identity_cgroup(id);
	for (e = spec->entries; e < spec->entries + spec->nr; e++)
		if (counts_on(e, gpu) && names_only(e, match) &&
		    glob_matches(spec->text + e->pattern[match].off, e->pattern[match].len,
				 subject, len))
			return e;
	return NULL;
}
