# Antiphon's side of a bash conversation.  It holds no secret and is the same for everyone.
#
# While the shell is idle it does not read the terminal: it waits for a bell (a FIFO), then
# reads the command from a file.  So nothing is typed, nothing is echoed, and a command may have
# any size.  What happens is said in marks on the terminal, each with a token that was never
# used before; see docs/TERMINAL.md.  Only builtins run on the way of a command.

[[ -n ${__FWS_D-} ]] || return 0 # read by another shell: this is not our conversation
__fws_d=$__FWS_D
unset __FWS_D
unset TMOUT HISTFILE MAILCHECK
set +H
bind 'set enable-bracketed-paste off' 2>/dev/null

__fws_k='' # tokens not used yet, each with a space after it
__fws_n=0  # the number of the next token
__fws_s=-1 # the last command that began
__fws_m='' # the last message
__fws_e='' # its exit code, where the shell itself would forget it
__fws_c='' # the command
__fws_w='' # the directory as last said,
__fws_x='' # and how it was said
for __fws_stty in /usr/bin/stty /bin/stty /usr/local/bin/stty; do
	[[ -x $__fws_stty ]] && break
done

# A mark: kind and facts.  /dev/tty, because fd 1 and 2 belong to the user.
__fws_mark() {
	builtin printf '\e]7770;%s;%s;%s\a' "$__fws_n" "${__fws_k%% *}" "$1" >/dev/tty
	__fws_pop
}

__fws_pop() {
	__fws_k=${__fws_k#* }
	((__fws_n += 1, 1))
}

# The directory without control characters, or in hexadecimal.
__fws_where() {
	local LC_ALL=C i
	__fws_w=$PWD
	if [[ $PWD == *[![:print:]]* ]]; then
		__fws_x='x;'
		for ((i = 0; i < ${#PWD}; i++)); do
			builtin printf -v REPLY '%02x' "'${PWD:i:1}"
			__fws_x+=${REPLY: -2}
		done
	else
		__fws_x="r;$PWD"
	fi
}

# What the server has to say: kind, number of the command, tokens; then a directory and a command.
# The number stands at the end again: a file that is being written is not read by half.
__fws_told() {
	local kind seq n where end
	{
		IFS=' ' builtin read -r -d '' kind seq n REPLY &&
			IFS='' builtin read -r -d '' where &&
			IFS='' builtin read -r -d '' REPLY2 &&
			IFS='' builtin read -r -d '' end
	} <"$__fws_d/run" || return 2
	[[ $seq == "$end" && $n != "$__fws_m" ]] || return 2
	__fws_k=$REPLY' ' __fws_n=$n __fws_m=$n
	case $kind in
	run | session)
		[[ $seq == "$__fws_s" ]] && return 2
		if [[ -n $where ]] && ! builtin cd -- "$where"; then
			__fws_s=$seq
			__fws_mark "X;${EPOCHREALTIME-};$seq"
			return 2
		fi
		__fws_c=$REPLY2
		# Should the shell fall through to its own prompt, this says so.
		PS1=$'\e]7770;'$((__fws_n + 1))';'
		REPLY=${__fws_k#* }
		PS1+=${REPLY%% *}$';R\a'
		__fws_mark "B;${EPOCHREALTIME-};$seq"
		__fws_pop
		__fws_s=$seq
		return 0
		;;
	line) return 1 ;;
	esac
	return 2
}

# Give the terminal to the line editor: for what a client types at the prompt.
__fws_line() {
	"$__fws_stty" -echo </dev/tty
	PS1=$'\e]7770;'$__fws_n';'${__fws_k%% *}$';R\a'
	__fws_pop
	PS0='$(__fws_typed)'
	PS2=
	HISTCONTROL=
	HISTIGNORE=
	__fws_q=1
}

# In a subshell, before a typed line runs: what it was, as the shell read it.
__fws_typed() {
	local line
	HISTTIMEFORMAT='' builtin history 1 >"$__fws_d/typed"
	IFS='' builtin read -r -d '' line <"$__fws_d/typed"
	"$__fws_stty" echo </dev/tty
	line=$(builtin printf '%s' "$line" | PATH=/usr/bin:/bin base64 -w0)
	__fws_mark "T;${EPOCHREALTIME-};$line"
}

# At the prompt: say how it ended, then listen.  0: run $__fws_c; 1: to the line editor.
__fws_hook() {
	local e=${__fws_e:-$?} IFS='' REPLY REPLY2 typed=$__fws_q
	[[ $typed == 1 ]] && return 1 # on the way to the line editor
	__fws_e='' __fws_q=''
	# errexit would end the shell at the next command that fails: it lasts as long as its block.
	[[ $- == *e* ]] && builtin set +e
	[[ ${PROMPT_COMMAND[0]-} == "$__fws_l" ]] || PROMPT_COMMAND=("$__fws_l" "$__fws_l" "$__fws_z")
	[[ $PWD == "$__fws_w" ]] || __fws_where
	# A typed line took the token after R for its T, whether it ran or was empty.
	[[ -n $typed ]] && __fws_pop
	[[ -n ${__fws_k%% *} ]] && __fws_mark "P;${EPOCHREALTIME-};$e;$__fws_x"
	while :; do
		if [[ ${#__fws_k} -ge 68 ]] && builtin read -r -t 0 </dev/tty; then
			__fws_line
			return 1
		fi
		builtin read -r REPLY <"$__fws_d/bell"
		e=$?
		((e > 128)) && continue # a signal came
		((e == 0)) || return 1
		__fws_told
		case $? in
		0) return 0 ;;
		1)
			__fws_line
			return 1
			;;
		esac
	done
}

__fws_q=''
readonly -f __fws_mark __fws_pop __fws_where __fws_told __fws_line __fws_typed __fws_hook

# At top level, so that what a command declares, it declares in the shell.  `break` and a stopped
# job end the loop: the next element goes on, and after the last one the shell's own prompt says R.
__fws_l='while { __fws_hook; } 2>/dev/null; do \builtin eval "$__fws_c"; done; { __fws_r=$?; [[ -n $__fws_q ]] || __fws_e=$__fws_r; } 2>/dev/null'
# The last element tells a round that ends in the line editor from the next one, after it.
__fws_z="$__fws_l; __fws_q=\${__fws_q:+2}"
PROMPT_COMMAND=("$__fws_l" "$__fws_l" "$__fws_z")
PS1=
PS2=
__fws_told || :
unset REPLY REPLY2
