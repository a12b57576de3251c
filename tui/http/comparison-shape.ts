import type {
  ComparedEvent,
  DifferingPart,
  EqualPart,
  GroupingComparison,
  RuleSuggestion,
} from '../../core/explain/grouping-comparison.js';
import type { FrameMatcher, GroupingRule } from '../../core/fingerprint/grouping-settings.js';
import { type Check, isBoolean, isNumber, isOneOf, isString, listOf, orAbsent, orNull, recordOf } from './check.js';
import { isEventId, isFingerprint, isIssueId, isJsonValue, isText } from './value-checks.js';

const isComparedEvent = recordOf<ComparedEvent>({
  id: isString,
  event_id: isEventId,
  issue_id: isIssueId,
  app: isString,
  service: isString,
  fingerprint: isFingerprint,
  version: isNumber,
  title: isString,
  culprit: isText,
  rule: isString,
});

const areTexts: Check<readonly string[]> = orAbsent(listOf(isString));
const areMatchers: Check<readonly FrameMatcher[]> = orAbsent(
  listOf(
    recordOf<FrameMatcher>({ function: orAbsent(isString), module: orAbsent(isString), file: orAbsent(isString) }),
  ),
);

const isRule = recordOf<GroupingRule>({
  name: isString,
  query: isString,
  fingerprint: areTexts,
  ignore_frames: areMatchers,
  in_app: areMatchers,
  not_in_app: areMatchers,
  patterns_off: areTexts,
  patterns_on: areTexts,
  split_by: areTexts,
});

/** `GET /explain`. */
export const isGroupingComparison = recordOf<GroupingComparison>({
  same: isBoolean,
  a: isComparedEvent,
  b: isComparedEvent,
  equal: listOf(recordOf<EqualPart>({ part: isString, value: isJsonValue, used: isBoolean })),
  differ: listOf(
    recordOf<DifferingPart>({
      part: isString,
      a: isJsonValue,
      b: isJsonValue,
      used_a: isBoolean,
      used_b: isBoolean,
      reason_a: isString,
      reason_b: isString,
    }),
  ),
  suggestion: orNull(
    recordOf<RuleSuggestion>({
      purpose: isOneOf('join', 'separate'),
      rule: isRule,
      place: isOneOf('first', 'last'),
      why: isString,
      also: isText,
    }),
  ),
  note: isText,
});
