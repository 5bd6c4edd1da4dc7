from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import APIResponse, Browser, Dialog, Route, WebSocketRoute, expect

from tests.page.conftest import Server, Visitor, shot
from tests.page.driving import BOTH, PHONE, ask, card, faults_of, opened, ran, run, tabbed_to


@BOTH
def test_commands_become_cards_with_their_ends_and_output(visitor: Visitor, theme: str) -> None:
    page = opened(visitor)
    expect(ran(page, "printf '\\033[31mred\\033[0m plain\\n'", 1).locator(".ending")).to_have_text(
        "ok"
    )
    expect(card(page, 1).locator("pre .c-red")).to_have_text("red")
    expect(ran(page, "(exit 3)", 2).locator(".ending")).to_have_text("exit 3")
    expect(page.locator(".xterm-rows")).to_contain_text("red plain")
    long = ran(page, "seq 1 5000", 3)
    expect(long.locator("pre .line")).to_have_count(8)
    long.get_by_role("button", name="Show more").click()
    expect(long.locator("pre")).to_contain_text("4999")
    long.get_by_role("button", name="Fold").click()
    expect(long.locator("pre .line")).to_have_count(8)
    assert faults_of(page) == []
    shot(page, f"terminal-{theme}")


def test_a_program_is_answered_on_the_screen(visitor: Visitor) -> None:
    page = opened(visitor)
    run(page, "read -p 'Your name? ' name; echo \"Hi $name\"")
    expect(page.locator(".xterm-rows")).to_contain_text("Your name?")
    expect(page.locator(".mode")).to_have_text("interactive")
    page.keyboard.type("Ada")
    page.keyboard.press("Enter")
    expect(card(page, 1).locator("pre")).to_contain_text("Hi Ada")
    expect(card(page, 1).locator(".typed")).to_contain_text("person: Ada")
    # The next command is typed where the last one was.
    page.keyboard.type("echo again")
    page.keyboard.press("Enter")
    expect(card(page, 2).locator("pre")).to_contain_text("again")
    page.reload()
    expect(card(page, 1).locator(".typed")).to_contain_text("person: Ada")
    expect(card(page, 1).locator(".by")).to_contain_text("person")


def test_what_an_agent_does_is_seen_as_it_happens(visitor: Visitor, server: Server) -> None:
    page = opened(visitor)
    server.command("exec", "build", "--", "echo from elsewhere")
    expect(card(page, 1).locator("pre")).to_contain_text("from elsewhere")
    server.command("call", "pty.exec_interactive", '{"conversation_id": "build", "cmd": "cat"}')
    expect(page.locator(".mode")).to_have_text("interactive")
    server.command("call", "pty.send", '{"conversation_id": "build", "data": "a word\\r"}')
    expect(card(page, 2).locator(".typed")).to_contain_text("program: a word")
    page.get_by_role("button", name="End (Ctrl-C)").click()
    expect(card(page, 2).locator(".ending")).to_have_text("cancelled")


def test_what_a_gap_left_out_is_read_again(visitor: Visitor, server: Server) -> None:
    begun: list[WebSocketRoute] = []

    def without_blocks(stream: WebSocketRoute) -> None:
        """As for a viewer that did not read: events of blocks are left out."""
        behind = stream.connect_to_server()

        def forward(frame: str | bytes) -> None:
            if isinstance(frame, bytes) or '"agent_block_' not in frame:
                stream.send(frame)

        behind.on_message(forward)
        begun.append(stream)

    visitor.context.route_web_socket(re.compile("/live"), without_blocks)
    page = opened(visitor)
    server.command("exec", "build", "--", "echo unheard of")
    expect(page.locator(".xterm-rows")).to_contain_text("unheard of")
    expect(card(page, 1)).to_have_count(0)
    begun[-1].send('{"type": "gap", "events": 2}')
    expect(card(page, 1).locator("pre")).to_contain_text("unheard of")


