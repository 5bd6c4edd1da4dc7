"""Phrases that break a question: soft offers, «Other», and a label before the instruction.

The lists hold what people and models write in eight languages; whoever meets another adds it.
"""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# An offer of an action in prose, wherever it stands.
SOFT_OFFER = _any(
    r"\blet me know\b",
    r"\btell me (?:if|when|whether|and)\b",
    r"\bif you(?:'d|’d| would)? (?:want|wish|like|prefer|need)\b",
    r"\bif (?:needed|necessary|useful|helpful|desired|that (?:works|helps)),? (?:i|we)\b",
    r"\bjust (?:say|tell|ask|let|reply|type)\b",
    r"\b(?:say|reply|type|answer) [\"'“”‘’«]?(?:yes|go|ok|so|when|the word)\b",
    r"\bfeel free to\b",
    r"\bdon(?:'|’)t hesitate\b",
    r"\b(?:i am|i(?:'|’)m|be) (?:happy|glad) to\b",
    r"\b(?:happy|glad) to (?:help|do|assist|proceed)\b",
    r"\b(?:i am|i(?:'|’)m) ready to\b",
    r"\bready\b.{0,40}?\bwhen you are\b",
    r"\bi (?:can|could) (?:also|then|now|go ahead|do (?:this|that|it))\b",
    r"\bi can \w+.{0,80}?\bif\b",
    r"\boptionally,? (?:i|we) can\b",
    r"\byou can ask me\b",
    r"\bwould you like me to\b",
    r"\bwould it help if\b",
    r"\b(?:do you )?(?:want|need) me to\b",
    r"\banything else (?:i|you)\b",
    r"\bwith anything else\b",
    r"\bwhenever you(?:'re|’re| are) ready\b",
    r"\bесли (?:ты |вы )?(?:за)?(?:хоч|хот|нужно|надо|желае|потребуется|необходимо|интересно)",
    r"\bда(?:й|йте) (?:мне )?знать\b",
    r"\bда(?:вай|вайте) я\b",
    r"\b(?:просто |только )?(?:скажи|напиши|сообщи)(?:те)?\b(?: мне)?,? (?:если|когда|и я)",
    r"\b(?:просто|только) (?:скажи|напиши|сообщи)(?:те)?\b",
    r"— скажи",
    r"\bхо(?:чешь|тите), ",
    r"\bкогда (?:ты |вы )?буде(?:шь|те) готов",
    r"\b(?:я )?могу (?!ли\b)(?:\w+ )?\w+(?:ть|ти|чь)(?:ся|сь)?\b",
    r"\bготов(?:а|ы)? (?:\w+ )?\w+(?:ть|ти|чь)\b",
    r"\bрада?(?:ы)? (?:буду )?помочь\b",
    r"\bобращай(?:ся|тесь)\b",
    r"\bне стесняй(?:ся|тесь)\b",
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

# A question that is a fair instruction with its options, and an offer in prose without them.
ASKED_IN_PROSE = _any(
    r"\b(?:shall|should|may|can|could) (?:i|we) \w+",
    r"\bнужно ли мне\b",
    r"\bмне \w+(?:ть|ти|чь)(?:ся|сь)?\?",
    r"\bмогу ли я\b",
)

# What «Other» is called, when a label is it or begins with it.
OTHER = _any(
    r"(?:the )?others?\b",
    r"(?:custom|specify)\W*$",
    r"(?:другое|иное|прочее)\b",
    r"(?:друг(?:ой|ая|ие|ую)|ин(?:ой|ая|ые)|свой) (?:вариант|ответ|выбор|опци)",
    r"(?:друг(?:ой|ая|ие|ую)|ин(?:ой|ая|ые))\W*$",
    r"(?:anderes|andere|anderer|sonstiges|sonstige)\b",
    r"weiteres?\W*$",
    r"(?:autres?)\b",
    r"(?:otros?|otras?)\b",
    r"(?:outros?|outras?)\b",
    r"其他|其它|(?:别的|另外的?)\W*$",
    r"別の(?:もの|選択肢|\W*$)|その他|そのほか|それ以外|(?:ほか|他)の?(?:もの|選択肢|\W*$)|上記以外",
)

# An offer of free text as an option, anywhere in a label.
OWN_TEXT = _any(
    r"\b(?:type|enter|write|specify|provide|input) (?:in )?(?:your|my|an?) own\b",
    r"\b(?:type|enter|write|specify|input) (?:in )?(?:your|an?) (?:answer|text|value|response)\b",
    r"\b(?:something|anything) else\b",
    r"\bplease specify\b",
    r"\b(?:your|my) own (?:answer|text|value|input|option)\b",
    r"\bfree[- ]?text\b",
    r"\bcustom (?:answer|text|value|input|option)\b",
    r"\b(?:ввести|введите|написать|напишите|указать|укажите) (?:сво|друг|вручную|ин(?:ое|ой))",
    r"\bсвой (?:вариант|ответ|текст)\b",
    r"\bчто-(?:то|нибудь|либо) (?:другое|ещё|еще|иное)\b",
    r"\b(?:etwas anderes|freitext|selbst (?:ein|an)geben)\b",
    r"\beigene[nrs]? (?:antwort|eingabe|angabe|text|wert|option)\b",
    r"\b(?:autre chose|votre propre|ta propre|texte libre)\b",
    r"\b(?:saisi(?:r|ssez|s)|tape[rz]?|écri(?:re|vez|s)|entre[rz]?) (?:votre|ta|ton|un|une)\b",
    r"\b(?:otra cosa|algo más|texto libre|especificar otr[oa])\b",
    r"\b(?:escrib(?:e|a|ir)|introdu(?:zca|ce|cir)) (?:la |el )?(?:su|tu|mi|propi[oa])\b",
    r"\b(?:outra coisa|algo mais|texto livre)\b",
    r"\b(?:digit(?:e|ar)|escrev(?:a|er)|insir[ao]|inserir) (?:o |a )?(?:seu|sua)\b",
    r"自定义|自行输入|手动输入|自己输入|输入自己|自由输入",
    r"自由入力|自分で入力|自由記述",
)

# A label before the instruction, with its colon.
PREFIX = re.compile(
    r"\W*(?:(?:please|bitte|пожалуйста,?|por favor,?) )?(?:"
    r"(?:the |your )?(?:answer|answers|choose|choice|choices|select|selection|option|options|pick"
    r"|question|reply|response)|(?:single|multiple|multi)[- ]?(?:choice|select)"
    r"|(?:choose|select|pick) (?:one|from|an option|any)"
    r"|ответ|ваш ответ|вопрос|выбор|(?:выберите|выбери)(?: один| вариант| один вариант)?"
    r"|вариант|варианты|варианты ответа|один вариант"
    r"|(?:одиночный|единственный|множественный) выбор"
    r"|antwort|frage|auswahl|(?:wähle|wählen sie|wählen)(?: eine option)?|einfachauswahl"
    r"|einzelauswahl|mehrfachauswahl"
    r"|réponse|question|choix|(?:choisissez|choisis|sélectionnez)(?: une option)?"
    r"|choix (?:unique|multiple)"
    r"|respuesta|pregunta|(?:elige|elija|seleccione|selecciona)(?: una opción)?|elección|opción"
    r"|opciones|(?:opción|selección|elección) (?:única|múltiple)"
    r"|resposta|pergunta|(?:escolha|selecione)(?: uma opção)?|opção|opções"
    r"|(?:escolha|seleção) (?:única|múltipla)"
    r"|答案|答|回答|问题|選択|选择|请选择|单选题?|多选题?|单项选择|選択してください|選んでください"
    r"|単一選択|複数選択|質問"
    r")\s*[:：]"
    # As a heading of its own it needs no colon.
    r"|\W*(?:single|multiple)[- ](?:choice|select)\s*(?:[-–—.]\s|$)",
    re.IGNORECASE,
)
