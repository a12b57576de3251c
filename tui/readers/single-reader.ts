import { canAct, type SourceReader, type SourceState, type TerminalReader } from './source.js';
import { isQuestionFault, isUnauthorized } from './source-faults.js';

/** One source as it is, with its state beside it. `nowMs`: wall clock in milliseconds since the epoch. Closing it closes the reader. */
export function createSingleReader(
  { name, address }: { readonly name: string; readonly address: string },
  reader: SourceReader,
  nowMs: () => number = Date.now,
): TerminalReader {
  let state: SourceState = {
    name,
    address,
    kind: 'connecting',
    reason: undefined,
    sinceMs: undefined,
    events: undefined,
    issues: undefined,
    canAct: undefined,
  };

  function connected(): void {
    state = { ...state, kind: 'connected', reason: undefined, sinceMs: undefined };
  }

  async function watch<T>(call: Promise<T>): Promise<T> {
    try {
      const value = await call;
      connected();
      return value;
    } catch (error) {
      if (isQuestionFault(error)) connected();
      else {
        const reason = error instanceof Error ? error.message : String(error);
        const kind = isUnauthorized(error) ? 'unauthorized' : 'lost';
        state = { ...state, kind, reason, sinceMs: state.sinceMs ?? nowMs(), canAct: undefined };
      }
      throw error;
    }
  }

  const { act } = reader;
  return {
    listIssues: (options) => watch(reader.listIssues(options)),
    countIssues: (options) => watch(reader.countIssues(options)),
    getIssue: (issueId) => watch(reader.getIssue(issueId)),
    listEvents: (issueId, options) => watch(reader.listEvents(issueId, options)),
    summarizeEvents: (issueId, options) => watch(reader.summarizeEvents(issueId, options)),
    searchEvents: (options) => watch(reader.searchEvents(options)),
    getEvent: (eventId) => watch(reader.getEvent(eventId)),
    explain: (a, b) => watch(reader.explain(a, b)),
    async stats() {
      const stats = await watch(reader.stats());
      state = { ...state, events: stats.events, issues: stats.issues };
      return stats;
    },
    async access() {
      const actions = await watch(canAct(reader));
      state = { ...state, canAct: actions };
      return { actions };
    },
    ...(act !== undefined && { act: (issueId, request) => watch(act(issueId, request)) }),
    close: () => reader.close(),
    sources: () => [state],
    ownersOf: () => [],
  };
}
