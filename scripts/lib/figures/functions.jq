# SPDX-License-Identifier: GPL-2.0
# Of the data of bench-timegraph, { points: [{ series, x, y }] }:
def ys(s): [.points[] | select(.series == s) | .y];
def y(s; x): [.points[] | select(.series == s and .x == "\(x)") | .y] | add / length;
def mean(s): ys(s) | add / length;
def deviation(s): ys(s) | (add / length) as $m | map((. - $m) * (. - $m)) | add / length | sqrt;
# How much less b is than a, and how much more, in percent
def loss(a; b): 100 * (1 - b / a);
def gain(a; b): 100 * (b / a - 1);
# Of bench-schedgpu, { ways: [{ way, seconds, ... }] }
def way(w): .ways[] | select(.way == w);
def faster(a; b): way(a).seconds / way(b).seconds;
# Of bench-gdev, { runs: [{ run, utilisation_percent }] } or { rows: [{ run, searches, makespan_s }] }
def used(r): .runs[] | select(.run == r) | .utilisation_percent;
def spread(l): (l | max) - (l | min);
def flow(h; s; n): .rows[] | select(.how == h and .shape == s and .side == n) | .ms;
def faster_by_key(s; n): flow("modular"; s; n) / flow("shm"; s; n);
def span(r): [.rows[] | select(.run == r)];
# Of bench-loga, { rows: [{ load, policy, turnaround }] }, { rows: [{ mode, error }] } or { rows: [{ app, policy, run_time }] }
def turnaround(p; load): [.rows[] | select(.policy == p and (.load | test(load))) | .turnaround | log] | add / length | exp;
def error(m): [.rows[] | select(.mode == m) | .error | fabs] | max;
