import { isOfIssue } from '../../query/match-query.js';
import type { FieldNode, QueryNode } from '../../query/query-ast.js';
import type { FieldValue } from '../../query/query-fields.js';
import { pieceOfField, pieceOfText } from '../../query/raw-pieces.js';
import type { TextPattern } from '../../query/text-pattern.js';
import { valueMatcher } from '../../query/value-matcher.js';
import { eventIdOf } from '../events/read-event.js';
import type { IssueState } from '../index/content/issue-state.js';
import type { EventRow } from '../index/segments/event-segment.js';
import { encodePartitionName } from '../record/partitions/partition-name.js';
import { lineTestsOf } from './raw-field-predicates.js';
import { type LineTest, MAYBE, NO, pieceTest, type Verdict, YES } from './raw-predicates.js';

const ENCODED_BYTE = /%([0-9A-F]{2})/g;

/** What is known of an event without its text being parsed. */
export interface PrefilteredEvent {
  readonly row: EventRow;
  /** The verdict of one of the sieve's tests on its raw line, by place; undefined as long as that was not read. */
  readonly tested: ((test: number) => Verdict) | undefined;
}

/** Tells what is known of events: never no where an event matches, never yes where it does not. */
export interface EventPrefilter {
  /** What is asked of raw lines. */
  readonly tests: readonly LineTest[];
  verdict(event: PrefilteredEvent): Verdict;
}

/** What a sieve looks at beside events. */
export interface PrefilterContext {
  /** By ordinal, as events have them, not as they are shown. */
  readonly issues: readonly IssueState[];
  /** Whether a term about its issue alone holds for an event of the issue with that ordinal. */
  readonly holdsForIssue: (node: FieldNode) => (ordinal: number) => boolean;
  /** Whether the title under which an event's issue is shown matches. */
  readonly titleMatches: (pattern: TextPattern) => (ordinal: number) => boolean;
  readonly nowMs: number;
}

type Prefilter = (event: PrefilteredEvent) => Verdict;

/** Tests of raw lines; each costs a pass over them. */
const MAX_TESTS = 8;

/** Makes the sieve of a query for events. */
export function createEventPrefilter(query: QueryNode, context: PrefilterContext): EventPrefilter {
  const tests: LineTest[] = [];
  return { verdict: prefilterOf(query, context, tests), tests };
}

function prefilterOf(query: QueryNode, context: PrefilterContext, tests: LineTest[]): Prefilter {
  switch (query.kind) {
    case 'and':
      return lowest(query.nodes.map((node) => prefilterOf(node, context, tests)));
    case 'or':
      return highest(query.nodes.map((node) => prefilterOf(node, context, tests)));
    case 'not': {
      const prefilter = prefilterOf(query.node, context, tests);
      return (event) => opposite(prefilter(event));
    }
    case 'text': {
      const piece = pieceOfText(query.pattern);
      const inTitle = ofIssue(context.titleMatches(query.pattern), context);
      return highest([inTitle, testPrefilter(piece && pieceTest(piece), tests)]);
    }
    case 'field':
      return fieldPrefilter(query, context, tests);
  }
}

function fieldPrefilter(node: FieldNode, context: PrefilterContext, tests: LineTest[]): Prefilter {
  const { field, test } = node;
  if (isOfIssue(field)) return ofIssue(context.holdsForIssue(node), context);
  const matches = valueMatcher(field, test, context.nowMs);
  const holds = (value: FieldValue): boolean =>
    (typeof value === 'string' || typeof value === 'number') && matches(value);
  if (ENVIRONMENTS.has(field.name)) return ofEnvironment(holds);
  const rowValueOf = ROW_VALUES[field.name];
  if (rowValueOf !== undefined) {
    return ({ row }) => (holds(rowValueOf(row, context.issues[row.ordinal])) ? YES : NO);
  }
  const ofField = lineTestsOf(field.name, holds);
  if (ofField !== undefined) {
    const prefilter = highest(ofField.anyOf.map((one) => testPrefilter(one, tests)));
    return ofField.isNegated ? (event) => opposite(prefilter(event)) : prefilter;
  }
  const piece = pieceOfField(node);
  return testPrefilter(piece && pieceTest(piece), tests);
}

const ENVIRONMENTS: ReadonlySet<string> = new Set(['env', 'environment', 'environments']);

/** What rows and the events' own issues say of fields. */
const ROW_VALUES: Readonly<Record<string, (row: EventRow, issue: IssueState | undefined) => FieldValue>> = {
  service: (_, issue) => issue?.service ?? null,
  app: (_, issue) => issue?.app ?? null,
  fingerprint: (_, issue) => issue?.fingerprint ?? null,
  event_id: (row) => eventIdOf(row),
  timestamp: (row) => row.eventTimeMs,
  received_at: (row) => Math.floor(row.receivedAtMicros / 1000),
};

/** Asks once for each folder. */
function ofEnvironment(holds: (value: FieldValue) => boolean): Prefilter {
  const known = new Map<string, Verdict>();
  return ({ row: { partition } }) => {
    let verdict = known.get(partition.folder);
    if (verdict === undefined) {
      const environment = environmentOf(partition.folder);
      verdict = MAYBE;
      if (environment !== undefined) verdict = holds(environment) ? YES : NO;
      known.set(partition.folder, verdict);
    }
    return verdict;
  };
}

/** Asks once for each issue. */
function ofIssue(holds: (ordinal: number) => boolean, { issues }: PrefilterContext): Prefilter {
  const known = new Uint8Array(issues.length);
  return ({ row: { ordinal } }) => {
    const answer = known[ordinal];
    if (answer === 1) return NO;
    if (answer === 2) return YES;
    const isHeld = holds(ordinal);
    known[ordinal] = isHeld ? 2 : 1;
    return isHeld ? YES : NO;
  };
}

function testPrefilter(test: LineTest | undefined, tests: LineTest[]): Prefilter {
  if (test === undefined || tests.length === MAX_TESTS) return () => MAYBE;
  const index = tests.push(test) - 1;
  return ({ tested }) => (tested === undefined ? MAYBE : tested(index));
}

function lowest(prefilters: readonly Prefilter[]): Prefilter {
  return (event) => {
    let verdict: Verdict = YES;
    for (const prefilter of prefilters) {
      const other = prefilter(event);
      if (other < verdict) verdict = other;
      if (verdict === NO) break;
    }
    return verdict;
  };
}

function highest(prefilters: readonly Prefilter[]): Prefilter {
  return (event) => {
    let verdict: Verdict = NO;
    for (const prefilter of prefilters) {
      const other = prefilter(event);
      if (other > verdict) verdict = other;
      if (verdict === YES) break;
    }
    return verdict;
  };
}

function opposite(verdict: Verdict): Verdict {
  if (verdict === MAYBE) return MAYBE;
  return verdict === YES ? NO : YES;
}

/** The environment of the events in a partition's folder; undefined where the folder's name does not tell, as for very long names. */
function environmentOf(folder: string): string | undefined {
  const [, name = ''] = folder.split('/', 2);
  const decoded = name === '%' ? '' : decodeName(name);
  return encodePartitionName(decoded) === name ? decoded : undefined;
}

function decodeName(name: string): string {
  if (!name.includes('%')) return name;
  const bytes = name.replace(ENCODED_BYTE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
