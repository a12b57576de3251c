import { explainNotFound } from '../../../core/contract/explain-fault.js';
import type { FailureReader } from '../../../core/contract/reader.js';
import { Fault } from '../../../core/event/fault.js';

/** An empty reader that records its calls. */
export interface MemoryReader extends FailureReader {
  readonly calls: unknown[];
  /** Thrown by the next call, once. */
  fault: Error | undefined;
}

const NO_ISSUES = { all: 0, open: 0, review: 0, mine: 0, new: 0, regressed: 0, ignored: 0, resolved: 0, spiking: 0 };

export function createMemoryReader(): MemoryReader {
  const reader: MemoryReader = {
    calls: [],
    fault: undefined,
    listIssues: (options) => respond(['listIssues', options], { issues: [], next_cursor: null, total: 0 }),
    countIssues: (options) => respond(['countIssues', options], NO_ISSUES),
    listValues: (options) => respond(['listValues', options], { values: [], total: 0 }),
    listIssuesSince: (options) =>
      respond(['listIssuesSince', options], { issues: [], counts: { new: 0, came_back: 0, more: 0, quiet: 0 } }),
    getRelease: (name) => respond(['getRelease', name], undefined),
    listReleases: (options) => respond(['listReleases', options], { releases: [], total: 0 }),
    getIssue: (id) => respond(['getIssue', id], undefined),
    listEvents: (id, options) => respond(['listEvents', id, options], { events: [], next_cursor: null }),
    summarizeEvents: (id, options) => respond(['summarizeEvents', id, options], undefined),
    listRejected: (options) => respond(['listRejected', options], { rejected: [], next_cursor: null, damaged: 0 }),
    searchEvents: (options) =>
      respond(['searchEvents', options], {
        events: [],
        next_cursor: null,
        scanned: { events: 0, bytes: 0 },
        total: { events: 0, bytes: 0 },
        is_complete: true,
      }),
    getEvent: (id) => respond(['getEvent', id], undefined),
    explain: (a, b) => {
      const fault = explainNotFound('b', b);
      return respond(['explain', a, b], undefined).then(() => Promise.reject(fault));
    },
    suggestions: (options) => respond(['suggestions', options], { suggestions: [], decided: [] }),
    stats: () => Promise.reject(new Fault('READER_CLOSED', 'the reader is closed', { retryable: true })),
    access: () => respond(['access'], { actions: true }),
    close: async () => {},
  };
  async function respond<T>(call: unknown[], value: T): Promise<T> {
    const { fault } = reader;
    reader.fault = undefined;
    if (fault !== undefined) throw fault;
    reader.calls.push(call);
    return value;
  }
  return reader;
}
