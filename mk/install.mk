# SPDX-License-Identifier: GPL-2.0
# Installing, and Debian packages: docs/install.md.
#
#	make install [DESTDIR=...]	tools, libtimegraph-mem and -shm, and the module's source for DKMS
#	make install-tools, install-lib, install-dev, install-shm, install-dkms
#	make deb			build/deb/*.deb, and the source package
#
# tgagpad wants libxcb, libwayland and json-c (scripts/setup x11), the OpenCL layer OpenCL's headers (scripts/setup opencl), tgrund libsystemd
# (scripts/setup deb).

include mk/version.mk

DESTDIR ?=
PREFIX ?= /usr
LIBDIR ?= $(PREFIX)/lib
I := $(DESTDIR)$(PREFIX)
TOOLS := tgctl tgload tgsim tgagpad tgd
LAYER := $(B)/lib/libtimegraph-cl.so
MEM_FUNCTIONS := tg_mem_init tg_mem_pre_alloc tg_mem_post_free tg_mem_fini
FILL := sed 's/@VERSION@/$(VERSION)/g'
INSTALLED := sed 's|/usr/share/doc|$(PREFIX)/share/doc|g'
TOOLS_MAN := tgd.1 tgagpad.8 tgctl.8 tgload.1 tgsim.1 tgsim-scenario.5 timegraph.spec.5

.PHONY: install install-tools install-lib install-dev install-shm install-dkms deb
install: install-tools install-lib install-dev install-shm install-dkms

install-tools: $(TOOLS:%=$(B)/bin/%) $(B)/bin/tgrund $(LAYER)
	install -d $(I)/bin $(I)/lib/timegraph
	install -s $(TOOLS:%=$(B)/bin/%) $(I)/bin
	install -s -m 644 $(LAYER) $(I)/lib/timegraph
	install -s $(B)/bin/tgrund $(I)/lib/timegraph
	for m in $(TOOLS_MAN); do \
		install -d $(I)/share/man/man$${m##*.} && \
		$(INSTALLED) docs/man/$$m | gzip -9n >$(I)/share/man/man$${m##*.}/$$m.gz || exit 1; \
	done
	install -d $(addprefix $(I)/share/doc/timegraph-tools/,policies results schema)
	install -d $(addprefix $(I)/share/timegraph/,grafana prometheus)
	install -d $(I)/share/bash-completion/completions $(I)/share/zsh/vendor-completions $(I)/share/fish/vendor_completions.d
	install -m 644 docs/*.md $(I)/share/doc/timegraph-tools
	install -m 644 docs/policies/*.md $(I)/share/doc/timegraph-tools/policies
	install -m 644 docs/results/*.md $(I)/share/doc/timegraph-tools/results
	install -m 644 docs/schema/*.json $(I)/share/doc/timegraph-tools/schema
	install -m 644 packaging/grafana/*.json $(I)/share/timegraph/grafana
	install -m 644 packaging/prometheus/*.yml $(I)/share/timegraph/prometheus
	for t in $(TOOLS); do \
		scripts/completions bash $(B)/bin/$$t >$(I)/share/bash-completion/completions/$$t && \
		scripts/completions zsh $(B)/bin/$$t >$(I)/share/zsh/vendor-completions/_$$t && \
		scripts/completions fish $(B)/bin/$$t >$(I)/share/fish/vendor_completions.d/$$t.fish || exit 1; \
	done
	install -m 644 packaging/environment.d/60-timegraph.conf $(I)/share/doc/timegraph-tools
	install -d $(DESTDIR)/lib/systemd/system $(DESTDIR)/lib/udev/rules.d $(DESTDIR)/etc
	install -m 644 packaging/systemd/* $(DESTDIR)/lib/systemd/system
	install -d $(addprefix $(I)/share/,dbus-1/system.d dbus-1/system-services polkit-1/actions)
	install -m 644 packaging/dbus/*.conf $(I)/share/dbus-1/system.d
	install -m 644 packaging/dbus/*.service $(I)/share/dbus-1/system-services
	install -m 644 packaging/polkit/*.policy $(I)/share/polkit-1/actions
	install -m 644 packaging/timegraph.rules $(DESTDIR)/lib/udev/rules.d/60-timegraph.rules
	for f in timegraph.spec timegraph.limits; do \
		[ -e $(DESTDIR)/etc/$$f ] || install -m 644 packaging/$$f $(DESTDIR)/etc/$$f || exit 1; \
	done

install-lib: $(B)/lib/libtimegraph-mem.so.0
	install -d $(DESTDIR)$(LIBDIR)
	install -s -m 644 $< $(DESTDIR)$(LIBDIR)

# The man page has the name of each function
install-dev: $(B)/lib/libtimegraph-mem.a
	install -d $(DESTDIR)$(LIBDIR) $(I)/include/timegraph $(I)/share/man/man3
	install -m 644 $< $(DESTDIR)$(LIBDIR)
	ln -sf libtimegraph-mem.so.0 $(DESTDIR)$(LIBDIR)/libtimegraph-mem.so
	install -m 644 include/timegraph/mem.h $(I)/include/timegraph
	$(INSTALLED) docs/man/tg_mem.3 | gzip -9n >$(I)/share/man/man3/tg_mem.3.gz
	for f in $(MEM_FUNCTIONS); do ln -sf tg_mem.3.gz $(I)/share/man/man3/$$f.3.gz || exit 1; done

# No package has it yet
install-shm: $(B)/lib/libtimegraph-shm.so.0 $(B)/lib/libtimegraph-shm.a
	install -d $(DESTDIR)$(LIBDIR) $(I)/include/timegraph
	install -s -m 644 $< $(DESTDIR)$(LIBDIR)
	install -m 644 $(B)/lib/libtimegraph-shm.a $(DESTDIR)$(LIBDIR)
	ln -sf libtimegraph-shm.so.0 $(DESTDIR)$(LIBDIR)/libtimegraph-shm.so
	install -m 644 include/timegraph/shm.h $(I)/include/timegraph

install-dkms:
	rm -rf $(I)/src/timegraph-$(VERSION)
	install -d $(I)/src/timegraph-$(VERSION)/src
	cp -r Kbuild include $(I)/src/timegraph-$(VERSION)
	cp -r src/core src/policy src/kmod $(I)/src/timegraph-$(VERSION)/src
	install -d $(I)/src/timegraph-$(VERSION)/scripts
	sed 's/^release=.*/release=$(VERSION)/' scripts/version >$(I)/src/timegraph-$(VERSION)/scripts/version
	chmod 755 $(I)/src/timegraph-$(VERSION)/scripts/version
	$(FILL) packaging/dkms.conf >$(I)/src/timegraph-$(VERSION)/dkms.conf
	install -d $(I)/share/man/man4 $(DESTDIR)/etc/modprobe.d
	$(INSTALLED) docs/man/timegraph.4 | gzip -9n >$(I)/share/man/man4/timegraph.4.gz
	[ -e $(DESTDIR)/etc/modprobe.d/timegraph.conf ] || \
		install -m 644 packaging/modprobe.conf $(DESTDIR)/etc/modprobe.d/timegraph.conf
	install -D packaging/kernel-postinst $(DESTDIR)/etc/kernel/postinst.d/timegraph
	install -D packaging/enroll-key $(I)/share/timegraph-dkms/enroll-key

# A source package and what it builds: scripts/deb
deb:
	@scripts/deb
