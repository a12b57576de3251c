/** `damage`: stored data changed. `note`: worth knowing, nothing is lost. */
type FindingSeverity = 'damage' | 'note';

interface FindingKind {
  readonly severity: FindingSeverity;
  /** What the finding means and how to repair it; follows the sentence that describes it. */
  readonly advice: string;
}

const RESTORE = 'Restore the file from a backup; other lines are still readable.';
const RECOVER = 'The next start of a collector adopts the whole lines that it can and moves the rest to salvage/.';
const RESTORE_COMMITS =
  'The next start of a collector rewrites the records from the index, with the same times and event ids; lines that the index does not know get new ones.';
const REBUILD = 'The index is derived: `faultline rebuild --data DIR` rebuilds it.';
const HARMLESS = 'It is not read, and you may remove it.';

const damage = (advice: string): FindingKind => ({ severity: 'damage', advice });
const note = (advice: string): FindingKind => ({ severity: 'note', advice });

const KINDS = {
  FILE_UNREADABLE: damage('Its content was not checked. Repair the disk or the permissions and verify again.'),
  LOCK_UNREADABLE: damage(
    'The next collector rewrites it if the kernel reports that the lock is free; otherwise remove it if no collector is running.',
  ),
  LOCK_STALE: note('The next collector takes over.'),
  WRITER_RUNNING: note('Events that it has not committed yet are not checked.'),
  FOREIGN_NAME: note('It does not belong to the layout and is never read.'),
  SALVAGED: note('Recovery cut it from its file and saved it here; it is not read.'),
  INDEX_SET_ASIDE: note(HARMLESS),
  PARTITION_EMPTY: note(HARMLESS),
  PARTITION_AHEAD: note(
    "The machine's clock is wrong now, or was wrong when it was written. Its events can be read, and later ones go into the hours after it.",
  ),
  PARTITION_REMOVED: note('It is neither counted nor read. To read it, open it in another data folder.'),
  PARTITION_MISSING: damage(
    'Restore the folder from a backup; else it stays in the counts until `faultline rebuild --data DIR`.',
  ),
  COMMITS_MISSING: damage(`The lines have lost their times. ${RESTORE_COMMITS}`),
  COMMIT_RECORD_INVALID: damage('The lines that it covered are not read. Restore the file from a backup.'),
  COMMIT_RECORD_CHANGED: damage(
    'The raw lines are intact, but are not found by their number. Restore the file from a backup.',
  ),
  COMMIT_FINGERPRINTS_DAMAGED: damage(
    'Its lines are intact, and are grouped again when the index is built. Restore the file from a backup.',
  ),
  COMMIT_GAP: damage('Lines between them have no checksum and no time. Restore the file from a backup.'),
  COMMIT_OUTSIDE_HOUR: damage('Its lines are left out. Restore the file from a backup.'),
  COMMIT_TIME_BACKWARDS: damage(
    'Its lines do not have the event ids that were assigned. Restore the file from a backup.',
  ),
  COMMIT_TORN: damage(`Its sender got no response. ${RECOVER}`),
  COMMIT_UNDER_WAY: note('The running collector is writing it.'),
  RAW_MISSING: damage('Its lines are lost. Restore the file from a backup.'),
  RAW_TRUNCATED: damage('These lines are lost. Restore the file from a backup.'),
  RAW_UNCOMMITTED_TAIL: damage(`No commit record covers them. ${RESTORE_COMMITS}`),
  RAW_LINE_DAMAGED: damage(RESTORE),
  RAW_LINES_DAMAGED: damage(RESTORE),
  RAW_LINE_INVALID: damage('Its checksum is right, so it was changed together with its commit record. It is left out.'),
  RAW_LINE_MISPLACED: damage('Its checksum is right, so its folder was moved or renamed: restore the name.'),
  EVENT_ID_DUPLICATE: damage(
    'Only one of them is found by its id. The folders were changed: restore them from a backup.',
  ),
  FOLDER_ID_INVALID: damage('The next start of a collector restores it from the other copy.'),
  FOLDER_ID_MISSING: note('The next start of a collector writes it again.'),
  FOLDER_ID_DIFFERS: damage(
    'The other one counts, and the next start of a collector sets this one aside. Keep the right one.',
  ),
  FOLDER_ID_LOST: damage(
    'Restore one of them from a backup before the next start of a collector, which makes a new id; the old event ids are lost then.',
  ),
  ACTIONS_MISSING: damage(
    'Their effect on issues is lost. Restore the file from a backup; the next action, or `faultline rebuild`, accepts the log without them.',
  ),
  ACTION_INVALID: damage('The action is left out of the history. Restore the file from a backup.'),
  ACTION_TORN: damage('The sender of the action got no response. The next start of a collector moves it to salvage/.'),
  GROUPING_LINE_INVALID: damage(
    'It is left out, and events are grouped by the other lines. Restore the file from a backup.',
  ),
  GROUPING_TORN: damage(
    'The caller of the regrouping got no response, and nothing changed. The next start of a collector moves it to salvage/.',
  ),
  RELEASE_LINE_INVALID: damage('It is left out of the releases. Restore the file from a backup.'),
  RELEASE_TORN: damage('Its sender got no response. The next start of a collector moves it to salvage/.'),
  INDEX_MISSING: note('It is derived, and rebuilt when a collector starts.'),
  INDEX_BUSY: note('It was not compared with the record: verify again when less arrives.'),
  INDEX_VERSION: damage(REBUILD),
  INDEX_DOCUMENT_MISSING: damage(REBUILD),
  INDEX_DOCUMENT_DAMAGED: damage(REBUILD),
  INDEX_ROWS_WITHOUT_LINES: damage(REBUILD),
  INDEX_ROWS_MISSING: damage(REBUILD),
  INDEX_ROWS_WRONG: damage(REBUILD),
  INDEX_ISSUE_WRONG: damage(REBUILD),
} satisfies Record<string, FindingKind>;

/** Stable code of a finding. */
export type FindingCode = keyof typeof KINDS;

/** What a check knows about a finding; `createFinding` adds the advice of its code. */
export interface FindingDetails {
  readonly code: FindingCode;
  /** Path from the data folder, with `/`. */
  readonly file: string;
  /** Zero-based. */
  readonly line?: number;
  /** In bytes. */
  readonly offset?: number;
  /** One sentence with its full stop. */
  readonly what: string;
  /** Default: the severity of the code. */
  readonly severity?: FindingSeverity;
}

/** One finding, as `faultline verify --json` prints it. */
export interface Finding {
  /** Path from the data folder; may contain control characters. */
  readonly file: string;
  /** Zero-based; null if the finding does not concern a line. */
  readonly line: number | null;
  /** In bytes; null if the finding does not concern a position. */
  readonly offset: number | null;
  readonly code: FindingCode;
  readonly severity: FindingSeverity;
  /** What was found, what it means and how to repair it. */
  readonly damage: string;
}

/** Adds the advice of its code to what a check found. */
export function createFinding({ code, file, line, offset, what, severity }: FindingDetails): Finding {
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
