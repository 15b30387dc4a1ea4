# SPDX-License-Identifier: GPL-2.0
# The core in user space: the daemon tgd, the clients' library, the OpenCL layer, libtimegraph-mem, and their tests.

B ?= build
CC ?= cc
include mk/version.mk

USER_CFLAGS := -std=gnu11 -g -O2 -Wall -Wextra -Werror -Wno-unused-parameter -fno-strict-aliasing -D_GNU_SOURCE \
	-D_FILE_OFFSET_BITS=64 -Iinclude -I$(B)
TGD_SRC := $(wildcard src/user/tgd/*.c) src/user/client/place.c tools/lib/opt.c tools/tgd/takes.c
TGD_OBJ := $(TGD_SRC:%.c=$(B)/obj/tgd/%.o)
TGD_SAN := $(TGD_SRC:%.c=$(B)/san/tgd/%.o)
CLIENT_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard src/user/client/*.c))
LAYER_OBJ := $(CLIENT_OBJ) $(patsubst %.c,$(B)/obj/%.o,$(wildcard src/user/cl/*.c))
MEM_OBJ := $(CLIENT_OBJ) $(patsubst %.c,$(B)/obj/%.o,$(wildcard src/user/mem/*.c))
MEM_SO := libtimegraph-mem.so.0
SHM_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard src/user/shm/*.c))
SHM_SO := libtimegraph-shm.so.0

.PHONY: user mem shm
user: $(B)/bin/tgd $(B)/lib/libtimegraph-cl.so mem shm
mem: $(B)/lib/$(MEM_SO) $(B)/lib/libtimegraph-mem.a
shm: $(B)/lib/$(SHM_SO) $(B)/lib/libtimegraph-shm.a

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
$(sort $(LAYER_OBJ) $(MEM_OBJ) $(SHM_OBJ)): $(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -fPIC -fvisibility=hidden -pthread -MMD -MP -c -o $@ $<

$(B)/lib/libtimegraph-cl.so: $(LAYER_OBJ)
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -shared -pthread -Wl,-z,nodelete -Wl,-z,defs -o $@ $^

$(B)/lib/$(MEM_SO): $(MEM_OBJ) src/user/mem/libtimegraph-mem.map
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -shared -pthread -Wl,-z,nodelete -Wl,-z,defs -Wl,-soname,$(MEM_SO) \
		-Wl,--version-script=src/user/mem/libtimegraph-mem.map -o $@ $(MEM_OBJ)
	ln -sf $(MEM_SO) $(B)/lib/libtimegraph-mem.so

# One object, whose names are the API's alone
$(B)/lib/libtimegraph-mem.a: $(MEM_OBJ)
	@mkdir -p $(@D) $(B)/obj
	$(CC) -r -nostdlib -o $(B)/obj/timegraph-mem.o $^
	objcopy --localize-hidden $(B)/obj/timegraph-mem.o
	rm -f $@
	ar rcsD $@ $(B)/obj/timegraph-mem.o

# For programs that link the client's library themselves: GLoop's
$(B)/lib/libtimegraph-client.a: $(CLIENT_OBJ)
	@mkdir -p $(@D)
	rm -f $@
	ar rcsD $@ $^

$(B)/lib/$(SHM_SO): $(SHM_OBJ) src/user/shm/libtimegraph-shm.map
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -shared -pthread -Wl,-z,nodelete -Wl,-z,defs -Wl,-soname,$(SHM_SO) \
		-Wl,--version-script=src/user/shm/libtimegraph-shm.map -o $@ $(SHM_OBJ)
	ln -sf $(SHM_SO) $(B)/lib/libtimegraph-shm.so

$(B)/lib/libtimegraph-shm.a: $(SHM_OBJ)
	@mkdir -p $(@D)
	rm -f $@
	ar rcsD $@ $^

# Files of the kernel's, under sanitizers. The books of shared device memory: against System V's own shm,
# and their bounds
$(B)/tests/user/shm: tests/user/shm/model.c
$(B)/tests/user/shm-bounds: tests/user/shm/bounds.c
$(B)/tests/user/shm $(B)/tests/user/shm-bounds: src/kmod/shm_books.c src/kmod/shm_books.h include/uapi/tgshm.h
# The library of shared device memory on these books, without a device
$(B)/tests/user/shm-library: tests/user/shm/library.c src/user/shm/shm.c include/timegraph/shm.h src/kmod/shm_books.c \
		src/kmod/shm_books.h include/uapi/tgshm.h
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -U_FILE_OFFSET_BITS -O1 $(SAN) -pthread -Wno-missing-field-initializers -Iinclude/env/user \
		-Isrc/kmod -Wl,--wrap=open,--wrap=close,--wrap=ioctl,--wrap=mmap,--wrap=munmap -o $@ $(filter %.c,$^)
# The module's map of a file's addresses: against a plain list
$(B)/tests/unit/space: tests/unit/space.c src/kmod/space_map.c src/kmod/space_map.h
$(B)/tests/user/shm $(B)/tests/user/shm-bounds $(B)/tests/unit/space:
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -O1 $(SAN) -Wno-missing-field-initializers -Iinclude/env/user -Isrc/kmod -o $@ $(filter %.c,$^)

# Rows of drivers, with what they take from the kernel: which engine a submission is of
$(B)/tests/unit/rings: tests/unit/rings.c src/kmod/driver/sched_amdgpu.c src/kmod/driver/sched_xe.c \
		src/kmod/driver/sched_v3d.c \
		src/kmod/driver/sched_row.h $(wildcard tests/unit/rings/*/*.h)
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -O1 $(SAN) -Wno-missing-field-initializers -Iinclude/env/user -Itests/unit/rings -o $@ $(filter %.c,$^)

