import { ownValue } from '../../../core/event/json.js';
import type { EventSummary } from '../../../generated/reader-answers.js';
import type { Column } from '../../text/columns.js';
import { LEVEL_CELLS, type Meaning } from '../../text/line.js';
import { columnTime, type Zone, zoneWord } from '../../text/moments.js';
import { cellsOf, cutToCells } from '../../text/visible.js';

export interface EventColumnsOptions {
  /** All loaded rows: what is the same in all of them is not drawn. */
  readonly rows: readonly EventSummary[];
  /** Cells of the list. */
  readonly width: number;
  readonly nowMs: number;
  readonly zone: Zone;
  /** Stands for a missing value; default: nothing. */
  readonly none?: string;
}

interface Candidate {
  readonly heading: string;
  /** The most cells that its values get. */
  readonly most: number;
  readonly text: (event: EventSummary) => string;
  readonly meaning?: (event: EventSummary) => Meaning;
}

const SERVICE: Candidate = { heading: 'SERVICE', most: 12, text: ({ service }) => service };
const APP: Candidate = { heading: 'APP', most: 12, text: ({ app }) => app };
/** The first ones that differ are drawn, then tags. */
const CANDIDATES: readonly Candidate[] = [
  { heading: 'LEVEL', most: 5, ...LEVEL_CELLS },
  { heading: 'ENV', most: 10, text: ({ env }) => env },
  { heading: 'RELEASE', most: 12, text: ({ release }) => release ?? '' },
  { heading: 'ROUTE', most: 23, text: ({ method, route }) => (method === null ? route : `${method} ${route}`) },
  { heading: 'CODE', most: 4, text: ({ status_code }) => String(status_code ?? '') },
  { heading: 'USER', most: 12, text: ({ user_id }) => user_id ?? '' },
];
const THREE_FROM = 90;
const FOUR_FROM = 100;
const MAX_TAG_CELLS = 12;
/** Rows in which tags are looked for. */
const MAX_TAGGED = 100;
/** UTF-16 units that messages must share at least to begin with an ellipsis. */
const SHARED_START = 17;

/** The columns of the events of one issue. */
export function eventColumns(options: EventColumnsOptions): readonly Column<EventSummary>[] {
  const start = sharedStart(options.rows.map(({ message }) => message));
  const text = ({ message }: EventSummary): string =>
    start !== '' && message.startsWith(start) ? `…${message.slice(start.length)}` : message;
  return columnsOf(options, CANDIDATES, { heading: 'MESSAGE', cells: 'rest', text });
}

/** The columns of events of many issues. */
export function searchColumns(options: EventColumnsOptions): readonly Column<EventSummary>[] {
  const text = ({ error_name: name, message }: EventSummary): string => `${name}: ${message}`;
  return columnsOf(options, [SERVICE, ...CANDIDATES, APP], { heading: 'EVENT', cells: 'rest', text });
}

function columnsOf(
  { rows, width, nowMs, zone, none = '' }: EventColumnsOptions,
  candidates: readonly Candidate[],
  last: Column<EventSummary>,
): readonly Column<EventSummary>[] {
  const most = width >= FOUR_FROM ? 4 : width >= THREE_FROM ? 3 : 2;
  return [
    {
      heading: `TIME ${zoneWord(zone)}`,
      cells: 12,
      text: ({ timestamp }) => columnTime(timestamp, { nowMs, zone }),
    },
    ...differingColumns([...candidates, ...tagsOf(rows)], { rows, most, none }),
    last,
  ];
}

function tagsOf(rows: readonly EventSummary[]): Candidate[] {
  const keys = new Set(rows.slice(0, MAX_TAGGED).flatMap(({ tags }) => Object.keys(tags)));
  return [...keys].sort().map((key) => ({
    heading: cutToCells(key.toUpperCase(), MAX_TAG_CELLS),
    most: MAX_TAG_CELLS,
    text: ({ tags }) => String(ownValue(tags, key) ?? ''),
  }));
}

/** The columns of the first candidates that differ; the user is drawn last. */
function differingColumns(
  candidates: readonly Candidate[],
  { rows, most, none }: { rows: readonly EventSummary[]; most: number; none: string },
): Column<EventSummary>[] {
  const columns: Column<EventSummary>[] = [];
  for (const candidate of candidates) {
    if (columns.length < most) columns.push(...differingColumn(candidate, rows, none));
  }
  return columns.sort((one, other) => Number(one.heading === 'USER') - Number(other.heading === 'USER'));
}

/** The column of a candidate as wide as its longest value; none if all rows have the same value. */
function differingColumn(
  { heading, most, text, ...look }: Candidate,
  rows: readonly EventSummary[],
  none: string,
): Column<EventSummary>[] {
  const values = new Set(rows.map(text));
  if (values.size < 2) return [];
  const longest = Math.max(
    heading.length,
    ...[...values].slice(0, 1_000).map((value) => cellsOf(cutToCells(value, most))),
  );
  return [{ heading, cells: longest, text: (event) => text(event) || none, ...look }];
}

/** The words with which messages begin that differ later; empty if they are few. */
function sharedStart([first = '', ...others]: readonly string[]): string {
  let shared = first.length;
  for (const other of others) {
    while (!other.startsWith(first.slice(0, shared))) shared -= 1;
    if (shared < SHARED_START) return '';
  }
  if (others.every((other) => other === first)) return '';
  return first.slice(0, first.lastIndexOf(' ', shared - 1) + 1);
}
