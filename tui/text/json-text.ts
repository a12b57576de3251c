import { printableJson } from '../../config/values/printable.js';
import type { JsonValue } from '../../core/event/json.js';

/** Deeper levels are not indented further, so that the text grows linearly with nesting. */
const MAX_INDENTED_DEPTH = 64;
const INDENT = '  ';

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
  return printableJson(pieces.join(''));
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
