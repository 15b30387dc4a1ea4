# SPDX-License-Identifier: GPL-2.0
#
# evaluate.awk - the papers' figures: from the lines of scripts/figures, which calls it, to verdicts, the page as Markdown and
# as HTML, and a CSV with each run's values. First file: NAME TITLE COMMAND WHY of each figure. Second: FIGURE NAME UNIT PAPER
# RULE RUN RESULT COMMIT DATE SECONDS MACHINE, or FIGURE and `not run`, or FIGURE `failed` WHY. Files to write: csv, bars, md, html.
# Exit status 1: some figure does not hold.

function low(range) { return range ~ /\.\./ ? substr(range, 1, index(range, "..") - 1) : range }
function high(range) { return range ~ /\.\./ ? substr(range, index(range, "..") + 2) : range }
function holds(rule, x) {
	if (rule ~ /^>= /)
		return x >= substr(rule, 4) + 0
	if (rule ~ /^<= /)
		return x <= substr(rule, 4) + 0
	return rule == "shown" || (x >= low(rule) + 0 && x <= high(rule) + 0)
}
function short(x) { return sprintf(x >= 1000 || x <= -1000 ? "%.0f" : x >= 10 || x <= -10 ? "%.1f" : "%.2f", x) }
function escape(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
function quoted(s) { gsub(/"/, "\"\"", s); return "\"" s "\"" }
function cell(s) { gsub(/\|/, "\\|", s); return s }
function spell(range) { sub(/\.\./, " to ", range); return range == "-" ? "" : range }
function minutes(s) { return s < 90 ? s " s" : sprintf("%.0f min", s / 60) }

# Breaks lines of prose for the page
function wrap(s, to,  n, i, words, line) {
	n = split(s, words, " ")
	for (i = 1; i <= n; i++) {
		if (length(line) + length(words[i]) > 98) { print line >to; line = "" }
		line = line (line == "" ? "" : " ") words[i]
	}
	print line "\n" >to
}

FILENAME != last { last = FILENAME; file++ }
file == 1 { names[++n] = $1; title[$1] = $2; command[$1] = $3; why[$1] = $4; next }
FNR == 1 { print "figure,value,unit,paper_low,paper_high,rule,run,result,commit,date,seconds" >csv }
$2 == "failed" { failed[$1] = failed[$1] (failed[$1] == "" ? "" : "; ") $3; next }
$2 == "not run" { next }
{
	k = $1 SUBSEP $2
	if (!(k in count)) { value[$1, ++values[$1]] = $2; unit[k] = $3; paper[k] = $4; rule[k] = $5; least[k] = most[k] = $7 }
	count[k]++; sum[k] += $7; squares[k] += $7 * $7
	if ($7 < least[k]) least[k] = $7
	if ($7 > most[k]) most[k] = $7
	if (!(($1, $6) in run)) { run[$1, $6] = 1; runs[$1]++; seconds[$1] += $10 }
	if (index(commits[$1], $8) == 0) commits[$1] = commits[$1] (commits[$1] == "" ? "" : ", ") $8
	date[$1] = $9
	machine[$1] = $11
	printf "%s,%s,%s,%s,%s,%s,%d,%s,%s,%s,%s\n", $1, quoted($2), quoted($3), $4 == "-" ? "" : low($4), $4 == "-" ? "" : high($4), \
		quoted($5), $6, $7, $8, $9, $10 >csv
}

function mean(k) { return sum[k] / count[k] }
function deviation(k,  v) { v = count[k] > 1 ? (squares[k] - sum[k] * sum[k] / count[k]) / (count[k] - 1) : 0; return v > 0 ? sqrt(v) : 0 }
function result(k) { return short(mean(k)) (count[k] > 1 ? " ± " short(deviation(k)) : "") }
function verdict(name,  i, k) {
	if (failed[name] != "")
		return "failed"
	if (!runs[name])
		return "not run"
	for (i = 1; i <= values[name]; i++) {
		k = name SUBSEP value[name, i]
		if (!holds(rule[k], mean(k)))
			return "worse"
	}
	return "holds"
}
function spread(k) { return count[k] > 1 ? short(least[k]) " to " short(most[k]) : "" }

# One figure's part of both pages
function part(name,  i, k, v) {
	v = verdict(name)
	if (v == "not run")
		return
	printf "## %s\n\n", title[name] >md
	printf "<h2 id=\"%s\">%s</h2>\n", name, escape(title[name]) >html
	printf "**%s**\n\n| command | time | commit | date | machine |\n|---|---|---|---|---|\n", v >md
	k = sprintf("%s | %s | %s | %s |", !runs[name] ? "" : (runs[name] == 1) ? minutes(seconds[name]) : runs[name] " times " minutes(int(seconds[name] / runs[name])), \
		commits[name], date[name], machine[name])
	printf "| `%s` | %s\n\n", cell(command[name]), k >md
	printf "<p><b class=\"%s\">%s</b>: <code>%s</code> | %s</p>\n", v, v, escape(command[name]), escape(k) >html
	if (failed[name] != "") {
		wrap("Failed: " failed[name] ".", md)
		printf "<p>Failed: %s.</p>\n", escape(failed[name]) >html
	}
	if (!runs[name])
		return
	alt = title[name]
	sub(/:.*/, "", alt)	# a line of the page has 100 columns
	printf "![%s](%s.svg)\n\n", alt, name >md
	print "@picture " name >html
	print "| value | here | least and most | the paper | holds if | verdict |\n|---|---|---|---|---|---|" >md
	print "<table><tr><th>value<th>here<th>least and most<th>the paper<th>holds if<th>verdict</tr>" >html
	for (i = 1; i <= values[name]; i++) {
		k = name SUBSEP value[name, i]
		v = rule[k] == "shown" ? "shown" : holds(rule[k], mean(k)) ? "holds" : "worse"
		printf "| %s | %s %s | %s | %s | %s | %s |\n", cell(value[name, i]), result(k), unit[k], spread(k), spell(paper[k]), \
			rule[k] == "shown" ? "" : spell(rule[k]), v == "worse" ? "**worse**" : v >md
		printf "<tr><td>%s<td>%s %s<td>%s<td>%s<td>%s<td class=\"%s\">%s</tr>\n", escape(value[name, i]), result(k), escape(unit[k]), \
			spread(k), spell(paper[k]), rule[k] == "shown" ? "" : escape(spell(rule[k])), v, v >html
	}
	print "" >md
	print "</table>" >html
	if (why[name] != "") {
		wrap(why[name], md)
		printf "<p>%s</p>\n", escape(why[name]) >html
	}
}

END {
	printf "" >bars
	for (f = 1; f <= n; f++) {
		v = verdict(names[f])
		counts[v]++
		total += seconds[names[f]]
		for (i = 1; i <= values[names[f]]; i++) {
			k = names[f] SUBSEP value[names[f], i]
			printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", names[f], value[names[f], i], unit[k], mean(k), least[k], most[k], \
				low(paper[k]), high(paper[k]) >bars
		}
		printf "%-8s %s%s\n", v, title[names[f]], failed[names[f]] == "" ? "" : ": " failed[names[f]]
	}
	text = sprintf("%d hold, %d worse, %d failed, %d not run", counts["holds"], counts["worse"], counts["failed"], counts["not run"])
	print text
	print "<!-- SPDX-License-Identifier: GPL-2.0 -->\n# The papers' figures, again\n" >md
	wrap("What comes out here beside what the papers' text states, made by `make figures` (`scripts/figures`). Of each figure: a bar for the " \
	     "mean of its runs, a line from the least to the largest, in red what the paper states. A figure holds if the mean of each value does. " \
	     "[README.md](README.md) says how to read figures of a modelled card.", md)
	wrap(text ". The runs shown took " minutes(total) ".", md)
	print "| figure | verdict | time |\n|---|---|---|" >md
	print "<!DOCTYPE html>\n<!-- SPDX-License-Identifier: GPL-2.0 -->\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>The papers' figures, again</title><style>" >html
	print "body { font-family: sans-serif; max-width: 60em; margin: auto } td, th { text-align: left; padding: 0 1em 0 0 } .worse, .failed { color: #c02020 } .holds { color: #207020 } svg { max-width: 100%; height: auto }" >html
	print "</style></head><body>\n<h1>The papers' figures, again</h1>\n<p>" text ". The runs shown took " minutes(total) ".</p>\n<table><tr><th>figure<th>verdict<th>time</tr>" >html
	for (f = 1; f <= n; f++) {
		v = verdict(names[f])
		t = runs[names[f]] ? minutes(int(seconds[names[f]] / runs[names[f]])) : ""
		printf "| %s | %s | %s |\n", cell(title[names[f]]), v == "worse" || v == "failed" ? "**" v "**" : v, t >md
		printf "<tr><td><a href=\"#%s\">%s</a><td class=\"%s\">%s<td>%s</tr>\n", names[f], escape(title[names[f]]), v, v, t >html
	}
	print "" >md
	print "</table>" >html
	for (f = 1; f <= n; f++)
		part(names[f])
	print "</body></html>" >html
	exit counts["holds"] != n
}
