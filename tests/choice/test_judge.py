from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.choice.judge import VIOLATIONS_MAX, Expected, judged, rendered
from antiphon.choice.question import Block, remark, shown, shown_again, summary
from tests.choice.driving import ENV
from tests.clauses import clause

SUMMARY = shown(summary([("env", "staging"), ("region", "eu, ap")]))


def codes(text: str, expected: Expected | None = None) -> list[str]:
    return [found.code for found in judged(text, expected)]


def block(instruction: str, *labels: str) -> str:
    return shown(Block(instruction, labels or ("yes", "no")))


@clause("interaction 1", "interaction 7.4", "interaction R4", "interaction R24")
@pytest.mark.parametrize(
    "text",
    [
        ENV,
        SUMMARY,
        "STEP_ABORT",
        "FLOW_CANCEL",
        *(shown_again(Block("Which?", ("a", "b")), count, is_many=True) for count in (1, 2, 3)),
        *(remark(count, 3, is_many=False) + SUMMARY for count in (1, 2, 3)),
        block("Выполнить коммит и push?", "Да", "Нет"),
        block("部署到哪里？", "生产环境", "测试环境"),
        block("Choose target"),
        block("Which one: a, b?"),
        block("Which?", "a", "b", "c", "d", "e", "f", "g"),
        block("2.0 is ready: release it?"),
    ],
)
def test_every_production_is_accepted(text: str) -> None:
    assert judged(text) == []


WORDS_15 = " ".join(["word"] * 15)
FIFTEEN_AFTER_REMARK = "Invalid input (1 / 2 / 1,3): " + block(WORDS_15)


@clause("interaction R5", "interaction F08", "interaction 7.4")
def test_an_instruction_has_at_most_15_words() -> None:
    assert codes(block(WORDS_15)) == []
    assert codes(block(WORDS_15 + " more")) == ["F08"]
    assert codes(block("选" * 30)) == []
    assert codes(block("选" * 31)) == ["F08"]
    assert codes(FIFTEEN_AFTER_REMARK) == []


@clause("interaction R6", "interaction F07", "interaction R14")
def test_there_are_one_to_seven_options() -> None:
    assert codes(block("Push?", "push")) == []
    assert codes(block("Which?", *"abcdefgh")) == ["F07"]
    assert codes("Which environment?") == ["F07"]


@clause("interaction R7", "interaction F10", "interaction F14")
def test_a_label_has_at_most_five_words_and_reads_like_no_other() -> None:
    assert codes(block("Which?", "one two three four five")) == []
    assert codes(block("Which?", "one two three four five six")) == ["F10"]
    assert codes(block("Which?", "选" * 10)) == []
    assert codes(block("Which?", "选" * 11)) == ["F10"]
    for pair in [("dev", "DEV"), ("dev 1", "dev1"), ("dev", "dev"), ("Straße", "STRASSE")]:
        assert codes(block("Which?", *pair)) == ["F14"]


@clause("interaction R8", "interaction F03", "interaction F04")
def test_one_blank_line_stands_before_the_options() -> None:
    assert codes(ENV.replace("\n\n", "\n")) == ["F03"]
    assert codes(ENV.replace("\n\n", "\n\n\n")) == ["F04"]
    assert codes(ENV.replace("\n2)", "\n\n2)")) == ["F04"]
    assert codes(SUMMARY.replace("\n\n", "\n")) == ["F03"]
    assert codes(SUMMARY.replace("\n\n", "\n\n\n")) == ["F04"]
    assert codes(SUMMARY.replace("\n- region", "\n\n- region")) == ["F04"]


@clause("interaction R9", "interaction F01", "interaction R4")
def test_nothing_stands_at_the_edges() -> None:
    texts = [" " + ENV, "\n" + ENV, ENV + "\n", ENV + " ", ENV.replace("dev", "dev ")]
    for text in [*texts, ENV.replace("?", "? "), ENV.replace("\n\n", "\n \n")]:
        assert codes(text) == ["F01"]


