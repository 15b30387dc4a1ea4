# SPDX-License-Identifier: GPL-2.0
# The version that tools, module and packages have: scripts/version. Tools include version.h from $(B), which is written
# when the version has changed.

ifndef VERSION_KNOWN
VERSION_KNOWN := 1
B ?= build
VERSION := $(shell scripts/version)
$(shell mkdir -p $(B); new=$(B)/version.h.$$$$; echo '#define TIMEGRAPH_VERSION "$(VERSION)"' >$$new; \
	if cmp -s $$new $(B)/version.h; then rm $$new; else mv $$new $(B)/version.h; fi)
endif
