# SPDX-License-Identifier: GPL-2.0
# What the fuzzers of mk/sim.mk and mk/card.mk begin with: one archive each, unpacked into $(B)/fuzz/corpus-NAME. What
# `make fuzz` finds lies in $(B)/fuzz/found-NAME; `scripts/fuzz-pack NAME` puts it into the archive.

B ?= build

$(B)/fuzz/corpus-%: tests/fuzz/corpus/%.tar.xz
	@rm -rf $@ && mkdir -p $@
	@tar -xJf $< -C $@ && touch $@
