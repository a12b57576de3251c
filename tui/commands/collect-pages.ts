import { Fault } from '../../core/event/fault.js';
import type { RowPage } from '../state/paged-list.js';

/** The longest page that a reader gives. */
const MAX_PAGE_ROWS = 500;

/** Reads page after page until so many rows are there or the list ends. Throws a Fault `ARGUMENT_INVALID` for a limit that is no count. */
export async function collectPages<Row>(
  limit: number,
  readPage: (page: { limit: number; cursor?: string }) => Promise<RowPage<Row>>,
): Promise<RowPage<Row>> {
  if (!Number.isInteger(limit) || limit < 1) {
    throw new Fault('ARGUMENT_INVALID', `--limit ${limit} is no count; give a whole number from 1 on.`);
  }
  const rows: Row[] = [];
  let nextCursor: string | null = null;
  do {
    const size = Math.min(MAX_PAGE_ROWS, limit - rows.length);
    const page: RowPage<Row> = await readPage(
      nextCursor === null ? { limit: size } : { limit: size, cursor: nextCursor },
    );
    rows.push(...page.rows);
    nextCursor = page.nextCursor;
  } while (nextCursor !== null && rows.length < limit);
  return { rows, nextCursor };
}
