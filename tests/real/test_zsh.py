"""zsh speaks as bash does: the same scenarios answer alike, and what is zsh's own holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clauses import clause
from tests.real.stage import Answer, Stage, until

SHELLS = ("bash", "zsh")


async def opened(stage: Stage, shell: str, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    await stage.ok("pty.open", shell=shell, cwd=str(place))


async def in_front(stage: Stage) -> None:
    """A program has the terminal: what is sent now is for it and not for its shell.

    Before it is a program it is a copy of its shell, in which a Ctrl-C is lost.
    """
    link = stage.desk.rooms.loaded["c"].conversation.link
    assert link is not None

    def is_program() -> bool:
        front = Path(f"/proc/{link.foreground()}/comm")
        return front.exists() and front.read_text().strip() not in SHELLS

    await until(is_program, "a program is in front")


def lines(text: str) -> list[str]:
    return [line for line in text.strip().split("\n") if line]


# --- the same on both -----------------------------------------------------------------------

# A command, its exit code and its output.
SAME: list[tuple[str, int, str | None]] = [
    ("echo hello", 0, "hello\n"),
    ("printf 'no end'", 0, "no end"),
    ("printf 'a\\r\\nb'", 0, "a\nb"),
    ("true", 0, ""),
    ("false", 1, ""),
    ("", 0, ""),
    ("# a comment", 0, ""),
    ("echo a # c", 0, "a\n"),
    ("(exit 200)", 200, ""),
    ("sh -c 'kill -9 $$'", 137, None),
    ("cat <<EOF\none\n  two $((1 + 1))\nEOF", 0, "one\n  two 2\n"),
    ("cat <<'EOF'\n$x `y`\nEOF\necho after", 0, "$x `y`\nafter\n"),
    ('echo "wow!bang" !!', 0, "wow!bang !!\n"),
    ("echo 'a\tb'", 0, "a\tb\n"),
    ("echo 'u\u2028v'", 0, "u\u2028v\n"),
    ("for i in 1 2 3; do\n  echo $i\ndone", 0, "1\n2\n3\n"),
    ('f() { echo "in f: $1"; return 5; }\nf x', 5, "in f: x\n"),
    ("typeset kept=here", 0, ""),
    ("echo $kept", 0, "here\n"),
    ("cd / && pwd", 0, "/\n"),
    ("pwd", 0, "/\n"),
    ("echo x | cat; false | true", 0, "x\n"),
    ("test -t 0 && test -t 1 && test -t 2", 0, ""),
    ("tty | grep -c pts", 0, "1\n"),
    ("printf 'x\\033[2Jy\\033]0;t'", 0, "x\x1b[2Jy\x1b]0;t"),
    ("f() { trap 'echo left' 0; }; f; trap - 0; echo $(f2() { return 3; }; f2; echo $?)", 0, None),
    ("exec >/dev/null; echo hidden", 0, ""),
    ("exec >/dev/tty; echo shown", 0, "shown\n"),
    ("umask 022; exit_code() { return 9; }; exit_code", 9, ""),
]


@pytest.mark.parametrize("shell", SHELLS)
async def test_the_same_commands_answer_alike(stage: Stage, tmp_path: Path, shell: str) -> None:
    await opened(stage, shell, tmp_path)
    for cmd, code, output in SAME:
        answer = await stage.run(cmd, timeout_ms=8000)
        block = answer["block"]
        assert (block["cmd"], block["status"], block["exit_code"]) == (cmd, "completed", code)
        if output is not None:
            assert answer["data"] == output, cmd
    assert stage.reasons() == []


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_command_of_any_size_runs_as_given(
    stage: Stage, tmp_path: Path, shell: str
) -> None:
    await opened(stage, shell, tmp_path)
    long = "x" * 200_000
    answer = await stage.run(f"v='{long}'; echo ${{#v}}", timeout_ms=8000)
    assert answer["data"] == "200000\n"
    assert answer["block"]["cmd"] == f"v='{long}'; echo ${{#v}}"
    every = "".join(map(chr, range(1, 256))).replace("'", "").replace("\r", "") + "日本"
    answer = await stage.run(f"printf %s '{every}' | wc -c | tr -d ' '")
    assert answer["data"] == f"{len(every.encode())}\n"
    assert (await stage.run("echo short"))["data"] == "short\n"


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    "cmd",
    [
        "sleep 1000",
        "cat",
        "(sleep 1000)",
        "f() { sleep 1000; echo never; }; f; echo never",
    ],
)
async def test_ctrl_c_ends_what_runs(stage: Stage, tmp_path: Path, shell: str, cmd: str) -> None:
    await opened(stage, shell, tmp_path)
    begun = await stage.session(cmd)
    await in_front(stage)
    await check_interrupted(stage, begun)


async def test_ctrl_c_ends_a_zsh_block_that_took_its_hooks_away(
    stage: Stage, tmp_path: Path
) -> None:
    await opened(stage, "zsh", tmp_path)
    begun = await stage.session("unset precmd_functions; precmd_functions=(nothing); sleep 1000")
    await in_front(stage)
    await check_interrupted(stage, begun)


@pytest.mark.parametrize("shell", SHELLS)
async def test_ctrl_c_ends_what_the_shell_does_itself(
    stage: Stage, tmp_path: Path, shell: str
) -> None:
    await opened(stage, shell, tmp_path)
    begun = await stage.session("echo go; while :; do :; done")
    await stage.wait("go\n", begun["resume_cursor"])
    await check_interrupted(stage, begun)


async def check_interrupted(stage: Stage, begun: Answer) -> None:
    await stage.keys("C-c")
    prompt = await stage.prompt(begun["resume_cursor"])
    assert prompt["extra"]["exit_code"] == 130
    block = await stage.get(begun["block_id"])
    assert (block["status"], block["exit_code"]) == ("cancelled", 130)
    assert b"never" not in stage.output(begun["block_id"])
    assert await stage.exit_code("(exit 9)") == 9


@pytest.mark.parametrize("shell", SHELLS)
async def test_ctrl_c_at_the_prompt_says_another(stage: Stage, tmp_path: Path, shell: str) -> None:
    await opened(stage, shell, tmp_path)
    # More often than one message of zsh has tokens for.
    for _ in range(7 if shell == "zsh" else 2):
        cursor = len(stage.spool())
        await stage.keys("C-c")
        assert (await stage.prompt(cursor))["extra"]["exit_code"] == 130
    assert await stage.exit_code("(exit 9)") == 9


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_stopped_program_gives_the_prompt_back(
    stage: Stage, tmp_path: Path, shell: str
) -> None:
    await opened(stage, shell, tmp_path)
    begun = await stage.session("cat")
    await stage.send("x\r")
    await stage.wait("x\nx\n", begun["resume_cursor"])
    await stage.keys("C-z")
    assert (await stage.prompt(begun["resume_cursor"]))["extra"]["exit_code"] == 148
    again = await stage.session("fg")
    await in_front(stage)
    await stage.send("y\r")
    await stage.wait("y\ny\n", again["resume_cursor"])
    await stage.send("\x04")
    assert (await stage.prompt(again["resume_cursor"]))["extra"]["exit_code"] == 0
    assert stage.reasons() == []


@clause("terminal D9", "terminal D1a")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("cmd", "code"),
    [
        ("exit", 0),
        ("exit 3", 3),
        ("exec true", 0),
        ("kill -9 $$", 137),
        ("set -e; false; echo never", 1),
        ("trap 'echo bye' EXIT; exit 6", 6),
    ],
)
async def test_a_shell_that_ends_is_followed_by_one_of_its_kind(
    stage: Stage, tmp_path: Path, shell: str, cmd: str, code: int
) -> None:
    await opened(stage, shell, tmp_path)
    answer = await stage.run(f"echo last; {cmd}", timeout_ms=8000)
    assert (answer["block"]["status"], answer["block"]["exit_code"]) == ("failed", code)
    assert "never" not in answer["data"]
    assert (await stage.run("echo ${ZSH_VERSION:+zsh}${BASH_VERSION:+bash}"))["data"] == (
        f"{shell}\n"
    )
    assert stage.reasons() == [f"the shell ended with exit code {code}"]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("cmd", ["exec sleep 1000", "exec bash --norc", "exec zsh -f"])
async def test_a_shell_that_became_something_else_is_ended_by_its_client(
    stage: Stage, tmp_path: Path, shell: str, cmd: str
) -> None:
    await opened(stage, shell, tmp_path)
    begun = await stage.block(cmd)
    await stage.ask("pty.wait_prompt", from_cursor=begun["resume_cursor"], timeout_ms=50)
    assert await stage.mode() == "block_running"
    await stage.ok("pty.end_session", force=True, grace_ms=100)
    assert (await stage.get(begun["block_id"]))["status"] == "cancelled"
    assert await stage.exit_code("(exit 9)") == 9


# --- typed at the prompt ---------------------------------------------------------------------


async def typed(stage: Stage, data: str) -> Answer:
    """The block that the typed lines became, ended."""
    known = len(stage.blocks())
    await stage.send(data)
    await until(lambda: len(stage.blocks()) > known, "the typed line ran")
    return stage.blocks()[-1]


TYPED_LINES = [
    ("echo typed\r", "echo typed", 0, b"typed\n"),
    ("(exit 3)\r", "(exit 3)", 3, b""),
    ("echo wrogn\x7f\x7fng\r", "echo wrong", 0, b"wrong\n"),
    ("never\x15echo kept\r", "echo kept", 0, b"kept\n"),
    ("echo 'a\tb  日本'\r", None, 0, None),
    ("sleep 0; stty -a | grep -c ' echo '\r", None, 0, b"1\n"),
    ("cat <<E\rhe said\rE\r", "cat <<E\nhe said\nE", 0, b"he said\n"),
]


@clause("terminal D10")
@pytest.mark.parametrize(
    ("shell", "data", "cmd", "code", "output"),
    [
        (shell, *line)
        for shell in SHELLS
        for line in TYPED_LINES
        if shell == "zsh" or "\t" not in line[0]  # a tab completes in bash's line editor
    ],
)
async def test_a_typed_line_is_a_block(
    stage: Stage,
    tmp_path: Path,
    shell: str,
    data: str,
    cmd: str | None,
    code: int,
    output: bytes | None,
) -> None:
    await opened(stage, shell, tmp_path)
    block = await typed(stage, data)
    assert (block["status"], block["exit_code"]) == ("completed", code)
    if cmd is not None:
        assert block["cmd"] == cmd
    if output is not None:
        assert stage.output(block["block_id"]) == output
    assert b"echo" not in stage.spool()
    assert await stage.exit_code("(exit 9)") == 9


@pytest.mark.parametrize("shell", SHELLS)
async def test_what_was_typed_halfway_is_dropped_by_a_block(
    stage: Stage, tmp_path: Path, shell: str
) -> None:
    await opened(stage, shell, tmp_path)
    await stage.send("echo never")
    answer = await stage.run("echo ran; stty -a | grep -c ' echo '", timeout_ms=8000)
    assert answer["data"] == "ran\n1\n"
    assert b"never" not in stage.spool()


@clause("terminal events")
async def test_what_is_typed_at_zshs_prompt_is_recorded_and_no_secret(
    stage: Stage, tmp_path: Path
) -> None:
    await opened(stage, "zsh", tmp_path)
    await typed(stage, "echo typed\r")
    sent = [one for one in stage.events() if one["type"] == "agent_input"]
    assert [one["data"] for one in sent] == ["echo typed\r"]


async def test_lines_typed_ahead_of_zshs_prompt_run_in_turn(stage: Stage, tmp_path: Path) -> None:
    await opened(stage, "zsh", tmp_path)
    begun = await stage.session("sleep 0.3")
    await stage.send("echo one\recho two\r")
    await stage.prompt(begun["resume_cursor"])
    await until(lambda: len(stage.blocks()) == 3, "both lines ran")
    assert [stage.output(one["block_id"]) for one in stage.blocks()[1:]] == [b"one\n", b"two\n"]
    assert await stage.exit_code("(exit 9)") == 9


# --- what a command can do to its own zsh ------------------------------------------------------

OPTIONS = r"""
setopt errexit
setopt errreturn
setopt nounset
setopt xtrace
setopt verbose
setopt noexec
setopt ksharrays
setopt shwordsplit globsubst
setopt ksharrays shwordsplit globsubst nounset xtrace
setopt promptsp promptcr
setopt zle
setopt noaliases ignorebraces ignoreclosebraces
setopt posixbuiltins posixtraps posixargzero posixstrings
setopt localoptions localtraps
setopt noglob nobadpattern nonomatch
setopt noclobber nomultios
setopt cshnullglob cshjunkiequotes cshjunkieloops
setopt rcquotes rcexpandparam extendedglob nullglob
setopt nomultibyte
setopt printexitvalue
setopt banghist; histchars='abc'
setopt autocd autopushd chaselinks pushdignoredups cdsilent
setopt typesetsilent globalexport allexport
setopt incappendhistory sharehistory histignorespace
setopt nonotify nobgnice nohup nocheckjobs
setopt functionargzero warncreateglobal warnnestedvar
setopt debugbeforecmd; trap 'echo d' DEBUG
setopt promptsubst; PS1='$(exit 4)%1(' PS4='$(exit 5)'
setopt continueonerror noevallineno
emulate sh
emulate ksh
emulate csh
emulate -R zsh
emulate -R sh
emulate sh; setopt errexit nounset
set -e
set -eu
set -o pipefail
set -x
set -v
set -f
set -- a b c
set -A REPLY a b
trap 'echo d' DEBUG
trap 'echo e' ZERR
trap 'false' ZERR
TRAPDEBUG() { echo d; }
TRAPZERR() { echo z; }
TRAPINT() { return 0; }
TRAPEXIT() { echo x; }
trap 'echo x' EXIT
trap '' INT HUP TERM QUIT PIPE CHLD
TRAPCHLD() { echo c; }
"""
VARIABLES = r"""
unset precmd_functions preexec_functions
precmd_functions=()
precmd_functions=(nothing)
precmd_functions+=(true false)
unset precmd_functions; return 3
unset precmd_functions; precmd_functions=scalar
typeset -A precmd_functions
typeset -i precmd_functions
precmd() { echo mine; return 4; }
preexec() { echo mine; return 4; }
precmd() { exec 1>&-; }; unset -f precmd
chpwd() { echo moved; return 5; }; cd .
periodic() { echo p; }; PERIOD=1
zshaddhistory() { return 1; }
command_not_found_handler() { return 5; }; nothing
unset PS1 PS2 PS4 PROMPT RPROMPT
PS1='x%B%(' RPROMPT='y'
readonly PS1
readonly PS2=x
typeset -i REPLY
typeset -A REPLY
readonly REPLY
IFS=0123456789
unset IFS
path=()
PATH=
unset PATH
unset EPOCHREALTIME
zmodload -u zsh/datetime
LC_ALL=C
LC_ALL=tr_TR.UTF-8 LANG=xx_XX
HISTSIZE=0 SAVEHIST=0
histchars=
COLUMNS=4 LINES=3
TMOUT=1
FUNCNEST=5
MAILCHECK=1
KEYTIMEOUT=1 LISTMAX=1
NULLCMD=false READNULLCMD=false
PWD=/nowhere
unset TTY
TTY=/dev/null
ZDOTDIR=/x ENV=/y
PROMPT_EOL_MARK=x; setopt promptsp promptcr; printf z
umask 777
umask 000
0=x
status=5
argv=(1 2)
"""
NAMES = r"""
printf() { :; }
eval() { :; }
read() { :; }
exec() { :; }
trap() { :; }
cd() { :; }
print() { :; }
emulate() { :; }
setopt() { :; }
unsetopt() { :; }
return() { :; }
local() { :; }
unset() { :; }
builtin() { :; }
builtin() { return 1; }
for n in printf eval read command set cd test exec emulate; do functions[$n]='return 3'; done
alias eval=false while=false builtin=false printf=false exec=false
alias -g eval=false exec=false builtin=false
disable printf
disable -r while
unhash -m '*'
unalias -m '*'
"""
FILES = r"""
exec 3>&- 4>&- 9>&-
exec <&-
exec </dev/null
exec 2>&-
exec >/dev/null
exec >file 2>&1
exec <&- >&- 2>&-
exec 0</dev/tty 1>/dev/tty 2>/dev/tty
exec {fd}>/dev/tty; echo x >&$fd
limit filesize 0
ulimit -f 0
ulimit -u 1
mkdir gone; cd gone; rmdir ../gone
mkdir -p a/b; cd a/b; rm -r ../../a
mkdir $'x\ny' && cd $'x\ny'
mkdir $'a b;c\xff' && cd $'a b;c\xff'
mkdir 日本 && cd 日本
stty raw
stty raw -echo
stty -echo
stty -isig
stty -opost
stty -icanon
stty 0
printf '\033[?1049h\033[?25l'
printf '\033c\016'
bindkey -v
zmodload zsh/zle; bindkey '^M' undefined-key
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
logout || true
ls *.nothing
echo ${nothing:?no}
echo $((1 / 0))
[[ a -eq
sleep 0.05 &|
sleep 30 & kill -STOP $!
sleep 0.05 & fg
sleep 30 & kill %%; wait
coproc cat
(exit 3) & wait $!
bg
fg %9
select x in a b; do break; done </dev/null
read -t 0.01 x
kill -INT $$
kill -INT 0
kill -QUIT $$
kill -TERM $$
kill -WINCH $$
kill -TSTP $$
kill -CHLD $$
{ return 3; } always { echo a }
() { return 300; }
() { return -1; }
f() { trap 'echo left' EXIT; }; f
"""


async def check_it_works(stage: Stage) -> None:
    for cmd, code in (("(exit 9)", 9), ("false", 1), ("true", 0)):
        assert await stage.exit_code(cmd, timeout_ms=8000) == code
    assert await stage.mode() == "idle"


@clause("terminal D7a")
@pytest.mark.parametrize(
    "cmd", [*lines(OPTIONS), *lines(VARIABLES), *lines(NAMES), *lines(FILES), *lines(WAYS_OUT)]
)
async def test_zshs_exit_codes_stay_right_whatever_a_command_changes(
    stage: Stage, tmp_path: Path, cmd: str
) -> None:
    await opened(stage, "zsh", tmp_path)
    answer = await stage.run(cmd, timeout_ms=8000)
    assert answer["block"]["status"] == "completed" and "never" not in answer["data"]
    await check_it_works(stage)
    assert stage.reasons() == []


async def test_a_zsh_that_waits_as_a_command_would_is_ended_by_its_client(
    stage: Stage, tmp_path: Path
) -> None:
    await opened(stage, "zsh", tmp_path)
    begun = await stage.block("ulimit -n 10")  # it opens nothing any more, not even its terminal
    await stage.ask("pty.wait_prompt", from_cursor=begun["resume_cursor"], timeout_ms=50)
    await stage.ok("pty.end_session", force=True, grace_ms=100)
    assert (await stage.get(begun["block_id"]))["status"] == "cancelled"
    await check_it_works(stage)


# It falls through to its own prompt, or goes round and round, or hears and does nothing.
LOST = [
    "trap 'return 1' DEBUG",
    "TRAPDEBUG() { return 1; }",
    "typeset -r prompt",
    "zmodload -u zsh/mapfile",
    "FUNCNEST=2",
    "unset -m '__fws_[aims]'",
    "readonly __fws_a",
    "readonly __fws_m",
]


@clause("terminal D1a")
@pytest.mark.parametrize("cmd", LOST)
async def test_a_zsh_whose_hooks_are_gone_is_lost_and_it_is_said(
    stage: Stage, tmp_path: Path, cmd: str
) -> None:
    await opened(stage, "zsh", tmp_path)
    answer = await stage.run(cmd, timeout_ms=20_000)
    if answer["block"]["status"] == "completed":  # the next one finds it
        answer = await stage.run("true", timeout_ms=20_000)
    assert answer["block"]["status"] == "failed"
    await check_it_works(stage)
    (reason,) = stage.reasons()
    assert "no longer" in reason


# --- which shells there are ----------------------------------------------------------------------


@clause("terminal refusals")
@pytest.mark.parametrize("shell", ["dash", "fish", "sh", "", "/bin/zsh", "zsh -f", "nothing"])
async def test_a_shell_that_is_not_known_is_refused_with_those_that_are(
    stage: Stage, shell: str
) -> None:
    answer = await stage.refused("pty.open", "invalid_request", shell=shell)
    assert "bash" in answer["message"] and "zsh" in answer["message"]
    assert not stage.folder().exists()


async def test_a_shell_that_is_not_installed_is_refused_and_leaves_nothing(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = await stage.refused("pty.open", "spawn_failed", shell="zsh")
    assert "zsh is not installed" in answer["message"]
    assert not stage.folder().exists()


async def test_zsh_reads_nobodys_start_files(stage: Stage, tmp_path: Path) -> None:
    for name in (".zshenv", ".zshrc", ".zlogin"):
        (tmp_path / name).write_text("echo mine; precmd() { echo mine; }\n")
    await stage.ok("pty.open", shell="zsh", env={"HOME": str(tmp_path), "ZDOTDIR": str(tmp_path)})
    answer = await stage.run("echo $HOME ${ZDOTDIR:-none}; zsh -ic 'exit 3'")
    assert answer["data"] == f"{tmp_path} none\nmine\nmine\n"
    assert (answer["block"]["exit_code"], stage.spool().count(b"mine")) == (3, 2)


async def test_a_zsh_outlives_the_server(stage: Stage, tmp_path: Path) -> None:
    await opened(stage, "zsh", tmp_path)
    await stage.run("typeset -A kept; kept[a]=b")
    begun = await stage.block("sleep 0.3; echo done; return 6")
    await stage.leave()
    await stage.open()
    await stage.wait("done\n", begun["resume_cursor"])
    assert (await stage.prompt(begun["resume_cursor"]))["extra"]["exit_code"] == 6
    assert (await stage.run("echo $kept[a]"))["data"] == "b\n"
    assert stage.reasons() == []
