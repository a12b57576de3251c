import type { EventRow } from '../index/event-segment.js';
import type { RecordReader } from '../record/record-reader.js';
import { settleAll } from '../record/settle-all.js';

/** Lines of one file that lie side by side and are read at once. */
interface Run {
  readonly partition: EventRow['partition'];
  readonly start: number;
  end: number;
  readonly places: number[];
}

const MAX_RUN_BYTES = 1024 * 1024;
const PARALLEL_READS = 4;

/** The raw lines of rows, at the same places; undefined where the record does not hold one. Neighbours are read at once. Rejects with the system's error. */
export async function readRows(
  record: Pick<RecordReader, 'readAt'>,
  rows: readonly EventRow[],
): Promise<(Buffer | undefined)[]> {
  const lines = new Array<Buffer | undefined>(rows.length).fill(undefined);
  await settleAll(runsOf(rows), PARALLEL_READS, async ({ partition, start, end, places }) => {
    const block = await record.readAt(partition, start, end - start);
    for (const place of places) {
      const row = rows[place];
      if (row === undefined) continue;
      const at = row.offset - start;
      lines[place] =
        block === undefined
          ? await record.readAt(partition, row.offset, row.bytes)
          : block.subarray(at, at + row.bytes);
    }
  });
  return lines;
}

function runsOf(rows: readonly EventRow[]): Run[] {
  const runs: Run[] = [];
  const latest = new Map<string, Run>();
  for (const [place, { partition, offset, bytes }] of rows.entries()) {
    const known = latest.get(partition.folder);
    const end = offset + bytes;
    if (known !== undefined && offset === known.end + 1 && end - known.start <= MAX_RUN_BYTES) {
      known.end = end;
      known.places.push(place);
      continue;
    }
    const run = { partition, start: offset, end, places: [place] };
    latest.set(partition.folder, run);
    runs.push(run);
  }
  return runs;
}
