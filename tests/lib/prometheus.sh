# SPDX-License-Identifier: GPL-2.0
# A Prometheus for tests, which scrapes one port of this machine every two seconds. Sourced, in bash, in the tree's top; the
# sourcing script sets $dir, a folder of its own, and calls prometheus_end at its end.

prometheus_pid='' prometheus_url=''

# prometheus_begin PORT: start one; its files are in $dir/prometheus
prometheus_begin()
{
	local port

	port=$(/usr/bin/python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])') || return
	prometheus_url=http://127.0.0.1:$port
	mkdir -p "$dir/prometheus"
	cat >"$dir/prometheus/config.yml" <<-END
	global: { scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 2s }
	rule_files: [$PWD/packaging/prometheus/timegraph.rules.yml]
	scrape_configs: [{ job_name: timegraph, static_configs: [{ targets: ['127.0.0.1:$1'] }] }]
	END
	build/cache/prometheus/prometheus --config.file="$dir/prometheus/config.yml" --storage.tsdb.path="$dir/prometheus/data" \
		--web.listen-address="127.0.0.1:$port" --log.level=warn 2>"$dir/prometheus/log" & prometheus_pid=$!
}

prometheus_end()
{
	[ -z "$prometheus_pid" ] || { kill "$prometheus_pid"; wait "$prometheus_pid"; }
	prometheus_pid=
}

# prom EXPR FILTER: the answer to a query, through jq
prom() { tests/lib/promapi "$prometheus_url" query "$1" 2>/dev/null | jq -c "$2"; }

# scraped N: wait until so many scrapes have succeeded, two minutes at most
scraped()
{
	local i

	for i in {1..240}; do
		[ "$(prom 'sum_over_time(up[5m])' '.[0].value // 0')" -lt "$1" ] || return 0
		sleep 0.5
	done
	return 1
}
