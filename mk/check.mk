# SPDX-License-Identifier: GPL-2.0
# What `make check`, `make check-full`, `make check-debug` and `make demo` run, once set up.

# The kernels that make check and make check-full build for and boot.
KERNELS ?= 6.1 6.12 7.2
export KERNELS

.PHONY: bin run-check run-check-full run-check-debug run-demo
bin: $(addprefix $(B)/bin/,cardd tgload tgctl tgsim)

run-demo: bin
	@$(MAKE) kmod K=6.1
	@scripts/demo

run-check: bin
	@scripts/setup kernels
	@$(MAKE) kmod K="$(KERNELS)"
	@tests/run tests/check.list

run-check-full: bin
	@scripts/setup kernels gl
	@$(MAKE) kmod K="$(KERNELS)"
	@tests/run tests/check.list tests/check-full.list

run-check-debug: bin
	@tests/run tests/check-debug.list

# The mutants run in the guest beside the other tools of the VM cases, and what counts in its traces.
vmtools: $(B)/vm/bin/spec-agree $(B)/vm/bin/tgsim
$(B)/vm/bin/spec-agree: $(B)/tests/spec-agree
$(B)/vm/bin/tgsim: $(B)/bin/tgsim
$(B)/vm/bin/spec-agree $(B)/vm/bin/tgsim:
	@mkdir -p $(@D)
	@cp $< $@
