import type { KnownValues } from '../../core/query/complete-query.js';
import { parseQuery } from '../../core/query/parse-query.js';
import { QueryFault } from '../../core/query/query-fault.js';
import type { QuerySubject } from '../../core/query/query-fields.js';
import type { EventSummary, Facet, IssueSummary } from '../../generated/reader-answers.js';
import { MEMORY_LIMITS, type SessionMemory } from '../preferences/session-memory.js';
import type { PromptProblem } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';

type ValuesOf<Row> = (row: Row) => readonly (string | number | null)[];

const OF_ISSUES: Readonly<Record<string, ValuesOf<IssueSummary>>> = {
  level: ({ level }) => [level],
  service: ({ service }) => [service],
  app: ({ app }) => [app],
  env: ({ environments }) => environments,
  environment: ({ environments }) => environments,
  environments: ({ environments }) => environments,
  release: ({ releases }) => releases,
  releases: ({ releases }) => releases,
  error_name: ({ error_name }) => [error_name],
  culprit: ({ culprit }) => [culprit],
  title: ({ title }) => [title],
  assignee: ({ assignee }) => [assignee],
  type: ({ type }) => [type],
  fingerprint: ({ fingerprint }) => [fingerprint],
};

const OF_EVENTS = [
  'level',
  'service',
  'app',
  'env',
  'error_name',
  'release',
  'route',
  'method',
  'status_code',
  'user_id',
  'request_id',
  'session_id',
  'issue_id',
  'event_id',
] as const;

const TAG_PREFIX = 'tags.';
/** Rows that are scanned at every Tab. */
const MAX_ROWS = 1_000;

/** The values of loaded rows and facets, most frequent first. */
export function knownValues(state: TerminalState): KnownValues {
  const [{ list }] = state.stack;
  const rows: LoadedRows = {
    issues: list.rows.slice(0, MAX_ROWS),
    events: state.stack.flatMap((screen) =>
      screen.kind === 'issue' || screen.kind === 'events' ? screen.list.rows.slice(0, MAX_ROWS) : [],
    ),
    facets: state.stack.flatMap((screen) =>
      screen.kind === 'issue' ? ((screen.windowSummary ?? screen.summary)?.summary.facets ?? []) : [],
    ),
  };
  return {
    valuesOf: (field) => countedValues(field, rows),
    keysOf: (prefix) =>
      prefix === TAG_PREFIX
        ? rows.facets.flatMap(({ field }) => (field.startsWith(TAG_PREFIX) ? [field.slice(TAG_PREFIX.length)] : []))
        : [],
  };
}

interface LoadedRows {
  readonly issues: readonly IssueSummary[];
  readonly events: readonly EventSummary[];
  readonly facets: readonly Facet[];
}

function countedValues(field: string, { issues, events, facets }: LoadedRows): string[] {
  const counts = new Map<string, number>();
  const count = (value: string | number | null, times: number): void => {
    if (value !== null && value !== '') counts.set(String(value), (counts.get(String(value)) ?? 0) + times);
  };
  for (const { value, count: times } of facets
    .filter((facet) => facet.field === field)
    .flatMap((facet) => facet.values)) {
    count(value, times);
  }
  const eventField = OF_EVENTS.find((name) => name === field);
  if (eventField !== undefined) for (const event of events) count(event[eventField], 1);
  for (const value of issues.flatMap((issue) => OF_ISSUES[field]?.(issue) ?? [])) count(value, 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([value]) => value);
}

/** Why a text is not a query; undefined if it is one. */
export function queryProblem(text: string, subject: QuerySubject): PromptProblem | undefined {
  try {
    parseQuery(text, subject);
    return undefined;
  } catch (error) {
    if (error instanceof QueryFault) return { reason: error.message, column: error.column };
    throw error;
  }
}

/** Why a query is too long; undefined if it is not. */
export function tooLong(text: string, longest: number): PromptProblem | undefined {
  if (text.length <= longest) return undefined;
  return { reason: `The query is longer than ${longest} characters.`, column: longest + 1 };
}

/** Adds a query to the history; an empty one is not added. */
export function withQuery(memory: SessionMemory, query: string): SessionMemory {
  if (query === '') return memory;
  const others = memory.queries.filter((one) => one !== query);
  return { ...memory, queries: [...others, query].slice(-MEMORY_LIMITS.queries) };
}
