# SPDX-License-Identifier: GPL-2.0
#
# evaluate.awk - one figure of schedGPU: rows to data, bars and the sentence. Called by scripts/bench-schedgpu, with figure, scale,
# what the sentence says at its end, G, if there was one, and the files json and bars to write.

$1 == "size" { size = $2 }
# Of 12 one by one, three are run
function whole(way) { return figure <= 11 && way ~ /one$/ ? 4 : 1 }
$1 == "run" { ways[++n] = $2; t[$2] = $3 * whole($2); gpu[$2] = $3 ? $4 / $3 / 1e7 : 0; waited[$2] = $6; refused[$2] = $7 }
$1 == "failed" { failed[$2]++; print "bench-schedgpu: " $0 >"/dev/stderr" }
$1 == "app" {
	cpu[$2] += $5 * whole($2); held[$2] += $7 * $8 * 1048576 * whole($2)
	idle[$2, $3] += $6 / 1e6; of[$2, $3]++; name[$3]
}
$1 == "window" { windows[$2]++; none[$2] += $4 < 0.5; full[$2] += $4 > 90 }
function ratio(a, b) { return b ? a / b : 0 }
function faster(app, a, b) { return ratio(t[app "." a], t[app "." b]) }
function cores(w) { return ratio(cpu[w], 12e4 * t[w]) }
function memory(w) { return ratio(held[w], size * 1e4 * t[w]) }
function waits(w, app) { return ratio(idle[w, app], of[w, app]) * scale }
function of_time(count, w) { return 100 * ratio(count[w], windows[w]) }
function word(ours, theirs) { return ours >= theirs ? "better" : "worse" }
function shown(yes) { return yes ? "shown" : "worse" }
function say(claim, ours, verdict) {
	line = "the paper: " claim "; here: " ours ": " verdict
	printf "Figure %d: %s; %s\n", figure, line, beside
}
function bar(text, a, b, c) { printf "\"%s\" %.3f %.3f %.3f\n", text, a, b, c >bars }
function figure10() {
	for (i = 1; i <= 4; i++) {
		app = "suite" i
		one += faster(app, "one", "mmu") / 4
		hand += ratio(t[app ".mmu"], t[app ".packed"]) / 4
		bar(app, faster(app, "one", "packed"), faster(app, "one", "mmu"))
	}
	say("over 2 times as fast as one by one, 40 % more time than packed by hand", \
	    sprintf("%.1f times, %+.0f %%", one, 100 * (hand - 1)), \
	    one >= 2 && hand <= 1.4 ? "better" : "worse")
}

function figure11() {
	split("ara mummer blast", apps)
	for (i = 1; i <= 3; i++)
		bar(apps[i], faster(apps[i], "one", "packed"), faster(apps[i], "one", "mmu"))
	say("10 times as fast as one by one, nearly 9 and close to 1.5 (ARA, MUMmerGPU, GPU-BLAST), twice as fast as packed by hand for the first two", \
	    sprintf("%.1f, %.1f, %.2f times, %.1f and %.1f", \
	    faster("ara", "one", "mmu"), faster("mummer", "one", "mmu"), faster("blast", "one", "mmu"), \
	    faster("ara", "packed", "mmu"), faster("mummer", "packed", "mmu")), \
	    word(faster("ara", "one", "mmu"), 10) ", " word(faster("mummer", "one", "mmu"), 8.9) ", " word(faster("blast", "one", "mmu"), 1.5))
}

function figure12() {
	for (i = 1; i <= n; i++)
		bar(ways[i], cores(ways[i]), gpu[ways[i]], memory(ways[i]))
	say("12 under admission use the GPU over 10 times as much as one ARA, nearly 2 times as much as 6, the memory over 10 times as much as one MUMmerGPU; GPU-BLAST 90.24 % of the GPU and 70.09 % of the memory", \
	    sprintf("%.1f, %.1f, %.1f times; %.1f %% and %.1f %%", ratio(gpu["ara.mmu"], gpu["ara.alone"]), ratio(gpu["ara.mmu"], gpu["ara.batch"]), \
	    ratio(memory("mummer.mmu"), memory("mummer.alone")), gpu["blast.mmu"], memory("blast.mmu")), \
	    word(ratio(gpu["ara.mmu"], gpu["ara.alone"]), 10) ", " word(ratio(gpu["ara.mmu"], gpu["ara.batch"]), 1.9) ", " \
	    word(ratio(memory("mummer.mmu"), memory("mummer.alone")), 10) "; " word(gpu["blast.mmu"], 90.24) ", " word(memory("blast.mmu"), 70.09))
}

