// SPDX-License-Identifier: GPL-2.0
/*
 * A program that takes its turns from tgd, for `compiles`: nvcc takes tgd.h and the client's header.
 */
#include "../../../src/user/gloop/gloop.h"
#include "../../../src/user/gloop/tgd.h"

int main()
{
	gloop::tgd turns;
	gloop::HostLoop host(gloop::IO_ANY, &turns);

	return host.launch(gloop::launch_config(), [=] GLOOP_DEVICE (gloop::DeviceLoop *) { });
}
