import { isOfIssue } from '../../query/match-query.js';
import type { FieldNode, QueryNode } from '../../query/query-ast.js';
import type { FieldValue } from '../../query/query-fields.js';
import { pieceOfField, pieceOfText, type RawPiece } from '../../query/raw-pieces.js';
import type { TextPattern } from '../../query/text-pattern.js';
import { valueMatcher } from '../../query/value-matcher.js';
import type { IssueState } from '../index/content/issue-state.js';
import { eventIdOf } from '../index/read-event.js';
import type { EventSegment } from '../index/segments/event-segment.js';
import { encodePartitionName } from '../record/partitions/partition-name.js';
import {
  keyTest,
  type LineTest,
  lineTestsOf,
  MAYBE,
  NO,
  pieceTest,
  textToken,
  type Verdict,
  YES,
} from './raw-predicates.js';

const ENCODED_BYTE = /%([0-9A-F]{2})/g;

/** The row of a segment. */
type Row = Pick<
  EventSegment,
  'row' | 'ordinalAt' | 'partitionAt' | 'partitions' | 'eventTimeMsAt' | 'receivedAtMicrosAt'
>;

/** `tested`: verdicts of the prefilter's tests on the raw line, by index; undefined until it is read. */
type Prefilter = (segment: Row, index: number, tested: ((test: number) => Verdict) | undefined) => Verdict;

/** Decides without parsing: never `NO` for events that match, never `YES` for others. */
export interface EventPrefilter {
  readonly tests: readonly LineTest[];
  readonly verdict: Prefilter;
  /** What every match holds; undefined if nothing is certain. */
  readonly required: RequiredPiece | undefined;
}

/** A piece of text that the raw lines of all matches hold. */
export interface RequiredPiece {
  readonly piece: RawPiece;
  /** Whether events of an issue match without it, by ordinal. */
  readonly isTitled: ((ordinal: number) => boolean) | undefined;
}

/** What a prefilter uses beside events. */
interface PrefilterContext {
  /** By ordinal, before merging. */
  readonly issues: readonly IssueState[];
  /** Whether a term about issues holds for the issue with an ordinal. */
  readonly holdsForIssue: (node: FieldNode) => (ordinal: number) => boolean;
  /** Whether the shown title of an issue matches. */
  readonly titleMatches: (pattern: TextPattern) => (ordinal: number) => boolean;
  readonly nowMs: number;
}

/** Each test costs a pass over the lines. */
const MAX_TESTS = 8;

/** Creates the prefilter of a query for events. */
export function createEventPrefilter(query: QueryNode, context: PrefilterContext): EventPrefilter {
  const tests: LineTest[] = [];
  let required: RequiredPiece | undefined;
  const prefilters = (query.kind === 'and' ? query.nodes : [query]).map((node) => {
    const test = tests.length;
    const prefilter = prefilterOf(node, context, tests);
    const piece = node.kind === 'text' || node.kind === 'field' ? tests[test]?.piece : undefined;
    if (piece !== undefined && piece.text.length > (required?.piece.text.length ?? 0)) {
      required = { piece, isTitled: node.kind === 'text' ? context.titleMatches(node.pattern) : undefined };
    }
    return prefilter;
  });
  return { verdict: folded(NO, prefilters), tests, required };
}

