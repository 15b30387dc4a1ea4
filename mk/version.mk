# SPDX-License-Identifier: GPL-2.0
# The version that tools, module and packages have: scripts/version. Tools include version.h from $(B), which is written
# when the version has changed.

ifndef VERSION_KNOWN
VERSION_KNOWN := 1
B ?= build
VERSION := $(shell scripts/version)
$(shell mkdir -p $(B); echo '#define TIMEGRAPH_VERSION "$(VERSION)"' >$(B)/version.h.new; \
	if cmp -s $(B)/version.h.new $(B)/version.h; then rm $(B)/version.h.new; else mv $(B)/version.h.new $(B)/version.h; fi)
endif
