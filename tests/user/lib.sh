# SPDX-License-Identifier: GPL-2.0
# What tests of OpenCL on the test card share: a card in a folder of its own, its truth, rows. Sourced, in bash, in the
# tree's top. Waiting times are those of an idle machine (scripts/lib/slow.sh, patience).

. scripts/lib/slow.sh
patience=$PWD/scripts/lib/patience
export OCL_ICD_VENDORS=$PWD/build/mockcl/mockcl.icd MOCKCL_DIR
unset OPENCL_LAYERS MOCKCL_LAZY MOCKCL_LATE
load=$PWD/build/mockcl/clload
work=$(mktemp -d /tmp/tg-user.XXXXXX) || exit 2
passed=0 failed=0 card_pid=
trap 'card_end; rm -rf "$work"' EXIT

# row NAME WHY COMMAND...: passes if COMMAND succeeds
row()
{
	local name=$1 why=$2; shift 2

	if "$@"; then
		echo "ok $name"; passed=$((passed + 1))
	else
		echo "not ok $name: $why"; failed=$((failed + 1))
	fi
}

# card [OPTION...]: start one
card()
{
	MOCKCL_DIR=$(mktemp -d "$work/card.XXXX")
	build/mockcl/mockcld "$@" "$MOCKCL_DIR" &
	card_pid=$!
	until_true eval '[ -S "$MOCKCL_DIR/card.sock" ] || ! kill -0 $card_pid 2>/dev/null'
	[ -S "$MOCKCL_DIR/card.sock" ] || give_up 'card: it opened no socket'
}

card_end()
{
	[ -z "$card_pid" ] || { kill "$card_pid"; wait "$card_pid"; }
	card_pid=
}

# truth FILTER: of jq, applied to the card's truth
truth() { build/mockcl/mockcld -t "$MOCKCL_DIR" | jq "$1"; }

# true_of CONDITION: of jq, that needs no input
true_of() { jq -en "$1" >/dev/null; }

fault() { build/mockcl/mockcld -f "$1" "$MOCKCL_DIR"; }

# pace LAYER: leaves in $pace how many times longer kernels have to be here than on an idle machine, 1 to 4, since a
# launch costs more: one more for each millisecond of it
pace()
{
	local us

	us=$(OPENCL_LAYERS=$1 "$load" -n 200 -d 1000 | jq '.seconds * 1e6 / .kernels - 1000 | floor')
	pace=$((1 + us / 1000))
	[ $pace -le 4 ] || pace=4
	[ $pace = 1 ] || echo "# a launch costs $us us here: kernels are $pace times longer"
}

# program's count into ours: counted COMMAND... It must not die behind it, nor be without a test
counted()
{
	local last status

	"$@" >"$work/out" 2>&1
	status=$?
	grep -E '^(not )?ok' "$work/out"
	last=$(tail -n 1 "$work/out")
	if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
		passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
		[ ${BASH_REMATCH[2]} = 0 ] || return
		[ $status != 0 ] || [ ${BASH_REMATCH[1]} = 0 ] || return
	fi
	echo "not ok $*: exit status $status, $last"; failed=$((failed + 1))
}

# give_up NAME: WHY: a row that failed, without which nothing else makes sense
give_up() { echo "not ok $1"; failed=$((failed + 1)); finish; }
finish() { echo "$passed passed, $failed failed"; [ $failed = 0 ] && [ $passed -gt 0 ]; exit; }
