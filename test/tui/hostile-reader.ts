import { Fault } from '../../core/event/fault.js';
import type { JsonObject } from '../../core/event/json.js';
import type { RawPayload } from '../../core/event/raw-payload.js';
import type { EventDetail, IssueHistoryEntry, IssueSummary, Suggestion } from '../../generated/reader-answers.js';
import { allowActions } from './allow-actions.js';
import {
  type ArrayReader,
  createArrayReader,
  sampleEvent,
  sampleEventId,
  sampleIssue,
  sampleIssueId,
  sampleRelease,
  sampleSuggestion,
  sampleTime,
} from './array-reader.js';
import { hostileText } from './hostile-text.js';

const ISSUES = 20;
const EVENTS = 12;

/** A reader in which every external text is hostile, and texts begin differently in each field and row. */
export function createHostileReader(): ArrayReader {
  const issues = Array.from({ length: ISSUES }, (_, number) => hostileIssue(number));
  const events = Array.from({ length: EVENTS }, (_, number) => hostileEvent(ISSUES - 1, number));
  const reader = allowActions(createArrayReader({ issues, events }));
  const { act, getIssue, listIssues, summarizeEvents } = reader;
  reader.histories.set(
    sampleIssueId(ISSUES - 1),
    Array.from({ length: 40 }, (_, number) => hostileEntry(number)),
  );
  reader.receivers = { [hostileText(3)]: { ...EMPTY_LEDGER, reasons: { [hostileText(4)]: 1 } } };
  reader.addresses = {
    events: [`http://x/${hostileText(5).slice(0, 40)}`],
    [hostileText(6).slice(0, 40)]: [hostileText(7)],
  };
  reader.releases = [0, 1, 2].map((number) =>
    sampleRelease({ name: hostileText(number), first_seen: sampleTime(0), events: 1 }),
  );
  reader.suggested = { suggestions: [hostileSuggestion()], decided: [] };
  return Object.assign(reader, {
    // Comments fail, with a hostile message.
    act: async (issueId, request) => {
      if (request.action === 'comment' || act === undefined) throw new Fault('ACTION_INVALID', hostileText(8));
      return await act(issueId, request);
    },
    // Times become hostile only after the arrays were searched, because the search needs valid ones.
    listIssues: async (options) => {
      const page = await listIssues(options);
      return { ...page, issues: page.issues.map((issue, row) => (row % 5 === 4 ? withoutTimes(issue, row) : issue)) };
    },
    getIssue: async (issueId) => {
      const detail = await getIssue(issueId);
      const parts = Array.from({ length: 30 }, (_, number) => ({
        part: number === 0 ? 'frames' : hostileText(number),
        used: true,
        value: [hostileText(number + 1), { [hostileText(number + 2)]: hostileText(number + 3) }],
        reason: hostileText(number + 4),
      }));
      const basis = { version: 2, rule: hostileText(9), parts };
      return detail && { ...detail, basis, related: [sampleIssueId(0), sampleIssueId(1)] };
    },
    summarizeEvents: async (issueId, options) => {
      const summary = await summarizeEvents(issueId, options);
      const values = Array.from({ length: 10 }, (_, number) => ({
        value: hostileText(10 * number),
        count: 9 - number,
      }));
      const more = Array.from({ length: 16 }, (_, number) => hostileText(5 * number));
      const facet = (field: string) => ({ field, values, others: 1, without: 1 });
      return summary && { ...summary, facets: [...summary.facets.map(({ field }) => field), ...more].map(facet) };
    },
    sources: () =>
      (['connecting', 'connected', 'lost'] as const).map((kind, number) => ({
        name: hostileText(number),
        address: hostileText(30 + number),
        kind,
        reason: hostileText(60 + number),
        sinceMs: 0,
        stats: undefined,
        canAct: true,
      })),
    ownersOf: () => [hostileText(0), hostileText(1)],
  } satisfies Partial<ArrayReader>);
}

const EMPTY_LEDGER = {
  received: 1,
  stored: 0,
  rejected: 1,
  filtered: 0,
  sampled: 0,
  refused: 0,
  reasons: {},
  cuts: {},
  lost_by_clients: {},
};

