import type { EventsSummary, Facet, IssueSummary } from '../../../generated/reader-answers.js';
import { countWithNoun, fullCount, shortCount } from '../../text/counts.js';
import { type Line, lineCells, type Span, span, words, wrapLine } from '../../text/line.js';
import { cellsOf, cutToCells, fitToCells, neutralise, type Visible } from '../../text/visible.js';

/** A field, one of its values, the events without a value (`without`), or the unlisted values (`others`). */
export type FacetRow =
  | { readonly kind: 'field'; readonly field: string }
  | { readonly kind: 'value'; readonly field: string; readonly value: string; readonly count: number }
  | { readonly kind: 'without'; readonly field: string; readonly count: number }
  | { readonly kind: 'others'; readonly count: number };

/** A row that the cursor can select as a filter. */
export type FacetChoice = Extract<FacetRow, { kind: 'value' | 'without' }>;

/** The rows of all fields that have values. */
export function facetRows(facets: readonly Facet[]): readonly FacetRow[] {
  return facets.flatMap(({ field, values, others, without }): FacetRow[] => {
    if (values.length === 0 && others === 0) return [];
    return [
      { kind: 'field', field },
      ...values.map(({ value, count }): FacetRow => ({ kind: 'value', field, value, count })),
      ...(others === 0 ? [] : [{ kind: 'others', count: others } as const]),
      ...(without === 0 ? [] : [{ kind: 'without', field, count: without } as const]),
    ];
  });
}

export function facetChoices(rows: readonly FacetRow[]): readonly FacetChoice[] {
  return rows.filter((row) => row.kind === 'value' || row.kind === 'without');
}

interface FacetLineOptions {
  /** Number of events that are 100 %. */
  readonly matched: number;
  readonly cells: number;
  /** Cells before the name of a field. */
  readonly margin: number;
  readonly hasBars: boolean;
  readonly isSelected?: boolean;
}

const COUNT_CELLS = 5;
const SHARE_CELLS = 4;
/** Cells of share and count with the blanks before them, and of the blank before the bar. */
const NUMBER_CELLS = 2 + SHARE_CELLS + 1 + COUNT_CELLS + 1;
/** Cells of a value behind the beginning of its field. */
const INDENT = 2;
const MAX_BAR_CELLS = 20;
const MAX_VALUE_CELLS = 40;

/** One row: the name of a field, or a value, its share of the events, their number and a bar. */
export function facetLine(row: FacetRow, options: FacetLineOptions): Line {
  if (row.kind === 'field') return [words(' '.repeat(options.margin)), span(neutralise(row.field), 'label')];
  const { matched, cells, margin, hasBars, isSelected = false } = options;
  const barCells = hasBars ? Math.max(0, Math.min(MAX_BAR_CELLS, Math.floor(cells / 3))) : 0;
  const valueCells = Math.max(1, Math.min(MAX_VALUE_CELLS, cells - margin - INDENT - NUMBER_CELLS - barCells));
  const isOwn = row.kind !== 'value';
  const text = fitToCells(row.kind === 'value' ? row.value : OWN_WORDS[row.kind], valueCells);
  return [
    words(isSelected ? '›   ' : ' '.repeat(margin + INDENT), isSelected ? 'selected' : 'plain'),
    span(text, isSelected ? 'selected' : isOwn ? 'muted' : 'plain'),
    ...numberSpans(row.count, matched, barCells),
  ];
}

/** Share, count and bar of a value; a bar that rounds to nothing is a thin line. */
function numberSpans(count: number, matched: number, barCells: number): Span[] {
  const share = matched === 0 ? 0 : count / matched;
  const full = Math.round(share * Math.min(barCells, MAX_BAR_CELLS));
  return [
    words('  '),
    span(fitToCells(percent(share), SHARE_CELLS, 'right')),
    words(' '),
    span(fitToCells(shortCount(count), COUNT_CELLS, 'right'), 'muted'),
    ...(barCells === 0 ? [] : [words(` ${full === 0 && count > 0 ? '▏' : '█'.repeat(full)}`, 'bar')]),
  ];
}

const OWN_WORDS = { others: '(other)', without: '(none)' } as const;

/** A share in at most four cells; only exact values are 0% or 100%. */
function percent(share: number): string {
  if (share > 0 && share < 0.01) return '<1%';
  if (share < 1 && share > 0.99) return '>99%';
  return `${Math.round(share * 100)}%`;
}

/** Two columns of lines with a rule between them, the left one in `leftCells`. */
export function beside(
  left: readonly Line[],
  right: readonly Line[],
  { leftCells, rows }: { leftCells: number; rows: number },
): Line[] {
  return Array.from({ length: rows }, (_, row) => {
    const line = left[row] ?? [];
    const blanks = words(' '.repeat(Math.max(0, leftCells - lineCells(line))));
    return [...line, blanks, words('│ ', 'muted'), ...(right[row] ?? [])];
  });
}

