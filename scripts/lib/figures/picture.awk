# SPDX-License-Identifier: GPL-2.0
#
# picture.awk - a gnuplot script for one figure (name, title), from lines FIGURE NAME UNIT MEAN LEAST MOST PAPER_LOW
# PAPER_HIGH: a panel for each unit, a bar for each value. Called by scripts/figures; dat and svg are files to write.

# A label in lines of 16 letters, and how many lines
function folded(s,  n, i, words, line, text) {
	n = split(s, words, " ")
	lines = 1
	for (i = 1; i <= n; i++) {
		if (line != "" && length(line) + length(words[i]) > 15) { text = text line "\\n"; line = ""; lines++ }
		line = line (line == "" ? "" : " ") words[i]
	}
	return text line
}

$1 == name {
	if (!($3 in panel)) { units[++n] = $3; panel[$3] = 1 }
	gsub(/["\\]/, "", $2)
	rows[$3] = rows[$3] sprintf("%d \"%s\" %s %s %s %s %s\n", nr[$3]++, folded($2), $4, $5, $6, $7 == "-" ? "NaN" : $7, $8 == "-" ? "NaN" : $8)
	if (nr[$3] > widest) widest = nr[$3]
	if (lines > most) most = lines
	if ($5 < bottom[$3]) bottom[$3] = $5
	if ($6 > 0 || $8 > 0) top[$3] = 1
}

END {
	gsub(/'/, "''", title)
	for (i = 1; i <= n; i++)
		printf "%s\n\n", rows[units[i]] >dat
	close(dat)
	width = n * (widest * 115 + 100)
	printf "set terminal svg size %d,400 font 'sans,11' background 'white' noenhanced\n", (width < 640) ? 640 : width
	printf "set output '%s'\n", svg
	printf "set multiplot layout 1,%d title '%s'\n", n, title
	print "unset key; set style fill solid 0.85 border -1; set boxwidth 0.6; set grid ytics; set xtics nomirror; set offsets 0, 0, graph 0.05, 0"
	printf "set bmargin %d\n", most + 1
	for (i = 1; i <= n; i++) {
		printf "set ylabel '%s'; set xrange [-0.7:%.1f]; set yrange [%s:%s]\n", units[i], nr[units[i]] - 0.3, \
			bottom[units[i]] < 0 ? "*" : "0", top[units[i]] ? "*" : "1"
		printf "plot '%s' index %d using 1:3:4:5:(0.6):xtic(2) with boxerrorbars linecolor rgb '#7aa5d8', ", dat, i - 1
		printf "'' index %d using ($1 + 0.38):6:6:7 with yerrorbars pt 7 ps 0.5 lw 2 linecolor rgb '#c02020'\n", i - 1
	}
	print "unset multiplot"
}
