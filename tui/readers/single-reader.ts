import { messageOf } from '../../core/event/fault.js';
import { isRequestFault, isUnauthorized } from '../../core/merged/connection.js';
import {
  canAct,
  type SourceReader,
  type SourceState,
  type SourcesReader,
  withPeers,
} from '../../core/merged/source.js';

/** Wraps one source and records its state. Closing it closes the reader. */
export function createSingleReader(
  { name, address }: { readonly name: string; readonly address: string },
  reader: SourceReader,
  nowMs: () => number = Date.now,
): SourcesReader {
  let state: SourceState = { name, address, kind: 'connecting', stats: undefined };

  function connected(): void {
    state = { ...state, kind: 'connected', reason: undefined, sinceMs: undefined };
  }

  async function track<T>(call: Promise<T>): Promise<T> {
    try {
      const value = await call;
      connected();
      return value;
    } catch (error) {
      if (isRequestFault(error)) connected();
      else {
        const kind = isUnauthorized(error) ? 'unauthorized' : 'lost';
        state = { ...state, kind, reason: messageOf(error), sinceMs: state.sinceMs ?? nowMs(), canAct: undefined };
      }
      throw error;
    }
  }

  const { act, decide } = reader;
  return {
    listIssues: (options) => track(reader.listIssues(options)),
    countIssues: (options) => track(reader.countIssues(options)),
    listValues: (options) => track(reader.listValues(options)),
    listIssuesSince: (options) => track(reader.listIssuesSince(options)),
    listReleases: (options) => track(reader.listReleases(options)),
    getIssue: (issueId) => track(reader.getIssue(issueId)),
    listEvents: (issueId, options) => track(reader.listEvents(issueId, options)),
    summarizeEvents: (issueId, options) => track(reader.summarizeEvents(issueId, options)),
    searchEvents: (options) => track(reader.searchEvents(options)),
    getEvent: (eventId) => track(reader.getEvent(eventId)),
    listRejected: (options) => track(reader.listRejected(options)),
    explain: (a, b) => track(reader.explain(a, b)),
    suggestions: (options) => track(reader.suggestions(options)),
    async stats() {
      const stats = await track(reader.stats());
      state = { ...state, stats };
      return stats;
    },
    async access() {
      const actions = await track(canAct(reader));
      state = { ...state, canAct: actions };
      return { actions };
    },
    ...(act !== undefined && { act: (issueId, request) => track(act(issueId, request)) }),
    ...(decide !== undefined && { decide: (...decision) => track(decide(...decision)) }),
    close: () => reader.close(),
    sources: () => withPeers(state),
    ownersOf: () => [],
  };
}
