// How a program looks: comments, strings, verbs, arguments, symbols.  What it means, the server
// says.

import { HighlightStyle, StreamLanguage, syntaxHighlighting, type StreamParser } from "@codemirror/language";
import { tags } from "@lezer/highlight";

interface Look {
  afterBracket: boolean;
  inString: boolean;
}

const parser: StreamParser<Look> = {
  name: "antiphon",
  startState: () => ({ afterBracket: false, inString: false }),
  token(stream, look) {
    if (look.inString || stream.eat('"')) {
      look.inString = true;
      while (!stream.eol()) {
        const one = stream.next();
        if (one === "\\") stream.next();
        else if (one === '"') {
          look.inString = false;
          break;
        }
      }
      look.afterBracket = false;
      return "string";
    }
    if (stream.eatSpace()) return null;
    if (stream.peek() === ";") {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^[()[\]{}]/)) {
      look.afterBracket = stream.current() === "(";
      return "bracket";
    }
    const isVerb = look.afterBracket;
    look.afterBracket = false;
    if (stream.match(/^:[\w-]+/)) return "propertyName";
    if (stream.match(/^@[\w-]+/)) return "variableName";
    if (stream.match(/^-?\d+(\.\d+)?/)) return "number";
    if (stream.match(/^(true|false|nil)\b/)) return "atom";
    if (stream.match(/^[\w-]+(\.[\w-]+)*/)) return isVerb ? "keyword" : null;
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: ";" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
};

const STYLE = HighlightStyle.define([
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--t-green)" },
  { tag: tags.keyword, color: "var(--t-blue)", fontWeight: "650" },
  { tag: tags.propertyName, color: "var(--t-magenta)" },
  { tag: tags.variableName, color: "var(--t-cyan)" },
  { tag: tags.number, color: "var(--t-yellow)" },
  { tag: tags.atom, color: "var(--t-yellow)" },
  { tag: tags.bracket, color: "var(--quiet)" },
]);

export const language = [StreamLanguage.define(parser), syntaxHighlighting(STYLE)];
