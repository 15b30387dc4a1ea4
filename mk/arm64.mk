# SPDX-License-Identifier: GPL-2.0
# What the VM cases want on arm64, built here by a cross compiler: scripts/setup arm64. Included by the Makefile.
#
#	make arm64		the module, the test card of drm_sched, tgctl, tgload, and what the cases run
#	tests/vm/run -k arm64/6.12 order
#
# Programs are static, since scripts/vm finds the libraries of this machine's programs alone. To build/arm64

ARM64 := $(B)/arm64
ARM64_CACHE := build/cache/arm64
ARM64_GCC := aarch64-linux-gnu-gcc -static -isystem $(abspath $(ARM64_CACHE))/sys/usr/include \
	-L$(abspath $(ARM64_CACHE))/sys/usr/lib/aarch64-linux-gnu
# Not `count` and `hostile`, which have instructions of amd64
ARM64_BINS := $(addprefix $(ARM64)/bin/,tgctl tgload) \
	$(addprefix $(ARM64)/vm/bin/,abuse chrt infence mock pfslices raw scribble stall tgshm tgshm-model tty vram)

.PHONY: arm64
arm64:
	@[ -d $(ARM64_CACHE)/sys ] || { echo 'arm64: no compiler yet: run scripts/setup arm64' >&2; exit 1; }
	@$(MAKE) --no-print-directory B=$(ARM64) CC='$(ARM64_GCC)' $(ARM64_BINS)
	@$(MAKE) --no-print-directory kmod kmod-mock K=6.12 KMOD_CACHE=$(ARM64_CACHE) STRIP=aarch64-linux-gnu-strip
	@cp build/vm/bin/tg_mock-$$(cat $(ARM64_CACHE)/6.12/release).ko $(ARM64)/vm/bin/