@clause("interaction R58", "interaction F02")
@pytest.mark.parametrize(
    "hidden",
    ["\u200b", "\ufeff", "\t", "\x07", "\u202e", "\u00ad", "\ud800", "\u2028", "\u2029", "\u3164"],
)
def test_hidden_characters_are_found(hidden: str) -> None:
    found = judged(ENV.replace("dev", f"d{hidden}ev"))
    assert [(one.code, one.at) for one in found] == [("F02", 24)]


@clause("interaction F05", "interaction R51", "interaction R11")
@pytest.mark.parametrize(
    "text",
    [
        "Which?\n\n1. dev",
        "Which?\n\n1)dev",
        "Which?\n\n(1) dev",
        "Which?\n\n1 - dev",
        "Which?\n\n- dev",
        "Which?\n\n１) dev",
        "Which?\n\n① dev",
        "Which?\n\n1) ",
        "Which?\n\n1)  dev",
        "Which?\n\n0) dev",
        "Which?\n\n2) dev",
        "Which?\n\n1) dev\n3) prod",
        "Which?\n\n1) dev\n1) prod",
        "Which?\n\n1) dev\nthe safe one\n2) prod",
        "Which?\n\n  1) dev",
        "Enter 1-5: Which?\n\n1) dev",
    ],
)
def test_an_option_line_is_exact(text: str) -> None:
    assert set(codes(text)) <= {"F05", "F01"}
    assert "F05" in codes(text)


@clause("interaction F06")
def test_an_instruction_is_there() -> None:
    assert codes("1) dev\n2) prod") == ["F06"]
    assert codes("?!\n\n1) dev") == ["F06"]
    assert "F06" in codes("")


@clause("interaction R5", "interaction F09")
def test_an_instruction_is_one_sentence() -> None:
    found = judged(block("Which? Choose now."))
    assert [(one.code, one.at) for one in found] == [("F09", 7)]
    assert codes(block("v0.2.9 now?")) == []


@clause("interaction R10", "interaction F11")
@pytest.mark.parametrize(
    "prefix",
    ["Answer:", "Choose:", "Single choice:", "choose :", "Ответ:", "Выберите:", "Antwort:",
     "Choisissez :", "Elige:", "Escolha:", "请选择：", "選択：", "Please choose:", "Bitte wählen:",
     "Выберите вариант:", "Elija una opción:", "Single choice -"],
)  # fmt: skip
def test_no_label_stands_before_the_instruction(prefix: str) -> None:
    assert codes(block(f"{prefix} the target")) == ["F11"]


@clause("interaction R50", "interaction F12", "interaction R48")
@pytest.mark.parametrize(
    "offer",
    [
        "Если хочешь, могу выполнить коммит",
        "Let me know if you want to proceed",
        "Могу сделать push — скажи, если нужно",
        "If you'd like, I can also run the tests.",
        "Feel free to ask for more.",
        "Дай знать, если нужно.",
        "如果你想，我可以部署。",
        "Say yes and I'll push.",
        "Tell me when to push.",
        "If needed, I can revert it.",
        "I'd be happy to deploy.",
        "Хотите, я выполню?",
        "Готов помочь.",
        "Напишите, когда нужно.",
    ],
)
def test_an_offer_in_prose_is_found_wherever_it_stands(offer: str) -> None:
    assert "F12" in codes(offer)
    assert "F12" in codes(f"{ENV}\n\n{offer}")
    assert "F12" in codes(f"{offer}\n\n{ENV}")
    assert "F12" in codes(block(offer))


@clause("interaction R50", "interaction F12")
@pytest.mark.parametrize(
    "question", ["Shall I deploy?", "May we proceed?", "Могу ли я продолжить?", "Мне продолжить?"]
)
def test_a_question_offers_in_prose_and_asks_in_a_block(question: str) -> None:
    assert codes(question) == ["F12", "F07"]
    assert codes(f"{ENV}\n{question}") == ["F12", "F17"]
    assert codes(block(question)) == []