function prefilterOf(query: QueryNode, context: PrefilterContext, tests: LineTest[]): Prefilter {
  switch (query.kind) {
    case 'and':
      return folded(
        NO,
        query.nodes.map((node) => prefilterOf(node, context, tests)),
      );
    case 'or': {
      const listed = listTestOf(query.nodes, context.nowMs);
      if (listed !== undefined) return testPrefilter(listed, tests);
      return folded(
        YES,
        query.nodes.map((node) => prefilterOf(node, context, tests)),
      );
    }
    case 'not':
      return negated(prefilterOf(query.node, context, tests));
    case 'text': {
      const piece = pieceOfText(query.pattern);
      const inTitle = ofIssue(context.titleMatches(query.pattern), context);
      return folded(YES, [inTitle, testPrefilter(piece && pieceTest(piece), tests)]);
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
    return (segment, index) => (holds(rowValueOf(segment, index, context.issues[segment.ordinalAt(index)])) ? YES : NO);
  }
  const ofField = lineTestsOf(field.name, holds);
  if (ofField !== undefined) {
    const prefilter = folded(
      YES,
      ofField.anyOf.map((one) => testPrefilter(one, tests)),
    );
    return ofField.isNegated ? negated(prefilter) : prefilter;
  }
  const piece = pieceOfField(node);
  return testPrefilter(piece && pieceTest(piece), tests);
}

/** One test for many values of a field that names a request, trace or session; undefined for other alternatives. */
function listTestOf(nodes: readonly QueryNode[], nowMs: number): LineTest | undefined {
  const [first] = nodes;
  const key = first?.kind === 'field' ? LISTED_KEYS[first.field.name] : undefined;
  const matchers = nodes.flatMap((node) => {
    const isListed = node.kind === 'field' && LISTED_KEYS[node.field.name] === key;
    return isListed ? [valueMatcher(node.field, node.test, nowMs)] : [];
  });
  if (key === undefined || nodes.length <= MAX_TESTS || matchers.length < nodes.length) return undefined;
  const token = textToken((value) => value !== null && matchers.some((matches) => matches(value)));
  // The key may also occur in `extra`.
  return keyTest(key, (bytes, at, end) => (token(bytes, at, end) === NO ? NO : MAYBE));
}

/** Their keys in raw lines. */
const LISTED_KEYS: Readonly<Record<string, string>> = {
  request_id: 'request_id',
  session_id: 'session_id',
  'tags.trace_id': 'trace_id',
};

const ENVIRONMENTS: ReadonlySet<string> = new Set(['env', 'environment', 'environments']);

/** Fields known from rows and issues. */
const ROW_VALUES: Readonly<Record<string, (segment: Row, index: number, issue?: IssueState) => FieldValue>> = {
  service: (_segment, _index, issue) => issue?.service ?? null,
  app: (_segment, _index, issue) => issue?.app ?? null,
  fingerprint: (_segment, _index, issue) => issue?.fingerprint ?? null,
  event_id: (segment, index) => {
    const row = segment.row(index);
    return row === undefined ? null : eventIdOf(row);
  },
  timestamp: (segment, index) => segment.eventTimeMsAt(index),
  received_at: (segment, index) => Math.floor(segment.receivedAtMicrosAt(index) / 1000),
};

/** Evaluates each folder once. */
function ofEnvironment(holds: (value: FieldValue) => boolean): Prefilter {
  const known = new Map<string, Verdict>();
  return (segment, index) => {
    const folder = segment.partitions[segment.partitionAt(index)]?.folder ?? '';
    let verdict = known.get(folder);
    if (verdict === undefined) {
      const environment = environmentOf(folder);
      verdict = MAYBE;
      if (environment !== undefined) verdict = holds(environment) ? YES : NO;
      known.set(folder, verdict);
    }
    return verdict;
  };
}

/** Evaluates each issue once. */
function ofIssue(holds: (ordinal: number) => boolean, { issues }: PrefilterContext): Prefilter {
  const known = new Uint8Array(issues.length);
  return (segment, index) => {
    const ordinal = segment.ordinalAt(index);
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
  return (_segment, _index, tested) => (tested === undefined ? MAYBE : tested(index));
}

/** The lowest verdict with `NO` as the decisive one, the highest with `YES`. */
function folded(decisive: typeof NO | typeof YES, prefilters: readonly Prefilter[]): Prefilter {
  return (segment, index, tested) => {
    let verdict: Verdict = decisive === NO ? YES : NO;
    for (const prefilter of prefilters) {
      const other = prefilter(segment, index, tested);
      if (decisive === NO ? other < verdict : other > verdict) verdict = other;
      if (verdict === decisive) break;
    }
    return verdict;
  };
}

function negated(prefilter: Prefilter): Prefilter {
  return (...event) => {
    const verdict = prefilter(...event);
    if (verdict === MAYBE) return MAYBE;
    return verdict === YES ? NO : YES;
  };
}

/** The environment of a partition's folder; undefined if the name does not contain it, as for very long names. */
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
