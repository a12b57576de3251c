import { ISSUE_SIGNS } from '../format/issue-columns.js';
import { type Line, words } from '../format/line.js';
import { wrapLine } from '../format/wrapped-line.js';
import type { KeyPlace } from '../keymap.js';

/** What the signs of a place mean, wrapped to a width; empty where it has none. */
export function helpNotes({ screen }: KeyPlace, cells: number): readonly Line[] {
  if (screen !== 'issues') return [];
  const { regressed, spiking, new: fresh, resolved, ignored } = ISSUE_SIGNS;
  const signs = [
    `${regressed} came back`,
    `${spiking} more than usual`,
    `${fresh} new within a day`,
    `${resolved} resolved`,
    `${ignored} ignored`,
  ];
  return [[], ...wrapLine([words(`  ${signs.join('  ')}`, 'muted')], cells, 2)];
}
