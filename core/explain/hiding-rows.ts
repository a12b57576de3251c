import type { RawPayload } from '../event/raw-payload.js';
import type { GroupingSettings } from '../fingerprint/grouping-settings.js';
import { PATTERN_NAMES } from '../fingerprint/message-patterns.js';
import { messageText } from '../fingerprint/message-text.js';
import { createParameterizer } from '../fingerprint/parameterize.js';
import { beginTimeSlice } from '../time-slice.js';

/** More rows than these at once would leave hardly anything replaced. */
const MAX_ROWS = 3;

/**
 * The rows by which two messages read the same, as few as were found by halving the table: with them switched off they read differently. Empty where no few
 * rows do that. Each try compiles the table, so halves are tried instead of each row, and the event loop turns between two tries.
 */
export async function hidingRows(
  a: RawPayload,
  b: RawPayload,
  { version, patterns_off: off }: GroupingSettings,
): Promise<string[]> {
  if (a.message === b.message) return [];
  const slice = beginTimeSlice();
  const differWithout = async (rows: readonly string[]): Promise<boolean> => {
    if (slice.isOver) await slice.next();
    const replace = createParameterizer({ version, off: new Set([...off, ...rows]) });
    const read = ({ message, extra }: RawPayload): string => messageText(message, extra, null, replace).value;
    return read(a) !== read(b);
  };
  let rows = [...PATTERN_NAMES];
  if (!(await differWithout(rows))) return [];
  while (rows.length > 1) {
    const middle = rows.length >> 1;
    const [first, second] = [rows.slice(0, middle), rows.slice(middle)];
    if (await differWithout(first)) rows = first;
    else if (await differWithout(second)) rows = second;
    else break;
  }
  return rows.length > MAX_ROWS ? [] : rows;
}
