import type { QueryNode } from './query-ast.js';
import { resolveTimePoint } from './time-point.js';

/** Between which receipts every event lies that a query for events asks for: from the first up to, and without, the second, in milliseconds since the epoch. */
export function receivedRange(query: QueryNode, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  let [fromMs, toMs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const node of query.kind === 'and' ? query.nodes : [query]) {
    if (node.kind !== 'field' || node.field.name !== 'received_at' || node.test.kind !== 'times') continue;
    const { from, to } = node.test;
    if (from !== null) fromMs = Math.max(fromMs, resolveTimePoint(from, nowMs));
    if (to !== null) toMs = Math.min(toMs, resolveTimePoint(to, nowMs));
  }
  return { fromMs, toMs };
}