USER_TESTS := $(addprefix $(B)/tests/user/,ring hostile noise crowd)

$(USER_TESTS): $(B)/tests/user/%: tests/user/%.c
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -pthread -Wno-missing-field-initializers -MMD -MP -MF $@.d -o $@ $<

# The clients' library in a program of its own, which loads the OpenCL layer on the test card (mk/mockcl.mk)
$(B)/tests/user/process: tests/user/process.c $(patsubst %.c,$(B)/obj/%.o,$(wildcard src/user/client/*.c)) $(B)/bin/tgd \
		$(B)/bin/tgctl
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -pthread -o $@ $(filter %.c %.o,$^)

# Where programs, tgd and tgctl meet
$(B)/tests/user/places: tests/user/places.c $(CLIENT_OBJ) $(B)/bin/tgd-san $(B)/bin/tgctl
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -pthread -o $@ $(filter %.c %.o,$^)

# libtimegraph-mem in programs, and an NVML that knows one device
MEM_TESTS := $(addprefix $(B)/tests/user/,mem mem-static libnvidia-ml.so.1)
MEM_TEST_SRC := $(wildcard tests/user/mem/*.c)

$(B)/tests/user/mem: $(MEM_TEST_SRC) $(wildcard tests/user/mem/*.h) $(B)/lib/$(MEM_SO) $(B)/bin/tgd
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -pthread -Wl,-rpath,$(abspath $(B))/lib -o $@ $(MEM_TEST_SRC) $(B)/lib/$(MEM_SO)

$(B)/tests/user/mem-static: $(MEM_TEST_SRC) $(wildcard tests/user/mem/*.h) $(B)/lib/libtimegraph-mem.a $(B)/bin/tgd
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -pthread -o $@ $(MEM_TEST_SRC) $(B)/lib/libtimegraph-mem.a

$(B)/tests/user/libnvidia-ml.so.1: tests/user/nvml.c
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -fPIC -shared -o $@ $<

.PHONY: user-tests
user-tests: $(USER_TESTS) $(B)/tests/user/process $(B)/tests/user/places $(addprefix $(B)/tests/user/,shm shm-bounds shm-library) $(B)/bin/tgd-san $(MEM_TESTS)

-include $(USER_TESTS:=.d) $(TGD_OBJ:.o=.d) $(TGD_SAN:.o=.d) $(sort $(LAYER_OBJ:.o=.d) $(MEM_OBJ:.o=.d) $(SHM_OBJ:.o=.d))

# For scripts/bench-mem
$(B)/tests/user/membench: tests/user/membench.c $(B)/lib/$(MEM_SO)
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -Wl,-rpath,$(abspath $(B))/lib -o $@ $< $(B)/lib/$(MEM_SO)

# A load for real GPUs: scripts/bench-user
$(B)/tests/user/clspin: tests/user/clspin.c
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) -MMD -MP -MF $@.d -o $@ $< -lOpenCL
