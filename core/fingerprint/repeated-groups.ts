const SPACE = 0x20;
const ENDS = ')]}';
const REPEATED = /([([{][^()[\]{}]{1,200}[)\]}])(?:(?: ?, ?)\1)+/g;

/** A text in which equal bracketed groups in a row have become one: rows of an INSERT, elements of a JSON list. */
export function withoutRepeatedGroups(text: string): string {
  return hasGroupBeforeComma(text) ? text.replace(REPEATED, '$1') : text;
}

function hasGroupBeforeComma(text: string): boolean {
  for (let at = text.indexOf(',', 1); at > 0; at = text.indexOf(',', at + 1)) {
    const last = text.charCodeAt(at - 1) === SPACE ? at - 2 : at - 1;
    if (last >= 0 && ENDS.includes(text.charAt(last))) return true;
  }
  return false;
}
