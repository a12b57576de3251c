import type { BasisPart, Fingerprint } from '../fingerprint/fingerprint.js';
import {
  blankLine,
  caseSentence,
  type ExplainedLine,
  headingLines,
  labelledLines,
  shownValue,
} from './explained-line.js';
import type { MatchedRule } from './matching-rules.js';

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
    blankLine(),
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
