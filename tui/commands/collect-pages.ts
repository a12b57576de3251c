import { Fault } from '../../core/event/fault.js';
import type { RowPage } from '../state/paged-list.js';

/** The largest page that a reader returns. */
const MAX_PAGE_ROWS = 500;

/** Throws a Fault `ARGUMENT_INVALID` if a `--limit` is not a whole number of at least 1. */
export function checkLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1) return;
  throw new Fault('ARGUMENT_INVALID', '--limit must be a positive whole number.');
}

/** Fetches pages until `limit` rows are read or the list ends. Throws like `checkLimit`. */
export async function collectPages<Row>(
  limit: number,
  fetchPage: (page: { limit: number; cursor: string | undefined }) => Promise<RowPage<Row>>,
): Promise<RowPage<Row>> {
  checkLimit(limit);
  const rows: Row[] = [];
  let nextCursor: string | null = null;
  do {
    const size = Math.min(MAX_PAGE_ROWS, limit - rows.length);
    const page: RowPage<Row> = await fetchPage({ limit: size, cursor: nextCursor ?? undefined });
    rows.push(...page.rows);
    nextCursor = page.nextCursor;
  } while (nextCursor !== null && rows.length < limit);
  return { rows, nextCursor };
}
