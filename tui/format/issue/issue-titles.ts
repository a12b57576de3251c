import { isNamelessError } from '../../../core/fingerprint/main-error.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import { type Line, lineCells, type Span, span, words } from '../../text/line.js';
import { cellsOf, cutToCells, neutralise } from '../../text/visible.js';
import { fitTitle, joinWords, type Title, textOf, wordsOf } from './fit-title.js';

type Titled = Pick<IssueSummary, 'title' | 'error_name' | 'message' | 'culprit'> & {
  readonly merged?: IssueSummary['merged'];
};

const PLACEHOLDER = /<[a-z]{1,8}>/;
/** What a title may leave out: values, and addresses with the values in them. */
const OPEN_PART = /[a-z][a-z\d+.:-]{0,30}:\/\/[^\s()"',]{1,1000}|<[a-z]{1,8}>/;
/** Long titles and messages end with it. */
const ELLIPSIS = /…$/;
/** The package of an error name: `com.shop.`, `App\`, `Net::`. */
const PACKAGE = /^[\w$.:\\]*(?:[.\\]|::)(?=[\w$]+$)/;
const GAP = words(' … ');
/** The most that the end of a title takes from what rows have in common. */
const END_SHARE = 0.6;

/** Error name and message of the first event in one line; what the template leaves open is muted. The title itself, if it has other words. */
export function issueTitle({ title, error_name: name, message }: Omit<Titled, 'culprit' | 'merged'>): Title {
  const firstLine = (message.trim().split(/[\r\n]/, 1)[0] ?? '').replace(/\s+/g, ' ');
  if (firstLine === '') {
    const head = title.startsWith(name) ? name : '';
    return titleOf(head, [span(neutralise(title.slice(head.length)))]);
  }
  const head = isNamelessError(name) ? '' : `${name}: `;
  const template = title.startsWith(head) ? title.slice(head.length) : title;
  const parts = alignedParts(firstLine, template);
  return head === '' ? titleOf('', parts) : titleOf(name, [words(': '), ...parts]);
}

function titleOf(name: string, parts: Line): Title {
  const whole = [span(neutralise(name)), ...parts];
  return { whole, short: [span(neutralise(name.replace(PACKAGE, ''))), ...parts] };
}

/** A message whose parts between the literals of a template are muted, as far as it follows the template. */
function alignedParts(message: string, template: string): Line {
  const [first = '', ...others] = template.replace(ELLIPSIS, '').split(OPEN_PART);
  if (first.startsWith(message.replace(ELLIPSIS, ''))) return [span(neutralise(message))];
  if (!message.startsWith(first)) return [span(neutralise(template))];
  const parts: Span[] = [span(neutralise(first))];
  let at = first.length;
  for (const [index, literal] of others.entries()) {
    const isEnd = index === others.length - 1 && message.endsWith(literal);
    const next = isEnd ? message.length - literal.length : message.indexOf(literal, at + 1);
    if (next <= at) break;
    const value = message.slice(at, next);
    parts.push(span(neutralise(value), PLACEHOLDER.test(value) ? 'plain' : 'muted'));
    at = Math.min(message.length, next + literal.length);
    parts.push(span(neutralise(message.slice(next, at))));
  }
  return [...parts, span(neutralise(message.slice(at)))];
}

/** The titles of the rows of a window in `cells` cells; two that would read alike show where they differ. */
export function fitTitles(issues: readonly Titled[], cells: number): readonly Line[] {
  const rows = issues.map((issue) => {
    const note = issue.merged?.length ? ` +${issue.merged.length}` : '';
    const title = issueTitle(issue);
    const room = Math.max(1, cells - note.length);
    return { title, culprit: issue.culprit, note, room, line: fitTitle(title, room) };
  });
  const rowsByText = new Map<string, FittedRow[]>();
  for (const row of rows) {
    const text = textOf(row.line);
    const alike = rowsByText.get(text);
    if (alike === undefined) rowsByText.set(text, [row]);
    else alike.push(row);
  }
  for (const alike of rowsByText.values()) if (alike.length > 1) tellApart(alike);
  return rows.map(({ line, note }) => (note === '' ? line : [...line, words(note, 'muted')]));
}

interface FittedRow {
  readonly title: Title;
  readonly culprit: string | null;
  readonly room: number;
  line: Line;
}

/** Shows rows from the first word on in which they differ, or with their culprits. */
function tellApart(rows: readonly FittedRow[]): void {
  const forms = (['short', 'whole'] as const).map((form) => rows.map(({ title }) => title[form]));
  const lines = forms.find((form) => new Set(form.map(textOf)).size > 1);
  if (lines === undefined && new Set(rows.map(({ culprit }) => culprit)).size < 2) return;
  const from = lines === undefined ? 0 : sharedWords(lines);
  for (const [index, row] of rows.entries()) {
    row.line = lines === undefined ? withCulprit(row) : fromWord(wordsOf(lines[index] ?? []), from, row.room);
  }
}

function sharedWords(lines: readonly Line[]): number {
  const [first = [], ...others] = lines.map((line) => wordsOf(line).map(textOf));
  const differs = first.findIndex((word, index) => others.some((other) => other[index] !== word));
  return differs < 0 ? first.length : differs;
}

function fromWord(all: readonly Line[], from: number, cells: number): Line {
  const end = cutEnd(joinWords(all.slice(from)), Math.ceil(cells * END_SHARE));
  const room = cells - lineCells(end) - lineCells([GAP]);
  let kept = Math.min(from, cells);
  while (kept > 0 && lineCells(joinWords(all.slice(0, kept))) > room) kept -= 1;
  if (kept === from) return cutEnd(joinWords(all), cells);
  return kept === 0 ? cutEnd([words('… '), ...end], cells) : [...joinWords(all.slice(0, kept)), GAP, ...end];
}

function cutEnd(line: Line, cells: number): Line {
  return lineCells(line) <= cells ? line : [span(cutToCells(textOf(line), cells))];
}

function withCulprit({ title, culprit, room, line }: FittedRow): Line {
  if (culprit === null) return line;
  const note = cutToCells(` · ${culprit.split(' (', 1)[0]}`, Math.floor(room * END_SHARE));
  return [...fitTitle(title, room - cellsOf(note)), span(note, 'muted')];
}
