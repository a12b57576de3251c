import { type ExplainSide, explainNotFound, notAnId } from '../../contract/explain-fault.js';
import { Fault } from '../../event/fault.js';
import { toEventId, toIssueId } from '../../event/ids.js';
import type { NormalizedEvent } from '../../event/normalized-event.js';
import type { RawPayload } from '../../event/raw-payload.js';
import type { GroupedExample } from '../../explain/query-for.js';
import type { Fingerprint, FingerprintBasis } from '../../fingerprint/fingerprint.js';
import { eventsOf, findEvent, firstEventOf } from '../index/content/find-events.js';
import type { IndexContent } from '../index/content/index-content.js';
import { type IssueState, isTelling } from '../index/content/issue-state.js';
import type { IndexSource } from '../index/index-source.js';
import {
  eventIdOf,
  type IssueOfEvent,
  type ReadEvent,
  type ReportLine,
  rawLineMissing,
  readEvent,
} from '../index/read-event.js';
import type { EventRow } from '../index/segments/event-segment.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import type { IssueLifecycles } from './issue-lifecycles.js';
import { unknownBasis } from './issue-summary.js';

/** Rows of an issue that are searched for events that count. */
const MAX_ROWS = 1_000;

export interface IssueExamplesOptions {
  index: IndexSource;
  record: Pick<RecordReader, 'readAt'>;
  /** Fingerprints an event by a version of the rules. */
  explain: (payload: RawPayload, receivedAtMicros: number, version: number) => Fingerprint;
  /** For lines that cannot be read. */
  report: ReportLine;
}

/** The event that stands for an issue, and why it has its fingerprint. */
export interface FirstExample {
  /** `unknownBasis` if no event can be read. */
  readonly basis: FingerprintBasis;
  readonly first: NormalizedEvent | undefined;
}

/** Finds events that explain how issues are grouped. */
export class IssueExamples {
  readonly #options: IssueExamplesOptions;

  constructor(options: IssueExamplesOptions) {
    this.#options = options;
  }

  /** The issue's first event, else its latest, with the basis of its fingerprint. */
  async firstOf(content: IndexContent, issue: IssueState): Promise<FirstExample> {
    const event = await this.#eventOf(content, issue);
    const basis = event === undefined ? unknownBasis(issue) : this.#fingerprintOf(event, issue).basis;
    return { basis, first: event?.normalized };
  }

  /** The release of an event; null without one, and if the event cannot be read. */
  async releaseOf(issue: IssueState, row: EventRow): Promise<string | null> {
    return (await this.read(issue, row))?.normalized.release ?? null;
  }

  /** The payloads of the first event and of the latest ones that count, those that can be read, at most `count`. */
  async payloadsOf(content: IndexContent, issue: IssueState, count: number): Promise<RawPayload[]> {
    const first = await this.#eventOf(content, issue);
    if (first === undefined) return [];
    const events = [first];
    if (count > 1) {
      for await (const event of this.#latestOf(content, issue)) {
        if (event.eventId !== first.eventId) events.push(event);
        if (events.length === count) break;
      }
    }
    return events.map(({ payload }) => payload);
  }

  /** Finds an event by its own id or its issue's; rejects with an `ExplainFault` that names the side. */
  async find(
    content: IndexContent,
    lifecycles: IssueLifecycles,
    side: ExplainSide,
    id: string,
  ): Promise<GroupedExample> {
    const eventId = toEventId(id);
    const issueId = toIssueId(id);
    if (eventId === undefined || issueId === undefined) throw notAnId(side, id);
    const row = (await findEvent(content, eventId))?.row;
    // A merged member is found by its own id and stands for its own events.
    const issue = row === undefined ? content.issues.get(issueId) : content.issues.inOrder[row.ordinal];
    if (issue === undefined) throw explainNotFound(side, id);
    const event = await (row === undefined ? this.#eventOf(content, issue) : this.read(issue, row));
    if (event === undefined) throw explainNotFound(side, id);
    const [survivor = issue] = lifecycles.membersOf(issue);
    return {
      id: eventId,
      eventId: event.eventId,
      issueId: survivor.issueId,
      payload: event.payload,
      fingerprint: { ...this.#fingerprintOf(event, issue), value: issue.fingerprint },
    };
  }

  /** The first event, else the latest; undefined if neither can be read. */
  async #eventOf(content: IndexContent, issue: IssueState): Promise<ReadEvent | undefined> {
    const first = await firstEventOf(content, issue);
    const event = first && (await this.read(issue, first.row));
    if (event !== undefined) return event;
    for await (const row of eventsOf(content, issue)) return await this.read(issue, row);
    return undefined;
  }

  /** The latest events that count, those that can be read, among a bounded number of rows. */
  async *#latestOf(content: IndexContent, issue: IssueState): AsyncGenerator<ReadEvent> {
    let rows = 0;
    for await (const row of eventsOf(content, issue)) {
      rows += 1;
      if (rows > MAX_ROWS) return;
      const event = isTelling(row.weight, issue) ? await this.read(issue, row) : undefined;
      if (event !== undefined) yield event;
    }
  }

  #fingerprintOf({ payload, row }: ReadEvent, { fingerprintVersion }: IssueState): Fingerprint {
    return this.#options.explain(payload, row.receivedAtMicros, fingerprintVersion);
  }

  /** Undefined if the event cannot be read, which is reported. */
  async read(issue: IssueOfEvent, row: EventRow): Promise<ReadEvent | undefined> {
    const { index, record, report } = this.#options;
    try {
      const event = await readEvent(record, row, issue);
      // Retention may have removed the event since its row was found.
      const isRemoved = row.receivedAtMicros < index.content.removed.beforeMicros;
      if (event === undefined && !isRemoved) report(eventIdOf(row), rawLineMissing(row));
      return event;
    } catch (error) {
      if (!(error instanceof Fault) || error.code === 'READER_CLOSED') throw error;
      report(eventIdOf(row), error);
      return undefined;
    }
  }
}
