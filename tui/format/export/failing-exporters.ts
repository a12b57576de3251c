import type { Stats } from '../../../generated/reader-answers.js';
import { fullCount } from '../../text/counts.js';
import { cutToCells, literal, type Visible } from '../../text/visible.js';

const MAX_TITLE_CELLS = 24;

/** A short warning with the key for details; undefined if no exporter fails. */
export function failingExportersWarning(stats: Stats | undefined): Visible | undefined {
  const failing = Object.entries(stats?.exporters ?? {}).filter(([, exporter]) => exporter.failing);
  const [first, ...others] = failing.map(([id]) => id);
  if (first === undefined) return undefined;
  if (others.length > 0) return literal(`! ${fullCount(others.length + 1)} exporters fail: S`);
  return literal(`! ${cutToCells(first, MAX_TITLE_CELLS)} fails: S`);
}
