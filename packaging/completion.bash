# SPDX-License-Identifier: GPL-2.0
# bash completion for tgctl

_tgctl()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} sys=/sys/kernel/timegraph

	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(tgctl --help 2>/dev/null |
			sed -n 's/^  *\([a-z][a-z]*\) .*/\1/p; s/^\([a-z][a-z]*\)  .*/\1/p' | grep -v usage)" -- "$cur")
		return
	fi
	case $verb,$prev in
	*,--sort) mapfile -t COMPREPLY < <(compgen -W 'share rate latency wait wait99 latency99 gpu_time prio pid comm' -- "$cur");;
	policy,*) mapfile -t COMPREPLY < <(compgen -W "$(cat $sys/policies 2>/dev/null)" -- "$cur");;
	knob,knob) mapfile -t COMPREPLY < <(compgen -W "$(cd $sys/knobs 2>/dev/null && ls | sed 's/_min$//;t;d')" -- "$cur");;
	help,*) COMP_WORDS[1]=; mapfile -t COMPREPLY < <(compgen -W "$(tgctl --help 2>/dev/null | sed -n 's/^  *\([a-z][a-z]*\) .*/\1/p')" -- "$cur");;
	why,why) mapfile -t COMPREPLY < <(compgen -W "$(cat $sys/clients/*/comm 2>/dev/null)" -- "$cur");;
	*)
		if [[ $cur == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(tgctl help "$verb" 2>/dev/null | head -n 1 | grep -o -e '--[a-z]*')" -- "$cur")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi;;
	esac
}
complete -o filenames -F _tgctl tgctl
