# Antiphon's side of a zsh conversation.  It holds no secret and is the same for everyone.
#
# It speaks as hooks.bash does: while the shell is idle it waits for a bell, reads the command
# from a file, and says in marks what became of it.  Where bash runs a command in PROMPT_COMMAND,
# zsh has only functions, in which `typeset` is local and `return` means something else.  So the
# hook lets the shell's own loop read one line more, from the file `next` in place of the
# terminal: that line gives the terminal back and runs the command at top level.

[[ -n ${__FWS_D-} ]] || return 0 # read by another shell: this is not our conversation
typeset -gr __fws_d=$__FWS_D __fws_h=$ZDOTDIR __fws_tty=$TTY
unset __FWS_D ZDOTDIR TMOUT HISTFILE MAILCHECK
zmodload zsh/mapfile zsh/datetime zsh/parameter
# No line editor: what is typed is not echoed, and it would draw what it reads.  As in bash
# comments are comments, `!` is itself, and background jobs are neither slowed nor hung up;
# nobody would answer whether `rm *` is meant.
unsetopt zle promptcr promptsp banghist beep bgnice hup checkrunningjobs
setopt interactivecomments rmstarsilent histignorespace promptsubst

typeset -ga __fws_a=() # tokens, each with its number; the first is for the shell's own prompt
__fws_i=2  # the next token
__fws_m='' # the last message
__fws_s=0  # the last command that began
__fws_c='' # what it is
__fws_e='' # its exit code, where it came to its end,
__fws_u='' # and what the shell says it is
__fws_r='' # the shell's own prompt, should it come to that
__fws_k='' # how often it did
__fws_w='' # the directory as last said,
__fws_x='' # and how it was said
__fws_q='' # the terminal's settings, while a typed line is awaited
for __fws_stty in /usr/bin/stty /bin/stty /usr/local/bin/stty; do
	[[ -x $__fws_stty ]] && break
done
# What a command may have made of the names that we need.
typeset -gr __fws_mend='\builtin typeset -g +r precmd_functions preexec_functions
\builtin unset precmd_functions preexec_functions
precmd_functions=(__fws_hook)'
# In the shell's own prompt: the same in little; and a shell that comes there again and again
# is none of ours any more, and ends.
typeset -gr __fws_last='${${(A)precmd_functions::=__fws_hook}:+}'\
'${${(M)${__fws_k::=x$__fws_k}:#xx*}:+$(kill -9 $$)}'

