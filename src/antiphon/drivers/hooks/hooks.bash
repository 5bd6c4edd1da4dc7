# Antiphon's side of a bash conversation.  It holds no secret and is the same for everyone.
#
# While the shell is idle it does not read the terminal: it waits for a bell (a FIFO), then
# reads the command from a file.  So nothing is typed, nothing is echoed, and a command may have
# any size.  What happens is said in marks on the terminal, each with a token that was never
# used before; see docs/TERMINAL.md.  Only builtins run on the way of a command, and few: each
# costs some microseconds of every round trip.

[[ -n ${__FWS_D-} ]] || return 0 # read by another shell: this is not our conversation
__fws_d=$__FWS_D
unset __FWS_D
unset TMOUT HISTFILE MAILCHECK
set +H
bind 'set enable-bracketed-paste off' 2>/dev/null

# The message: kind, command's number, message's number, a directory, the command, four tokens,
# each with its number, the message's number again; the first token is for the own prompt.
__fws_a=()
__fws_i=6  # the next token
__fws_m='' # the last message
__fws_s=0  # the last command that began
__fws_e='' # its exit code, where the shell itself would forget it
__fws_w='' # the directory as last said,
__fws_x='' # and how it was said
__fws_q='' # 1: on the way to the line editor; 2: it has been there
for __fws_stty in /usr/bin/stty /bin/stty /usr/local/bin/stty; do
	[[ -x $__fws_stty ]] && break
done

# The directory without control characters, or in hexadecimal.
__fws_where() {
	builtin local LC_ALL=C i
	__fws_w=$PWD
	if [[ $PWD == *[![:print:]]* ]]; then
		__fws_x='x;'
		for ((i = 0; i < ${#PWD}; i++)); do
			builtin printf -v __fws_v '%02x' "'${PWD:i:1}"
			__fws_x+=${__fws_v: -2}
		done
	else
		__fws_x="r;$PWD"
	fi
}

# What the server has to say.  0: run the command; 1: open the line editor; 2: listen on.
# The number stands at the end again: a file that is being written is not read by half.
__fws_told() {
	builtin mapfile -d '' -t __fws_a <"$__fws_d/run" || return 2
	[[ ${__fws_a[2]-} == "${__fws_a[9]-}" && ${__fws_a[2]} != "$__fws_m" ]] || return 2
	__fws_m=${__fws_a[2]} __fws_i=6
	case ${__fws_a[0]} in
	run)
		[[ ${__fws_a[1]} != "$__fws_s" ]] || return 2
		__fws_s=${__fws_a[1]}
		# A directory that cannot be entered is the command's own failure, and said as such.
		[[ -z ${__fws_a[3]} ]] || builtin cd -- "${__fws_a[3]}" ||
			__fws_a[4]='builtin cd -- "${__fws_a[3]}"'
		# Should the shell fall through to its own prompt, this says so.
		# A command may have made it read-only, or a number; to set it then would end everything.
		[[ ${PS1@a} == *[!x]* ]] || PS1=$'\e]7770;'${__fws_a[5]}$';R\a'
		return 0
		;;
	line) return 1 ;;
	esac
	return 2
}

# Give the terminal to the line editor: for what a client types at the prompt.
__fws_line() {
	"$__fws_stty" -echo </dev/tty
	builtin echo -n >|"$__fws_d/typed"
	[[ ${PS1@a} == *[!x]* ]] || PS1=$'\e]7770;'${__fws_a[5]}$';R\a'
	PS0='$(__fws_typed)'
	PS2=
	HISTCONTROL=
	HISTIGNORE=
	__fws_q=1
}

# In a subshell, before a typed line runs: what it was, as the shell read it.
__fws_typed() {
	local line
	HISTTIMEFORMAT='' builtin history 1 >|"$__fws_d/typed"
	IFS='' builtin read -r -d '' line <"$__fws_d/typed"
	"$__fws_stty" echo </dev/tty
	line=$(builtin printf '%s' "$line" | PATH=/usr/bin:/bin base64 -w0)
	builtin printf '\e]7770;%s;T;%s;%s\a' "${__fws_a[__fws_i]}" "${EPOCHREALTIME-}" "$line" >/dev/tty
}

# At the prompt: say how it ended, then listen.  0: run the command; 1: to the line editor.
__fws_hook() {
	__fws_r=${__fws_e:-$?} # not `local`: a command may have taken that away
	[[ $__fws_q == 1 ]] && return 1
	# A typed line took a token for its T, whether it ran or was empty.
	# Where none ran, the echo that it would have brought back is still off.
	[[ -z $__fws_q ]] || {
		((__fws_i += 1, 1))
		[[ -s $__fws_d/typed ]] || "$__fws_stty" echo </dev/tty
	}
	builtin unset -v __fws_e # a command may have made a number of it
	__fws_q='' __fws_n=0
	# errexit would end the shell at the next command that fails: it lasts as long as its block.
	[[ $- != *e* ]] || builtin set +e
	builtin enable eval mapfile read # without them no command would run, or be heard
	[[ $PWD == "$__fws_w" ]] || __fws_where
	((__fws_i > 8 || ${#__fws_a[@]} < 10)) || builtin printf '\e]7770;%s;P;%s;%s;%s;%s\a' \
		"${__fws_a[__fws_i++]}" "${EPOCHREALTIME-}" "$__fws_r" "$__fws_s" "$__fws_x" >/dev/tty ||
		builtin echo -n $'\e]7770;'"${__fws_a[__fws_i - 1]};P;;$__fws_r;$__fws_s;$__fws_x"$'\a' >/dev/tty
	# A Ctrl-C while the message was read has taken the tokens away, and was meant for its command.
	((${#__fws_a[@]} > 9)) || {
		__fws_told
		case $? in
		0)
			__fws_a[4]='(exit 130)'
			return 0
			;;
		1)
			__fws_line
			return 1
			;;
		esac
	}
	[[ ${PROMPT_COMMAND[0]-} == "$__fws_l" || ${PROMPT_COMMAND@a} == *r* ]] ||
		PROMPT_COMMAND=("$__fws_l" "$__fws_l" "$__fws_z")
	while ((1)); do
		builtin read -r __fws_v <"$__fws_d/bell"
		__fws_v=$?
		((__fws_v > 128)) && continue # a signal came
		((__fws_v == 0)) || return 1
		__fws_told
		case $? in
		0) return 0 ;;
		1)
			__fws_line
			return 1
			;;
		esac
		# A `read` that reads nothing would go round for ever.
		((++__fws_n < 100)) || return 1
	done
}
readonly -f __fws_where __fws_told __fws_line __fws_typed __fws_hook

# At top level, so that what a command declares, it declares in the shell.  `break` and a stopped
# job end the loop: the next element goes on, and after the last one the shell's own prompt says R.
__fws_l='while { __fws_hook; } 2>/dev/null; do \builtin eval -- "${__fws_a[4]}"; done; { __fws_r=$?; [[ -n $__fws_q ]] || __fws_e=$__fws_r; } 2>/dev/null'
# The last element tells a round that ends in the line editor from the next one, after it.
__fws_z="$__fws_l; __fws_q=\${__fws_q:+2}"
PROMPT_COMMAND=("$__fws_l" "$__fws_l" "$__fws_z")
PS1=
PS2=
__fws_told || :
