// Output of a block as lines of styled text.  Only colours are obeyed: whatever else a program
// says to its terminal (titles, links, clipboard, motion) is not text, and is dropped.

export interface Piece {
  text: string;
  style: string; // class names
}

// Our own and other programs' sequences: CSI, OSC and the like, and the two-character ones.
const SEQUENCE =
  /\x1b(?:\[([0-?]*)[ -/]*([@-~])|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|[ -/]*[0-~]|$)/g;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

class Look {
  private bold = false;
  private dim = false;
  private italic = false;
  private underline = false;
  private colour = "";

  set(codes: string): void {
    const numbers = codes.split(/[;:]/).map((code) => Number(code || "0"));
    for (let index = 0; index < numbers.length; index++) {
      const code = numbers[index] ?? 0;
      if (code === 0) {
        this.bold = this.dim = this.italic = this.underline = false;
        this.colour = "";
      } else if (code === 1) this.bold = true;
      else if (code === 2) this.dim = true;
      else if (code === 3) this.italic = true;
      else if (code === 4) this.underline = true;
      else if (code === 22) this.bold = this.dim = false;
      else if (code === 23) this.italic = false;
      else if (code === 24) this.underline = false;
      else if (code === 39) this.colour = "";
      else if (code >= 30 && code <= 37) this.colour = NAMES[code - 30] ?? "";
      else if (code >= 90 && code <= 97) this.colour = NAMES[code - 90] ?? "";
      else if (code === 38 || code === 48) {
        const size = numbers[index + 1] === 5 ? 2 : 4;
        if (code === 38 && size === 2) this.colour = palette(numbers[index + 2] ?? 0);
        index += size;
      }
    }
  }

  get style(): string {
    const names = [
      this.bold && "b",
      this.dim && "d",
      this.italic && "i",
      this.underline && "u",
      this.colour && `c-${this.colour}`,
    ];
    return names.filter(Boolean).join(" ");
  }
}

function palette(number: number): string {
  return number < 16 ? (NAMES[number % 8] ?? "") : "";
}

/** What a line shows when a program has written over it: the text after the last return. */
function settled(line: string): string {
  const trimmed = line.endsWith("\r") ? line.slice(0, -1) : line;
  return trimmed.slice(trimmed.lastIndexOf("\r") + 1);
}

export function lines(output: string): Piece[][] {
  const look = new Look();
  const text = output.endsWith("\n") ? output.slice(0, -1) : output;
  return text.split("\n").map((line) => pieces(settled(line), look));
}

function pieces(line: string, look: Look): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  const add = (text: string) => {
    const clean = text.replace(CONTROLS, "");
    if (clean) found.push({ text: clean, style: look.style });
  };
  for (const match of line.matchAll(SEQUENCE)) {
    add(line.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === "m") look.set(match[1] ?? "");
  }
  add(line.slice(from));
  return found;
}
