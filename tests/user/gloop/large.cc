// SPDX-License-Identifier: GPL-2.0
/* A source of hard_test that chooses larger slots than the other does */
#define GLOOP_SLOT_BYTES 4096
#include "../../../src/user/gloop/gloop.h"

int large();

/* large() - 20 callbacks that capture 4000 bytes; how many have run with what they captured */
int large()
{
	struct bytes { char at[4000]; } b;
	gloop::launch_config k;
	gloop::HostLoop host;
	static int right;
	int *to = &right;

	memset(b.at, 'b', sizeof(b.at));
	k.pages = 0;
	k.shared_slots = false;
	host.launch(k, [=](gloop::DeviceLoop *loop) {
		for (int i = 0; i < 20; i++)
			gloop::postTask(loop, [=](gloop::DeviceLoop *) {
				*to += b.at[0] == 'b' && b.at[3999] == 'b';
			});
	});
	return right;
}
