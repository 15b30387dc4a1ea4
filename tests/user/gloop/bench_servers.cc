// SPDX-License-Identifier: GPL-2.0
/* The bench's servers: echo and matmul, with clients in threads of the same process. */
#include "bench.h"
#include "../../../src/user/gloop/apps/echo.h"
#include "../../../src/user/gloop/apps/matmul.h"

namespace apps {

static bool quick_echo_client(uint32_t port, uint32_t requests)
{
	std::vector<char> out(1024, 'x'), in(1024);
	int s = server_connect(port);
	bool right = true;

	for (uint32_t i = 0; i < requests && right; i++)
		right = server_write(s, out.data(), out.size()) &&
			server_read(s, in.data(), in.size()) && in == out;
	::close(s);
	return right;
}

/* The same factors each time, so that the client costs little. @requests 0: for ever. */
static bool quick_matmul_client(uint32_t port, uint32_t n, uint32_t requests, uint32_t pause_us)
{
	std::vector<float> factors(2 * n * n, 2), got(n * n);
	int s = server_connect(port);
	bool right = true;

	for (uint32_t i = 0; (!requests || i < requests) && right; i++) {
		right = server_write(s, factors.data(), factors.size() * sizeof(float)) &&
			server_read(s, got.data(), got.size() * sizeof(float)) &&
			got[0] == 4.0f * n && got[n * n - 1] == 4.0f * n;
		if (pause_us)
			usleep(pause_us);
	}
	::close(s);
	return right;
}

/* A client of the matmul server, or of the echo server (@n 0) */
struct client {
	uint32_t port, n, requests, pause_us;
	bool right;
	pthread_t thread;
};

static void *client_main(void *arg)
{
	struct client *c = (struct client *)arg;

	c->right = c->n ? quick_matmul_client(c->port, c->n, c->requests, c->pause_us) :
			  quick_echo_client(c->port, c->requests);
	return nullptr;
}

template <class M>
static void serve(const char *name, uint32_t clients, uint32_t n, uint32_t requests, M make)
{
	std::vector<client> all(clients);
	buffer<uint32_t> served(clients);
	gloop::launch_config k;
	gloop::launch_stats s;
	gloop::HostLoop host;
	bool right = true;

	gloop::net::listener l = server_open(&host);
	for (client &c : all) {
		c = client{l.port, n, requests, 0, false, 0};
		pthread_create(&c.thread, nullptr, client_main, &c);
	}
	k.logical = k.physical = clients;
	k.threads = on_gpu ? 256 : 1;
	launch(&host, k, make(l.socket, served.get()), &s);
	for (client &c : all) {
		pthread_join(c.thread, nullptr);
		right &= c.right;
	}
	close(l.socket);
	printf("%s, %u clients, %s: %.0f requests a second, the GPU held for %.0f %% of %.0f ms, %s\n",
	       name, clients, host.io_name(), clients * requests * 1e9 / s.wall_ns,
	       100.0 * s.held_ns / s.wall_ns, s.wall_ns / 1e6, verdict(right));
}

void bench_servers()
{
	for (uint32_t clients : {1u, 16u}) {
		buffer<char> memory(clients * 4096);

		serve("echo", clients, 0, on_gpu ? 2000 : 200, [&](int socket, uint32_t *served) {
			return echo{socket, 1, 4096, memory.get(), served};
		});
	}
	for (uint32_t clients : {1u, 16u}) {
		uint32_t n = on_gpu ? 256 : 64;
		buffer<float> memory(clients * 3 * n * n);

		serve("matmul", clients, n, on_gpu ? 100 : 10, [&](int socket, uint32_t *served) {
			return matmul{socket, 1, n, memory.get(), served};
		});
#ifdef __CUDACC__
		printf("matmul, plain kernel: %.3f ms for %u products at a time\n",
		       median([&] { return timed([&] {
			run_plain(clients, 256, 0, matmul{-1, 1, n, memory.get(), nullptr});
		       }); }), clients);
#endif
	}
}

/* A matmul server with one client, which pauses after each product */
void serve_matmul(const struct job &j)
{
	uint32_t n = on_gpu ? 256 : 64;
	buffer<float> memory(3 * n * n);
	buffer<uint32_t> served(1);
	gloop::net::listener l = server_open(j.host);
	struct client c = {l.port, n, 0, on_gpu ? 20000u : 30000u, false, 0};
	gloop::launch_config k;

	pthread_create(&c.thread, nullptr, client_main, &c);
	k.threads = on_gpu ? 256 : 1;
	j.start();
	launch(j.host, k, matmul{l.socket, 1, n, memory.get(), served.get()});
}

}	/* namespace apps */
