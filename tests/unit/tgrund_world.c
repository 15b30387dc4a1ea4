// SPDX-License-Identifier: GPL-2.0
/*
 * tgrund_world CGROUP DENY - plays systemd and polkit on a bus, for tests/unit/tgrund: makes the
 * cgroups of scopes below CGROUP and moves processes into them; says no while a file DENY is there,
 * does not move what it should while a file DENY.late is, has not done that while DENY.job is, and
 * answers for polkit when a file DENY.slow has gone.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

static const char *root, *deny;

static int start_unit(sd_bus_message *m, void *arg, sd_bus_error *error)
{
	const char *name, *mode, *key, *slice = "";
	char dir[512], file[600], late[256];
	uint32_t pid = 0;
	FILE *to;

	sd_bus_message_read(m, "ss", &name, &mode);
	sd_bus_message_enter_container(m, 'a', "(sv)");
	while (sd_bus_message_enter_container(m, 'r', "sv") > 0) {
		sd_bus_message_read(m, "s", &key);
		if (!strcmp(key, "Slice"))
			sd_bus_message_read(m, "v", "s", &slice);
		else if (!strcmp(key, "PIDs"))
			sd_bus_message_read(m, "v", "au", 1, &pid);
		else
			sd_bus_message_skip(m, "v");
		sd_bus_message_exit_container(m);
	}
	snprintf(dir, sizeof(dir), "%s%s/%s", root, strncmp(slice, "user-", 5) ? "" : "/user.slice", slice);
	mkdir(dir, 0755);
	snprintf(dir + strlen(dir), sizeof(dir) - strlen(dir), "/%s", name);
	rmdir(dir);	/* of a scope that is over */
	if (mkdir(dir, 0755))
		return sd_bus_error_set(error, "org.freedesktop.systemd1.UnitExists", name);
	snprintf(late, sizeof(late), "%s.late", deny);
	snprintf(file, sizeof(file), "%s/cgroup.procs", dir);
	to = access(late, F_OK) ? fopen(file, "w") : NULL;
	if (to) {
		fprintf(to, "%u", pid);
		fclose(to);
	}
	printf("%s in %s\n", name, slice);
	fflush(stdout);
	return sd_bus_reply_method_return(m, "o", "/org/freedesktop/systemd1/job/1");
}

/* Its only job is over when it answers. */
static int get_job(sd_bus_message *m, void *arg, sd_bus_error *error)
{
	char name[256];

	snprintf(name, sizeof(name), "%s.job", deny);
	if (access(name, F_OK))
		return sd_bus_error_set(error, "org.freedesktop.systemd1.NoSuchJob", "no such job");
	return sd_bus_reply_method_return(m, "o", "/org/freedesktop/systemd1/job/1");
}

static int check(sd_bus_message *m, void *arg, sd_bus_error *error)
{
	char name[256];

	for (snprintf(name, sizeof(name), "%s.slow", deny); !access(name, F_OK);)
		usleep(10000);
	return sd_bus_reply_method_return(m, "(bba{ss})", !!access(deny, F_OK), 0, 0);
}

static const sd_bus_vtable manager[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("StartTransientUnit", "ssa(sv)a(sa(sv))", "o", start_unit, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD("GetJob", "u", "o", get_job, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END
};

static const sd_bus_vtable authority[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("CheckAuthorization", "(sa{sv})sa{ss}us", "(bba{ss})", check, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END
};

int main(int argc, char **argv)
{
	sd_bus *bus;
	int ret;

	if (argc != 3 || sd_bus_open_system(&bus) < 0)
		return 2;
	root = argv[1];
	deny = argv[2];
	ret = sd_bus_add_object_vtable(bus, NULL, "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager",
				       manager, NULL);
	if (ret >= 0)
		ret = sd_bus_add_object_vtable(bus, NULL, "/org/freedesktop/PolicyKit1/Authority",
					       "org.freedesktop.PolicyKit1.Authority", authority, NULL);
	if (ret >= 0)
		ret = sd_bus_request_name(bus, "org.freedesktop.systemd1", 0);
	if (ret >= 0)
		ret = sd_bus_request_name(bus, "org.freedesktop.PolicyKit1", 0);
	while (ret >= 0) {
		ret = sd_bus_process(bus, NULL);
		if (!ret)
			ret = sd_bus_wait(bus, UINT64_MAX);
		ret = ret == -EINTR ? 0 : ret;
	}
	return 1;
}
