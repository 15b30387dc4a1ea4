# SPDX-License-Identifier: GPL-2.0
# What `make check`, `make check-full`, `make check-debug` and `make demo` run, once set up.

# The kernels that make check and make check-full build for and boot.
KERNELS ?= 6.1 6.12 7.2
export KERNELS

# `make check-full` in parts, each of which fits into two hours
FULL := $(addprefix check-full-,$(KERNELS) rest)

.PHONY: bin check-build run-check run-check-fast run-check-debug run-demo run-figures $(FULL) $(addprefix run-,$(FULL))
bin: $(addprefix $(B)/bin/,cardd tgload tgctl tgsim)

run-demo: bin
	@$(MAKE) kmod K=6.1
	@scripts/demo

# Prints a line for each figure; docs/testing.md
run-figures: bin
	@$(MAKE) kmod K=6.1
	@[ -n "$(QUICK)" ] || scripts/setup gl
	@scripts/figures $(if $(QUICK),-q)

# With all CPUs
check-build:
	@echo 'check: builds the tools, and the module for Linux $(KERNELS), in about two minutes'
	@$(MAKE) -s -j$$(nproc) bin
	@scripts/setup kernels
	@$(MAKE) -s -j$$(nproc) kmod K="$(KERNELS)"

run-check: check-build
	@tests/run tests/check.list

# The parts of check.list that stand above its line of the guests
run-check-fast: check-build
	@mkdir -p $(B)/check
	@sed '/^# guests/,$$d' tests/check.list >$(B)/check/fast.list
	@tests/run $(B)/check/fast.list

$(addprefix run-check-full-,$(KERNELS)): run-check-full-%: bin
	@scripts/setup kernels gl virtio
	@$(MAKE) kmod K=$*
	@K=$* tests/run tests/check-full-kernel.list

run-check-full-rest: bin
	@scripts/setup gl
	@$(MAKE) kmod K=6.1
	@tests/run tests/check-full.list

run-check-debug: bin
	@tests/run tests/check-debug.list

# The mutants run in the guest beside the other tools of the VM cases, and what counts in its traces.
vmtools: $(B)/vm/bin/spec-agree $(B)/vm/bin/tgsim $(B)/vm/bin/predicted
$(B)/vm/bin/spec-agree: $(B)/tests/spec-agree
$(B)/vm/bin/tgsim: $(B)/bin/tgsim
$(B)/vm/bin/spec-agree $(B)/vm/bin/tgsim:
	@mkdir -p $(@D)
	@cp $< $@
