# SPDX-License-Identifier: GPL-2.0
# Sourced, in bash, by what waits: time as it would pass on an idle machine like the one for which limits were written.

usual=16000	# us that work() takes on an idle machine of 2 cores, as of 2026

work() { local i; for ((i = 0; i < 10000; i++)); do :; done; }

# elapsed FROM: leaves in $gone_us how many us of an idle machine have passed since FROM, which was $EPOCHREALTIME without its
# point, and in $now_us the same of now. A few ms of work tell how slow this machine is: up to eight times.
elapsed()
{
	local slow begin=${EPOCHREALTIME/./}

	work
	now_us=${EPOCHREALTIME/./}
	slow=$((now_us - begin))
	[ $slow -gt $usual ] || slow=$usual
	[ $slow -lt $((8 * usual)) ] || slow=$((8 * usual))
	gone_us=$(((now_us - $1) * usual / slow))
}

# until_true COMMAND...: within 20 s of an idle machine. COMMAND sees these variables, and its caller's but for them
until_true()
{
	local polls left_us=20000000 from_us=${EPOCHREALTIME/./} now_us gone_us

	for ((polls = 1; ; polls++)); do
		"$@" && return
		[ $left_us -gt 0 ] || return 1
		sleep .05
		[ $((polls % 20)) = 0 ] || continue
		elapsed $from_us
		left_us=$((left_us - gone_us)) from_us=$now_us
	done
}