@clause("interaction R12", "interaction F13")
@pytest.mark.parametrize(
    "label",
    ["Other", "other…", "Other (specify)", "Others", "Другое", "Иное", "Свой вариант", "其他",
     "其它选项", "その他", "Autre", "Anderes", "Sonstiges", "Otro", "Outra", "Type your own",
     "Enter my own value", "Something else", "Ввести свой", "自行输入", "自由入力",
     "Eigene Eingabe", "Autre chose", "Otra cosa", "Outra coisa", "Custom", "Другой",
     "Ввести вручную", "Selbst eingeben", "Tapez votre réponse", "Escribir tu respuesta",
     "Texto livre", "别的", "それ以外"],
)  # fmt: skip
def test_other_is_found_in_eight_languages(label: str) -> None:
    assert codes(block("Which?", "dev", label)) == ["F13"]


@clause("interaction R12")
@pytest.mark.parametrize(
    "label",
    ["Another region", "Otherwise stop", "Mother", "自定", "Andernach", "Custom domain",
     "Другой регион", "别墅", "他社"],
)  # fmt: skip
def test_what_only_sounds_like_other_passes(label: str) -> None:
    assert codes(block("Which?", "dev", label)) == []


@clause("interaction R13", "interaction F15")
def test_every_value_of_the_domain_has_an_option() -> None:
    assert codes(ENV, Expected(domain=["dev", "staging", "prod"])) == []
    assert codes(ENV, Expected(domain=["dev", "staging", "prod", "test"])) == ["F15"]
    assert codes(ENV, Expected(domain=["dev", "prod"])) == ["F15"]
    cities = [f"c{number}" for number in range(23)]
    tree = block("Which?", "c0 … c5", "c6 … c11", "c12 … c17", "c18 … c22")
    assert codes(tree, Expected(domain=cities)) == []
    assert codes(block("Which?", "c0 … c5", "c6 … c11"), Expected(domain=cities)) == ["F15", "F15"]


@clause("interaction R52", "interaction F16", "interaction R56")
def test_a_text_is_the_pinned_one_byte_for_byte() -> None:
    assert codes(ENV, Expected(pinned=ENV)) == []
    assert codes("Enter 1-3: " + ENV, Expected(pinned=ENV)) == []
    assert codes("STEP_ABORT", Expected(pinned=ENV)) == []
    assert codes(SUMMARY, Expected(pinned=ENV)) == ["F16"]
    assert codes("Which environment?", Expected(pinned=ENV)) == ["F07", "F16"]
    found = judged(ENV.replace("prod", "Prod"), Expected(pinned=ENV))
    assert [(one.code, one.at) for one in found] == [("F16", ENV.index("prod"))]


@clause("interaction R1", "interaction R2", "interaction R9", "interaction R51", "interaction F17")
@pytest.mark.parametrize(
    "text",
    [
        f"Sure, here is the list.\n\n{ENV}",
        f"Thinking about it\n{ENV}",
        f"{ENV}\n\nPick one.",
        f"{ENV}\nDone",
        f"{SUMMARY}\nAll set",
        f"All set\n{SUMMARY}",
        f"{ENV}\n\nSTEP_ABORT",
    ],
)
def test_prose_beside_a_production_is_found(text: str) -> None:
    assert codes(text) == ["F17"]


@clause("interaction R1", "interaction F17", "interaction R55")
def test_prose_instead_of_a_production_is_found() -> None:
    for text in ("I will now run the tests.", "STEP_ABORT now", "flow_cancel", "Done\nAll green"):
        assert "F17" in codes(text)


@clause("interaction R30", "interaction F18")
def test_a_summary_is_that_of_the_state() -> None:
    values = {"env": "staging", "region": ["eu", "ap"]}
    assert codes(SUMMARY, Expected(values=values)) == []
    for other in ({"env": "staging"}, {"region": ["eu", "ap"], "env": "staging"},
                  {"env": "prod", "region": ["eu", "ap"]}, {**values, "zone": "a"}):  # fmt: skip
        assert codes(SUMMARY, Expected(values=other)) == ["F18"]
    assert codes(ENV, Expected(values=values)) == ["F18"]
    assert codes(SUMMARY.replace("Confirm", "OK")) == ["F05"]


