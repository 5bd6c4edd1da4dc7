// A line as the words of a command: quotes join, a backslash takes the next as it is.  No shell
// reads it, so nothing else means anything.

/** The words, or why there are none. */
export function words(line: string): string[] | string {
  const found: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let index = 0; index < line.length; index++) {
    const one = line.charAt(index);
    if (quote) {
      if (one === quote) quote = "";
      else if (one === "\\" && quote === '"' && /["\\]/.test(line.charAt(index + 1))) word += line.charAt(++index);
      else word += one;
    } else if (one === '"' || one === "'") {
      quote = one;
      word ??= "";
    } else if (one === "\\" && index + 1 < line.length) word = (word ?? "") + line.charAt(++index);
    else if (/\s/.test(one)) {
      if (word !== undefined) found.push(word);
      word = undefined;
    } else word = (word ?? "") + one;
  }
  if (quote) return `a ${quote} is open and does not end`;
  if (word !== undefined) found.push(word);
  return found.length ? found : "a command has at least a name";
}