def test_who_typed_what_is_seen_of_what_was_before_the_page(
    visitor: Visitor, server: Server
) -> None:
    begun = "read -p 'name? ' n; read -s -p 'key? ' k; echo; echo done"
    fields = {"conversation_id": "build", "cmd": begun}
    server.command("call", "pty.exec_interactive", json.dumps(fields))
    for send, asked in (("Ada\r", "name? "), ("hunter2\r", "key? ")):
        fields = {"conversation_id": "build", "expect": asked, "send": send}
        server.command("call", "pty.expect_send", json.dumps(fields))
    server.command("call", "pty.close", '{"conversation_id": "build"}')
    page = visitor.open("/t/build")
    typed = card(page, 1).locator(".typed li")
    expect(typed).to_have_text(["program: Ada⏎", "program: 8 hidden bytes"])
    expect(card(page, 1).locator(".by")).to_have_text(" · program")
    expect(page.locator("body")).not_to_contain_text("hunter2")


def test_a_password_typed_on_the_page_is_nowhere_and_its_length_is(visitor: Visitor) -> None:
    page = opened(visitor)
    run(page, "read -rsp 'Password: ' p; echo; echo ${#p}")
    expect(page.locator(".xterm-rows")).to_contain_text("Password:")
    page.keyboard.type("hunter2")
    page.keyboard.press("Enter")
    expect(card(page, 1).locator("pre")).to_contain_text("7")
    expect(card(page, 1).locator(".typed li")).to_have_text(["person: 8 hidden bytes"])
    page.reload()
    expect(card(page, 1).locator(".typed li")).to_have_text(["person: 8 hidden bytes"])
    kept = visitor.server.state / "conversations"
    files = [one for one in kept.rglob("*") if one.is_file()]
    assert files and not any(b"hunter2" in one.read_bytes() for one in files)


def test_an_answer_that_comes_late_does_not_make_a_block_run_again(
    visitor: Visitor, server: Server
) -> None:
    server.command("call", "pty.exec_interactive", '{"conversation_id": "build", "cmd": "cat"}')
    held: list[tuple[Route, APIResponse]] = []
    path = "**/api/blocks/build/get"
    page = visitor.open("/questions")
    page.route(path, lambda route: held.append((route, route.fetch())))
    page.keyboard.press("Alt+1")
    with page.expect_request(path):
        page.get_by_role("link", name="build").click()
    expect(page.locator(".mode")).to_have_text("interactive")
    server.command("call", "pty.end_session", '{"conversation_id": "build"}')
    ending = card(page, 1).locator(".ending")
    expect(ending).to_have_text("cancelled")
    while not held:
        page.wait_for_timeout(20)  # the answer is on its way to us
    ((route, answer),) = held
    with page.expect_response(path):
        route.fulfill(response=answer)
    ran(page, "echo next", 2)
    expect(ending).to_have_text("cancelled")
    page.unroute(path)


def test_a_full_screen_program_is_drawn_and_driven(visitor: Visitor) -> None:
    page = opened(visitor)
    ran(page, "seq 1 300 > long.txt", 1)
    run(
        page,
        'python3 -c \'import curses; curses.wrapper(lambda s: (s.addstr(2, 4, "a box"), '
        's.addstr(5, 4, "key " + chr(s.getch())), s.refresh(), s.getch()))\'',
    )
    expect(page.locator(".xterm-rows")).to_contain_text("a box")
    page.keyboard.press("x")
    expect(page.locator(".xterm-rows")).to_contain_text("key x")
    page.keyboard.press("q")
    expect(page.locator(".mode")).to_have_text("idle")
    expect(page.locator(".xterm-rows")).not_to_contain_text("a box")


