import { templateOfHost } from '../patterns/url-template.js';
import { ENGINE_WORDINGS, type EngineWording } from './engine-wordings.js';
import { PAGE_WORDINGS } from './page-wordings.js';
import { RUBY_WORDINGS } from './ruby-wordings.js';

/** How a line was reworded. */
export interface Reworded {
  readonly text: string;
  readonly wording: EngineWording;
}

/** Consoles print it before a message, with its type. */
const HEAD = /^(?:Uncaught )?(?:[A-Z][A-Za-z]{0,40}Error: )?/;
/** The first row with a matching wording counts. */
export const WORDINGS: readonly EngineWording[] = [...ENGINE_WORDINGS, ...PAGE_WORDINGS, ...RUBY_WORDINGS];
const SOURCES = WORDINGS.flatMap(({ wordings }) => wordings.map(({ source }) => source));
const ANY_WORDING = new RegExp(SOURCES.join('|'));
/** For lines without ` is `: the few wordings that begin with any name before it cost more than all others. */
const ANY_WITHOUT_IS = new RegExp(SOURCES.filter((source) => !source.includes(') is ')).join('|'));
/** UTF-16 units. */
const LONGEST_LINE = 4_096;

/** Rewords the first line of a message in plain text that an engine wrote; null for other lines. */
export function reworded(type: string, line: string): Reworded | null {
  if (line.length > LONGEST_LINE) return null;
  const text = line.replace(HEAD, '');
  const mayMatch = text.includes(' is ') ? ANY_WORDING : ANY_WITHOUT_IS;
  if (!mayMatch.test(text)) return null;
  for (const row of WORDINGS) {
    if (row.of !== undefined && row.of !== type) continue;
    const match = firstMatch(row.wordings, text);
    if (match !== undefined) return { text: filled(row.becomes, match[1] ?? '', match[2] ?? ''), wording: row };
  }
  return null;
}

function firstMatch(wordings: readonly RegExp[], text: string): RegExpExecArray | undefined {
  for (const wording of wordings) {
    const match = wording.exec(text);
    if (match !== null) return match;
  }
  return undefined;
}

const MINIFIED = '[A-Za-z$_][\\w$]?';
const MINIFIED_RECEIVERS = new RegExp(
  `^(?:(?:${MINIFIED}|[\\w$]{1,200}__WEBPACK_IMPORTED_MODULE_\\d{1,9}__)\\.)+(?=.)`,
);
const MINIFIED_NAME = /^(?:[A-Za-z$_][\d$_]?|[a-z][A-Z])$/;

function filled(becomes: string, named: string, other: string): string {
  if (becomes.includes('$name')) {
    const name = named.replace('`', "'");
    return becomes.replace('$name', () => name).replace('$other', () => other);
  }
  if (becomes.includes('$host')) return becomes.replace('$host', named === '' ? '' : ` (${templateOfHost(named)})`);
  if (!becomes.includes('$call')) return becomes;
  const call = named.replace(MINIFIED_RECEIVERS, '');
  return becomes.replace('$call', () => (MINIFIED_NAME.test(call) ? '<n>' : call));
}
