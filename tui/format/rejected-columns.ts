import type { RejectedContent, RejectedRecord } from '../../core/storage/rejected/rejected-record.js';
import type { Column } from './columns.js';
import { clockTime } from './relative-time.js';

/** A rejected payload as a row shows it. */
export interface RejectedRow extends Pick<RejectedRecord, 'rejectedAt' | 'receiver' | 'code' | 'field' | 'reason'> {
  /** What was kept, from its beginning; at most as much as the widest terminal shows. */
  readonly start: string;
}

const WIDE = 120;
const MAX_START_LENGTH = 2_000;

/** The columns of `faultline rejected`. */
export const REJECTED_COLUMNS: readonly Column<RejectedRow>[] = [
  { heading: 'TIME (UTC)', cells: 14, text: ({ rejectedAt }) => clockTime(rejectedAt, 'short') },
  { heading: 'RECEIVER', cells: (width) => (width < WIDE ? 8 : 16), text: ({ receiver }) => receiver },
  { heading: 'CODE', cells: 15, text: ({ code }) => code },
  { heading: 'FIELD', cells: (width) => (width < WIDE ? 10 : 16), text: ({ field }) => field },
  { heading: 'REASON', cells: (width) => (width < WIDE ? 16 : 30), text: ({ reason }) => reason },
  { heading: 'PAYLOAD', cells: 'rest', text: ({ start }) => start },
];

/** The row of a record; what it kept is cut, so that many rows take little memory. */
export function rejectedRow({ rejectedAt, receiver, code, field, reason, content }: RejectedRecord): RejectedRow {
  return { rejectedAt, receiver, code, field, reason, start: startOf(content) };
}

function startOf(content: RejectedContent | undefined): string {
  if (content === undefined) return '';
  const text = content.kind === 'payload' ? JSON.stringify(content.value) : content.value;
  return text.slice(0, MAX_START_LENGTH);
}