def test_a_long_command_is_cut_short_and_shown_whole_when_asked(visitor: Visitor) -> None:
    page = opened(visitor)
    words = " ".join(f"word{number}" for number in range(400))
    found = ran(page, f"echo {words} | wc -w", 1)
    expect(found.locator("pre")).to_have_text("400\n")
    expect(found.locator(".cmd")).not_to_contain_text("word399")
    found.get_by_role("button", name="Whole command").press("Enter")
    expect(found.locator(".cmd")).to_contain_text("word399")
    assert faults_of(page) == []
    found.get_by_role("button", name="Less of the command").press("Enter")
    expect(found.locator(".cmd")).not_to_contain_text("word399")


def test_search_leads_to_the_line(visitor: Visitor) -> None:
    page = opened(visitor)
    ran(page, "seq 1 5000", 1)
    ran(page, "echo other", 2)
    page.get_by_label("Search all output").fill("4321")
    page.get_by_role("button", name="Search").click()
    page.locator(".hits a").first.click()
    expect(card(page, 1).locator(".found")).to_have_text("4321\n")
    expect(card(page, 1).locator(".found")).to_be_in_viewport()
    expect(page).to_have_url(re.compile(r"/t/build#build\.1:4321:\d+$"))
    shot(page, "search-light")


def test_a_hit_far_into_much_output_is_shown_with_what_stands_around_it(visitor: Visitor) -> None:
    page = opened(visitor)
    ran(page, "seq 1 2000000", 1)
    page.get_by_label("Search all output").fill("1777777")
    page.get_by_role("button", name="Search").click()
    found = card(page, 1).locator(".found")
    read: list[str] = []
    page.on("request", lambda sent: read.append(sent.url) if "/read" in sent.url else None)
    page.locator(".hits a").first.click()
    expect(found).to_have_text("1777777\n")
    expect(found).to_be_in_viewport()
    assert page.locator("pre .line", has_text="1777776").count() == 1
    assert len(read) == 2, "what lies before it is not fetched"
    link = page.url.removeprefix(visitor.server.address)
    other = visitor.open(link)
    expect(card(other, 1).locator(".found")).to_be_in_viewport()
    other.get_by_role("button", name="From the beginning").click()
    expect(card(other, 1).locator("pre .line").first).to_have_text("1\n")


