"""What a command can do to its own shell, and what is still true afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clauses import clause
from tests.real.stage import Stage

# Each is followed by commands whose exit codes are known.
OPTIONS = r"""
set -e
set -eu
set -euo pipefail
set -x
PS4='$(echo x)'; set -x
set -v
set -n
set -o noexec
set -o posix
set -f
set -a
set -k
set +m
set -t
set -C
set -o vi
set +o emacs; set +o vi
set -o history
set -o ignoreeof
set -T; trap 'echo d' DEBUG RETURN
set -E; trap 'echo e; false' ERR
shopt -s extdebug
shopt -s failglob nullglob lastpipe execfail
shopt -s inherit_errexit; set -e
shopt -u promptvars
shopt -s restricted_shell
set -H; histchars='abc'
set -- a b c; OPTIND=77
trap 'echo d' DEBUG
trap 'return 1' DEBUG
trap 'echo e' ERR
trap 'echo x' EXIT
trap 'echo r' RETURN
trap '' INT HUP TERM QUIT PIPE CHLD
trap 'echo c' CHLD; (true) &
trap 'echo usr' USR1; kill -USR1 $$
"""
VARIABLES = r"""
unset PROMPT_COMMAND
unset PS0 PS1 PS2 PS4
PROMPT_COMMAND='true'
PROMPT_COMMAND='echo hi'
PROMPT_COMMAND="true; $PROMPT_COMMAND"
PROMPT_COMMAND+=("echo me")
PROMPT_COMMAND=("echo me" "${PROMPT_COMMAND[@]}")
PROMPT_COMMAND=(a b c d e)
readonly PROMPT_COMMAND
readonly PROMPT_COMMAND=true
readonly PS1
readonly PS1=x
declare -i PS1
declare -r PS0 PS2 IFS PATH REPLY
declare -i REPLY
declare -n REPLY=PS1
declare -i __fws_e
PS1='\$(exit 1)$(kill $$)'; PS0='$(exit 3)'
IFS=0123456789
IFS=x
unset IFS
PATH=
unset PATH
PATH=/nonexistent
unset EPOCHREALTIME
EPOCHREALTIME=5
LC_ALL=C
LC_ALL=tr_TR.UTF-8 LANG=xx_XX
LC_NUMERIC=de_DE.UTF-8
HISTCONTROL=ignoreboth HISTIGNORE='*' HISTSIZE=0
LINES=3 COLUMNS=4
readonly LINES COLUMNS
FUNCNEST=5
TMOUT=1
BASH_ENV=/x ENV=/y BASH_COMPAT=3.1
exec 9>/dev/null; BASH_XTRACEFD=9; set -x
unset BASHPID PPID SHELLOPTS
umask 777
umask 000
"""
NAMES = r"""
printf() { :; }
eval() { :; }
read() { :; }
command() { :; }
trap() { :; }
mapfile() { :; }
set() { :; }
cd() { :; }
local() { :; }
unset() { :; }
history() { :; }
for n in printf eval read command mapfile set local cd true test; do eval "$n() { return 3; }"; done
shopt -s expand_aliases; alias eval=false while=false builtin=false printf=false
alias printf=false eval=false builtin=false
enable -n printf
enable -n :
enable -n local
enable -n eval mapfile read
unset -f __fws_hook __fws_told
__fws_hook() { :; }
hash -p /nonexistent sleep
"""
FILES = r"""
exec 3>&- 4>&- 10>&- 255>&-
exec <&-
exec </dev/null
exec 2>&-
exec 0</dev/tty 1>/dev/tty 2>/dev/tty
exec {fd}>/dev/tty; echo x >&$fd
ulimit -n 10
ulimit -f 0
ulimit -v 100000
ulimit -u 1
ulimit -c 0
ulimit -s 100
mkdir gone; cd gone; rmdir ../gone
mkdir -p a/b; cd a/b; rm -r ../../a
mkdir "$(printf 'x\ny')" && cd "$(printf 'x\ny')"
"""
TERMINAL = r"""
stty raw
stty raw -echo
stty -echo
stty -isig
stty -opost
stty -icanon
stty ocrnl
stty 0
tput smcup
printf '\033[?1049h\033[?25l'
printf '\033c\016'
bind '"\r": "x"'
bind 'set editing-mode vi'
"""
WAYS_OUT = r"""
break
continue
return 4
break 9
f() { break 3; }; f
while true; do break 5; done
eval 'break'
:; break; echo never
shift 99
sleep 0.05 & disown
sleep 30 & kill -STOP $!
sleep 0.05 & fg
sleep 30 & kill %1; wait
coproc cat
(exit 3) & wait $!
bg
fg %9
select x in a b; do break; done </dev/null
read -t 0.01 x
kill -INT $$
kill -TERM $$
kill -QUIT $$
kill -INT 0
kill -WINCH $$
kill -TSTP $$
kill -TTOU $$
kill -CHLD $$
kill -STOP $$
suspend
suspend -f
"""
BROKEN_SYNTAX = r"""
cat <<EOF
echo 'unfinished
echo "unfinished
echo `unfinished
echo $(unfinished
echo ${unfinished
echo \
if true
for i in 1 2
{ echo
((1
[[ a
)
}
fi
;;
&
|
case x in
function
!
# only a comment
"""
# The shell ends by its own will, or by another's: with this exit code.
ENDS = {
    "exit": 0,
    "exit 3": 3,
    "set -e; false; exit 4": 1,
    "logout; exit 5": 5,
    "exec true": 0,
    "exec false": 1,
    "exec /nonexistent; exit 6": 127,
    "kill -9 $$": 137,
    "kill -9 0": 137,
    "kill -ALRM $$": 142,
    "kill -PIPE $$": 141,
    "kill -USR2 $$": 140,
    "kill -HUP $$": 129,
    "bash -c 'kill -9 $PPID'": 137,
    "trap 'exit 4' DEBUG": 4,
    "trap 'kill -9 $$' EXIT; exit": 137,
    "ulimit -f 0; trap 'exit 8' EXIT; exit 1": 8,
}
# What then reads the terminal is no shell of ours: a client ends it.
REPLACED = ["exec bash --norc", "exec zsh -f", "exec sh", "trap '' INT; exec sleep 1000"]
# Our own side of the shell is gone: it falls through to its own prompt, or hears and does nothing.
LOST = [
    "declare -r __fws_q=1",
    "unset ${!__fws*}",
    "for v in ${!__fws*}; do eval $v=garbage; done",
    "enable -n eval read mapfile builtin",
    "builtin() { return 1; }; printf() { return 1; }; eval() { :; }",
    "ulimit -n 4",
    "set -r",
    "builtin() { :; }",
    "FUNCNEST=1",
    "readonly __fws_v",
    "readonly __fws_a",
    "enable -n printf echo",
    "rm -r $__fws_d",
    "mv $__fws_d/run $__fws_d/gone",
    "sleep 5.5; enable -n printf echo",
]
# Our own side runs and runs, or does nothing for good: only a client can tell it from work.
DEAF = ["shopt -s extdebug; trap false DEBUG"]


def lines(text: str) -> list[str]:
    return [line for line in text.strip().split("\n") if line]


async def in_a_place_of_its_own(stage: Stage, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    await stage.run("true", cwd=str(place))


async def check_it_works(stage: Stage) -> None:
    assert await stage.exit_code("(exit 9)", timeout_ms=8000) == 9
    assert await stage.exit_code("false", timeout_ms=8000) == 1
    assert await stage.exit_code("true", timeout_ms=8000) == 0
    assert await stage.mode() == "idle"


@clause("terminal D7a")
@pytest.mark.parametrize(
    "cmd", [*lines(OPTIONS), *lines(VARIABLES), *lines(NAMES), *lines(FILES), *lines(TERMINAL)]
)
async def test_exit_codes_stay_right_whatever_a_command_changes(
    stage: Stage, tmp_path: Path, cmd: str
) -> None:
    await in_a_place_of_its_own(stage, tmp_path)
    await stage.run(cmd, timeout_ms=8000)
    await check_it_works(stage)
    assert stage.reasons() == []


@clause("terminal D7a")
@pytest.mark.parametrize("cmd", ["exec >/dev/null", "exec >file 2>&1", "exec <&- >&- 2>&-"])
async def test_exit_codes_come_without_the_shells_own_files(
    stage: Stage, tmp_path: Path, cmd: str
) -> None:
    await in_a_place_of_its_own(stage, tmp_path)
    await stage.run(cmd)
    await check_it_works(stage)
    answer = await stage.run("echo here >/dev/tty")
    assert answer["data"] == "here\n"


@pytest.mark.parametrize("cmd", lines(WAYS_OUT))
async def test_a_command_that_leaves_by_another_way_ends(
    stage: Stage, tmp_path: Path, cmd: str
) -> None:
    await in_a_place_of_its_own(stage, tmp_path)
    answer = await stage.run(cmd, timeout_ms=8000)
    assert answer["block"]["status"] == "completed" and "never" not in answer["data"]
    await check_it_works(stage)
    assert stage.reasons() == []


@clause("terminal d12", "terminal D7")
@pytest.mark.parametrize("cmd", lines(BROKEN_SYNTAX))
async def test_a_command_that_is_not_finished_ends(stage: Stage, cmd: str) -> None:
    answer = await stage.run(cmd, timeout_ms=8000)
    assert (answer["block"]["status"], answer["block"]["cmd"]) == ("completed", cmd)
    await check_it_works(stage)


@clause("terminal D1a", "terminal D8a", "terminal D9", "terminal D9a")
@pytest.mark.parametrize(("cmd", "code"), ENDS.items())
async def test_a_shell_that_ends_fails_its_block_and_is_followed(
    stage: Stage, tmp_path: Path, cmd: str, code: int
) -> None:
    await in_a_place_of_its_own(stage, tmp_path)
    before = (await stage.ok("pty.status"))["shell_id"]
    old = await stage.run("echo kept")
    answer = await stage.run(f"echo last; {cmd}")
    block = answer["block"]
    assert (block["status"], block["exit_code"]) == ("failed", code), answer
    assert answer["data"].startswith("last\n")
    again = await stage.run("pwd")
    assert again["data"] == f"{tmp_path / 'place'}\n"
    assert (await stage.ok("pty.status"))["shell_id"] != before
    assert stage.reasons() == [f"the shell ended with exit code {code}"]
    kept = await stage.ok("blocks.read", block_id=old["block"]["block_id"])
    assert kept["data"] == "kept\n"
    read = await stage.ok("pty.read_spool", from_cursor=0)
    assert read["data"].startswith("__FWS_PROMPT__") and "kept\n" in read["data"]
    await check_it_works(stage)


@pytest.mark.parametrize("cmd", [*REPLACED, *DEAF])
async def test_a_shell_that_is_no_longer_ours_is_ended_by_its_client(
    stage: Stage, tmp_path: Path, cmd: str
) -> None:
    await in_a_place_of_its_own(stage, tmp_path)
    begun = await stage.block(cmd)
    await stage.ask("pty.wait_prompt", from_cursor=begun["resume_cursor"], timeout_ms=50)
    assert await stage.mode() == "block_running"
    await stage.ok("pty.end_session", force=True, grace_ms=100)
    assert len(stage.reasons()) == 1
    assert (await stage.get(begun["block_id"]))["status"] == "cancelled"
    await check_it_works(stage)


@clause("terminal D1a")
@pytest.mark.parametrize("cmd", LOST)
async def test_a_shell_whose_hooks_are_gone_is_lost_and_it_is_said(
    stage: Stage, tmp_path: Path, cmd: str
) -> None:
    await in_a_place_of_its_own(stage, tmp_path)
    answer = await stage.run(cmd, timeout_ms=20_000)
    if answer["block"]["status"] == "completed":  # the next one finds it
        answer = await stage.run("true", timeout_ms=20_000)
    assert answer["block"]["status"] == "failed"
    await check_it_works(stage)
    (reason,) = stage.reasons()
    assert "no longer" in reason
