# SPDX-License-Identifier: GPL-2.0
# The core in user space: the daemon tgd, the clients' library, the OpenCL layer, and their tests.

B ?= build
CC ?= cc
include mk/version.mk

USER_CFLAGS := -std=gnu11 -g -O2 -Wall -Wextra -Werror -Wno-unused-parameter -fno-strict-aliasing -D_GNU_SOURCE \
	-Iinclude -I$(B)
TGD_SRC := $(wildcard src/user/tgd/*.c) tools/lib/opt.c
TGD_OBJ := $(TGD_SRC:%.c=$(B)/obj/tgd/%.o)
TGD_SAN := $(TGD_SRC:%.c=$(B)/san/tgd/%.o)
LAYER_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard src/user/client/*.c src/user/cl/*.c))

.PHONY: user
user: $(B)/bin/tgd $(B)/lib/libtimegraph-cl.so

$(TGD_OBJ): $(B)/obj/tgd/%.o: %.c $(B)/version.h
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -Iinclude/env/user -Itools -MMD -MP -c -o $@ $<

$(TGD_SAN): $(B)/san/tgd/%.o: %.c $(B)/version.h
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -O1 $(SAN) -Iinclude/env/user -Itools -MMD -MP -c -o $@ $<

$(B)/bin/tgd: $(TGD_OBJ) $(B)/lib/libtgcore.a
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -o $@ $^

$(B)/bin/tgd-san: $(TGD_SAN) $(B)/lib/libtgcore-san.a
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) $(SAN) -o $@ $^

# Programs load it: it may not be unloaded, since its thread and the driver's callbacks run in it.
$(LAYER_OBJ): $(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -fPIC -fvisibility=hidden -pthread -MMD -MP -c -o $@ $<

$(B)/lib/libtimegraph-cl.so: $(LAYER_OBJ)
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -shared -pthread -Wl,-z,nodelete -Wl,-z,defs -o $@ $^

USER_TESTS := $(addprefix $(B)/tests/user/,ring hostile)

$(USER_TESTS): $(B)/tests/user/%: tests/user/%.c
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -Wno-missing-field-initializers -MMD -MP -MF $@.d -o $@ $<

# The clients' library in a program of its own
$(B)/tests/user/process: tests/user/process.c $(patsubst %.c,$(B)/obj/%.o,$(wildcard src/user/client/*.c)) $(B)/bin/tgd
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -pthread -o $@ $(filter %.c %.o,$^)

.PHONY: user-tests
user-tests: $(USER_TESTS) $(B)/tests/user/process $(B)/bin/tgd-san

-include $(USER_TESTS:=.d) $(TGD_OBJ:.o=.d) $(TGD_SAN:.o=.d) $(LAYER_OBJ:.o=.d)

# A load for real GPUs: scripts/bench-user
$(B)/tests/user/clspin: tests/user/clspin.c
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -MMD -MP -MF $@.d -o $@ $< -lOpenCL
