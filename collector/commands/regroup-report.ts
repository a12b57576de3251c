import { printable } from '../../config/values/printable.js';
import { blankLine, type ExplainedLine, headingLines, labelledLines } from '../../core/explain/explained-line.js';
import type { ChosenGrouping, PreviewChange, PreviewIssue, RegroupPreview } from '../../generated/reader-answers.js';

/** Changes of a kind that people are shown; `--json` has more. */
const MOST_CHANGES = 10;
const MOST_PARTS = 5;
/** Columns of a line, of counts, and characters of an id. */
const LINE_COLUMNS = 80;
const COUNT_COLUMNS = 10;
const ID_LENGTH = 8;
const PART_INDENT = 6;
/** Characters that terminals draw two columns wide. */
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;

/** What a regrouping would change, for people: the largest changes first. */
export function previewLines(preview: RegroupPreview): ExplainedLine[] {
  const { events, issues_before, issues_after, unchanged_total, renamed_total } = preview;
  const { merged, merged_total, split, split_total, appeared, appeared_total } = preview;
  const sum = `${counted(events, 'event')}: ${counted(issues_before, 'issue')} now, ${counted(issues_after, 'issue')} then.`;
  const rest = `${counted(unchanged_total, 'issue')} would stay as they are, ${number(renamed_total)} would only get another id.`;
  return [
    ...headingLines(sum),
    ...labelledLines('', rest, { at: 0 }),
    ...section(`${counted(merged_total, 'issue')} would be made of several:`, merged, merged_total, (one) => [
      ...issueLines(one),
      ...partLines('from', one),
    ]),
    ...section(`${counted(split_total, 'issue')} would be taken apart:`, split, split_total, (one) => [
      ...issueLines(one),
      ...partLines('into', one),
    ]),
    ...section(`${counted(appeared_total, 'issue')} would appear:`, appeared, appeared_total, issueLines),
  ];
}

/** By what was grouped, in one sentence. `from` says where the rules are from. */
export function groupingWords({ version, rules, patterns_off: off }: ChosenGrouping, from: string): string {
  const switched = off === 0 ? '' : ` and ${counted(off, 'pattern')} switched off`;
  if (rules === 0 && off === 0) return `version ${version} of the built-in rules, and no rules in ${from}`;
  return `version ${version} of the built-in rules, with ${counted(rules, 'rule')}${switched} of ${from}`;
}

/** A number and what it counts. */
export function counted(count: number, what: string): string {
  return `${number(count)} ${what}${count === 1 ? '' : 's'}`;
}

function section<Change>(
  heading: string,
  changes: readonly Change[],
  total: number,
  linesOf: (change: Change) => readonly ExplainedLine[],
): ExplainedLine[] {
  if (total === 0) return [];
  const shown = changes.slice(0, MOST_CHANGES);
  const left = total - shown.length;
  return [
    blankLine(),
    ...headingLines(heading),
    ...shown.flatMap(linesOf),
    ...(left > 0 ? [moreLine(0, `and ${number(left)} more with fewer events (--json lists 50)`)] : []),
  ];
}

/** One line for the issue, and its samples below. */
function issueLines(issue: PreviewIssue): ExplainedLine[] {
  const samples = issue.sample_events.flatMap((id) =>
    labelledLines('', `event ${id}`, { at: COUNT_COLUMNS, tone: 'muted' }),
  );
  return [issueLine('', issue), ...samples];
}

function partLines(word: string, { parts, parts_total: total }: PreviewChange): ExplainedLine[] {
  const shown = parts.slice(0, MOST_PARTS);
  const lines = shown.map((part) => issueLine(word, part));
  const left = total - shown.length;
  return left > 0 ? [...lines, moreLine(PART_INDENT, `and ${number(left)} more with fewer events`)] : lines;
}

/** Count, the beginning of the id, and as much of the title as fits. */
function issueLine(word: string, { events, title, issue_id: id }: PreviewIssue): ExplainedLine {
  const isPart = word !== '';
  const lead = `${isPart ? ' '.repeat(PART_INDENT) : ''}${word}${number(events).padStart(COUNT_COLUMNS - 2)}  `;
  const shownId = `${id.slice(0, ID_LENGTH)}  `;
  return [
    { text: lead, tone: isPart ? 'plain' : 'strong' },
    { text: shownId, tone: 'muted' },
    { text: cutToColumns(printable(title), LINE_COLUMNS - lead.length - shownId.length), tone: 'plain' },
  ];
}

function cutToColumns(text: string, columns: number): string {
  let used = 0;
  // The longest start that leaves room for the ellipsis.
  let kept = '';
  let shown = '';
  for (const character of text) {
    used += WIDE.test(character) ? 2 : 1;
    if (used > columns) return `${kept}…`;
    shown += character;
    if (used < columns) kept = shown;
  }
  return text;
}

function moreLine(indent: number, text: string): ExplainedLine {
  return [{ text: `${' '.repeat(indent + COUNT_COLUMNS)}${text}`, tone: 'muted' }];
}

function number(count: number): string {
  return count.toLocaleString('en');
}
