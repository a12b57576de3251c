import { printable } from '../../../config/values/printable.js';
import { BLANK, type ExplainedLine, headingLines, labelledLines } from '../../../core/explain/explained-line.js';
import type { ChosenGrouping, PreviewChange, PreviewIssue, RegroupPreview } from '../../../generated/reader-answers.js';
import { counted } from '../paint-lines.js';

/** `--json` has more. */
const MAX_CHANGES = 10;
const MAX_PARTS = 5;
const LINE_COLUMNS = 80;
const COUNT_COLUMNS = 10;
const ID_LENGTH = 8;
const PART_INDENT = 6;
/** Characters that terminals draw two columns wide. */
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;

/** What a regrouping would change, as text: the largest changes first. */
export function previewLines(preview: RegroupPreview): ExplainedLine[] {
  const { events, issues_before, issues_after, unchanged_total, renamed_total } = preview;
  const { merged, merged_total, split, split_total, appeared, appeared_total } = preview;
  const total = `${counted(events, 'event')}: ${counted(issues_before, 'issue')} now, ${counted(issues_after, 'issue')} afterwards.`;
  const rest = `${counted(unchanged_total, 'issue')} ${unchanged_total === 1 ? 'stays' : 'stay'} the same, ${number(renamed_total)} ${renamed_total === 1 ? 'gets' : 'get'} a new id.`;
  return [
    ...headingLines(total),
    ...labelledLines('', rest, { at: 0 }),
    ...section(`${counted(merged_total, 'issue')} would be merged:`, merged, merged_total, (change) => [
      ...issueLines(change),
      ...partLines('from', change),
    ]),
    ...section(`${counted(split_total, 'issue')} would be split:`, split, split_total, (change) => [
      ...issueLines(change),
      ...partLines('into', change),
    ]),
    ...section(`${counted(appeared_total, 'issue')} would appear:`, appeared, appeared_total, issueLines),
  ];
}

/** Describes the rules that grouped. `source`: where the rules come from. */
export function describeRules({ version, rules, patterns_off: off }: ChosenGrouping, source: string): string {
  const disabled = off === 0 ? '' : ` and ${counted(off, 'disabled pattern')}`;
  if (rules === 0 && off === 0) return `version ${version} of the built-in rules, and no rules in ${source}`;
  return `version ${version} of the built-in rules, with ${counted(rules, 'rule')}${disabled} of ${source}`;
}

function section<Change>(
  heading: string,
  changes: readonly Change[],
  total: number,
  linesOf: (change: Change) => readonly ExplainedLine[],
): ExplainedLine[] {
  if (total === 0) return [];
  const shown = changes.slice(0, MAX_CHANGES);
  const left = total - shown.length;
  return [
    BLANK,
    ...headingLines(heading),
    ...shown.flatMap(linesOf),
    ...(left > 0 ? [moreLine(0, `and ${number(left)} more with fewer events (--json lists 50)`)] : []),
  ];
}

function issueLines(issue: PreviewIssue): ExplainedLine[] {
  const samples = issue.sample_events.flatMap((id) =>
    labelledLines('', `event ${id}`, { at: COUNT_COLUMNS, tone: 'muted' }),
  );
  return [issueLine('', issue), ...samples];
}

function partLines(label: 'from' | 'into', { parts, parts_total: total }: PreviewChange): ExplainedLine[] {
  const shown = parts.slice(0, MAX_PARTS);
  const lines = shown.map((issue) => issueLine(label, issue));
  const left = total - shown.length;
  return left > 0 ? [...lines, moreLine(PART_INDENT, `and ${number(left)} more with fewer events`)] : lines;
}

function issueLine(label: '' | 'from' | 'into', { events, title, issue_id: id }: PreviewIssue): ExplainedLine {
  const isPart = label !== '';
  const lead = `${isPart ? ' '.repeat(PART_INDENT) : ''}${label}${number(events).padStart(COUNT_COLUMNS - 2)}  `;
  const shownId = `${id.slice(0, ID_LENGTH)}  `;
  return [
    { text: lead, tone: isPart ? 'plain' : 'strong' },
    { text: shownId, tone: 'muted' },
    { text: cutToColumns(printable(title), LINE_COLUMNS - lead.length - shownId.length), tone: 'plain' },
  ];
}

function cutToColumns(text: string, columns: number): string {
  let used = 0;
  let prefix = '';
  // The longest prefix that leaves room for the ellipsis.
  let cut = '';
  for (const character of text) {
    used += WIDE.test(character) ? 2 : 1;
    if (used > columns) return `${cut}…`;
    prefix += character;
    if (used < columns) cut = prefix;
  }
  return text;
}

function moreLine(indent: number, text: string): ExplainedLine {
  return [{ text: `${' '.repeat(indent + COUNT_COLUMNS)}${text}`, tone: 'muted' }];
}

function number(count: number): string {
  return count.toLocaleString('en');
}