# The directory without control characters, or in hexadecimal.
__fws_where() {
	\builtin unsetopt multibyte
	local LC_ALL=C byte
	__fws_w=$PWD
	if [[ $PWD == *[^[:print:]]* ]]; then
		__fws_x='x;'
		for byte in "${(@s::)PWD}"; do
			__fws_x+=${(l:2::0:)$(([##16] #byte))}
		done
	else
		__fws_x="r;$PWD"
	fi
}

# What the server has to say.  0: run the command; 1: read the terminal; 2: listen on.
# The number stands at the end again: a file that is being written is not read by half.
__fws_told() {
	local told=("${(@ps:\0:)mapfile[$__fws_d/run]}")
	[[ ${told[3]-} == "${told[10]-}" && ${told[3]-} != "$__fws_m" ]] || \builtin return 2
	[[ $# == 0 || $told[1] == "$1" ]] || \builtin return 2
	__fws_a=("${(@)told[6,9]}")
	__fws_i=2 __fws_m=$told[3] __fws_e=''
	case $told[1] in
	run)
		[[ $told[2] != "$__fws_s" ]] || \builtin return 2
		__fws_s=$told[2] __fws_c=$told[5]
		# A directory that cannot be entered is the command's own failure, and said as such.
		[[ -z $told[4] ]] || \builtin cd -q -- "$told[4]" ||
			__fws_c="\\builtin cd -q -- ${(qq)told[4]}"
		# Should the shell fall through to its own prompt, this says so.
		__fws_r=$'\e]7770;'$__fws_a[1]$';R\a'$__fws_last
		\builtin return 0
		;;
	line) \builtin return 1 ;;
	esac
	\builtin return 2
}

# Give the terminal to the shell's own loop: for what a client types at the prompt.
__fws_line() {
	\builtin exec 0<>$__fws_tty
	__fws_q=$("$__fws_stty" -g <&0)
	"$__fws_stty" icanon icrnl isig -echo <&0
	preexec_functions=(__fws_typed)
	\builtin printf '\e]7770;%s;R\a' "$__fws_a[1]" >$__fws_tty
}

# Before a typed line runs: what it was, as the shell read it, and as `history 1` would say it.
__fws_typed() {
	{
		\builtin emulate -L zsh
		\builtin trap - DEBUG ZERR
		"$__fws_stty" "$__fws_q" <$__fws_tty
		__fws_q=''
		local line=$(\builtin print -rn -- "1  ${1:-$3}" | PATH=/usr/bin:/bin base64 -w0)
		((__fws_i += 1))
		\builtin printf '\e]7770;%s;T;%s;%s\a' "$__fws_a[__fws_i - 1]" \
			"${EPOCHREALTIME[1,17]}" "$line" >$__fws_tty
	} >/dev/null 2>&1
}

# At the prompt: say how it ended, then listen, until there is something to run or to read.
__fws_prompt() {
	\builtin emulate -L zsh
	\builtin trap - DEBUG ZERR
	\builtin unsetopt xtrace
	\builtin setopt unset
	local -i code=$((__fws_e & 255)) misses=0
	[[ -z $__fws_q ]] || "$__fws_stty" "$__fws_q" <$__fws_tty
	# A Ctrl-C may come between any two of these.  It ends the hook, and the shell reads on: from
	# here on a line that does no more than say so, and brings it back.
	__fws_c='return 130'
	\builtin exec 0<$__fws_h/next
	__fws_q='' __fws_k='' prompt='' PROMPT2=''
	\builtin eval "$__fws_mend"
	[[ $PWD == "$__fws_w" ]] || __fws_where
	# It may have taken the bell of a message that brings tokens, too.
	((__fws_i <= $#__fws_a)) || __fws_told more
	if ((__fws_i <= $#__fws_a)); then
		((__fws_i += 1)) # a token that was perhaps said is never said again
		__fws_e=''
		\builtin printf '\e]7770;%s;P;%s;%s;%s;%s\a' "$__fws_a[__fws_i - 1]" \
			"${EPOCHREALTIME[1,17]}" $code "$__fws_s" "$__fws_x" >$__fws_tty
	fi
	while ((misses < 100)); do
		if \builtin read -r __fws_g <$__fws_d/bell; then
			misses=0
			__fws_told
			case $? in
			0) \builtin return 0 ;;
			1)
				__fws_line
				\builtin return 0
				;;
			esac
		else
			((misses += 1)) # a signal came; or the bell is gone, and with it the conversation
		fi
	done
	\builtin exit 1
}

__fws_hook() {
	{
		__fws_u=$?
		if [[ -z $__fws_e ]]; then
			# The line did not come to its end.  A Ctrl-C in what the shell does itself is at
			# times a 2, which is zsh's own number for it, and not the code that it ends with.
			__fws_e=$__fws_u
			[[ $__fws_e != 2 || $__fws_c == *return* || $__fws_c == *RETURN* ]] || __fws_e=130
		fi
		((!${+functions[builtin]})) || \unfunction builtin
		((${+builtins[printf]} && ${+builtins[read]} && ${+builtins[trap]})) ||
			\builtin enable printf read trap print
		# errexit would end the shell at the next command that fails: it lasts as long as its
		# block.  The others would put on the terminal what no command has said.
		\builtin unsetopt errexit errreturn verbose banghist zle promptcr promptsp
		\builtin setopt promptsubst
		__fws_prompt
	} >/dev/null 2>&1
}

precmd_functions=(__fws_hook)
prompt=''
PROMPT2='' # PS1 and PS2 under names that nobody makes read-only
__fws_told || :
