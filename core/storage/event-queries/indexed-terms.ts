import { createMatcher, isOfIssue } from '../../query/match-query.js';
import type { QueryNode } from '../../query/query-ast.js';
import type { FieldValue, QueryField } from '../../query/query-fields.js';
import type { SearchableIssue } from '../../query/searchable.js';
import type { IssueState } from '../index/content/issue-state.js';
import { eventIdOf } from '../index/read-event.js';
import type { EventRow } from '../index/segments/event-segment.js';
import { encodePartitionName } from '../record/partitions/partition-name.js';

/** An event as the index knows it. */
interface IndexedEvent {
  readonly row: EventRow;
  /** Its own, before merging. */
  readonly issue: IssueState | undefined;
  readonly environment: string;
}

interface IndexTermsOptions {
  /** By ordinal, before merging. */
  readonly issues: readonly IssueState[];
  /** The issue under which the events of an issue are shown; valid until the next call. */
  readonly shownAt: (ordinal: number) => SearchableIssue;
  readonly nowMs: number;
}

const environmentOf = ({ environment }: IndexedEvent): FieldValue => environment;

/** Fields of an event whose values the index knows, beside those of its issue. */
const INDEXED_FIELDS: Readonly<Record<string, (event: IndexedEvent) => FieldValue>> = {
  env: environmentOf,
  environment: environmentOf,
  environments: environmentOf,
  service: ({ issue }) => issue?.service ?? null,
  app: ({ issue }) => issue?.app ?? null,
  fingerprint: ({ issue }) => issue?.fingerprint ?? null,
  event_id: ({ row }) => eventIdOf(row),
  timestamp: ({ row }) => row.eventTimeMs,
  received_at: ({ row }) => Math.floor(row.receivedAtMicros / 1000),
};

/** Tests an event by those terms of a query that must hold and that the index decides; the others may hold. */
export function createIndexTest(
  query: QueryNode,
  { issues, shownAt, nowMs }: IndexTermsOptions,
): (row: EventRow) => boolean {
  const terms = (query.kind === 'and' ? query.nodes : [query]).filter((term) => hasOnly(term, isIndexed));
  if (terms.length === 0) return () => true;
  const issueOf = ({ row }: IndexedEvent): SearchableIssue => shownAt(row.ordinal);
  const matches = createMatcher<IndexedEvent>(
    { kind: 'and', nodes: terms },
    {
      valueOf: (field, event) => INDEXED_FIELDS[field.name]?.(event) ?? field.ofIssue?.(issueOf(event)) ?? null,
      searchTextOf: () => '',
      issueOf,
      nowMs,
    },
  );
  /** By the folder of a partition. */
  const environments = new Map<string, string | undefined>();
  return (row) => {
    const { folder } = row.partition;
    if (!environments.has(folder)) environments.set(folder, environmentIn(folder));
    const environment = environments.get(folder);
    return environment === undefined || matches({ row, issue: issues[row.ordinal], environment });
  };
}

/** Whether a term has the same result for all events of an issue. */
export function isAboutIssue(term: QueryNode): boolean {
  return hasOnly(term, isOfIssue);
}

function isIndexed(field: QueryField): boolean {
  return isOfIssue(field) || Object.hasOwn(INDEXED_FIELDS, field.name);
}

/** Whether a term has fields, all of that sort, and no text. */
function hasOnly(term: QueryNode, isSuch: (field: QueryField) => boolean): boolean {
  switch (term.kind) {
    case 'and':
    case 'or':
      return term.nodes.length > 0 && term.nodes.every((node) => hasOnly(node, isSuch));
    case 'not':
      return hasOnly(term.node, isSuch);
    case 'field':
      return isSuch(term.field);
    case 'text':
      return false;
  }
}

/** The environment in the folder of a partition; undefined if the name is cut, as very long ones are. */
function environmentIn(folder: string): string | undefined {
  const [, name = ''] = folder.split('/', 2);
  const environment = name === '%' ? '' : decodeName(name);
  return encodePartitionName(environment) === name ? environment : undefined;
}

const ENCODED_BYTE = /%([0-9A-F]{2})/g;

function decodeName(name: string): string {
  const bytes = name.replace(ENCODED_BYTE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
