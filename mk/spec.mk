# SPDX-License-Identifier: GPL-2.0
# The specification's tests, under ASan and UBSan, and the mutants for the VM case. Included by
# the Makefile, behind mk/core.mk.

B ?= build
CC ?= cc

SPEC_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -Iinclude/env/user -Iinclude
SPEC_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
SPEC_LIB := tests/lib/spec_mutate.c tests/lib/spec_oracle.c
SPEC_HEADERS := $(wildcard include/tg/*.h) include/env/user/tg_env.h $(wildcard tests/lib/spec_*.h)
SPEC_TESTS := $(addprefix $(B)/tests/core/,spec_parse spec_match spec_fuzz)

.PHONY: check-spec
$(SPEC_TESTS): $(B)/tests/core/%: tests/core/%.c $(SPEC_LIB) $(SPEC_HEADERS) $(B)/lib/libtgcore-san.a
	@mkdir -p $(@D)
	$(CC) $(SPEC_CFLAGS) $(SPEC_SANITIZE) -o $@ $(filter %.c %.a,$^)

# Static: it may run in the guest.
$(B)/tests/spec-agree: tests/vm/tools/spec-agree.c $(SPEC_LIB) $(SPEC_HEADERS) $(B)/lib/libtgcore.a
	@mkdir -p $(@D)
	$(CC) $(SPEC_CFLAGS) -static -o $@ $(filter %.c %.a,$^)

check-spec: $(SPEC_TESTS) $(B)/tests/spec-agree
	@set -e; for t in $(SPEC_TESTS); do $$t; done
