# SPDX-License-Identifier: GPL-2.0
# timegraph.ko, for the kernels under build/cache/kernel.
#
#	make kmod			for every kernel that scripts/setup has fetched
#	make kmod K='6.1 7.2'		for these
#	make kmod KVER=... KDIR=...	for any kernel with headers
#	make kmod-sparse, kmod-checkpatch
#
#	make kmod-wrong K=6.1		one with policies more that are wrong on purpose (tests/vm/wrong)
#	make kmod-deaf K=6.1		one without a redirect, to be chosen at load
#	make kmod-timed K=6.1		one that knows how long its locks are held (tests/vm/sections)
#	make kmod-probe K=6.1		what takes the time inside nouveau (tests/vm/probe)
#	make kmod-refuse K=6.1		nouveau refuses on request (tests/vm/refuse)
#	make kmod-wake K=6.1		what wakes a system that sleeps (tests/vm/wake)
#	make kmod-late K=6.1		threads come late out of a function (tests/vm/late)
#	make kmod-mock K=6.1		tgmock, the test card of drm_sched (tests/vm/mock)
#
# Objects and the module go to build/kmod/$KVER, whose sources are links to ours.

include mk/version.mk

KMOD_CACHE := build/cache/kernel
KMOD_SOURCE := build/cache/source/6.1
K ?= $(patsubst $(KMOD_CACHE)/%/release,%,$(wildcard $(KMOD_CACHE)/*/release))
KMOD_OUT := build/kmod
STRIP ?= strip
# `enter` runs a command where the kernel's compiler is. BTF of ours would need pahole, and nobody reads it.
KMOD_NO_BTF := CONFIG_DEBUG_INFO_BTF_MODULES= CONFIG_PAHOLE_VERSION= PAHOLE_VERSION=
KMOD_MAKE = $(wildcard $(dir $(KDIR))enter) $(MAKE) --no-print-directory -C $(KDIR) \
	M=$(abspath $(KMOD_OUT)/$(KVER)) W=1 KCFLAGS=-Werror TIMEGRAPH_VERSION=$(VERSION) \
	$(KMOD_NO_BTF) $(KMOD_ARGS)

.PHONY: kmod kmod-one kmod-sparse kmod-checkpatch

ifneq ($(KVER),)
KDIR ?= /lib/modules/$(KVER)/build
kmod: kmod-one
else
kmod:
	@[ -n "$(K)" ] || { echo "kmod: no kernel: run scripts/setup, or name KVER= and KDIR=" >&2; exit 1; }
	@for k in $(K); do \
		$(MAKE) --no-print-directory kmod-one KVER=$$(cat $(KMOD_CACHE)/$$k/release) \
			KDIR=$(abspath $(KMOD_CACHE))/$$k/build || exit 1; \
	done
endif

kmod-one:
	@[ -e "$(KDIR)/Makefile" ] || { echo "kmod: no kernel headers at '$(KDIR)'" >&2; exit 1; }
	@mkdir -p $(KMOD_OUT)/$(KVER)
	@find $(KMOD_OUT)/$(KVER) -xtype l -delete
	@mkdir -p $(KMOD_OUT)/$(KVER)/src
	@cp -rs --remove-destination $(abspath Kbuild include) $(KMOD_OUT)/$(KVER)/
	@cp -rs --remove-destination $(abspath src/core src/policy src/kmod $(KMOD_PLUS)) $(KMOD_OUT)/$(KVER)/src/
	+@$(KMOD_MAKE) modules

# For the VM case `ejection`: the same module, but for rows in the table of policies, and their files. To build/vm/bin
KMOD_WRONG := build/wrong/plus/policy
.PHONY: kmod-wrong
kmod-wrong:
	@mkdir -p $(KMOD_WRONG) build/vm/bin
	@ln -sf $(abspath $(wildcard tests/vm/wrong/*.c)) $(KMOD_WRONG)/
	@sed 's/row(vfifo)/row(vfifo) row(lazy) row(liar)/' src/policy/list.c >$(KMOD_WRONG)/list.c.new
	@cmp -s $(KMOD_WRONG)/list.c.new $(KMOD_WRONG)/list.c || cp $(KMOD_WRONG)/list.c.new $(KMOD_WRONG)/list.c
	@rm $(KMOD_WRONG)/list.c.new
	@$(MAKE) --no-print-directory kmod K='$(K)' KMOD_OUT=build/wrong KMOD_PLUS=$(KMOD_WRONG)
	@for k in $(K); do \
		r=$$(cat $(KMOD_CACHE)/$$k/release); \
		$(STRIP) -g -o build/vm/bin/timegraph-wrong-$$r.ko build/wrong/$$r/timegraph.ko || exit 1; \
	done

# For the VM case `proof`: the same module, but the redirect of one hook, deaf=N, does not happen. To build/vm/bin
KMOD_DEAF := build/deaf/plus/kmod
.PHONY: kmod-deaf
kmod-deaf:
	@mkdir -p $(KMOD_DEAF) build/vm/bin
	@sed -e 's/^static __always_inline void prove_entry(/static int deaf = -1;\nmodule_param(deaf, int, 0);\n\n&/' \
		-e '/^\tWRITE_ONCE(proof.hook->site, ip);/i\\tif (proof.hook - proof.driver->hooks == deaf)\n\t\treturn;' \
		src/kmod/hook.c >$(KMOD_DEAF)/hook.c.new
	@grep -q 'hooks == deaf' $(KMOD_DEAF)/hook.c.new
	@cmp -s $(KMOD_DEAF)/hook.c.new $(KMOD_DEAF)/hook.c || cp $(KMOD_DEAF)/hook.c.new $(KMOD_DEAF)/hook.c
	@rm $(KMOD_DEAF)/hook.c.new
	@$(MAKE) --no-print-directory kmod K='$(K)' KMOD_OUT=build/deaf KMOD_PLUS=$(KMOD_DEAF)
	@for k in $(K); do \
		r=$$(cat $(KMOD_CACHE)/$$k/release); \
		$(STRIP) -g -o build/vm/bin/timegraph-deaf-$$r.ko build/deaf/$$r/timegraph.ko || exit 1; \
	done

# For the VM boots `sections` and `sections-files`: the same module, which takes the time of its sections under locks. To build/vm/bin
KMOD_TIMED := build/timed/plus/kmod
.PHONY: kmod-timed
kmod-timed:
	@mkdir -p $(KMOD_TIMED) build/vm/bin
	@ln -sf $(abspath tests/vm/sections/timed.c) $(KMOD_TIMED)/
	@sed 's/^\ttgk_trace_begin(/\ttgt_event(ev->kind); tgk_trace_begin(/' src/kmod/feed.c >$(KMOD_TIMED)/feed.c.new
	@sed 's/^\tdestroy_workqueue(tgk_wq);/&\n\ttgt_tell();/' src/kmod/main.c >$(KMOD_TIMED)/main.c.new
	@for f in feed.c main.c; do \
		grep -q 'tgt_' $(KMOD_TIMED)/$$f.new || exit 1; \
		cmp -s $(KMOD_TIMED)/$$f.new $(KMOD_TIMED)/$$f || cp $(KMOD_TIMED)/$$f.new $(KMOD_TIMED)/$$f; \
		rm $(KMOD_TIMED)/$$f.new; \
	done
	@$(MAKE) --no-print-directory kmod K='$(K)' KMOD_OUT=build/timed KMOD_PLUS=$(KMOD_TIMED) \
		KMOD_ARGS='KCFLAGS="-include $(abspath tests/vm/sections/timed.h)"'
	@for k in $(K); do \
		r=$$(cat $(KMOD_CACHE)/$$k/release); \
		$(STRIP) -g -o build/vm/bin/timegraph-timed-$$r.ko build/timed/$$r/timegraph.ko || exit 1; \
	done

# Modules that only tests load, of one file each: `probe`, for the VM cases `cost-time`, `cost-gl` and `cost-company`, takes
# the time that a submission spends in nouveau; `refuse`, for `refusals`, answers in nouveau's place; `wake`, for `suspend`,
# ends a sleep; `late`, for `memory`, widens a window; `mock`, for `drmsched`, is a driver and its card. To build/vm/bin
.PHONY: kmod-probe kmod-refuse kmod-wake kmod-late kmod-mock kmod-test-one
kmod-probe kmod-refuse kmod-wake kmod-late kmod-mock: kmod-%:
	@mkdir -p build/vm/bin
	@for k in $(K); do \
		r=$$(cat $(KMOD_CACHE)/$$k/release); \
		mkdir -p build/$*/$$r; \
		cp -p tests/vm/$*/tg_*.[ch] build/$*/$$r/; \
		echo 'obj-m := tg_$*.o' >build/$*/$$r/Makefile; \
		$(MAKE) kmod-test-one KVER=$$r KMOD_OUT=build/$* KDIR=$(abspath $(KMOD_CACHE))/$$k/build || exit 1; \
		$(STRIP) -g -o build/vm/bin/tg_$*-$$r.ko build/$*/$$r/tg_$*.ko || exit 1; \
	done

kmod-test-one:
	+@$(KMOD_MAKE) modules

# Sparse looks at every file again, beside the compiler; what it says is an error.
kmod-sparse:
	@$(MAKE) --no-print-directory kmod KMOD_ARGS='C=2 CF="-D__CHECK_ENDIAN__ -Wsparse-error"'

KMOD_CHECKPATCH = $(KMOD_SOURCE)/scripts/checkpatch.pl --no-tree --strict --terse --quiet \
	--no-summary --max-line-length=100

# Only src/kmod/wrap/ may look at the kernel's version, and that is what it is for. The tables of
# policies and of a client's counters are made of rows that are expanded more than once, which
# checkpatch takes for bad macros. No kernel reads tgd.h, which two programs share by atomic words.
KMOD_TABLES := src/policy/list.c src/kmod/sysfs/clients.c include/tg/counters.h include/tg/gpu.h \
	include/tg/snap.h include/uapi/timegraph.h
KMOD_TABLES_MAY := COMPLEX_MACRO,MACRO_ARG_REUSE,MACRO_ARG_PRECEDENCE,TRAILING_SEMICOLON
KMOD_TABLES_MAY := $(KMOD_TABLES_MAY),MULTISTATEMENT_MACRO_USE_DO_WHILE,BRACKET_SPACE
kmod-checkpatch:
	@[ -x $(KMOD_SOURCE)/scripts/checkpatch.pl ] || \
		{ echo "kmod-checkpatch: no checkpatch.pl: run scripts/setup source" >&2; exit 1; }
	@$(KMOD_CHECKPATCH) -f $(filter-out $(KMOD_TABLES) include/uapi/tgd.h,$(wildcard src/kmod/*.[ch] \
		src/kmod/sysfs/*.[ch] src/kmod/driver/*.[ch] src/core/*.[ch] src/policy/*.[ch] include/tg/*.h \
		include/env/kernel/*.h include/uapi/*.h))
	@$(KMOD_CHECKPATCH) --ignore $(KMOD_TABLES_MAY) -f $(KMOD_TABLES)
	@$(KMOD_CHECKPATCH) --ignore LINUX_VERSION_CODE,CONSTANT_COMPARISON -f \
		$(wildcard src/kmod/wrap/*.h)
