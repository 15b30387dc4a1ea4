# SPDX-License-Identifier: GPL-2.0
# The version that tools, module and packages have: scripts/version. What is compiled with it depends on
# $(B)/version, which is written when the version has changed.

ifndef VERSION_KNOWN
VERSION_KNOWN := 1
B ?= build
VERSION := $(shell scripts/version)
$(shell mkdir -p $(B); echo $(VERSION) | cmp -s - $(B)/version || echo $(VERSION) >$(B)/version)
endif
