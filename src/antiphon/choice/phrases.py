"""Phrases that break a question: soft offers, «Other», and a label before the instruction.

The lists hold what people and models write in eight languages; whoever meets another adds it.
"""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# An offer of an action in prose.  A question («Should I deploy?») is none: it has its block.
SOFT_OFFER = _any(
    r"\blet me know\b",
    r"\bif you(?:'d|’d| would)? (?:want|wish|like|prefer|need)\b",
    r"\bjust (?:say|tell|ask|let)\b",
    r"\bsay the word\b",
    r"\bfeel free to\b",
    r"\b(?:i am|i'm|i’m) happy to\b",
    r"\b(?:happy|glad) to (?:help|do|assist|proceed)\b",
    r"\bi (?:can|could) (?:also|then|now|go ahead)\b",
    r"\bwould you like me to\b",
    r"\b(?:do you )?want me to\b",
    r"\bi can \w+.{0,80}?\bif\b",
    r"\bwhenever you(?:'re|’re| are) ready\b",
    r"\bесли (?:ты |вы )?(?:хоч|хот|нужно|надо|желае|потребуется|необходимо|интересно)",
    r"\bда(?:й|йте) (?:мне )?знать\b",
    r"\b(?:просто )?скажи(?:те)?\b(?: мне)?,? (?:если|когда|и я)",
    r"— скажи",
    r"\b(?:я )?могу (?!ли\b)(?:\w+ )?\w+(?:ть|ти|чь)(?:ся|сь)?\b",
    r"\bготов(?:а|ы)? (?:\w+ )?\w+(?:ть|ти)\b",
    r"\bобращай(?:ся|тесь)\b",
    r"\bпо желанию\b",
    r"\b(?:wenn|falls) (?:du|sie) (?:möchtest|möchten|willst|wollen|magst)\b",
    r"\bsag(?:en sie)? (?:mir )?(?:einfach )?bescheid\b",
    r"\blass(?:en sie)? (?:es )?mich (?:es )?wissen\b",
    r"\bsi (?:vous|tu) (?:le )?(?:voulez|souhaitez|désirez|veux|souhaites)\b",
    r"\b(?:dites|dis)-(?:le-)?moi\b",
    r"\bn'hésite[sz]? pas\b",
    r"\bsi (?:lo )?(?:quieres|desea|deseas|quiere|prefieres)\b",
    r"\b(?:avísame|avíseme|házmelo saber|hágamelo saber)\b",
    r"\bse (?:você )?(?:quiser|desejar|preferir)\b",
    r"\b(?:me avise|avise-me|é só dizer)\b",
    r"如果(?:你|您)?(?:想|需要|愿意|希望)",
    r"需要的话",
    r"(?:请)?告诉我",
    r"(?:よろしければ|必要であれば|必要なら|ご希望)",
    r"(?:お知らせ|教えて)ください",
)

# What «Other» is called, when a label is it or begins with it.
OTHER = _any(
    r"(?:the )?others?\b",
    r"(?:другое|иное|прочее)\b",
    r"(?:другой|иной|свой) вариант\b",
    r"(?:anderes|andere|anderer|sonstiges|sonstige)\b",
    r"(?:autres?)\b",
    r"(?:otros?|otras?)\b",
    r"(?:outros?|outras?)\b",
    r"其他|其它|別の(?:もの|選択肢)|その他|そのほか",
)

# An offer of free text as an option, anywhere in a label.
OWN_TEXT = _any(
    r"\b(?:type|enter|write|specify|provide|input) (?:in )?(?:your|my|an?) own\b",
    r"\b(?:something|anything) else\b",
    r"\bplease specify\b",
    r"\b(?:your|my) own (?:answer|text|value|input|option)\b",
    r"\bfree[- ]?text\b",
    r"\bcustom (?:answer|text|value|input|option)\b",
    r"\b(?:ввести|введите|написать|напишите|указать|укажите) сво",
    r"\bсвой (?:вариант|ответ|текст)\b",
    r"\bчто-(?:то|нибудь) (?:другое|ещё|еще)\b",
    r"\b(?:etwas anderes|eigene (?:antwort|eingabe|angabe)|eigener text|freitext)\b",
    r"\b(?:autre chose|votre propre|ta propre|texte libre|saisir (?:le|la|votre|un))\b",
    r"\b(?:otra cosa|algo más|texto libre|(?:escrib[ae]|introduzca|introduce) (?:su|tu))\b",
    r"\b(?:outra coisa|algo mais|(?:digite|escreva|insira) (?:seu|sua|o seu|a sua))\b",
    r"自定义|自行输入|手动输入|自己输入|自由输入",
    r"自由入力|自分で入力|自由記述",
)

# A label before the instruction, with its colon.
PREFIX = re.compile(
    r"\W*(?:"
    r"(?:the |your )?(?:answer|answers|choose|choice|choices|select|selection|option|options|pick"
    r"|question|reply|response)|(?:single|multiple|multi)[- ]?(?:choice|select)"
    r"|(?:choose|select|pick) (?:one|an option|any)"
    r"|ответ|ваш ответ|вопрос|выбор|выберите|выбери|варианты|один вариант|одиночный выбор"
    r"|множественный выбор"
    r"|antwort|frage|auswahl|wähle|wählen sie|einfachauswahl|einzelauswahl|mehrfachauswahl"
    r"|réponse|question|choix|choisissez|choisis|choix (?:unique|multiple)"
    r"|respuesta|pregunta|elige|elija|elección|opción|opciones"
    r"|(?:opción|selección) (?:única|múltiple)"
    r"|resposta|pergunta|escolha|opção|opções|(?:escolha|seleção) (?:única|múltipla)"
    r"|答案|回答|问题|選択|选择|请选择|单选|多选|单项选择|選択してください|単一選択|複数選択|質問"
    r")\s*[:：]",
    re.IGNORECASE,
)
