from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.choice.words import second_sentence, word_count
from tests.clauses import clause

# fmt: off
COUNTS = {
    "Выполнить коммит и push?": 4,
    "Да — выполнить": 2,
    "请选择要部署的环境": 5,
    "デプロイ先を選んでください": 7,
    "배포할 환경을 선택하세요": 3,
    "使用Docker部署": 3,
    "生产环境": 2,
    "": 0, "  ": 0, "— & …": 0, "🙂": 0,
    "long-running": 1, "don't": 1, "feat/x-v0.2.9": 1, "7": 1, "①": 1,
    "a\u00a0b\u3000c\u2028d": 4,
    "生": 1, "生产": 1, "生产环": 2,
    "东京、大阪": 2,
    "สวัสดี": 2,                 # four letters; marks are no letters
    "ភាសា": 1, "ဗမာ": 1, "ລາວ": 2,
    "コーヒー": 2,
    "é": 1, "e\u0301": 1, "か\u3099": 1,
    "العربية هنا": 2, "עברית": 1,
}
# fmt: on


@clause("interaction 3")
@pytest.mark.parametrize(("text", "count"), COUNTS.items())
def test_words_are_counted_in_any_script(text: str, count: int) -> None:
    assert word_count(text) == count


# fmt: off
SENTENCES = {
    "v0.2.9 now?": None,
    "Which environment?": None,
    "Really?! ": None,
    "Ready? 🙂": None,
    "One. Two": 5,
    "One… two": 5,
    "One?\u3000Two": 5,
    "Wait... now": 8,
    "部署吗？是": 4,
    "部署吗？！": None,
    "部署吗。": None,
    "部署「吗。」": None,
    "e.g. dev": 5,
}
# fmt: on


@clause("interaction 3a")
@pytest.mark.parametrize(("text", "second"), SENTENCES.items())
def test_a_second_sentence_is_found_where_it_begins(text: str, second: int | None) -> None:
    assert second_sentence(text) == second


@clause("interaction 3")
@given(st.text(max_size=40), st.text(max_size=40))
def test_counting_never_fails_and_a_space_separates(one: str, two: str) -> None:
    assert word_count(f"{one} {two}") == word_count(one) + word_count(two)
