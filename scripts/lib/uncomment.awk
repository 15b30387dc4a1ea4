# SPDX-License-Identifier: GPL-2.0
#
# uncomment.awk - writes each C file FILE to OUT/FILE without its comments: awk -v out=OUT -f uncomment.awk FILE...
#
# Strings, characters and the numbers of the lines stay. The folders below OUT are there already.
# scripts/checkdeps and scripts/checksizes call it.

FNR == 1 {
	if (to)
		close(to)
	to = out "/" FILENAME
	inside = 0
}

{
	rest = $0
	code = ""
	while (rest != "") {
		if (inside) {
			end = index(rest, "*/")
			if (!end)
				break
			rest = substr(rest, end + 2)
			inside = 0
			code = code " "
			continue
		}
		if (!match(rest, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/\*|\/\//)) {
			code = code rest
			break
		}
		token = substr(rest, RSTART, 2)
		if (token == "/*" || token == "//") {
			code = code substr(rest, 1, RSTART - 1)
			rest = token == "//" ? "" : substr(rest, RSTART + 2)
			inside = token == "/*"
		} else {
			code = code substr(rest, 1, RSTART + RLENGTH - 1)
			rest = substr(rest, RSTART + RLENGTH)
		}
	}
	print code >to
}
