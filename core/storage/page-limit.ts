const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

/** Rows of a page: 1 to 500, default 50; other numbers are held to these bounds. */
export function pageLimit(limit: number | undefined): number {
  if (limit === undefined || Number.isNaN(limit)) return DEFAULT_LIMIT;
  return Math.min(Math.max(Math.trunc(limit), 1), MAX_LIMIT);
}