@clause("interaction 6 render")
def test_a_block_is_rendered_or_says_why_not() -> None:
    assert rendered("Which environment?", ["dev", "staging", "prod"]) == ENV
    for instruction, options, expected in [
        ("Which?", [], ["F07"]),
        ("Which?", list("abcdefgh"), ["F07"]),
        ("", ["a"], ["F06"]),
        ("Which\none?", ["a"], ["F17"]),
        ("Which?", ["a\n2) b"], ["F05"]),
        ("Which?", [""], ["F05"]),
        ("Which?", ["a", " "], ["F05"]),
        ("Which?", ["a\nb", "c"], ["F05"]),
        (" Which?", ["a"], ["F01"]),
        ("Which?", ["a "], ["F01"]),
        ("Which?", ["a\tb", "c"], ["F02"]),
        ("Which\n\n1) a\n2) b", ["c"], ["F17"]),
        ("Which? Now", ["a", "A"], ["F09", "F14"]),
        ("1) Which?", ["a"], ["F04", "F05", "F06"]),
    ]:
        found = rendered(instruction, options)
        assert isinstance(found, list), (instruction, options)
        assert sorted({one.code for one in found}) == expected, (instruction, options)


@clause("interaction 6 validate")
def test_each_violation_has_a_place_within_the_text_and_all_come_in_order() -> None:
    text = f"Sure!\n\nChoose: {WORDS_15}. More\n\n1. a\n2) a\n3) A\n\nBye"
    found = judged(text)
    assert [one.code for one in found] == ["F17", "F08", "F11", "F09", "F05", "F14", "F17"]
    assert [one.at for one in found] == sorted(one.at for one in found)


@clause("interaction 6 validate")
@given(st.text(max_size=80), st.lists(st.text(max_size=12), max_size=9))
def test_any_text_is_judged_and_what_is_rendered_is_compliant(
    instruction: str, options: list[str]
) -> None:
    text = rendered(instruction, options)
    if isinstance(text, str):
        assert judged(text) == []
        assert text == shown(Block(instruction, tuple(options)))
    raw = instruction + "".join(options)
    for found in judged(raw):
        assert 0 <= found.at <= len(raw)


PIECES = st.sampled_from(["Which?", "\n", "\n\n", "1) ", "2) ", "a", "b", "Summary:", "- x: y", " ",
                          "1) Confirm", "2) Restart", "3) Edit specific step", "Enter 1-2: ",
                          "Invalid input: ", "STEP_ABORT", "- ", "3. "])  # fmt: skip


@clause("interaction 1")
@given(st.lists(PIECES, max_size=12).map("".join))
def test_only_the_grammar_is_accepted(text: str) -> None:
    if judged(text):
        return
    if text in {"STEP_ABORT", "FLOW_CANCEL"}:
        return
    head, _, options = text.partition("\n\n")
    lines = options.split("\n")
    assert 1 <= len(lines) <= 7
    assert all(line.startswith(f"{n}) ") and line[3:] for n, line in enumerate(lines, 1))
    assert "\n" not in head or "Summary:\n- " in head
    assert text == text.strip()


@clause("interaction R4", "interaction F17", "interaction R11")
@pytest.mark.parametrize("markup", ["# ", "**", "> ", "`", "__"])
def test_no_markup_stands_before_the_instruction(markup: str) -> None:
    assert codes(block(f"{markup}Which?")) == ["F17"]


def test_letters_are_no_numbers() -> None:
    assert codes("Which?\n\na) dev\nb) prod") == ["F05", "F05"]


HOSTILE = [
    "\t" * 60_000,
    "。" * 60_000,
    ". " * 30_000,
    "i can x " * 8_000,
    "могу " + "а" * 60_000,
    "x\n" * 10_000 + "Summary:\n" + "- a: b\n" * 8_000,
    "Q?\n\n" + "1) a\n" * 12_000,
    "Summary:\n- a" + " : " * 20_000 + "\n\n1) Confirm",
]


@clause("interaction 6 validate")
@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_judged_in_one_pass_and_told_in_measure(text: str) -> None:
    found = judged(text, Expected(domain=["x"] * 1_000))
    assert 0 < len(found) <= VIOLATIONS_MAX
