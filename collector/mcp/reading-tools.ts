import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Brief } from '../../core/brief/brief.js';
import { eventBrief } from '../../core/brief/event-brief.js';
import { issueBrief } from '../../core/brief/issue-brief.js';
import { listBrief } from '../../core/brief/list-brief.js';
import { type FailureReader, ISSUE_SORTS, type IssueSort } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { type IssueId, toEventId, toIssueId } from '../../core/event/ids.js';
import type { JsonObject } from '../../core/event/json.js';
import type { EventSummary, IssueSummary } from '../../generated/reader-answers.js';
import { collectChanges } from './collect-changes.js';
import { groupingBrief } from './grouping-brief.js';
import { createTool, type McpTool } from './mcp-tool.js';
import { ANSWER_TOKENS, fitAnswer, fitRows } from './tool-answer.js';
import {
  ID,
  ISSUE,
  LISTING,
  type ListingArguments,
  members,
  output,
  type ReadingArguments,
  readingInput,
  rows,
  text,
} from './tool-schema.js';

const DEFAULT_ROWS = 20;
/** Of the actions of an issue, so that one can be undone. */
const MAX_ACTIONS = 5;
const ISSUE_ROW = ['issue_id', 'status', 'count'] as const;
const ISSUE_FACTS = ['issue_id', 'status', 'regressed', 'is_new', 'spiking', 'count', 'users', 'first_seen'] as const;

/** The tools that read. */
export const READING_TOOLS: readonly McpTool[] = [
  createTool<ListingArguments & { sort?: IssueSort }>({
    name: 'list_issues',
    description: 'List issues (failures of one cause) that match a query.',
    input: readingInput({ ...LISTING, sort: { enum: [...ISSUE_SORTS], default: 'last_seen' } }),
    output: output({
      issues: rows(members('IssueSummary', ...ISSUE_ROW)),
      ...members('IssuePage', 'total', 'next_cursor'),
    }),
    run: ({ max_tokens, limit, ...options }, { reader }) =>
      pagedAnswer(max_tokens, limit, async (rows) => {
        const { issues, next_cursor, total } = await reader.listIssues({ ...options, limit: rows });
        return { rows: issues, facts: { issues: issues.map(issueRow), total, next_cursor } };
      }),
  }),
  createTool<{ issue_id: string } & ReadingArguments>({
    name: 'get_issue',
    description: 'Show one issue with its latest event: error, stack, breadcrumbs, counts, releases, actions.',
    input: readingInput({ issue_id: ISSUE }, ['issue_id']),
    output: output({
      ...members('IssueSummary', ...ISSUE_FACTS, 'last_seen'),
      event_id: { type: ['string', 'null'] },
      actions: rows(members('IssueHistoryEntry', 'id', 'action', 'at', 'undone')),
    }),
    run: async ({ issue_id, max_tokens = ANSWER_TOKENS.byDefault }, { reader }) => {
      const issueId = await findIssue(reader, issue_id);
      const [issue, page] = await Promise.all([reader.getIssue(issueId), reader.listEvents(issueId, { limit: 1 })]);
      if (issue === undefined) throw notFound('issue', issueId);
      const eventId = page?.events[0]?.event_id;
      const event = eventId && (await reader.getEvent(eventId));
      const actions = issue.history.slice(-MAX_ACTIONS).map((one) => pick(one, 'id', 'action', 'at', 'undone'));
      const facts = { ...pick(issue, ...ISSUE_FACTS, 'last_seen'), event_id: eventId ?? null, actions };
      return await fitAnswer(max_tokens, (maxTokens) => ({
        brief: issueBrief(issue, event, { maxTokens, nowMs: Date.now() }),
        facts,
        ...(eventId !== undefined && { rawEventId: eventId }),
      }));
    },
  }),
  createTool<ListingArguments & { issue_id?: string }>({
    name: 'search_events',
    description:
      'Search events, newest first, of all issues or of one. A page may be empty and still have a next_cursor.',
    input: readingInput({ ...LISTING, issue_id: ISSUE }),
    output: output({
      events: rows(members('EventSummary', 'event_id', 'issue_id')),
      ...members('EventPage', 'next_cursor'),
    }),
    run: ({ max_tokens, limit, issue_id, ...options }, { reader }) =>
      pagedAnswer(max_tokens, limit, async (rows) => {
        const page = { ...options, limit: rows };
        const issueId = issue_id === undefined ? undefined : await findIssue(reader, issue_id);
        const answer = await (issueId === undefined ? reader.searchEvents(page) : reader.listEvents(issueId, page));
        if (answer === undefined) throw notFound('issue', issueId ?? '');
        const { events, next_cursor } = answer;
        return {
          rows: events,
          facts: { events: events.map((one) => pick(one, 'event_id', 'issue_id')), next_cursor },
        };
      }),
  }),
  createTool<{ event_id: string } & ReadingArguments>({
    name: 'get_event',
    description: 'Show one event: error, stack with source, breadcrumbs, tags, other data.',
    input: readingInput({ event_id: ID }, ['event_id']),
    output: output({
      ...members('EventDetail', 'event_id', 'issue_id'),
      ...members('NormalizedEvent', 'timestamp'),
      origin: { type: ['string', 'null'] },
    }),
    run: async ({ event_id, max_tokens = ANSWER_TOKENS.byDefault }, { reader }) => {
      const eventId = toEventId(event_id);
      const event = eventId && (await reader.getEvent(eventId));
      if (event === undefined) throw notFound('event', event_id);
      const { origin = null, normalized } = event;
      const facts = { ...pick(event, 'event_id', 'issue_id'), timestamp: normalized.timestamp, origin };
      return await fitAnswer(max_tokens, (maxTokens) => ({
        brief: eventBrief(event, { maxTokens, nowMs: Date.now() }),
        facts,
        rawEventId: event.event_id,
      }));
    },
  }),
  createTool<{ a: string; b?: string } & ReadingArguments>({
    name: 'explain_grouping',
    description:
      'Explain why two events or issues (ids) are one issue or two, with a rule that changes it; or what groups one.',
    input: readingInput({ a: ID, b: ID }, ['a']),
    output: output({
      ...members('GroupingComparison', 'same'),
      equal: { type: 'integer' },
      differ: { type: 'integer' },
    }),
    run: async ({ a, b = a, max_tokens = ANSWER_TOKENS.byDefault }, { reader }) => {
      const comparison = await reader.explain(a.toLowerCase(), b.toLowerCase());
      const { same, equal, differ } = comparison;
      const facts = { same, equal: equal.length, differ: differ.length };
      return await fitAnswer(max_tokens, (maxTokens) => ({
        brief: groupingBrief(comparison, { maxTokens, nowMs: Date.now() }),
        facts,
      }));
    },
  }),
  createTool<ListingArguments & { wait_seconds?: number }>({
    name: 'changes_since',
    description:
      'Issues that are new, changed or regressed since a cursor. Without cursor: the cursor of now. With wait_seconds it answers at the first change: get a cursor, run a program, call again.',
    input: readingInput({
      ...LISTING,
      cursor: text(2_000, 'Of an earlier answer'),
      wait_seconds: { type: 'integer', minimum: 0, maximum: 30, default: 0 },
    }),
    output: output({
      changes: rows({ kind: { type: 'string' }, ...members('IssueSummary', ...ISSUE_ROW) }),
      cursor: { type: 'string' },
      has_more: { type: 'boolean' },
      earlier_lost: { type: 'boolean' },
    }),
    run: async (
      { query = '', limit = DEFAULT_ROWS, cursor, wait_seconds = 0, max_tokens = ANSWER_TOKENS.byDefault },
      { changes: feed },
      signal,
    ) => {
      const after = cursor === undefined ? {} : { after: cursor };
      const collected = await collectChanges(feed, { query, limit, waitMs: wait_seconds * 1_000, signal, ...after });
      const all = collected.changes.length;
      return await fitRows(max_tokens, all, async (rows, maxTokens) => {
        const shown = collected.changes.slice(0, rows);
        const brief = briefOfRows(
          shown.map(({ issue }) => issue),
          maxTokens,
        );
        const next = shown.length === all ? collected.cursor : (shown.at(-1)?.cursor ?? collected.cursor);
        const kinds = shown.map(({ kind }, index) => `${index + 1}. ${kind}`).join(', ');
        const lost = collected.isReset ? ' Earlier changes are lost: list the issues again.' : '';
        const said = `${shown.length} changed. ${kinds}${lost}\nCursor: ${next}`;
        return {
          rows: shown.length,
          brief: { ...brief, parts: [{ from: 'server', text: said }, ...brief.parts] },
          facts: {
            changes: shown.map(({ kind, issue }) => ({ kind, ...issueRow(issue) })),
            cursor: next,
            has_more: collected.hasMore || shown.length < all,
            earlier_lost: collected.isReset,
          },
        };
      });
    },
  }),
];

