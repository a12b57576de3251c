import { Fault } from '../../event/fault.js';
import { isJsonObject, type JsonObject, parseJson } from '../../event/json.js';
import type { IssueRemoval, RemovedTotals } from '../index/content/removal.js';
import { DocumentFields } from '../index/documents/document-fields.js';
import { formatMicros } from '../record/partitions/arrival-clock.js';
import { type PartitionFolder, parsePartitionFolder } from '../record/partitions/partition-path.js';
import { decodeIssueLine, parseMicrosField } from './issue-line.js';

export const LEDGER_FILE = 'retention.ndjson';

/** A partition of a removal. */
export interface RemovedPartition {
  readonly partition: PartitionFolder;
  readonly rawBytes: number;
}

/** The state after an entry, in every line that ends one. */
export interface EntryState {
  readonly totals: RemovedTotals;
  /** Issue lines in the file up to here; decides when to compact. */
  readonly issueLines: number;
}

/** The last line of an entry; without it the lines before it do not count. */
export interface ClosingLine extends EntryState {
  /** `summary` replaces all earlier entries. */
  readonly kind: 'removed' | 'summary';
  /** Lines of the entry before this one, their bytes with newlines, and their checksum. */
  readonly lines: number;
  readonly bytes: number;
  readonly crc32c: number;
  readonly throughMicros: number;
}

/** Marks all partitions of the entries above as deleted. */
export interface DoneLine extends EntryState {
  readonly kind: 'done';
}

/** Reason, number and time of a removal, for people only. */
export interface RemovalDescription {
  readonly reason: 'age' | 'size';
  readonly events: number;
  readonly removedAtMs: number;
}

/** Encodes a line of the ledger with its newline. */
export function encodeLine(line: object): string {
  return `${JSON.stringify(line)}\n`;
}

export function encodeClosing(line: ClosingLine, removal?: RemovalDescription): string {
  const { kind, lines, bytes, crc32c } = line;
  const why = removal && {
    reason: removal.reason,
    events: removal.events,
    removed_at: new Date(removal.removedAtMs).toISOString(),
  };
  return encodeLine({
    kind,
    ...stateFields(line),
    ...why,
    through: formatMicros(line.throughMicros),
    lines,
    bytes,
    crc32c,
  });
}

export function encodeDone(state: EntryState): string {
  return encodeLine({ kind: 'done', ...stateFields(state) });
}

function stateFields({ totals, issueLines }: EntryState): object {
  const { events, partitions, rawBytes, beforeMicros } = totals;
  return {
    before: formatMicros(beforeMicros),
    total: { events, partitions, raw_bytes: rawBytes },
    issue_lines: issueLines,
  };
}

/** A line of the ledger: of an issue or a partition, or one that ends an entry. */
type LedgerLine =
  | { readonly kind: 'issue'; readonly issue: IssueRemoval }
  | ({ readonly kind: 'partition' } & RemovedPartition)
  | ClosingLine
  | DoneLine;

/** Parses a line; undefined if it is not one, also for a folder that a writer never creates. */
export function parseLedgerLine(text: string): LedgerLine | undefined {
  try {
    const line = parseJson(text);
    return isJsonObject(line) ? decodeLine(line, new DocumentFields(LEDGER_FILE, line)) : undefined;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function decodeLine({ kind, total: totalValue }: JsonObject, fields: DocumentFields): LedgerLine | undefined {
  if (kind === 'issue') return { kind, issue: decodeIssueLine(fields) };
  if (kind === 'partition') {
    const folder = fields.text('folder');
    const partition = parsePartitionFolder(folder);
    const isOurs = folder.split('/').every((part) => part !== '.' && part !== '..');
    return partition !== undefined && isOurs ? { kind, partition, rawBytes: fields.count('raw_bytes') } : undefined;
  }
  if (kind !== 'done' && kind !== 'removed' && kind !== 'summary') return undefined;
  const total = new DocumentFields(LEDGER_FILE, totalValue);
  const totals: RemovedTotals = {
    events: total.count('events'),
    partitions: total.count('partitions'),
    rawBytes: total.count('raw_bytes'),
    beforeMicros: parseMicrosField(fields, 'before'),
  };
  const state = { totals, issueLines: fields.count('issue_lines') };
  if (kind === 'done') return { kind, ...state };
  const size = { lines: fields.count('lines'), bytes: fields.count('bytes'), crc32c: fields.count('crc32c') };
  return { kind, ...state, ...size, throughMicros: parseMicrosField(fields, 'through') };
}
