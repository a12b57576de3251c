import type { ComparedEvent, DifferingPart, EqualPart, GroupingComparison } from '../../generated/reader-answers.js';
import type { FrameMatcher, GroupingRule } from '../fingerprint/grouping-settings.js';
import { BLANK, caseSentence, type ExplainedLine, headingLines, labelledLines, shownValue } from './explained-line.js';

const ABOUT_AT = 15;
const VALUE_AT = 22;
const NOTHING: readonly ExplainedLine[] = [[{ text: '  nothing', tone: 'muted' }]];

/** Formats a comparison. Lines have at most 80 columns, except a command and the rule, which can be copied. */
export function comparisonLines(comparison: GroupingComparison): ExplainedLine[] {
  const { a, b, same, equal, differ, note } = comparison;
  return [
    ...headingLines(same ? 'One issue' : 'Two issues'),
    ...(note === null ? [] : labelledLines('', note, { at: 0 })),
    BLANK,
    ...sideLines('a', a),
    BLANK,
    ...sideLines('b', b),
    BLANK,
    ...headingLines('Equal'),
    ...(equal.length === 0 ? NOTHING : equal.flatMap(equalLines)),
    BLANK,
    ...headingLines('Different'),
    ...(differ.length === 0 ? NOTHING : differ.flatMap(differenceLines)),
    ...suggestionLines(comparison),
  ];
}

function sideLines(side: string, compared: ComparedEvent): ExplainedLine[] {
  const about = (label: string, text: string): ExplainedLine[] => labelledLines(`  ${label}`, text, { at: ABOUT_AT });
  return [
    ...labelledLines(side, compared.title, { at: 2, labelTone: 'strong', tone: 'strong' }),
    ...about('event', compared.event_id),
    ...about('issue', compared.issue_id),
    ...about('fingerprint', `${compared.fingerprint} (version ${compared.version})`),
    ...about('service', `${compared.app} / ${compared.service}`),
    ...about('culprit', compared.culprit ?? 'no frame decided'),
    ...about('case', caseSentence(compared.rule)),
  ];
}

function equalLines({ part, value, used }: EqualPart): ExplainedLine[] {
  const tone = used ? 'plain' : 'muted';
  return labelledLines(`  ${part}`, `${shownValue(value)}${countsText(used)}`, { at: VALUE_AT, tone });
}

function differenceLines(part: DifferingPart): ExplainedLine[] {
  const side = (label: string, value: DifferingPart['a'], used: boolean, reason: string): ExplainedLine[] => [
    ...labelledLines(label, `${shownValue(value)}${countsText(used)}`, {
      at: VALUE_AT,
      tone: used ? 'plain' : 'muted',
    }),
    ...labelledLines('', reason, { at: VALUE_AT, tone: 'muted' }),
  ];
  const label = `  ${part.part}`.padEnd(VALUE_AT - 2);
  return [
    ...side(`${label}a`, part.a, part.used_a, part.reason_a),
    ...side(`${' '.repeat(VALUE_AT - 2)}b`, part.b, part.used_b, part.reason_b),
  ];
}

function countsText(used: boolean): string {
  return used ? '' : ' (does not count)';
}

function suggestionLines({ suggestion }: GroupingComparison): ExplainedLine[] {
  if (suggestion === null) return [];
  const { purpose, rule, place, why, also } = suggestion;
  const where = place === 'first' ? 'before your other rules' : 'behind your other rules';
  return [
    BLANK,
    ...headingLines(`A rule that ${purpose === 'join' ? 'joins' : 'separates'} them, to be put ${where}`),
    ...labelledLines('', why, { at: 0 }),
    ...(also === null ? [] : withCommand(also)),
    BLANK,
    ...ruleLines(rule),
  ];
}

/** Formats a rule as lines of YAML to paste. */
export function ruleLines(rule: GroupingRule): ExplainedLine[] {
  const rows = ruleYaml(rule).trimEnd().split('\n');
  return rows.map((text) => [{ text, tone: 'plain' }]);
}

/** Splits a sentence from its command, which has its own line so that it can be copied. */
function withCommand(text: string): ExplainedLine[] {
  const [sentence = '', command = ''] = text.split('`');
  return [
    ...labelledLines('', sentence.trimEnd(), { at: 0 }),
    ...(command === '' ? [] : [[{ text: `  ${command}`, tone: 'strong' as const }]]),
  ];
}

/** Strings that YAML and the configuration read unquoted. */
const BARE = /^[A-Za-z][A-Za-z0-9_.-]{0,60}$/;
const YAML_KEYWORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n']);
/** Control and invisible characters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const FRAME_PARTS = ['function', 'module', 'file'] as const;

/** Formats a rule as YAML: the section `grouping` with this rule alone. */
export function ruleYaml(rule: GroupingRule): string {
  const members = Object.entries(rule).flatMap(([name, value]: [string, unknown]) => memberLines(name, value));
  const listed = members.map((line, index) => `    ${index === 0 ? '- ' : '  '}${line}`);
  return ['grouping:', '  rules:', ...listed, ''].join('\n');
}

function memberLines(name: string, value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [`${name}: ${textOf(value)}`];
  if (!Array.isArray(value) || value.length === 0) return [];
  return [
    `${name}:`,
    ...value.map((one: string | FrameMatcher) => `  - ${typeof one === 'string' ? textOf(one) : flow(one)}`),
  ];
}

function flow(matcher: FrameMatcher): string {
  const parts = FRAME_PARTS.flatMap((part) => {
    const text = matcher[part];
    return text === undefined ? [] : [`${part}: ${quotedText(text)}`];
  });
  return `{ ${parts.join(', ')} }`;
}

function textOf(text: string): string {
  return BARE.test(text) && !YAML_KEYWORDS.has(text.toLowerCase()) ? text : quotedText(text);
}

/** Single quotes, or JSON for hidden characters, which YAML reads too; `$` is doubled because it may begin a variable. */
function quotedText(text: string): string {
  return (text.search(HIDDEN) < 0 ? `'${text.replaceAll("'", "''")}'` : escapedText(text)).replaceAll('$', '$$$$');
}

function escapedText(text: string): string {
  return JSON.stringify(text).replaceAll(HIDDEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