type Row = IssueSummary | EventSummary;

/** Answers with a page of as many rows as fit; a shorter page is read again for its cursor. */
async function pagedAnswer(
  maxTokens: number = ANSWER_TOKENS.byDefault,
  limit: number = DEFAULT_ROWS,
  read: (limit: number) => Promise<{ rows: readonly Row[]; facts: JsonObject }>,
): Promise<CallToolResult> {
  return await fitRows(maxTokens, limit, async (count, briefTokens) => {
    const { rows, facts } = await read(count);
    return { rows: rows.length, brief: briefOfRows(rows, briefTokens), facts };
  });
}

const NO_ROWS: Pick<Brief, 'parts' | 'leftOut'> = { parts: [{ from: 'server', text: 'None.' }], leftOut: {} };

function briefOfRows(rows: readonly Row[], maxTokens: number): Pick<Brief, 'parts' | 'leftOut'> {
  return rows.length === 0 ? NO_ROWS : listBrief(rows, { maxTokens, nowMs: Date.now() });
}

function issueRow(issue: IssueSummary) {
  return pick(issue, ...ISSUE_ROW);
}

function pick<Whole, Name extends keyof Whole>(whole: Whole, ...names: Name[]): Pick<Whole, Name> {
  return Object.fromEntries(names.map((name) => [name, whole[name]])) as Pick<Whole, Name>;
}

/** Takes a whole id, or its start as in lists. */
async function findIssue(reader: FailureReader, id: string): Promise<IssueId> {
  const whole = toIssueId(id);
  if (whole !== undefined) return whole;
  const { issues, total } = await reader.listIssues({ query: `issue_id:${id.toLowerCase()}*`, limit: 1 });
  if (total > 1) throw new Fault('PARAMETER_INVALID', `${total} issues start with ${id}: give the whole id.`);
  const [issue] = issues;
  if (issue === undefined) throw notFound('issue', id);
  return issue.issue_id;
}

/** The Fault `ISSUE_NOT_FOUND` or `EVENT_NOT_FOUND`. */
export function notFound(what: 'issue' | 'event', id: string): Fault {
  return new Fault(`${what.toUpperCase()}_NOT_FOUND`, `No ${what} ${id}.`);
}
