import type { JsonValue } from '../../core/event/json.js';

/** Deeper levels are not indented further, so that the text grows linearly with nesting. */
const MAX_INDENTED_DEPTH = 64;
const INDENT = '  ';

const BEYOND_ASCII = /[^\n\x20-\x7e]/;
/** Characters that `JSON.stringify` does not escape, but that a terminal interprets or a reader cannot see; and piled-up marks. */
const UNSAFE_IN_JSON = /[\x7f\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\x80-\x9f]|(?<=\p{M}{4})\p{M}/gu;

/** Writes hidden characters of JSON text as `\uXXXX`: still the same JSON. */
export function escapeHidden(json: string): string {
  if (!BEYOND_ASCII.test(json)) return json;
  return json.replace(UNSAFE_IN_JSON, (character) => {
    let escaped = '';
    for (let unit = 0; unit < character.length; unit += 1) {
      escaped += `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`;
    }
    return escaped;
  });
}

type Pending = { text: string } | { value: JsonValue; depth: number };

/** Indented JSON with sorted keys and escaped hidden characters; without recursion, as events may nest deeper than the call stack. */
export function sortedJson(root: JsonValue): string {
  const pieces: string[] = [];
  const pending: Pending[] = [{ value: root, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if ('text' in next) pieces.push(next.text);
    else if (next.value === null || typeof next.value !== 'object') pieces.push(JSON.stringify(next.value));
    else pushContainer(pending, next.value, next.depth);
  }
  return escapeHidden(pieces.join(''));
}

function pushContainer(pending: Pending[], container: JsonValue[] | { [key: string]: JsonValue }, depth: number): void {
  const isList = Array.isArray(container);
  const keys = isList ? [] : Object.keys(container).sort();
  const length = isList ? container.length : keys.length;
  const [opening, closing] = isList ? ['[', ']'] : ['{', '}'];
  if (length === 0) {
    pending.push({ text: opening + closing });
    return;
  }
  pending.push({ text: `\n${indentOf(depth)}${closing}` });
  for (let index = length - 1; index >= 0; index -= 1) {
    const key = keys[index];
    const value = isList ? container[index] : container[key ?? ''];
    pending.push({ value: value ?? null, depth: depth + 1 });
    const start = index === 0 ? `${opening}\n` : ',\n';
    pending.push({ text: `${start}${indentOf(depth + 1)}${key === undefined ? '' : `${JSON.stringify(key)}: `}` });
  }
}

function indentOf(depth: number): string {
  return INDENT.repeat(Math.min(depth, MAX_INDENTED_DEPTH));
}
