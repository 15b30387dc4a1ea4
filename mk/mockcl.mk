# SPDX-License-Identifier: GPL-2.0
# The test card for OpenCL: mockcld and its driver, its load program and its tests.
# Included by the Makefile; works alone: make -f mk/mockcl.mk

B ?= build
CC ?= cc
include mk/version.mk

MOCKCL_CFLAGS := -std=gnu11 -O2 -g -fPIC -pthread -Wall -Wextra -Werror -Wno-deprecated-declarations \
	-DCL_TARGET_OPENCL_VERSION=300 -D_GNU_SOURCE -Itools -I$(B)
MOCKCL_OUT := $(B)/mockcl
MOCKCL_CARD := $(addprefix $(B)/obj/src/user/mockcl/,mockcld.o engine.o truth.o)
MOCKCL_LIB := $(patsubst tools/lib/%.c,$(B)/obj/mockcl-lib/%.o,$(wildcard tools/lib/*.c))
MOCKCL_DRIVER := $(filter-out $(MOCKCL_CARD),$(patsubst %.c,$(B)/obj/%.o,$(wildcard src/user/mockcl/*.c)))

.PHONY: mockcl
mockcl: $(MOCKCL_OUT)/mockcld $(MOCKCL_OUT)/libmockcl.so $(MOCKCL_OUT)/mockcl.icd $(MOCKCL_OUT)/clload $(MOCKCL_OUT)/clphases

$(MOCKCL_OUT)/mockcld: $(MOCKCL_CARD) $(MOCKCL_LIB)
	@mkdir -p $(@D)
	$(CC) $(MOCKCL_CFLAGS) -o $@ $^

# Only what the loader looks for is seen from outside: the driver's names are those of the loader's library
$(MOCKCL_OUT)/libmockcl.so: $(MOCKCL_DRIVER) src/user/mockcl/libmockcl.map
	@mkdir -p $(@D)
	$(CC) $(MOCKCL_CFLAGS) -shared -Wl,-Bsymbolic -Wl,-z,defs \
		-Wl,--version-script=src/user/mockcl/libmockcl.map -o $@ $(MOCKCL_DRIVER)

$(MOCKCL_OUT)/mockcl.icd:
	@mkdir -p $(@D)
	echo "$(abspath $(MOCKCL_OUT))/libmockcl.so" >$@

$(addprefix $(MOCKCL_OUT)/,clload clphases): $(MOCKCL_OUT)/%: tests/user/%.c $(MOCKCL_LIB)
	@mkdir -p $(@D) $(B)/obj
	$(CC) $(MOCKCL_CFLAGS) -MMD -MP -MF $(B)/obj/$*.d -o $@ $(filter-out %.h,$^) -lOpenCL

$(MOCKCL_OUT)/clphases: tools/tgload/units.c

$(B)/obj/src/user/mockcl/%.o: src/user/mockcl/%.c
	@mkdir -p $(@D)
	$(CC) $(MOCKCL_CFLAGS) -MMD -MP -c -o $@ $<

$(MOCKCL_LIB): $(B)/obj/mockcl-lib/%.o: tools/lib/%.c
	@mkdir -p $(@D)
	$(CC) $(MOCKCL_CFLAGS) -MMD -MP -c -o $@ $<

-include $(MOCKCL_CARD:.o=.d) $(MOCKCL_DRIVER:.o=.d) $(MOCKCL_LIB:.o=.d) $(B)/obj/clload.d $(B)/obj/clphases.d

CL_TESTS := $(patsubst tests/user/%.c,$(B)/tests/user/%,$(wildcard tests/user/*_test.c) tests/user/codes.c tests/user/hold.c)

.PHONY: cl-tests
cl-tests: mockcl $(CL_TESTS)

$(CL_TESTS): $(B)/tests/user/%: tests/user/%.c
	@mkdir -p $(@D)
	$(CC) $(MOCKCL_CFLAGS) -MMD -MP -MF $@.d -o $@ $< -lOpenCL

-include $(CL_TESTS:=.d)
