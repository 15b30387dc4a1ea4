# SPDX-License-Identifier: GPL-2.0
# The modelled card: the daemon that runs it, and its tests.
# Included by the top Makefile; also works alone: make -f mk/card.mk [card-check]

B ?= build
CC ?= cc
include mk/version.mk
CARD_CFLAGS := -std=gnu11 -O2 -g -pthread -Wall -Wextra -Werror -Isrc/card
CARD_SAN := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

CARD_SRC := $(wildcard src/card/*.c)
CARD_OBJ := $(CARD_SRC:src/card/%.c=$(B)/obj/card/%.o)
CARD_SAN_OBJ := $(CARD_SRC:src/card/%.c=$(B)/obj/card/san/%.o)
CARDD_OBJ := $(patsubst tools/cardd/%.c,$(B)/obj/card/cardd/%.o,$(wildcard tools/cardd/*.c)) \
	$(patsubst tools/lib/%.c,$(B)/obj/card/lib/%.o,$(wildcard tools/lib/*.c))
CARD_TESTS := $(patsubst tests/card/%.c,$(B)/tests/card_%,$(filter-out tests/card/lib.c,$(wildcard tests/card/*.c)))

.PHONY: card card-check
card: $(B)/bin/cardd $(CARD_TESTS)

card-check: $(CARD_TESTS)
	@set -e; for t in $(CARD_TESTS); do echo "== $$t"; $$t; done

$(B)/bin/cardd: $(CARDD_OBJ) $(CARD_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CARD_CFLAGS) -o $@ $^

$(B)/obj/card/%.o: src/card/%.c
	@mkdir -p $(@D)
	$(CC) $(CARD_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/obj/card/cardd/%.o: tools/cardd/%.c
	@mkdir -p $(@D)
	$(CC) $(CARD_CFLAGS) -Itools -MMD -MP -c -o $@ $<

$(B)/obj/card/lib/%.o: tools/lib/%.c
	@mkdir -p $(@D)
	$(CC) $(CARD_CFLAGS) -I$(B) -MMD -MP -c -o $@ $<

# The tests run the same sources under the address and undefined-behaviour sanitizers.
$(B)/obj/card/san/%.o: src/card/%.c
	@mkdir -p $(@D)
	$(CC) $(CARD_CFLAGS) $(CARD_SAN) -MMD -MP -c -o $@ $<

$(B)/obj/card/test/%.o: tests/card/%.c
	@mkdir -p $(@D)
	$(CC) $(CARD_CFLAGS) $(CARD_SAN) -MMD -MP -c -o $@ $<

# cardd's files are tested without its main.c
$(B)/obj/card/san/cardd/%.o: tools/cardd/%.c
	@mkdir -p $(@D)
	$(CC) $(CARD_CFLAGS) $(CARD_SAN) -Itools -MMD -MP -c -o $@ $<

$(B)/tests/card_vfu: $(B)/obj/card/san/cardd/vfu.o
$(B)/tests/card_cardd: $(addprefix $(B)/obj/card/,san/cardd/truth.o san/cardd/vfu.o lib/json.o lib/utf8.o)

$(B)/tests/card_%: $(B)/obj/card/test/%.o $(B)/obj/card/test/lib.o $(CARD_SAN_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CARD_CFLAGS) $(CARD_SAN) -o $@ $^

# Objects of the tests are built through patterns: keep them
.SECONDARY: $(patsubst tests/card/%.c,$(B)/obj/card/test/%.o,$(wildcard tests/card/*.c)) \
	$(CARD_SAN_OBJ)

-include $(wildcard $(B)/obj/card/*.d $(B)/obj/card/*/*.d $(B)/obj/card/san/*/*.d)

# Fuzzers, by clang's libFuzzer: they join the core's (mk/sim.mk), which sets how long.
FUZZ_CC ?= clang
FUZZ_SECONDS ?= 600
CARD_FUZZ_RUNS ?= 1500
CARD_FUZZERS := card_vfu card_mmio card_push card_gf100
CARD_FUZZ_BIN := $(CARD_FUZZERS:%=$(B)/fuzz/%)
CARD_FUZZ_FLAGS := -std=gnu11 -g -O1 -Isrc/card -Itests/card -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=undefined

$(CARD_FUZZ_BIN): $(B)/fuzz/card_%: tests/fuzz/card_%.c tests/card/lib.c tools/cardd/vfu.c $(CARD_SRC) \
		$(wildcard src/card/*.h tests/card/*.h tools/cardd/*.h)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CARD_FUZZ_FLAGS) -o $@ $< tests/card/lib.c $(CARD_SRC) \
		$(if $(filter vfu,$*),tools/cardd/vfu.c)

.PHONY: fuzz fuzz-card check-fuzz check-fuzz-card
fuzz: fuzz-card
check-fuzz: check-fuzz-card

check-fuzz-card: $(CARD_FUZZ_BIN) $(CARD_FUZZERS:%=$(B)/fuzz/corpus-%)
	@set -e; for f in $(CARD_FUZZERS); do \
		rm -rf $(B)/fuzz/new/$$f; mkdir -p $(B)/fuzz/new/$$f; \
		$(B)/fuzz/$$f -seed=1 -runs=$(CARD_FUZZ_RUNS) -max_len=1024 -timeout=20 \
			-artifact_prefix=$(B)/fuzz/$$f- $(B)/fuzz/new/$$f $(B)/fuzz/corpus-$$f \
			>$(B)/fuzz/$$f.log 2>&1 || { tail -40 $(B)/fuzz/$$f.log; exit 1; }; \
		echo "ok fuzz $$f: $(CARD_FUZZ_RUNS) inputs"; \
	done

fuzz-card: $(CARD_FUZZ_BIN) $(CARD_FUZZERS:%=$(B)/fuzz/corpus-%)
	@set -e; for f in $(CARD_FUZZERS); do \
		mkdir -p $(B)/fuzz/found-$$f; \
		$(B)/fuzz/$$f -max_total_time=$(FUZZ_SECONDS) -max_len=8192 -timeout=20 \
			-print_final_stats=1 -artifact_prefix=$(B)/fuzz/$$f- \
			$(B)/fuzz/found-$$f $(B)/fuzz/corpus-$$f \
			>$(B)/fuzz/$$f.log 2>&1 || { tail -40 $(B)/fuzz/$$f.log; exit 1; }; \
		echo "$$f: $$(sed -n 's/^stat::number_of_executed_units: *//p' $(B)/fuzz/$$f.log) inputs in $(FUZZ_SECONDS) s"; \
	done
