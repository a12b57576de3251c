import type { Facet } from '../../../generated/reader-answers.js';
import { shortCount } from '../../text/counts.js';
import { type Line, lineCells, type Span, span, words } from '../../text/line.js';
import { fitToCells, neutralise } from '../../text/visible.js';

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
export const NUMBER_CELLS = 2 + SHARE_CELLS + 1 + COUNT_CELLS + 1;
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
export function numberSpans(count: number, matched: number, barCells: number): Span[] {
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