function figure13() {
	split("ara mummer blast", apps)
	for (i = 1; i <= 3; i++) {
		a = apps[i] ".alone"; b = apps[i] ".mmu"
		text = text sprintf("%s %s %.1f %% to %.1f %%, %.1f %% to %.1f %%", (i > 1 ? ";" : ""), apps[i], \
		       of_time(full, a), of_time(full, b), of_time(none, a), of_time(none, b))
		better += of_time(full, b) >= of_time(full, a) && of_time(none, b) <= of_time(none, a)
	}
	say("with admission the GPU is used by 91 to 100 % for more of the time, and by 0 % for less", \
	    "that time grows, this shrinks:" text, shown(better == 3))
}

function figure14() {
	for (i = 1; i <= n; i++)
		bar(substr(ways[i], 5), faster("mix", "one", substr(ways[i], 5)), gpu[ways[i]], memory(ways[i]))
	say("fifo 4.58, mmu 4.71, pfifo 4.82, pmmu 4.85 times as fast as one by one; mmu takes 3 % less than fifo, priorities 3 % less than mmu", \
	    sprintf("%.2f, %.2f, %.2f, %.2f times; %.1f %% and %.1f %% less", faster("mix", "one", "fifo"), faster("mix", "one", "mmu"), \
	    faster("mix", "one", "pfifo"), faster("mix", "one", "pmmu"), 100 * (1 - faster("mix", "mmu", "fifo")), 100 * (1 - faster("mix", "pmmu", "mmu"))), \
	    word(faster("mix", "one", "fifo"), 4.58) ", " word(faster("mix", "one", "mmu"), 4.71) ", " word(faster("mix", "one", "pfifo"), 4.82) ", " word(faster("mix", "one", "pmmu"), 4.85))
}

function figure15() {
	for (i = 1; i <= n; i++) {
		w = ways[i]
		bar(substr(w, 5), waits(w, "ara"), waits(w, "mummer"), waits(w, "blast"))
		text = text sprintf("%s %s %.0f, %.0f, %.0f s", (i > 1 ? ";" : ""), substr(w, 5), waits(w, "ara"), waits(w, "mummer"), waits(w, "blast"))
	}
	say("cores of MUMmerGPU and GPU-BLAST idle while they wait for memory; with a high priority MUMmerGPU waits less", \
	    "an ARA, a MUMmerGPU and a GPU-BLAST wait" text, \
	    shown(waits("mix.fifo", "ara") < waits("mix.fifo", "mummer") && waits("mix.mmu", "ara") < waits("mix.mmu", "blast") && \
		  waits("mix.pfifo", "mummer") < waits("mix.fifo", "mummer") && waits("mix.pmmu", "mummer") < waits("mix.mmu", "mummer")))
}

END {
	for (i = 1; i <= n; i++) {
		w = ways[i]
		bad += failed[w] + refused[w]
	}
	if (figure == 10)
		figure10()
	else if (figure == 11)
		figure11()
	else if (figure == 12)
		figure12()
	else if (figure == 13)
		figure13()
	else if (figure == 14)
		figure14()
	else if (figure == 15)
		figure15()
	printf "{\"figure\":%d,%s\"scale\":%d,\"vram_bytes\":%d,\"verdict\":\"%s\",\"ways\":[", figure, G ? sprintf("\"G_us\":%d,", G) : "", scale, size, line >json
	for (i = 1; i <= n; i++) {
		w = ways[i]
		printf "%s\n{\"way\":\"%s\",\"seconds\":%.1f,\"gpu_percent\":%.2f,\"memory_percent\":%.2f,\"cpu_percent\":%.2f,\"waited\":%d,\"refused\":%d,\"failed\":%d,\"wait_s\":{", \
			(i > 1 ? "," : ""), w, t[w] * scale, gpu[w], memory(w), cores(w), waited[w], refused[w], failed[w] >json
		sep = ""
		for (a in name)
			if ((w, a) in of) {
				printf "%s\"%s\":%.1f", sep, a, waits(w, a) >json
				sep = ","
			}
		printf "}}" >json
	}
	print "\n]}" >json
	exit bad > 0
}