function hostileSuggestion(): Suggestion {
  const text = hostileText;
  return sampleSuggestion(1, {
    service: text(3),
    pattern: text(4),
    varies: text(5),
    values: [text(6), text(7)],
    issue_ids: [sampleIssueId(0), sampleIssueId(1)],
    rule: { name: text(8), query: `message:"${text(9)}"`, fingerprint: [text(10), text(11)] },
  });
}

function hostileIssue(number: number): IssueSummary {
  const text = (field: number): string => hostileText(3 * number + 11 * field);
  return sampleIssue(number, {
    app: text(0),
    service: text(1),
    title: text(2),
    culprit: text(3),
    error_name: text(4),
    message: text(5),
    level: text(6),
    type: text(7),
    assignee: text(8).slice(0, 150),
    snooze: text(9),
    resolved_in: text(10),
    environments: [text(11), text(12)],
    releases: [text(13), text(14)],
    first_release: text(13),
    last_release: text(14),
    regressed_in: text(15),
    merged: number === ISSUES - 1 ? [sampleIssueId(7_000)] : [],
    count: number === ISSUES - 1 ? EVENTS : 1,
    trend: Array.from({ length: 24 }, (_, hour) => hour),
  });
}

function withoutTimes(issue: IssueSummary, number: number): IssueSummary {
  return { ...issue, first_seen: hostileText(number), last_seen: hostileText(number + 40) };
}

function hostileEvent(issueNumber: number, number: number): EventDetail {
  const text = (field: number): string => hostileText(7 * number + 5 * field);
  const extra: JsonObject = {
    [text(0)]: [text(1), { [text(2)]: text(3) }],
    plain: { [text(4)]: text(5), deep: [[text(6)]] },
  };
  const payload: RawPayload = {
    app: text(0),
    env: text(1),
    error_name: text(2),
    extra,
    level: text(3),
    message: `${text(4)}\n\n${text(5)}`,
    method: text(6),
    release: text(7),
    request_id: text(8),
    route: text(9),
    service: text(10),
    session_id: text(11),
    stack: stackOf(text),
    status_code: 500,
    tags: Object.fromEntries(Array.from({ length: 12 }, (_, key) => [text(key), text(key + 1)])),
    timestamp: text(12),
    user_id: text(13),
  };
  const event = sampleEvent(issueNumber, number);
  const { timestamp: _, level: __, extra: ___, ...copied } = payload;
  const { timestamp } = event.normalized;
  return {
    ...event,
    event_id: sampleEventId(number),
    raw: { path: `/raw/${text(14)}`, line: number, payload },
    normalized: { ...event.normalized, ...copied, level: text(3), extra, timestamp },
    notes: Array.from({ length: 5 }, (_, note) => ({
      code: text(note),
      field: text(note + 1),
      reason: text(note + 2),
    })),
  };
}

/** Frames as V8 writes them with hostile names, lines that are not frames, and a cause. */
function stackOf(text: (field: number) => string): string {
  // A newline would end the frame; all other characters are allowed.
  const inline = (field: number): string => text(field).replace(/[\r\n\v\f\u0085\u2028\u2029]/g, '');
  const frames = (first: number): string[] =>
    Array.from(
      { length: 8 },
      (_, index) => `    at ${inline(first + index)} (/srv/app/${inline(index)}.js:${index}:1)`,
    );
  return [text(0), ...frames(0), text(3), `Caused by: ${text(5)}`, ...frames(20), text(8)].join('\n');
}

function hostileEntry(number: number): IssueHistoryEntry {
  const text = (field: number): string => hostileText(9 * number + 3 * field);
  const action = ['resolve', 'ignore', 'assign', 'comment', text(0)][number % 5] ?? '';
  return {
    id: text(1),
    issue_id: sampleIssueId(ISSUES - 1),
    at: number % 7 === 0 ? text(2) : '2026-11-20T11:00:00Z',
    action,
    actor: text(3),
    detail: text(4),
    reason: text(5),
    undone: number % 3 === 0,
  };
}
