import { ISSUE_SIGNS } from '../format/issue-columns.js';
import { type Line, words } from '../format/line.js';
import type { KeyPlace } from '../keymap.js';

/** What stands below the keys of a place. */
export function helpNotes({ screen }: KeyPlace): readonly Line[] {
  if (screen !== 'issues') return [];
  const { regressed, spiking, new: fresh, resolved, ignored } = ISSUE_SIGNS;
  const signs = [
    `${regressed} came back`,
    `${spiking} more than usual`,
    `${fresh} first seen within a day`,
    `${resolved} resolved`,
    `${ignored} ignored`,
  ];
  return [[], [words(`  ${signs.join('   ')}`, 'muted')]];
}
