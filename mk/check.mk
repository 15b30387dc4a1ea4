# SPDX-License-Identifier: GPL-2.0
# What `make check`, `make check-full`, `make check-debug` and `make demo` run, once set up.

KERNEL ?= 6.1

.PHONY: bin run-check run-check-full run-check-debug run-demo
bin: $(addprefix $(B)/bin/,cardd tgload tgctl tgsim)

run-demo: bin kmod
	@scripts/demo

run-check: bin kmod
	@tests/run tests/check.list
