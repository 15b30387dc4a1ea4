# SPDX-License-Identifier: GPL-2.0
# The simulator and what proves the core with it: properties, wrong policies, fuzzers, speed,
# coverage. Included by the Makefile after mk/core.mk.

include mk/version.mk
SIM_CFLAGS := $(CORE_CFLAGS) $(CORE_INC) -Isrc/trace -Isrc/sim -Itools -I$(B)
SIM_SRC := $(wildcard src/sim/*.c src/trace/*.c tools/lib/*.c)
SIM_OBJ := $(SIM_SRC:%.c=$(B)/obj/%.o)
SIM_SAN := $(SIM_SRC:%.c=$(B)/san/%.o)
TGSIM_OBJ := $(B)/obj/tools/tgsim/main.o $(SIM_OBJ)
TGSIM_SAN := $(B)/san/tools/tgsim/main.o $(SIM_SAN)

.PHONY: tgsim
tgsim: $(B)/bin/tgsim

$(SIM_OBJ) $(B)/obj/tools/tgsim/main.o: $(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(SIM_CFLAGS) -O2 -MMD -MP -c -o $@ $<

$(SIM_SAN) $(B)/san/tools/tgsim/main.o: $(B)/san/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(SIM_CFLAGS) -O1 $(SAN) -MMD -MP -c -o $@ $<

$(B)/bin/tgsim: $(TGSIM_OBJ) $(B)/lib/libtgcore.a
	@mkdir -p $(@D)
	$(CC) -o $@ $^

$(B)/tests/tgsim: $(TGSIM_SAN) $(B)/lib/libtgcore-san.a
	@mkdir -p $(@D)
	$(CC) $(SAN) -o $@ $^

# For VM cases, and by hand
$(B)/vm/bin/predicted: tests/sim/predicted.c $(SIM_OBJ) $(B)/lib/libtgcore.a
	@mkdir -p $(@D)
	$(CC) $(SIM_CFLAGS) -O2 -o $@ $^

# Tests: under ASan and UBSan, and so is what they test.
SIM_TEST_BUILD = mkdir -p $(@D) $(B)/obj && $(CC) $(SIM_CFLAGS) -O1 $(SAN) -MMD -MP -MF $(B)/obj/$(@F).d -o $@ \
	$(filter %.c %.o %.a,$^)
SIM_TESTS := $(addprefix $(B)/tests/sim/,sim_test dry_test ae guarantee fair busy share equals found churn vgpu chaos crowd property wrong replay_test example tgsim_cli figures transcripts tick sharing longest)

.PHONY: sim-tests check-sim
sim-tests: $(SIM_TESTS)
check-sim: sim-tests
	@tests/all $(SIM_TESTS)

$(addprefix $(B)/tests/sim/,sim_test dry_test ae guarantee fair busy share equals found churn search figures tick sharing): $(B)/tests/sim/%: tests/sim/%.c $(SIM_SAN) $(B)/lib/libtgcore-san.a
	$(SIM_TEST_BUILD)

$(B)/tests/sim/chaos $(B)/tests/sim/crowd $(B)/tests/sim/property $(B)/tests/sim/vgpu: $(B)/tests/sim/%: tests/sim/%.c tests/sim/host.c \
		$(SIM_SAN) $(B)/lib/libtgcore-san.a
	$(SIM_TEST_BUILD)

# With policies of their own in place of the table.
$(B)/tests/sim/wrong: tests/sim/wrong.c tests/sim/host.c $(filter-out %/policy/list.o,$(CORE_SAN))
	$(SIM_TEST_BUILD)

$(B)/tests/sim/replay_test: tests/sim/replay_test.c $(SIM_SAN) $(filter-out %/policy/list.o,$(CORE_SAN))
	$(SIM_TEST_BUILD)

# A policy of one file and one row: out of the page that shows how.
$(B)/tests/example/turns.c: docs/policies/writing.md
	@mkdir -p $(@D)
	sed -n '/^```c$$/,/^```$$/p' $< | sed '1d;/^```$$/,$$d' >$@

$(B)/tests/example/list.c: src/policy/list.c
	@mkdir -p $(@D)
	sed 's/row(timegraph)/row(timegraph) row(turns)/' $< >$@

$(B)/tests/sim/example: tests/sim/example.c $(addprefix $(B)/tests/example/,turns.c list.c) \
		$(SIM_SAN) $(filter-out %/policy/list.o,$(CORE_SAN))
	$(SIM_TEST_BUILD)

$(B)/tests/sim/tgsim_cli: tests/sim/tgsim_cli $(B)/tests/tgsim
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec tests/sim/tgsim_cli $(B)/tests/tgsim\n' >$@ && chmod +x $@

# Pages that show what tgsim prints.
TRANSCRIPTS := $(shell grep -l '^```console' docs/*.md docs/*/*.md)

$(B)/tests/sim/transcripts: tests/sim/transcripts $(B)/tests/tgsim
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec tests/sim/transcripts $(B)/tests/tgsim $(TRANSCRIPTS)\n' >$@ && chmod +x $@

# What a decision costs, in the core as the kernel will compile it.
.PHONY: bench-core recorder-cost
$(B)/bench/bench_core $(B)/bench/recorder_cost: $(B)/bench/%: tests/sim/%.c $(B)/lib/libtgcore-free.a
	@mkdir -p $(@D) $(B)/obj
	$(CC) $(CORE_CFLAGS) -O2 -fno-pie -no-pie $(CORE_INC) -MMD -MP -MF $(B)/obj/$*.d -o $@ $(filter %.c %.o %.a,$^)

