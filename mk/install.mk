# SPDX-License-Identifier: GPL-2.0
# Installing, and Debian packages: docs/install.md.
#
#	make install [DESTDIR=...]	tools, libtimegraph-mem and -shm, and the module's source for DKMS
#	make install-tools, install-dkms; install-mem, install-shm: a library; install-mem-dev, install-shm-dev
#	make install-units	units, and what D-Bus and polkit read: part of install-tools
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
# Each library's man page has the name of each of its functions
mem_MAN := tg_mem
mem_FUNCTIONS := tg_mem_init tg_mem_pre_alloc tg_mem_post_free tg_mem_fini
mem_SAYS := admission by GPU memory
shm_MAN := tgshm
shm_FUNCTIONS := tgshm_get tgshm_at tgshm_dt tgshm_ctl
shm_SAYS := memory of a GPU that processes share by key
FILL := sed 's/@VERSION@/$(VERSION)/g'
INSTALLED := sed 's|/usr/share/doc|$(PREFIX)/share/doc|g'
# Units, and the session's variable, name programs and libraries
PLACED := sed 's|/usr/bin/|$(PREFIX)/bin/|g; s|/usr/lib/timegraph/|$(PREFIX)/lib/timegraph/|g'
# DKMS, D-Bus and polkit look there, whatever PREFIX is
SYSTEM := $(DESTDIR)/usr
TOOLS_MAN := tgd.1 tgagpad.8 tgctl.8 tgload.1 tgsim.1 tgsim-scenario.5 timegraph.spec.5

LIBRARIES := mem shm
.PHONY: install install-tools install-units install-dkms deb
.PHONY: $(LIBRARIES:%=install-%) $(LIBRARIES:%=install-%-dev)
install: install-tools $(LIBRARIES:%=install-%) $(LIBRARIES:%=install-%-dev) install-dkms

install-tools: $(TOOLS:%=$(B)/bin/%) $(B)/bin/tgrund $(LAYER) install-units
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
	install -d $(DESTDIR)/lib/udev/rules.d $(DESTDIR)/etc
	install -m 644 packaging/timegraph.rules $(DESTDIR)/lib/udev/rules.d/60-timegraph.rules
	for f in timegraph.spec timegraph.limits; do \
		[ -e $(DESTDIR)/etc/$$f ] || install -m 644 packaging/$$f $(DESTDIR)/etc/$$f || exit 1; \
	done

install-units:
	install -d $(DESTDIR)/lib/systemd/system $(I)/share/doc/timegraph-tools
	for u in packaging/systemd/*; do \
		$(PLACED) $$u >$(DESTDIR)/lib/systemd/system/$${u##*/} || exit 1; \
	done
	install -d $(addprefix $(SYSTEM)/share/dbus-1/system,.d -services)
	install -d $(SYSTEM)/share/polkit-1/actions
	install -m 644 packaging/dbus/*.conf $(SYSTEM)/share/dbus-1/system.d
	install -m 644 packaging/dbus/*.service $(SYSTEM)/share/dbus-1/system-services
	install -m 644 packaging/polkit/*.policy $(SYSTEM)/share/polkit-1/actions
	$(PLACED) packaging/environment.d/60-timegraph.conf \
		>$(I)/share/doc/timegraph-tools/60-timegraph.conf

$(LIBRARIES:%=install-%): install-%: $(B)/lib/libtimegraph-%.so.0
	install -d $(DESTDIR)$(LIBDIR)
	install -s -m 644 $< $(DESTDIR)$(LIBDIR)

$(LIBRARIES:%=install-%-dev): install-%-dev: $(B)/lib/libtimegraph-%.a
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(I)/include/timegraph $(I)/share/man/man3
	install -m 644 $< $(DESTDIR)$(LIBDIR)
	ln -sf libtimegraph-$*.so.0 $(DESTDIR)$(LIBDIR)/libtimegraph-$*.so
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s/@NAME@/timegraph-$*/; s/@VERSION@/$(VERSION)/; s/@DESCRIPTION@/$($*_SAYS)/' \
		packaging/library.pc >$(DESTDIR)$(LIBDIR)/pkgconfig/timegraph-$*.pc
	install -m 644 include/timegraph/$*.h $(I)/include/timegraph
	$(INSTALLED) docs/man/$($*_MAN).3 | gzip -9n >$(I)/share/man/man3/$($*_MAN).3.gz
	for f in $($*_FUNCTIONS); do ln -sf $($*_MAN).3.gz $(I)/share/man/man3/$$f.3.gz || exit 1; done

install-dkms:
	rm -rf $(SYSTEM)/src/timegraph-$(VERSION)
	install -d $(SYSTEM)/src/timegraph-$(VERSION)/src
	cp -r Kbuild include $(SYSTEM)/src/timegraph-$(VERSION)
	cp -r src/core src/policy src/kmod $(SYSTEM)/src/timegraph-$(VERSION)/src
	install -d $(SYSTEM)/src/timegraph-$(VERSION)/scripts
	sed 's/^release=.*/release=$(VERSION)/' scripts/version \
		>$(SYSTEM)/src/timegraph-$(VERSION)/scripts/version
	chmod 755 $(SYSTEM)/src/timegraph-$(VERSION)/scripts/version
	$(FILL) packaging/dkms.conf >$(SYSTEM)/src/timegraph-$(VERSION)/dkms.conf
	install -d $(I)/share/man/man4 $(DESTDIR)/etc/modprobe.d
	$(INSTALLED) docs/man/timegraph.4 | gzip -9n >$(I)/share/man/man4/timegraph.4.gz
	[ -e $(DESTDIR)/etc/modprobe.d/timegraph.conf ] || \
		install -m 644 packaging/modprobe.conf $(DESTDIR)/etc/modprobe.d/timegraph.conf
	install -D packaging/kernel-postinst $(DESTDIR)/etc/kernel/postinst.d/timegraph
	install -D packaging/enroll-key $(I)/share/timegraph-dkms/enroll-key

# A source package and what it builds: scripts/deb
deb:
	@scripts/deb
