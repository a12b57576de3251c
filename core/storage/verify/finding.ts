/** `damage`: something that was stored is not as it was written. `note`: worth knowing, nothing is lost. */
export type FindingSeverity = 'damage' | 'note';

interface FindingKind {
  readonly severity: FindingSeverity;
  /** What it means and how to mend it, as sentences behind the one that says what was found. */
  readonly advice: string;
}

const RESTORE = 'Restore the file from a copy if there is one; all other lines can still be read.';
const RECOVER = 'The next start of a collector takes in the whole lines that it can and keeps the rest in salvage/.';
const RESTORE_COMMITS =
  'The next start of a collector writes the records again from the index, with the same times and event ids; lines that the index does not know get new ones.';
const REBUILD = 'The index is derived: `faultline rebuild --data DIR` makes it anew.';
const HARMLESS = 'Nobody reads it, and it may be removed.';

const damage = (advice: string): FindingKind => ({ severity: 'damage', advice });
const note = (advice: string): FindingKind => ({ severity: 'note', advice });

const KINDS = {
  FILE_UNREADABLE: damage('What it holds was not checked. Mend the disk or the rights and verify again.'),
  LOCK_UNREADABLE: damage(
    'The next collector writes it anew where the kernel says that nobody holds it; otherwise remove it if none is running.',
  ),
  LOCK_STALE: note('The next collector takes over.'),
  WRITER_RUNNING: note('What it has not committed yet is left out.'),
  FOREIGN_NAME: note('It is no part of the layout and is never read.'),
  SALVAGED: note('Recovery cut it from its file and kept it; nobody reads it.'),
  INDEX_SET_ASIDE: note(HARMLESS),
  PARTITION_EMPTY: note(HARMLESS),
  PARTITION_AHEAD: note(
    "The machine's clock is wrong now, or was wrong when it was written. Its events can be read, and later ones go into the hours behind it.",
  ),
  PARTITION_REMOVED: note('It is neither counted nor read. To read it, open it as a part of another data folder.'),
  PARTITION_MISSING: damage(
    `Put the folder back from a copy if there is one; else it stays in the counts until \`faultline rebuild --data DIR\`.`,
  ),
  COMMITS_MISSING: damage(`Nothing dates the lines any more. ${RESTORE_COMMITS}`),
  COMMIT_RECORD_INVALID: damage('The lines that it dated are not read. Restore the file from a copy if there is one.'),
  COMMIT_RECORD_CHANGED: damage(
    'The raw lines are whole, but are not found by their number. Restore the file from a copy if there is one.',
  ),
  COMMIT_FINGERPRINTS_DAMAGED: damage(
    'Its lines are whole, and are grouped anew when the index is made. Restore the file from a copy if there is one.',
  ),
  COMMIT_GAP: damage('Lines between them have no checksum and no time. Restore the file from a copy if there is one.'),
  COMMIT_OUTSIDE_HOUR: damage('Its lines are left out. Restore the file from a copy if there is one.'),
  COMMIT_TIME_BACKWARDS: damage(
    'Event ids of its lines are not those that were given. Restore the file from a copy if there is one.',
  ),
  COMMIT_TORN: damage(`Its sender got no answer. ${RECOVER}`),
  COMMIT_UNDER_WAY: note('The running collector is writing it.'),
  RAW_MISSING: damage('Its lines are lost. Restore the file from a copy if there is one.'),
  RAW_TRUNCATED: damage('These lines are lost. Restore the file from a copy if there is one.'),
  RAW_UNCOMMITTED_TAIL: damage(`No commit record covers them. ${RESTORE_COMMITS}`),
  RAW_LINE_DAMAGED: damage(RESTORE),
  RAW_LINES_DAMAGED: damage(RESTORE),
  RAW_LINE_INVALID: damage(
    'Its checksum is right, so it was changed with its commit record, from outside. It is left out.',
  ),
  RAW_LINE_MISPLACED: damage('Its checksum is right, so its folder was moved or renamed: give it its name back.'),
  EVENT_ID_DUPLICATE: damage(
    'Only one of them is found by its id. The folders were changed from outside: restore them from a copy.',
  ),
  ACTIONS_MISSING: damage(
    'What they did to issues is gone. Restore the file from a copy; the next action, or `faultline rebuild`, takes the log as it is.',
  ),
  ACTION_INVALID: damage('What somebody did is left out of the history. Restore the file from a copy if there is one.'),
  ACTION_TORN: damage('The sender of the action got no response. The next start of a collector keeps it in salvage/.'),
  GROUPING_LINE_INVALID: damage(
    'It is left out, and events are grouped as the other lines say. Restore the file from a copy if there is one.',
  ),
  GROUPING_TORN: damage(
    'The caller of the regrouping got no response, and nothing was changed. The next start of a collector keeps it in salvage/.',
  ),
  INDEX_MISSING: note('It is derived, and made anew when a collector starts.'),
  INDEX_BUSY: note('It was not compared with the record: verify again when less arrives.'),
  INDEX_VERSION: damage(REBUILD),
  INDEX_DOCUMENT_MISSING: damage(REBUILD),
  INDEX_DOCUMENT_DAMAGED: damage(REBUILD),
  INDEX_ROWS_WITHOUT_LINES: damage(REBUILD),
  INDEX_ROWS_MISSING: damage(REBUILD),
  INDEX_ROWS_WRONG: damage(REBUILD),
  INDEX_ISSUE_WRONG: damage(REBUILD),
} satisfies Record<string, FindingKind>;

/** Stable name of what was found. */
export type FindingCode = keyof typeof KINDS;

/** Where and what: the part of a finding that a check knows. */
export interface FindingDetails {
  readonly code: FindingCode;
  /** Path from the data folder, `/` between its parts. */
  readonly file: string;
  /** Zero-based. */
  readonly line?: number;
  /** In bytes from the beginning of the file. */
  readonly offset?: number;
  /** One sentence that says what was found, with its full stop. */
  readonly what: string;
  /** Default: that of the code. */
  readonly severity?: FindingSeverity;
}

/** One thing that is not as it should be, as `faultline verify --json` prints it. */
export interface Finding {
  /** Path from the data folder, as it is on the disk: it may hold control characters. */
  readonly file: string;
  /** Zero-based; null where no line is to blame. */
  readonly line: number | null;
  /** In bytes from the beginning of the file; null where no byte is to blame. */
  readonly offset: number | null;
  readonly code: FindingCode;
  readonly severity: FindingSeverity;
  /** What was found, what it means, how to mend it. */
  readonly damage: string;
}

/** Adds to what a check knows what its code means. */
export function findingOf({ code, file, line, offset, what, severity }: FindingDetails): Finding {
  const kind = KINDS[code];
  return {
    file,
    line: line ?? null,
    offset: offset ?? null,
    code,
    severity: severity ?? kind.severity,
    damage: `${what} ${kind.advice}`,
  };
}
