import { LRUCache } from 'lru-cache';
import type { EventIdParts } from '../../record/partitions/event-id.js';
import { type EventSegment, readWith } from '../segments/event-segment.js';
import type { EventLocation } from './find-events.js';
import type { IndexContent } from './index-content.js';

/** Reports of an event that are read with it, and bytes of their lines; further ones stand alone. */
const MAX_REPORTS = 8;
const MAX_REPORT_BYTES = 4 * 1024 * 1024;

/** Segments whose reports are remembered. */
const MAX_REMEMBERED = 16;

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
    const { row, segment, rowIndex } = location;
    if (row.repeats !== undefined) return (await this.#ofReport(location, readWith(row))) ?? [location];
    return [location, ...((await this.#reports.memo(segment)).get(rowIndex) ?? [])];
  }

  /** The occurrences of the rows of a segment that have several reports, by row index. Rejects with `INDEX_UNUSABLE`. */
  async inSegment(segment: EventSegment): Promise<ReadonlyMap<number, readonly EventLocation[]>> {
    const found = new Map<number, readonly EventLocation[]>();
    for (const [rowIndex, reports] of await this.#reports.memo(segment.number)) {
      const counted = locationAt(segment, rowIndex);
      if (counted !== undefined) found.set(rowIndex, [counted, ...reports]);
    }
    for (const [rowIndex, counted] of segment.readWith) {
      const report = locationAt(segment, rowIndex);
      const occurrence = report && (await this.#ofReport(report, counted));
      if (occurrence !== undefined) found.set(rowIndex, occurrence);
    }
    return found;
  }

  /** The occurrence of a report; undefined if the event that counts it is missing, or has too many others. */
  async #ofReport(report: EventLocation, id: EventIdParts | undefined): Promise<readonly EventLocation[] | undefined> {
    const { segments, removed } = this.#content;
    if (id === undefined || id.receivedAtMicros < removed.beforeMicros) return undefined;
    const number = segments.numberAt(id.receivedAtMicros);
    if (number < 0) return undefined;
    const segment = await segments.get(number);
    const rowIndex = segment.rowIndexOf(id);
    const counted = locationAt(segment, rowIndex);
    const reports = (await this.#reports.memo(number)).get(rowIndex) ?? [];
    const isOne = reports.some((other) => other.segment === report.segment && other.rowIndex === report.rowIndex);
    return counted !== undefined && isOne ? [counted, ...reports] : undefined;
  }

  async #findReports(number: number): Promise<ReportsByRow> {
    const { segments } = this.#content;
    const counting = await segments.get(number);
    const { firstReceivedAtMicros: first, lastReceivedAtMicros: last } = counting;
    const found = new Map<number, EventLocation[]>();
    for (const reporting of segments.reportingOn(counting)) {
      const segment = await segments.get(reporting);
      for (const [rowIndex, id] of segment.readWith) {
        if (id.receivedAtMicros < first || id.receivedAtMicros > last) continue;
        const counted = counting.rowIndexOf(id);
        const report = locationAt(segment, rowIndex);
        // An event that repeats another one counts nothing, so that there are no chains to follow.
        if (report !== undefined && counted >= 0 && !counting.repeats?.has(counted)) addReport(found, counted, report);
      }
    }
    return found;
  }
}

function locationAt(segment: EventSegment, rowIndex: number): EventLocation | undefined {
  const row = segment.row(rowIndex);
  return row && { segment: segment.number, rowIndex, row };
}

function addReport(found: Map<number, EventLocation[]>, counted: number, report: EventLocation): void {
  const reports = found.get(counted) ?? [];
  const bytes = reports.reduce((sum, { row }) => sum + row.bytes, report.row.bytes);
  if (reports.length >= MAX_REPORTS || bytes > MAX_REPORT_BYTES) return;
  reports.push(report);
  found.set(counted, reports);
}
