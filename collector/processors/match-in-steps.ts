import type { RawPayload } from '../../core/event/raw-payload.js';
import { beforeSurrogatePair } from '../../core/event/text.js';
import { payloadMatcher } from '../../core/query/match-query.js';
import type { FieldNode, QueryNode } from '../../core/query/query-ast.js';
import type { FieldValue } from '../../core/query/query-fields.js';
import { SEARCH_TEXT_SEPARATOR } from '../../core/query/searchable.js';
import { matchesPattern, type TextPattern } from '../../core/query/text-pattern.js';
import type { Steps } from './event-processor/steps.js';
import { piecesHold, piecesMatch } from './search-pieces.js';

/** A payload query that is evaluated with pauses. */
interface SteppedMatcher {
  /** The result of `payloadMatcher`. */
  matches(payload: RawPayload): Steps<boolean>;
  /** Approximate number of UTF-16 units that it scans. */
  unitsOf(payload: RawPayload): number;
}

/** Added to the text length of each list member. */
const MEMBER_UNITS = 32;
const MEMBERS_AT_ONCE = 1_000;

/** Units that are converted to lower case without a pause, 0.1 ms. */
const PIECE_UNITS = 64 * 1024;
/** The only letter whose lower case depends on its position in a word. */
const SIGMA = '\u03a3';
/** Always ends a word. */
const BORDER = /[ \t\n\r0-9]/g;

/** Compiles a query to a matcher equal to `payloadMatcher`, in steps. */
export function steppedMatcher(query: QueryNode): SteppedMatcher {
  switch (query.kind) {
    case 'and':
      return anyOf(query.nodes, false);
    case 'or':
      return anyOf(query.nodes, true);
    case 'not': {
      const inner = steppedMatcher(query.node);
      return {
        *matches(payload) {
          return !(yield* inner.matches(payload));
        },
        unitsOf: inner.unitsOf,
      };
    }
    case 'text': {
      const parts = query.pattern.slice(1, -1);
      return {
        matches: (payload) => piecesHold(parts, searchedPieces(payload)),
        unitsOf: ({ error_name, message, route }) => error_name.length + message.length + route.length,
      };
    }
    case 'field':
      return fieldMatcher(query);
  }
}

/** `sought` if any query evaluates to it, else its negation. */
function anyOf(queries: readonly QueryNode[], sought: boolean): SteppedMatcher {
  const matchers = queries.map(steppedMatcher);
  return {
    *matches(payload) {
      for (const matcher of matchers) if ((yield* matcher.matches(payload)) === sought) return sought;
      return !sought;
    },
    unitsOf(payload) {
      let units = 0;
      for (const matcher of matchers) units += matcher.unitsOf(payload);
      return units;
    },
  };
}

function fieldMatcher(node: FieldNode): SteppedMatcher {
  const { field, test } = node;
  const read = (payload: RawPayload): FieldValue => field.ofPayload?.(payload) ?? null;
  const unitsOf = (payload: RawPayload): number => {
    const value = read(payload);
    if (typeof value === 'string') return value.length;
    if (typeof value !== 'object' || value === null) return 0;
    return value.reduce((units, member) => units + member.length + MEMBER_UNITS, 0);
  };
  if (test.kind !== 'pattern') {
    const matches = payloadMatcher(node);
    return {
      // biome-ignore lint/correctness/useYield: what is compared as a number or a version is short.
      *matches(payload) {
        return matches(payload);
      },
      unitsOf,
    };
  }
  const { pattern } = test;
  return {
    *matches(payload) {
      const value = read(payload);
      if (value === null) return false;
      if (typeof value !== 'object') return yield* textMatches(pattern, String(value));
      for (const [at, member] of value.entries()) {
        if (at % MEMBERS_AT_ONCE === 0) yield;
        const isLong = member.length > MEMBERS_AT_ONCE;
        if (isLong ? yield* textMatches(pattern, member) : matchesPattern(pattern, member.toLowerCase())) return true;
      }
      return false;
    },
    unitsOf,
  };
}

function* textMatches(pattern: TextPattern, text: string): Steps<boolean> {
  return yield* piecesMatch(pattern, lowerPieces(text));
}

/** The texts that bare words search. */
function* searchedPieces({ error_name, message, route }: RawPayload): Generator<string, void, undefined> {
  yield* lowerPieces(error_name);
  yield SEARCH_TEXT_SEPARATOR;
  yield* lowerPieces(message);
  yield SEARCH_TEXT_SEPARATOR;
  yield* lowerPieces(route);
}

/** Yields the lower-case text in pieces, at least one. A text with a capital sigma is cut only after spaces and digits. */
function* lowerPieces(text: string): Generator<string, void, undefined> {
  const hasSigma = text.includes(SIGMA);
  let from = 0;
  while (text.length - from > PIECE_UNITS) {
    const to = hasSigma ? behindBorder(text, from + PIECE_UNITS) : beforeSurrogatePair(text, from + PIECE_UNITS);
    yield text.slice(from, to).toLowerCase();
    from = to;
  }
  yield text.slice(from).toLowerCase();
}

function behindBorder(text: string, from: number): number {
  BORDER.lastIndex = from;
  return BORDER.test(text) ? BORDER.lastIndex : text.length;
}
