# SPDX-License-Identifier: GPL-2.0
# The core and its policies as a library, plain and with sanitisers, and the core's tests.

B ?= build
CC ?= cc

# As in the kernel: memory is typed by its use, so no strict aliasing.
CORE_INC := -Iinclude/env/user -Iinclude
CORE_CFLAGS := -std=gnu11 -g -Wall -Wextra -Werror -Wno-unused-parameter -fno-strict-aliasing
SAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined

CORE_SRC := $(wildcard src/core/*.c src/policy/*.c)
CORE_OBJ := $(CORE_SRC:%.c=$(B)/obj/%.o)
CORE_SAN := $(CORE_SRC:%.c=$(B)/san/%.o)
CORE_FREE := $(CORE_SRC:%.c=$(B)/free/%.o)

$(CORE_OBJ): $(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CORE_CFLAGS) -O2 $(CORE_INC) -MMD -MP -c -o $@ $<

$(CORE_SAN): $(B)/san/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CORE_CFLAGS) -O1 $(SAN) $(CORE_INC) -MMD -MP -c -o $@ $<

# As the kernel will compile it: no libc, no float registers. Only its symbols are looked at.
$(CORE_FREE): $(B)/free/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CORE_CFLAGS) -O2 -ffreestanding -fno-pic -mgeneral-regs-only $(CORE_INC) -MMD -MP -c -o $@ $<

$(B)/lib/libtgcore.a: $(CORE_OBJ)
	@mkdir -p $(@D)
	rm -f $@ && $(AR) rcs $@ $^

$(B)/lib/libtgcore-san.a: $(CORE_SAN)
	@mkdir -p $(@D)
	rm -f $@ && $(AR) rcs $@ $^

$(B)/lib/libtgcore-free.a: $(CORE_FREE)
	@mkdir -p $(@D)
	rm -f $@ && $(AR) rcs $@ $^

CORE_TESTS := $(addprefix $(B)/tests/core/,core_test reserve_test debt_test memory_test memory_random \
	record_test recorder_test key_test predict_test settings_test share_test nice_test kernel_test yield_test \
	loga_test)

$(CORE_TESTS): $(B)/tests/core/%: tests/core/%.c $(B)/lib/libtgcore-san.a
	@mkdir -p $(@D)
	$(CC) $(CORE_CFLAGS) -O1 $(SAN) $(CORE_INC) -MMD -MP -MF $@.d -o $@ $(filter %.c %.a,$^)

-include $(CORE_OBJ:.o=.d) $(CORE_SAN:.o=.d) $(CORE_FREE:.o=.d) $(CORE_TESTS:=.d)