def test_a_link_leads_to_its_block(visitor: Visitor) -> None:
    page = opened(visitor)
    for number in range(1, 12):
        ran(page, f"echo number {number}", number)
    card(page, 3).get_by_role("button", name="Copy link").click()
    expect(card(page, 3).get_by_role("status")).to_have_text("Link copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{visitor.server.address}/t/build#build.3"
    other = visitor.open("/t/build#build.3")
    expect(card(other, 3)).to_be_in_viewport()
    expect(card(other, 3)).to_have_class(re.compile("linked"))


def test_a_link_far_back_shows_what_stands_around_it_and_leads_on(
    visitor: Visitor, server: Server
) -> None:
    server.command("exec", "build", "--", "true")
    for _ in range(89):
        ask(server, "pty.run", conversation_id="build", cmd="true")
    page = visitor.open("/t/build#build.20")
    expect(card(page, 20)).to_be_in_viewport()
    expect(card(page, 80)).to_have_count(0)
    page.get_by_role("button", name="Later blocks").click()
    expect(card(page, 90)).to_be_attached()
    page.get_by_role("button", name="Earlier blocks").click()
    expect(card(page, 1)).to_be_attached()
    other = visitor.open("/t/build#build.999")
    expect(other.get_by_text("There is no block build.999 here")).to_be_visible()
    expect(card(other, 90)).to_be_in_viewport()


def test_a_conversation_that_is_closed_or_not_there_says_so_and_a_command_opens_it(
    visitor: Visitor, server: Server
) -> None:
    page = opened(visitor)
    server.command("call", "pty.close", '{"conversation_id": "build"}')
    expect(page.locator(".mode")).to_have_text("closed")
    ran(page, "echo back", 1)
    expect(page.locator(".mode")).to_have_text("idle")
    page.goto(f"{server.address}/t/unheard-of")
    expect(page.locator(".mode")).to_have_text("not there")
    run(page, "echo opened")
    expect(page.locator(".card pre")).to_have_text("opened\n")
    expect(page.locator(".mode")).to_have_text("idle")


def test_a_phone_has_keys_for_a_program(visitor: Visitor, browser: Browser, server: Server) -> None:
    asking = "read -rsn3 key; printf 'key %q\\n' \"$key\""
    fields = {"conversation_id": "build", "cmd": asking}
    server.command("call", "pty.exec_interactive", json.dumps(fields))
    page = visitor.open("/t/build")
    keys = page.get_by_role("toolbar", name="Keys for the program")
    expect(page.locator(".mode")).to_have_text("interactive")
    expect(keys).to_be_hidden()
    cookies = visitor.context.storage_state()
    phone = browser.new_context(
        storage_state=cookies, viewport=PHONE, has_touch=True, is_mobile=True
    )
    touched = phone.new_page()
    touched.goto(f"{server.address}/t/build")
    touched.get_by_role("button", name="Down").tap()
    expect(card(page, 1).locator("pre")).to_contain_text("key $'\\E[B'")
    expect(card(page, 1).locator(".typed")).to_have_text("person: ↓")
    assert faults_of(touched) == []
    phone.close()


def test_output_is_text_and_never_obeyed(visitor: Visitor) -> None:
    page = opened(visitor)
    dialogs: list[str] = []

    def refuse(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)
    page.evaluate("navigator.clipboard.writeText('mine')")
    hostile = (
        "<img src=x onerror=alert(1)><b>bold</b>",
        "\\033]52;c;c3RvbGVu\\007",
        "\\033]0;another title\\007",
        "\\033]8;;https://evil.example/\\007a link\\033]8;;\\007",
    )
    found = ran(page, f"printf '{''.join(hostile)}\\n'", 1)
    expect(found.locator("pre")).to_contain_text("<img src=x onerror=alert(1)><b>bold</b>a link")
    expect(page.locator(".xterm-rows")).to_contain_text("<b>bold</b>a link")
    assert page.locator("pre img, pre b, pre a, .xterm-rows a").count() == 0
    assert page.title() == "build · Antiphon"
    assert page.evaluate("navigator.clipboard.readText()") == "mine"
    assert dialogs == []


def test_only_the_server_answers_what_a_program_asks(visitor: Visitor) -> None:
    page = opened(visitor)
    # Whatever else had answered the first time would be read the second time.
    asked = (
        r"stty raw -echo; printf '\e[c\e[5n'; IFS= read -rd n first; sleep 0.5; "
        r"printf '\e[5n'; IFS= read -rd n second; stty sane; printf '%q\n' "
        '"$first" "$second"'
    )
    said = ran(page, asked, 1).locator("pre .line")
    expect(said).to_have_count(2)
    assert re.fullmatch(r"\$'\\E\[\?[\d;]+c\\E\[0'\n", said.nth(0).inner_text())
    expect(said.nth(1)).to_have_text("$'\\E[0'\n")


def test_the_page_goes_on_when_the_server_is_killed_and_started_again(
    visitor: Visitor, server: Server
) -> None:
    page = opened(visitor)
    run(page, "for i in $(seq 1 400); do echo line $i; sleep 0.01; done")
    expect(page.locator(".xterm-rows")).to_contain_text(re.compile(r"line \d\d"))
    server.kill()
    expect(page.locator(".mode")).to_have_text("connecting…")
    server.start()
    expect(page.locator(".mode")).to_have_text(re.compile("interactive|idle"))
    done = card(page, 1)
    expect(done.locator(".ending")).to_have_text("ok")
    screen = page.locator(".xterm-rows")
    expect(screen).to_contain_text("line 400")
    done.get_by_role("button", name="Show more").click()
    expect(done.locator("pre .line")).to_have_count(400)
    expect(ran(page, "echo after", 2).locator("pre")).to_contain_text("after")


def test_two_pages_show_one_conversation(visitor: Visitor) -> None:
    one = opened(visitor)
    other = visitor.open("/t/build")
    ran(one, "echo from one", 1)
    expect(card(other, 1).locator("pre")).to_contain_text("from one")
    ran(other, "echo from the other", 2)
    expect(card(one, 2).locator("pre")).to_contain_text("from the other")
    expect(one.locator(".xterm-rows")).to_contain_text("from the other")


def test_much_output_leaves_the_page_usable(visitor: Visitor) -> None:
    page = opened(visitor)
    run(page, "head -c 60000000 /dev/zero | tr '\\0' 'x' | fold -w 100; echo the end")
    expect(page.locator(".xterm-rows")).to_contain_text("the end", timeout=180_000)
    expect(ran(page, "echo usable", 2).locator("pre")).to_contain_text("usable")


def test_the_keyboard_alone_is_enough(visitor: Visitor) -> None:
    page = visitor.open()
    expect(page.get_by_label("Name of a new conversation")).to_be_visible()
    tabbed_to(page, "input[name=name]")
    page.keyboard.type("build")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="build")).to_be_visible()
    tabbed_to(page, "#command")
    page.keyboard.type("cat")
    page.keyboard.press("Enter")
    expect(page.locator(".mode")).to_have_text("interactive")
    # The screen has the keys now, Tab too; one key leads out of it.
    expect(page.locator(".xterm-helper-textarea")).to_be_focused()
    for key in ("a", "Tab", "b", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".xterm-rows")).to_contain_text(re.compile(r"a\s{7}b\s*a\s{7}b"))
    page.keyboard.press("Shift+F6")
    expect(page.locator("#command")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Control+d")
    expect(page.locator(".mode")).to_have_text("idle")


@BOTH
def test_the_terminal_fits_a_phone(visitor: Visitor, theme: str) -> None:
    page = opened(visitor)
    page.set_viewport_size(PHONE)
    run(page, "ls -la /")
    page.get_by_role("button", name="Blocks (1)").click()
    expect(card(page, 1).locator(".ending")).to_have_text("ok")
    expect(card(page, 1).locator("pre")).to_contain_text("root")
    assert faults_of(page) == []
    shot(page, f"phone-blocks-{theme}")
    page.get_by_role("button", name="Screen", exact=True).click()
    expect(page.locator(".xterm-rows")).to_contain_text("root")
    assert faults_of(page) == []
    shot(page, f"phone-{theme}")
    page.get_by_label("All conversations").click()
    expect(page.get_by_role("link", name="build")).to_be_visible()
    assert faults_of(page) == []


def test_who_is_not_signed_in_sees_nothing_but_how(visitor: Visitor) -> None:
    visitor.context.clear_cookies()
    page = visitor.context.new_page()
    page.goto(visitor.server.address)
    expect(page.get_by_text("antiphon browse")).to_be_visible()
    visitor.hosts.add(f"127.0.0.1:{visitor.server.port}")


def test_a_block_is_played_again_and_a_conversation_is_kept(
    visitor: Visitor, tmp_path: Path
) -> None:
    page = opened(visitor)
    found = ran(page, "echo played; sleep 0.1; echo again", 1)
    found.get_by_role("button", name="Replay").click()
    replay = page.get_by_role("dialog")
    expect(replay.locator(".xterm-rows")).to_contain_text("again")
    expect(replay.get_by_role("status")).to_have_text("the end")
    replay.get_by_role("button", name="Close").click()
    for name, beginning in (("text", "played"), ("asciicast", '{"version":3')):
        page.get_by_text("More", exact=True).click()
        with page.expect_download() as download:
            page.get_by_role("link", name=f"Download as {name}").click()
        kept = download.value.path().read_text()
        assert beginning in kept.replace(": ", ":").replace(", ", ",")
        page.get_by_text("More", exact=True).click()
