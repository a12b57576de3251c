import { explainNotFound } from '../../../core/contract/explain-fault.js';
import type { FailureReader } from '../../../core/contract/reader.js';
import { Fault } from '../../../core/event/fault.js';

/** An empty reader that records its calls. */
export interface MemoryReader extends FailureReader {
  readonly asked: unknown[];
  /** Thrown by the next call. */
  fault: Error | undefined;
}

const NO_ISSUES = { all: 0, open: 0, new: 0, regressed: 0, ignored: 0, resolved: 0, spiking: 0 };

export function createMemoryReader(): MemoryReader {
  const reader: MemoryReader = {
    asked: [],
    fault: undefined,
    listIssues: (options) => answer(['listIssues', options], { issues: [], next_cursor: null, total: 0 }),
    countIssues: (options) => answer(['countIssues', options], NO_ISSUES),
    getIssue: (id) => answer(['getIssue', id], undefined),
    listEvents: (id, options) => answer(['listEvents', id, options], { events: [], next_cursor: null }),
    summarizeEvents: (id, options) => answer(['summarizeEvents', id, options], undefined),
    searchEvents: (options) =>
      answer(['searchEvents', options], {
        events: [],
        next_cursor: null,
        scanned: { events: 0, bytes: 0 },
        total: { events: 0, bytes: 0 },
        is_complete: true,
      }),
    getEvent: (id) => answer(['getEvent', id], undefined),
    explain: (a, b) => {
      const fault = explainNotFound('b', b);
      return answer(['explain', a, b], undefined).then(() => Promise.reject(fault));
    },
    stats: () => Promise.reject(new Fault('READER_CLOSED', 'the reader is closed', { retryable: true })),
    access: () => answer(['access'], { actions: true }),
    close: async () => {},
  };
  async function answer<T>(asked: unknown[], value: T): Promise<T> {
    const { fault } = reader;
    reader.fault = undefined;
    if (fault !== undefined) throw fault;
    reader.asked.push(asked);
    return value;
  }
  return reader;
}
