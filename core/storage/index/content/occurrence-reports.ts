import { LRUCache } from 'lru-cache';
import { createEventIds, parseEventId } from '../../record/partitions/event-id.js';
import { countedAtMicros, type EventSegment } from '../segments/event-segment.js';
import { type EventLocation, findEvent } from './find-events.js';
import type { IndexContent } from './index-content.js';

/** Reports of an event that are read with it, and bytes of their lines; further ones stand alone. */
const MAX_REPORTS = 8;
const MAX_REPORT_BYTES = 4 * 1024 * 1024;

/** Segments whose reports are remembered. */
const MAX_REMEMBERED = 16;

/** Characters of an event id that hold the time of its receipt. */
const TIME_CHARACTERS = 18;

/** Later reports by the row index of the event that they repeat, in order of arrival. */
type ReportsByRow = ReadonlyMap<number, readonly EventLocation[]>;

/** Finds the reports of one occurrence that are read together; create one for each read, because reports arrive. */
export class OccurrenceReports {
  readonly #content: IndexContent;
  readonly #reports = new LRUCache<number, Promise<ReportsByRow>>({
    max: MAX_REMEMBERED,
    memoMethod: (number) => this.#findReports(number),
  });

  constructor(content: IndexContent) {
    this.#content = content;
  }

  /** All reports of the occurrence of an event, the one that counts first; only the event itself if it stands alone. Rejects with `INDEX_UNUSABLE`. */
  async of(location: EventLocation): Promise<readonly EventLocation[]> {
    const { repeats } = location.row;
    const counted = repeats === undefined ? location : await findEvent(this.#content, repeats);
    if (counted === undefined) return [location];
    const reports = (await this.#reports.memo(counted.segment)).get(counted.rowIndex) ?? [];
    const isReport = counted === location || reports.some((report) => isSame(report, location));
    return isReport ? [counted, ...reports] : [location];
  }

  /** The occurrences of the rows of a segment that have several reports, by row index. Rejects with `INDEX_UNUSABLE`. */
  async inSegment(segment: EventSegment): Promise<ReadonlyMap<number, readonly EventLocation[]>> {
    const { number } = segment;
    const rows = [...(await this.#reports.memo(number)).keys(), ...(segment.repeats?.keys() ?? [])];
    const found = new Map<number, readonly EventLocation[]>();
    for (const rowIndex of rows) {
      const row = segment.row(rowIndex);
      const reports = row === undefined ? [] : await this.of({ segment: number, rowIndex, row });
      if (reports.length > 1) found.set(rowIndex, reports);
    }
    return found;
  }

  async #findReports(number: number): Promise<ReportsByRow> {
    const { segments } = this.#content;
    const counting = await segments.get(number);
    const found = new Map<number, EventLocation[]>();
    const [first, last] = timesOf(counting);
    for (const reporting of segments.reportingOn(counting)) {
      const segment = await segments.get(reporting);
      for (const [rowIndex, repeats] of segment.repeats ?? []) {
        const time = repeats.slice(0, TIME_CHARACTERS);
        const row = time >= first && time <= last ? segment.row(rowIndex) : undefined;
        if (row !== undefined) addReport(found, counting, { segment: reporting, rowIndex, row });
      }
    }
    return found;
  }
}

/** Times of the first and the last row of a segment as event ids begin. */
function timesOf(segment: EventSegment): [string, string] {
  const timeAt = (index: number): string => {
    const row = segment.row(index);
    return row === undefined ? '' : createEventIds(row.partition, row.receivedAtMicros)(0).slice(0, TIME_CHARACTERS);
  };
  return [timeAt(0), timeAt(segment.rows - 1)];
}

/** Adds a report of an event of a segment, unless that is itself a report: it counts nothing, so that there are no chains to follow. */
function addReport(found: Map<number, EventLocation[]>, counting: EventSegment, report: EventLocation): void {
  const { row } = report;
  const id = row.repeats && parseEventId(row.repeats);
  const counted = id === undefined || countedAtMicros(row) === undefined ? -1 : counting.rowIndexOf(id);
  if (counted < 0 || counting.repeats?.has(counted)) return;
  const reports = found.get(counted) ?? [];
  const bytes = reports.reduce((sum, other) => sum + other.row.bytes, row.bytes);
  if (reports.length >= MAX_REPORTS || bytes > MAX_REPORT_BYTES) return;
  found.set(counted, [...reports, report]);
}

function isSame(one: EventLocation, other: EventLocation): boolean {
  return one.segment === other.segment && one.rowIndex === other.rowIndex;
}
