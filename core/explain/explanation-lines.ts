import type { RawPayload } from '../event/raw-payload.js';
import type { BasisPart, Fingerprint } from '../fingerprint/fingerprint.js';
import type { GroupingRule, GroupingSettings } from '../fingerprint/grouping-settings.js';
import { payloadMatcher } from '../query/match-query.js';
import { parseQuery } from '../query/parse-query.js';
import { BLANK, caseSentence, type ExplainedLine, headingLines, labelledLines, shownValue } from './explained-line.js';

const ABOUT_AT = 13;
const PART_AT = 8;
const VALUE_AT = 28;

/** Formats the grouping of an event; lines have at most 80 columns. */
export function explanationLines(
  { value, version, title, culprit, basis }: Fingerprint,
  rules: readonly MatchedRule[],
): ExplainedLine[] {
  const about = (label: string, text: string): ExplainedLine[] => labelledLines(label, text, { at: ABOUT_AT });
  return [
    ...headingLines(title),
    ...about('fingerprint', `${value} (version ${version})`),
    ...about('culprit', culprit ?? 'no frame decided'),
    ...about('case', caseSentence(basis.rule)),
    ...ruleLines(rules),
    BLANK,
    [{ text: `${'counts'.padEnd(PART_AT)}${'part'.padEnd(VALUE_AT - PART_AT)}value and reason`, tone: 'muted' }],
    ...basis.parts.flatMap(partLines),
  ];
}

function ruleLines(rules: readonly MatchedRule[]): ExplainedLine[] {
  if (rules.length === 0) return labelledLines('your rules', 'none matches', { at: ABOUT_AT });
  return rules.flatMap(({ name, did }, index) =>
    labelledLines(index === 0 ? 'your rules' : '', `"${name}" ${did.join('; ')}`, { at: ABOUT_AT }),
  );
}

function partLines({ part, used, value, reason }: BasisPart): ExplainedLine[] {
  const label = `${(used ? 'yes' : 'no').padEnd(PART_AT)}${part}`;
  return [
    ...labelledLines(label, shownValue(value), {
      at: VALUE_AT,
      labelTone: used ? 'good' : 'muted',
      tone: used ? 'plain' : 'muted',
    }),
    ...labelledLines('', reason, { at: VALUE_AT, tone: 'muted' }),
  ];
}

/** A rule of the user that matches an event. */
export interface MatchedRule {
  readonly name: string;
  /** One clause per effect, for example `sets the fingerprint`. */
  readonly did: readonly string[];
}

const CLAUSES: readonly (readonly [keyof GroupingRule, string])[] = [
  ['ignore_frames', 'ignores frames'],
  ['in_app', 'marks frames as the application’s'],
  ['not_in_app', 'marks frames as a library’s'],
  ['patterns_off', 'keeps values of these kinds'],
  ['patterns_on', 'replaces values of these kinds'],
  ['split_by', 'splits by'],
];

/** Returns a function that returns the rules that match a payload, in order. Throws `QUERY_INVALID`. */
export function createRuleMatcher({ rules }: GroupingSettings): (payload: RawPayload) => MatchedRule[] {
  const compiled = rules.map((rule) => ({ rule, matches: payloadMatcher(parseQuery(rule.query, 'payloads')) }));
  return (payload) => {
    const matching = compiled.filter(({ matches }) => matches(payload)).map(({ rule }) => rule);
    const setter = matching.find(({ fingerprint }) => fingerprint !== undefined);
    return matching.map((rule) => ({ name: rule.name, did: clausesOf(rule, setter) }));
  };
}

function clausesOf(rule: GroupingRule, setter: GroupingRule | undefined): string[] {
  const effects = CLAUSES.flatMap(([member, clause]) => {
    const list = rule[member];
    if (!Array.isArray(list) || list.length === 0) return [];
    return [list.every((one) => typeof one === 'string') ? `${clause}: ${list.join(', ')}` : clause];
  });
  if (rule.fingerprint === undefined || setter === undefined) return effects;
  const sets =
    setter === rule ? 'sets the fingerprint' : `would set the fingerprint, but rule "${setter.name}" comes first`;
  return [sets, ...effects];
}
