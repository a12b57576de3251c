import type { FieldValues } from '../../../generated/reader-answers.js';
import type { FieldValueOptions } from '../../contract/reader.js';
import type { FieldValue } from '../../query/query-fields.js';
import { inTimeSlices } from '../../time-slice.js';
import type { ListedIssues } from './list-issues.js';
import { pageLimit } from './page-cursor.js';

/** Counts the values of a field, read by ordinal, in one pass in time slices. */
export async function countValues(
  { columns: { length }, merged, matches }: ListedIssues,
  valueAt: (ordinal: number) => FieldValue,
  { prefix = '', limit }: Pick<FieldValueOptions, 'prefix' | 'limit'>,
): Promise<FieldValues> {
  const counts = new Map<string, number>();
  await inTimeSlices(length, (ordinal) => {
    if (merged.hidden.has(ordinal)) return;
    const value = valueAt(ordinal);
    const found = matches?.(ordinal) === false ? 0 : 1;
    for (const one of typeof value === 'object' ? (value ?? []) : [String(value)]) {
      counts.set(one, (counts.get(one) ?? 0) + found);
    }
  });
  const begin = prefix.toLowerCase();
  const values = [...counts].filter(([value]) => value !== '' && value.toLowerCase().startsWith(begin));
  values.sort(([one, times], [other, otherTimes]) => otherTimes - times || (one < other ? -1 : 1));
  const shown = values.slice(0, pageLimit(limit)).map(([value, count]) => ({ value, count }));
  return { values: shown, total: values.length };
}
