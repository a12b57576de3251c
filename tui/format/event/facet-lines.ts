import type { EventsSummary, Facet } from '../../../generated/reader-answers.js';
import { fullCount, shortCount } from '../../text/counts.js';
import { type Line, span, words } from '../../text/line.js';
import { cellsOf, fitToCells, literal, neutralise } from '../../text/visible.js';

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
  /** A full bar cell. */
  readonly bar: string;
  readonly isSelected?: boolean;
}

const COUNT_CELLS = 5;
const SHARE_CELLS = 4;
const MARGIN_CELLS = 4;
const MAX_BAR_CELLS = 20;

/** One row: the name of a field, or a value with its share as a bar and in percent, and its number of events. */
export function facetLine(row: FacetRow, options: FacetLineOptions): Line {
  if (row.kind === 'field') return [words('  '), span(neutralise(row.field), 'label')];
  const { matched, cells, bar, isSelected = false } = options;
  const share = matched === 0 ? 0 : row.count / matched;
  const barCells = Math.max(0, Math.min(MAX_BAR_CELLS, Math.floor(cells / 6)));
  const numbers = COUNT_CELLS + SHARE_CELLS + barCells + 3;
  const textCells = Math.max(1, cells - MARGIN_CELLS - numbers);
  const isOwn = row.kind !== 'value';
  const text = isOwn ? fitToCells(OWN_WORDS[row.kind], textCells) : fitToCells(neutralise(row.value), textCells);
  const filled = bar.repeat(Math.round(share * barCells));
  return [
    words(isSelected ? '› ' : '  ', isSelected ? 'selected' : 'plain'),
    words('  ', isSelected ? 'selected' : 'plain'),
    span(text, isSelected ? 'selected' : isOwn ? 'muted' : 'plain'),
    words(' '),
    words(filled.padEnd(barCells), 'bar'),
    words(' '),
    span(fitToCells(percent(share), SHARE_CELLS, 'right')),
    words(' '),
    span(fitToCells(shortCount(row.count), COUNT_CELLS, 'right'), 'muted'),
  ];
}

const OWN_WORDS = { others: '(other values)', without: '(none)' } as const;

/** Names the events behind the facets: how many match, of how many searched. */
export function facetScope({ looked_at: searched, matched, total }: EventsSummary): Line {
  const of = searched < total ? 'of the newest ' : 'of ';
  const all = searched < total ? [words(' of '), span(fullCount(total))] : [];
  return [
    words('  '),
    span(fullCount(matched)),
    words(matched === 1 ? ' event matches, ' : ' events match, ', 'muted'),
    words(of, 'muted'),
    span(fullCount(searched)),
    ...all,
    words(' events', 'muted'),
  ];
}

/** A share in at most four cells; only exact values are 0% or 100%. */
function percent(share: number): string {
  if (share > 0 && share < 0.01) return '<1%';
  if (share < 1 && share > 0.99) return '>99%';
  return `${Math.round(share * 100)}%`;
}

/** Pads a line to `leftCells` and appends another one. */
export function beside(left: Line, right: Line, { leftCells, rule }: { leftCells: number; rule: string }): Line {
  const used = left.reduce((sum, { text }) => sum + cellsOf(text), 0);
  return [...left, span(literal(' '.repeat(Math.max(0, leftCells - used)))), words(`${rule} `, 'muted'), ...right];
}
