import type { EventsSummary, Facet, IssueSummary } from '../../../generated/reader-answers.js';
import { countWithNoun, fullCount } from '../../text/counts.js';
import { type Line, type Span, span, words } from '../../text/line.js';
import { cellsOf, cutToCells, fitToCells, neutralise } from '../../text/visible.js';
import { wrapLine } from '../../text/wrapped-line.js';
import { NUMBER_CELLS, numberSpans } from './facet-lines.js';

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

function labelOf(field: string): ReturnType<typeof neutralise> {
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
