# SPDX-License-Identifier: GPL-2.0
# The specification's tests, under ASan and UBSan, and the mutants for the VM case. Included by
# the Makefile; works alone: make -f mk/spec.mk check-spec

B ?= build
CC ?= cc

SPEC_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -Iinclude/env/user -Iinclude
SPEC_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
SPEC_SRC := $(wildcard src/core/spec*.c)
SPEC_LIB := tests/lib/spec_mutate.c tests/lib/spec_oracle.c
SPEC_HEADERS := $(addprefix include/,tg/spec.h tg/types.h env/user/tg_env.h) src/core/spec.h \
	tests/lib/spec_mutate.h tests/lib/spec_oracle.h
SPEC_TESTS := $(addprefix $(B)/tests/core/,spec_parse spec_match spec_fuzz)

.PHONY: check-spec
$(SPEC_TESTS): $(B)/tests/core/%: tests/core/%.c $(SPEC_SRC) $(SPEC_LIB) $(SPEC_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(SPEC_CFLAGS) $(SPEC_SANITIZE) -o $@ $(filter %.c,$^)

# Static: it may run in the guest.
$(B)/tests/spec-agree: tests/vm/tools/spec-agree.c $(SPEC_LIB) $(SPEC_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(SPEC_CFLAGS) -static -o $@ $(filter %.c,$^)

check-spec: $(SPEC_TESTS) $(B)/tests/spec-agree
	@set -e; for t in $(SPEC_TESTS); do $$t; done