bench-core: $(B)/bench/bench_core
	@tests/sim/bench-core $< $(B)/bench-core.json

recorder-cost: $(B)/bench/recorder_cost
	@tests/sim/recorder-cost $<

# The core as it counts its steps: what is the most that one event takes?
CORE_STEPS := $(CORE_SRC:%.c=$(B)/steps/%.o)
$(CORE_STEPS): $(B)/steps/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CORE_CFLAGS) -O1 -fsanitize-coverage=trace-pc $(CORE_INC) -MMD -MP -c -o $@ $<

$(B)/bench/steps: tests/sim/bench_core.c $(CORE_STEPS)
	@mkdir -p $(@D) $(B)/obj
	$(CC) $(CORE_CFLAGS) -O2 $(CORE_INC) -MMD -MP -MF $(B)/obj/steps.d -o $@ $(filter %.c %.o,$^)

$(B)/tests/sim/longest: tests/sim/longest $(B)/bench/steps
	@printf '#!/bin/sh\nexec tests/sim/longest $(B)/bench/steps\n' >$@ && chmod +x $@

-include $(CORE_STEPS:.o=.d)

# Fuzzers: clang's libFuzzer. `make check` runs a fixed number of inputs from a fixed seed,
# `make fuzz` FUZZ_SECONDS each; mk/fuzz.mk says what they begin with.
FUZZ_CC ?= clang
FUZZ_SECONDS ?= 600
FUZZ_RUNS ?= 30000
FUZZERS := spec trace feed
FUZZ_BIN := $(FUZZERS:%=$(B)/fuzz/%)
FUZZ_SRC := $(CORE_SRC) $(filter-out src/sim/report.c,$(SIM_SRC))

$(FUZZ_BIN): $(B)/fuzz/%: tests/fuzz/%.c $(FUZZ_SRC) $(wildcard include/tg/*.h include/env/user/*.h src/sim/*.h src/trace/*.h tools/lib/*.h)
	@mkdir -p $(@D)
	$(FUZZ_CC) -std=gnu11 -g -O1 -fno-strict-aliasing -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined $(CORE_INC) -Isrc/trace -Isrc/sim -Itools -I$(B) -o $@ $(filter %.c,$^)

.PHONY: fuzz check-fuzz
check-fuzz: $(FUZZ_BIN) $(FUZZERS:%=$(B)/fuzz/corpus-%)
	@set -e; for f in $(FUZZERS); do \
		rm -rf $(B)/fuzz/new/$$f; mkdir -p $(B)/fuzz/new/$$f; \
		$(B)/fuzz/$$f -seed=1 -runs=$(FUZZ_RUNS) -max_len=4096 -timeout=10 -close_fd_mask=1 \
			-artifact_prefix=$(B)/fuzz/$$f- $(B)/fuzz/new/$$f $(B)/fuzz/corpus-$$f \
			>$(B)/fuzz/$$f.log 2>&1 || { tail -40 $(B)/fuzz/$$f.log; exit 1; }; \
		echo "ok fuzz $$f: $(FUZZ_RUNS) inputs"; \
	done; echo '3 passed, 0 failed'

fuzz: $(FUZZ_BIN) $(FUZZERS:%=$(B)/fuzz/corpus-%)
	@set -e; for f in $(FUZZERS); do \
		mkdir -p $(B)/fuzz/found-$$f; \
		$(B)/fuzz/$$f -max_total_time=$(FUZZ_SECONDS) -max_len=16384 -timeout=10 \
			-print_final_stats=1 -artifact_prefix=$(B)/fuzz/$$f- \
			$(B)/fuzz/found-$$f $(B)/fuzz/corpus-$$f \
			>$(B)/fuzz/$$f.log 2>&1 || { tail -40 $(B)/fuzz/$$f.log; exit 1; }; \
		echo "$$f: $$(sed -n 's/^stat::number_of_executed_units: *//p' $(B)/fuzz/$$f.log) inputs in $(FUZZ_SECONDS) s"; \
	done

# Line coverage of src/core and src/policy: the same tests, with counters in the sanitisers' place.
COV_UNIT := $(addprefix $(B)/cov/tests/core/,core_test reserve_test debt_test record_test key_test predict_test \
	spec_parse spec_match spec_fuzz)

.PHONY: coverage
coverage:
	@rm -rf $(B)/cov
	@$(MAKE) -s B=$(B)/cov SAN="--coverage -O0" SPEC_SANITIZE="--coverage -O0" sim-tests $(COV_UNIT) >/dev/null
	@tests/all $(COV_UNIT) $(B)/cov/tests/sim/* >$(B)/cov/log || { grep '^not ok' $(B)/cov/log; exit 1; }
	@lcov -q --capture --directory $(B)/cov --base-directory . --no-external \
		--output-file $(B)/cov/all 2>$(B)/cov/lcov.log
	@lcov -q --extract $(B)/cov/all '*/src/core/*' '*/src/policy/*' --output-file $(B)/cov/core \
		2>>$(B)/cov/lcov.log
	@lcov --list $(B)/cov/core 2>>$(B)/cov/lcov.log

-include $(TGSIM_OBJ:.o=.d) $(TGSIM_SAN:.o=.d) $(B)/obj/bench_core.d $(B)/obj/recorder_cost.d \
	$(patsubst %,$(B)/obj/%.d,sim_test dry_test ae guarantee fair vgpu chaos property wrong replay_test example figures tick sharing busy equals found churn search)
