# SPDX-License-Identifier: GPL-2.0
# Programs that the VM cases run in the guest: tests/vm/run copies build/vm/bin to /host/bin.
# Works alone: make -f mk/vmtools.mk

B ?= build
CC ?= cc

VMTOOLS_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE -pthread
VMTOOLS_CFLAGS += -Iinclude -Itools/tgload $(shell pkg-config --cflags libdrm)

.PHONY: vmtools gltools
vmtools: $(addprefix $(B)/vm/bin/,abuse chrt count dataflow files hostile infence mock pfslices raw scribble stall tgshm tgshm-model tty virgl vram terminfo/x/xterm pages/made)

# Sizes its work and writes its program as tgload does
ABUSE_OBJ := $(patsubst %.c,$(B)/obj/vmtools/%.o,$(wildcard tests/vm/tools/abuse/*.c) tools/tgload/work.c)
INFENCE_OBJ := $(patsubst %.c,$(B)/obj/vmtools/%.o,$(wildcard tests/vm/tools/infence/*.c))

$(B)/obj/vmtools/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(VMTOOLS_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/vm/bin/abuse: $(ABUSE_OBJ)
	@mkdir -p $(@D)
	$(CC) $(VMTOOLS_CFLAGS) -o $@ $^ $(shell pkg-config --libs libdrm)

# Has a slow page, too
$(B)/vm/bin/virgl: $(B)/obj/vmtools/tests/vm/tools/abuse/slowfile.o
$(addprefix $(B)/vm/bin/,chrt count files mock pfslices raw scribble stall tty virgl vram): $(B)/vm/bin/%: $(B)/obj/vmtools/tests/vm/tools/%.o
	@mkdir -p $(@D)
	$(CC) $(VMTOOLS_CFLAGS) -o $@ $^

# The library in a program of its own; the second one is tests/user/shm/model.c on the device
SHM_DRM := $(shell pkg-config --cflags libdrm_nouveau libdrm)
$(B)/vm/bin/tgshm: tests/vm/tools/tgshm.c tests/vm/tools/m2mf.h src/user/shm/shm.c include/timegraph/shm.h include/uapi/tgshm.h
	@mkdir -p $(@D)
	$(CC) $(VMTOOLS_CFLAGS) $(SHM_DRM) -o $@ $(filter %.c,$^) $(shell pkg-config --libs libdrm_nouveau libdrm)

$(B)/vm/bin/dataflow: tests/vm/tools/dataflow.c tests/vm/tools/m2mf.h src/user/shm/shm.c include/timegraph/shm.h include/uapi/tgshm.h
	@mkdir -p $(@D)
	$(CC) $(VMTOOLS_CFLAGS) $(SHM_DRM) -pthread -o $@ $(filter %.c,$^) $(shell pkg-config --libs libdrm_nouveau libdrm)

$(B)/vm/bin/tgshm-model: tests/user/shm/model.c src/user/shm/shm.c include/timegraph/shm.h include/uapi/tgshm.h
	@mkdir -p $(@D)
	$(CC) $(VMTOOLS_CFLAGS) -DDEVICE -o $@ $(filter %.c,$^)

$(B)/vm/bin/infence: $(INFENCE_OBJ)
	@mkdir -p $(@D)
	$(CC) $(VMTOOLS_CFLAGS) -o $@ $^ $(shell pkg-config --libs libdrm)

HOSTILE_OBJ := $(patsubst %,$(B)/obj/vmtools/tests/vm/tools/hostile/%.o,main driver exec files world root)
$(B)/vm/bin/hostile: $(HOSTILE_OBJ)
	@mkdir -p $(@D)
	$(CC) $(VMTOOLS_CFLAGS) -o $@ $^

# The commands that pages show, for the boot `pages`
$(B)/vm/bin/pages/made: tests/pages README.md $(wildcard docs/*.md docs/*/*.md)
	@tests/pages --guest $(@D)
	@touch $@

# What tgctl top has to know of the terminal that `tty` plays
$(B)/vm/bin/terminfo/x/xterm:
	@mkdir -p $(B)/vm/bin/terminfo
	infocmp xterm | tic -o $(B)/vm/bin/terminfo -

# Built against the headers and libraries of the disk on which it runs: scripts/setup gl
gltools: $(B)/vm/bin/glthreads $(B)/vm/bin/glload
GL := $(B)/cache/gl
$(B)/vm/bin/glthreads $(B)/vm/bin/glload: $(B)/vm/bin/%: tests/vm/tools/%.c tests/vm/tools/gl.h
	@mkdir -p $(@D)
	$(CC) $(VMTOOLS_CFLAGS) -I$(GL)/include -o $@ $< -L$(GL)/lib -l:libEGL.so.1 -l:libGLESv2.so.2 \
		-Wl,--allow-shlib-undefined

# For tests/vm/installed; wants libsystemd (scripts/setup deb)
$(B)/vm/bin/stranger: tests/vm/tools/stranger.c
	@mkdir -p $(@D)
	$(CC) $(VMTOOLS_CFLAGS) -o $@ $< -lsystemd

-include $(ABUSE_OBJ:.o=.d) $(INFENCE_OBJ:.o=.d) $(HOSTILE_OBJ:.o=.d) \
	$(patsubst %,$(B)/obj/vmtools/tests/vm/tools/%.d,count files mock pfslices raw scribble stall tty virgl vram)
