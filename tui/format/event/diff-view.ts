import { diffArrays } from 'diff';
import type { JsonValue } from '../../../core/event/json.js';
import { cutText } from '../../../core/event/text.js';
import { fullCount } from '../../text/counts.js';
import type { EventDiff, FieldDifference } from './event-diff.js';

/** A row of a comparison; its texts are untrusted. */
export interface DiffRow {
  readonly kind: 'field' | 'removed' | 'added' | 'same' | 'note';
  /** For `removed` and `added`: common prefix, difference, common suffix. Else the text is the first. */
  readonly parts: readonly [string, string, string];
}

/** UTF-16 units of context around a difference. */
const CONTEXT = 24;
const MAX_PART = 1_000;
/** Compared lines of a text. */
const MAX_LINES = 2_000;
const MAX_SHOWN_LINES = 200;
/** Removed and added lines up to which common lines between them are found. */
const MAX_EDITS = 1_000;

/** The rows of a comparison: each different field with its path and both sides; with `isWhole` also the equal fields. */
export function diffView(diff: EventDiff, isWhole: boolean): readonly DiffRow[] {
  const rows = diff.different.flatMap((field) => [row('field', field.path), ...sidesOf(field)]);
  if (diff.isCut) rows.push(row('note', 'More fields differ; the first 2,000 are shown.'));
  if (!isWhole) return rows;
  rows.push(row('field', `Equal: ${fullCount(diff.sameCount)}`));
  for (const { path, before } of diff.same) rows.push(row('same', `${path}  ${textOf(before)}`));
  if (diff.same.length < diff.sameCount) rows.push(row('note', 'More fields are the same than are shown here.'));
  return rows;
}

function sidesOf({ before, after }: FieldDifference): DiffRow[] {
  if (typeof before === 'string' && typeof after === 'string') {
    return before.includes('\n') || after.includes('\n') ? diffTextLines(before, after) : diffText(before, after);
  }
  return [
    ...(before === undefined ? [] : [{ kind: 'removed', parts: ['', textOf(before), ''] } as const]),
    ...(after === undefined ? [] : [{ kind: 'added', parts: ['', textOf(after), ''] } as const]),
  ];
}

function diffText(before: string, after: string): DiffRow[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  // Do not split surrogate pairs.
  if (start > 0 && isLeading(before.charCodeAt(start - 1))) start -= 1;
  if (end > 0 && isTrailing(before.charCodeAt(before.length - end))) end -= 1;
  const parts = (text: string): readonly [string, string, string] => [
    start > CONTEXT ? `…${text.slice(start - CONTEXT, start)}` : text.slice(0, start),
    cutText(text.slice(start, text.length - end), MAX_PART),
    end > CONTEXT ? `${text.slice(text.length - end, text.length - end + CONTEXT)}…` : text.slice(text.length - end),
  ];
  return [
    { kind: 'removed', parts: parts(before) },
    { kind: 'added', parts: parts(after) },
  ];
}

function isLeading(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isTrailing(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function diffTextLines(before: string, after: string): DiffRow[] {
  const [removed, added] = [before.split('\n', MAX_LINES), after.split('\n', MAX_LINES)];
  const changes = diffArrays(removed, added, { maxEditLength: MAX_EDITS }) ?? [
    { removed: true, added: false, value: removed },
    { removed: false, added: true, value: added },
  ];
  const all = changes.flatMap((change): DiffRow[] => {
    const { length } = change.value;
    if (!change.removed && !change.added)
      return [row('same', length === 1 ? '1 line is equal' : `${fullCount(length)} lines are equal`)];
    const kind = change.removed ? 'removed' : 'added';
    return change.value.map((text) => ({ kind, parts: ['', cutText(text, MAX_PART), ''] }));
  });
  const shown = all.slice(0, MAX_SHOWN_LINES);
  return all.length > shown.length ? [...shown, row('note', `… ${fullCount(all.length - shown.length)} more`)] : shown;
}

function row(kind: DiffRow['kind'], text: string): DiffRow {
  return { kind, parts: [text, '', ''] };
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return cutText(value, MAX_PART);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${fullCount(value.length)}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.keys(value).length;
    return members === 0 ? '{}' : `{${fullCount(members)}}`;
  }
  return String(value);
}
