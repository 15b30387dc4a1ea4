# SPDX-License-Identifier: GPL-2.0
# Sourced by the benches that repeat papers' figures, each in a guest of its own. $0 is the bench, $out its
# folder; its own head is its help.

# begin 'FIGURES' ARG...: $figures are those of ARG, or all there are
begin()
{
	local name=${0##*/} all=$1 figure
	shift
	case ${1-} in
	-h|--help) sed -n '3,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0;;
	esac
	cd "$(dirname "$0")/.." || exit 1
	[ $# -gt 0 ] || set -- $all
	for figure; do
		[[ " $all " = *" $figure "* ]] || { echo "$name: no figure '$figure': ${all// /, }" >&2; exit 2; }
	done
	figures=$*
	mkdir -p "$out"
	# scripts/vm ends by exit, which Bash does not take for the signal: the next figure would begin
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# boot DIR OPTION... -- COMMAND: a guest, in which scripts/lib is /host; COMMAND's rows to DIR/rows; $G
boot()
{
	local dir=$1
	shift
	mkdir -p "$dir"
	rm -f "$dir/verdict.txt" "$dir/gpu.json"
	if ! scripts/vm -s scripts/lib -o "$dir" "$@" >"$dir/rows"; then
		echo "${0##*/}: ${*: -1}: $(cat "$dir/verdict.txt" 2>/dev/null || echo 'no guest has run')" >&2
		return 1
	fi
	G=$(sed -n 's/.*"G_us":\([0-9]*\).*/\1/p' "$dir/gpu.json")
}
