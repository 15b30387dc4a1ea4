# SPDX-License-Identifier: GPL-2.0
# TimeGraph. `make help` lists what people run; parts live in mk/*.mk.

B := build
MAKEFLAGS += --no-print-directory
export LC_ALL := C

.PHONY: all help check check-fast check-full check-debug demo demo-user figures setup clean
all: bin

help:
	@echo 'make demo         a game against command bombs, with and without TimeGraph (2 minutes)'
	@echo 'make demo-user    tgd on any machine: OpenCL programs on PoCL, no GPU, no guest (1 minute)'
	@echo 'make check        everything that a change must pass'
	@echo 'make check-fast   of these, the parts that boot no guest'
	@echo 'make check-full   what takes longer: hours; in parts: check-full-6.1, -6.12, -7.2, -rest'
	@echo 'make check-debug  the VM cases on a kernel with lockdep and KASAN'
	@echo 'make              the tools; make kmod: the module for each kernel fetched'
	@echo 'make deb          Debian packages; make install: without packages (docs/install.md)'
	@echo 'make bench-core   cost of a scheduling decision'
	@echo 'make figures      figures of the papers again, on one page; QUICK=1: half an hour of them'
	@echo 'make fuzz         the fuzzers, for longer'
	@echo 'make coverage     line coverage of src/core'
	@echo 'make clean        remove what was built; downloads stay in build/cache'

include mk/core.mk
include $(filter-out mk/core.mk,$(wildcard mk/*.mk))

setup:
	@scripts/setup

# Setting up comes first, in a make of its own: parts of the makefiles ask pkg-config.
check check-fast demo figures check-debug $(FULL): setup
	@$(MAKE) run-$@

demo-user:
	@scripts/setup host opencl
	@scripts/demo-user

# Each part ends with its own count; the rest runs whatever becomes of one.
check-full: check
	@failed=; for part in $(FULL); do $(MAKE) $$part || failed="$$failed $$part"; done; \
		[ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

clean:
	rm -rf $(filter-out $(B)/cache,$(wildcard $(B)/*))
