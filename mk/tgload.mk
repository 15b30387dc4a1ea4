# SPDX-License-Identifier: GPL-2.0
# The load generator and its unit tests. Included by the Makefile; works alone: make -f mk/tgload.mk

B ?= build
CC ?= cc
include mk/version.mk

TGLOAD_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE -pthread -Iinclude -Itools -I$(B)
TGLOAD_DRM_CFLAGS := $(shell pkg-config --cflags libdrm_nouveau libdrm)
TGLOAD_DRM_LIBS := $(shell pkg-config --libs libdrm_nouveau libdrm)

TGLOAD_SRC := $(addprefix tools/tgload/,main.c opts.c units.c work.c stats.c gpu.c commands.c tesla.c fermi.c exec.c run.c report.c)
TGLOAD_LIB := $(patsubst tools/lib/%.c,$(B)/obj/tgload-lib/%.o,$(wildcard tools/lib/*.c))
TGLOAD_OBJ := $(TGLOAD_SRC:%.c=$(B)/obj/%.o) $(TGLOAD_LIB)

TGLOAD_TESTS := $(addprefix $(B)/tests/unit/,tgload_units tgload_opts tgload_work tgload_stats \
	tgload_pace tgload_report tgload_run)

.PHONY: tgload tgload-tests check-tgload
tgload: $(B)/bin/tgload
tgload-tests: $(TGLOAD_TESTS)

$(B)/bin/tgload: $(TGLOAD_OBJ)
	@mkdir -p $(@D)
	$(CC) $(TGLOAD_CFLAGS) -o $@ $^ $(TGLOAD_DRM_LIBS)

$(B)/obj/tools/tgload/%.o: tools/tgload/%.c
	@mkdir -p $(@D)
	$(CC) $(TGLOAD_CFLAGS) $(TGLOAD_DRM_CFLAGS) -MMD -MP -c -o $@ $<

$(TGLOAD_LIB): $(B)/obj/tgload-lib/%.o: tools/lib/%.c
	@mkdir -p $(@D)
	$(CC) $(TGLOAD_CFLAGS) -MMD -MP -c -o $@ $<

# What the tests take in: no libdrm in it. tgload_run plays the card itself.
TGLOAD_TESTED := $(addprefix $(B)/obj/tools/tgload/,units.o opts.o work.o stats.o report.o) $(TGLOAD_LIB)
$(B)/tests/unit/tgload_run: $(B)/obj/tools/tgload/run.o

$(B)/tests/unit/tgload_%: tests/unit/tgload_%.c $(TGLOAD_TESTED)
	@mkdir -p $(@D)
	$(CC) $(TGLOAD_CFLAGS) -Itools/tgload -MMD -MP -MF $@.d -o $@ $(filter %.c %.o,$^)

check-tgload: $(TGLOAD_TESTS)
	@set -e; for t in $(TGLOAD_TESTS); do $$t; done

-include $(TGLOAD_OBJ:.o=.d) $(TGLOAD_TESTS:=.d)
