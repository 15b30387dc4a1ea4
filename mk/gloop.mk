# SPDX-License-Identifier: GPL-2.0
# GLoop's tests and bench. The runtime is header-only; turns from tgd take the client's library (mk/user.mk).

B ?= build
CXX ?= c++

GLOOP_CXXFLAGS := -std=gnu++17 -O1 -g -Wall -Wextra -Werror -pthread
GLOOP_TESTS := $(addprefix $(B)/tests/gloop/,api_test apps_test turn_test random_test hard_test)
# turn_test has one thread
GLOOP_TESTS_TSAN := $(addprefix $(B)/tests/gloop/,api_test-tsan apps_test-tsan random_test-tsan hard_test-tsan)
GLOOP_BENCH := $(B)/bench/gloop
GLOOP_TGD := $(B)/tests/gloop/tgd_test

.PHONY: gloop-tests
gloop-tests: $(GLOOP_TESTS) $(GLOOP_TESTS_TSAN) $(GLOOP_TGD) $(B)/tests/gloop/strict

# Programs that include the headers may have more warnings than this tree
$(B)/tests/gloop/strict: tests/user/gloop/strict.cc $(wildcard src/user/gloop/*.h)
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only $<
	$(CXX) -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only $<
	@touch $@

$(GLOOP_TESTS): $(B)/tests/gloop/%: tests/user/gloop/%.cc
	@mkdir -p $(@D)
	$(CXX) $(GLOOP_CXXFLAGS) $(SAN) -MMD -MP -MF $@.d -o $@ $(filter %.cc,$^)

$(GLOOP_TESTS_TSAN): $(B)/tests/gloop/%-tsan: tests/user/gloop/%.cc
	@mkdir -p $(@D)
	$(CXX) $(GLOOP_CXXFLAGS) -fsanitize=thread -MMD -MP -MF $@.d -o $@ $(filter %.cc,$^)

$(B)/tests/gloop/hard_test $(B)/tests/gloop/hard_test-tsan: tests/user/gloop/large.cc

$(GLOOP_TGD): tests/user/gloop/tgd_test.cc $(B)/lib/libtimegraph-client.a $(B)/bin/tgd
	@mkdir -p $(@D)
	$(CXX) $(GLOOP_CXXFLAGS) $(SAN) -MMD -MP -MF $@.d -o $@ $(filter %.cc %.a,$^)

# On host threads. scripts/bench-gloop builds it for a GPU.
$(GLOOP_BENCH): $(wildcard tests/user/gloop/bench*.cc) $(wildcard src/user/gloop/*.h src/user/gloop/apps/*.h tests/user/gloop/*.h)
	@mkdir -p $(@D)
	$(CXX) $(GLOOP_CXXFLAGS) -O2 -o $@ $(filter %.cc,$^)

-include $(GLOOP_TESTS:=.d) $(GLOOP_TESTS_TSAN:=.d) $(GLOOP_TGD).d
