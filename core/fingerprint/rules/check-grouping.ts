import {
  FINGERPRINT_VERSION,
  type FrameMatcher,
  GroupingFault,
  type GroupingRule,
  type GroupingSettings,
} from '../grouping-settings.js';
import { compileFrameEffects, FRAME_EFFECTS } from '../stack/frame-rules.js';
import { checkPattern, compileRules, matcherOf, splitReader } from './compile-rules.js';
import { compileTemplate } from './fingerprint-template.js';

interface GroupingProblem {
  /** Relative to the section. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const EFFECTS = ['fingerprint', ...FRAME_EFFECTS, 'patterns_off', 'patterns_on', 'split_by'] as const;
const VARIABLE = /\{\{[^{}]{0,240}\}\}/g;

/** Returns all problems of a section, in its order; without problems, `groupingOf` returns valid settings. */
export function checkGrouping(section: GroupingSection): GroupingProblem[] {
  const problems = [
    ...unknownPatterns(section.patterns_off, ['patterns_off']),
    ...section.rules.flatMap((rule, index) => [
      ...repeatedName(section.rules, index),
      ...problemsOfRule(rule).map(({ path, message }) => ({ path: ['rules', index, ...path], message })),
    ]),
  ];
  if (problems.length > 0) return problems;
  // Problems of the section as a whole.
  return problemAt([], () => compileRules(groupingOf(section, FINGERPRINT_VERSION)));
}

function repeatedName(rules: readonly WrittenRule[], index: number): GroupingProblem[] {
  const rule = rules[index];
  if (rule === undefined) return [];
  const name = ruleName(rule, index);
  const first = rules.findIndex((other, at) => ruleName(other, at) === name);
  if (first === index) return [];
  const path = ['rules', index, ...(rule.name === undefined ? [] : ['name'])];
  return [
    { path, message: `rules[${first}] is called ${JSON.stringify(name)} too; give each rule a name of its own.` },
  ];
}

function problemsOfRule(rule: WrittenRule): GroupingProblem[] {
  const off = rule.patterns_off ?? [];
  return [
    ...(EFFECTS.some((effect) => (rule[effect]?.length ?? 0) > 0)
      ? []
      : [{ path: [], message: `the rule does nothing; it needs one of ${EFFECTS.join(', ')}.` }]),
    ...problemAt(['query'], () => matcherOf({ name: '', query: rule.query ?? '' })),
    ...fingerprintProblems(rule.fingerprint),
    ...FRAME_EFFECTS.flatMap((effect) => frameProblems(rule, effect)),
    ...unknownPatterns(off, ['patterns_off']),
    ...unknownPatterns(rule.patterns_on ?? [], ['patterns_on']),
    ...(rule.patterns_on ?? []).flatMap((name, at) =>
      off.includes(name)
        ? [{ path: ['patterns_on', at], message: `${JSON.stringify(name)} is in patterns_off of this rule too.` }]
        : [],
    ),
    ...(rule.split_by ?? []).flatMap((field, at) => problemAt(['split_by', at], () => splitReader('', field))),
  ];
}

function fingerprintProblems(parts: readonly string[] | undefined): GroupingProblem[] {
  if (parts === undefined) return [];
  if (parts.every((part) => part.trim() === '')) {
    return [{ path: ['fingerprint'], message: 'is blank; name what decides, for example "{{ error_name }}".' }];
  }
  return parts.flatMap((part, at) => {
    const path = ['fingerprint', at];
    if (/\{\{|\}\}/.test(part.replaceAll(VARIABLE, ''))) {
      return [{ path, message: 'has braces that are not a variable; write a variable as {{ error_name }}.' }];
    }
    return problemAt(path, () => compileTemplate('', [part]));
  });
}

function frameProblems(rule: WrittenRule, effect: (typeof FRAME_EFFECTS)[number]): GroupingProblem[] {
  return (rule[effect] ?? []).flatMap((matcher, at) => {
    const path = [effect, at];
    const blank = Object.entries(matcher).find(([, text]) => text?.trim() === '');
    if (blank !== undefined) return [{ path: [...path, blank[0]], message: 'is blank, which no frame matches.' }];
    const isTaken = effect === 'in_app' && (rule.not_in_app ?? []).some((other) => isSame(matcher, other));
    if (isTaken) return [{ path, message: 'is in not_in_app of this rule too, which wins.' }];
    return problemAt(path, () => compileFrameEffects({ name: '', query: '', [effect]: [matcher] }));
  });
}

function isSame(one: FrameMatcher, other: FrameMatcher): boolean {
  return one.function === other.function && one.module === other.module && one.file === other.file;
}

function unknownPatterns(names: readonly string[], path: readonly string[]): GroupingProblem[] {
  return names.flatMap((name, at) => problemAt([...path, at], () => checkPattern(null, name)));
}

function problemAt(path: readonly (string | number)[], compile: () => unknown): GroupingProblem[] {
  try {
    compile();
    return [];
  } catch (error) {
    if (!(error instanceof GroupingFault)) throw error;
    return [{ path, message: error.problem }];
  }
}

/** A rule as it is configured. The name defaults to `rule` and its position, the query to every event. */
export type WrittenRule = Omit<GroupingRule, 'name' | 'query'> & {
  readonly name?: string;
  readonly query?: string;
};

/** The section `grouping` of a configuration. */
export interface GroupingSection {
  readonly patterns_off: readonly string[];
  readonly rules: readonly WrittenRule[];
}

/** The name of a rule, or its default. */
function ruleName(rule: WrittenRule, index: number): string {
  return rule.name ?? `rule ${index + 1}`;
}

/** Converts a section to settings without checking it, see `checkGrouping`. */
export function groupingOf(section: GroupingSection, version: number): GroupingSettings {
  return {
    version,
    patterns_off: [...new Set(section.patterns_off)].sort(),
    rules: section.rules.map((rule, index) => ({ ...rule, name: ruleName(rule, index), query: rule.query ?? '' })),
  };
}
