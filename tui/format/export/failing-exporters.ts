import type { Stats } from '../../../generated/reader-answers.js';
import { fullCount } from '../../text/counts.js';
import { type Line, span, words } from '../../text/line.js';
import { cutToCells, literal, neutralise, type Visible } from '../../text/visible.js';
import { wrapLine } from '../../text/wrapped-line.js';

/** Leaves room for the error after a long name. */
const MAX_NAME_CELLS = 30;
const MAX_TITLE_CELLS = 24;

function failingOf(stats: Stats | undefined): { readonly id: string; readonly reason: string }[] {
  return Object.entries(stats?.exporters ?? {}).flatMap(([id, { failing, last_error: error }]) =>
    failing ? [{ id, reason: error?.message ?? '' }] : [],
  );
}

/** A short warning with the key for details; undefined if no exporter fails. */
export function failingExportersWarning(stats: Stats | undefined): Visible | undefined {
  const [first, ...others] = failingOf(stats);
  if (first === undefined) return undefined;
  if (others.length > 0) return literal(`! ${fullCount(others.length + 1)} exporters fail: S`);
  return literal(`! ${cutToCells(first.id, MAX_TITLE_CELLS)} fails: S`);
}

/** The failing exporters with their errors, wrapped to `columns`. */
export function failingExportersLines(stats: Stats | undefined, columns: number): readonly Line[] {
  return failingOf(stats).flatMap(({ id, reason }): Line[] => [
    [words('  '), words('! ', 'error'), span(cutToCells(id, MAX_NAME_CELLS), 'strong'), words('  fails', 'error')],
    ...wrapLine([words('    '), span(neutralise(reason), 'error')], columns, 4),
    [],
  ]);
}