interface FacetSummaryOptions {
  readonly cells: number;
  readonly rows: number;
  readonly hasBars: boolean;
}

const MAX_VALUES = 4;
/** Cells of `release`. */
export const MIN_LABEL_CELLS = 7;
const MAX_LABEL_CELLS = 12;
const MIN_BAR_CELLS = 5;
/** Cells from which the columns stand further apart. */
const WIDE_FROM = 50;
/** Short names of fields. */
const LABELS: Readonly<Record<string, string>> = { status_code: 'code', user_id: 'user' };
/** Values in one line. */
const MAX_USERS = 3;

/** The values that differ between the events of an issue, those that are the same in all, and its users, as far as there are rows. */
export function facetSummary(issue: IssueSummary, summary: EventsSummary, options: FacetSummaryOptions): Line[] {
  const { facets, matched } = summary;
  const fields = differingFacets(summary).filter(({ field }) => field !== 'user_id');
  const same = sameLines('same in all: ', issue, summary, options.cells);
  const labels = fields.map(({ field }) => cellsOf(labelOf(field)));
  const gap = options.cells < WIDE_FROM ? 1 : 2;
  const labelCells = gap + Math.min(MAX_LABEL_CELLS, Math.max(MIN_LABEL_CELLS, ...labels));
  const tail = usersLine(issue, facets, labelCells, options.cells);
  const lines: Line[] = [];
  for (const facet of fields) {
    const rows = valueLines(facet, matched, labelCells, options);
    if (lines.length + rows.length + tail.length <= options.rows) lines.push(...rows);
  }
  const hasRoom = lines.length + 1 + same.length + tail.length <= options.rows;
  const between = hasRoom && same.length > 0 ? [...(lines.length > 0 ? [[]] : []), ...same] : [];
  return [...lines, ...between, ...tail].slice(0, options.rows);
}

/** The fields of which not all events have the same value, those with too many values to list last. */
export function differingFacets({ facets, matched }: EventsSummary): readonly Facet[] {
  const differing = facets.filter((facet) => differs(facet, matched));
  return differing.sort((one, other) => Number(one.others > 0) - Number(other.others > 0));
}

/** Whether not all of the events have one value. */
function differs({ values, others, without }: Facet, matched: number): boolean {
  return values.length > 0 && (values.length > 1 || others > 0 || without > 0) && matched > 0;
}

/** Names the values that all events have: `same in all: app shop, level error`. */
export function sameLines(
  label: string,
  issue: IssueSummary,
  { facets, matched }: EventsSummary,
  cells: number,
): Line[] {
  const own = [
    `app ${issue.app}`,
    ...facets.flatMap((facet) => {
      const [first] = facet.values;
      return first === undefined || differs(facet, matched) ? [] : [`${labelOf(facet.field)} ${first.value}`];
    }),
    `type ${issue.type}`,
  ];
  const text = cutToCells(own.join(', '), 4 * cells);
  return wrapLine([words(label, 'label'), span(text)], cells);
}

function labelOf(field: string): Visible {
  return neutralise(LABELS[field] ?? field.replace(/^tags\./, ''));
}

function valueLines(facet: Facet, matched: number, labelCells: number, options: FacetSummaryOptions): Line[] {
  const { cells, hasBars } = options;
  const values = facet.values.slice(0, MAX_VALUES);
  const room = cells - labelCells - NUMBER_CELLS;
  const longest = Math.max(cells < WIDE_FROM ? 10 : 12, ...values.map(({ value }) => cellsOf(neutralise(value))));
  const valueCells = Math.max(1, Math.min(longest, room - (hasBars ? MIN_BAR_CELLS : 0)));
  return values.map(({ value, count }, index): Line => {
    const label: Span = span(fitToCells(index === 0 ? labelOf(facet.field) : '', labelCells), 'label');
    const text = span(fitToCells(value, valueCells));
    return [label, text, ...numberSpans(count, matched, hasBars ? room - valueCells : 0)];
  });
}

function usersLine({ users }: IssueSummary, facets: readonly Facet[], labelCells: number, cells: number): Line[] {
  if (users === 0) return [];
  const values = facets.find(({ field }) => field === 'user_id')?.values.slice(0, MAX_USERS) ?? [];
  const named = values.map(({ value, count }) => `${value} ${fullCount(count)}`).join(', ');
  const text = `${fullCount(users)}${named === '' ? '' : `; ${named}`}`;
  return [[span(fitToCells('users', labelCells), 'label'), span(cutToCells(text, cells - labelCells))]];
}

/** Says which events the values are of: `674 events`, `newest 500 of 674 events`, `12 of 674 events` with a filter. */
export function facetScope({ looked_at: searched, matched, total }: EventsSummary): Line {
  const newest = searched < total ? [words('newest '), span(fullCount(searched)), words(' of ')] : [];
  const all = span(countWithNoun(total, 'event'));
  return matched === searched ? [...newest, all] : [span(fullCount(matched)), words(' of '), ...newest, all];
}
