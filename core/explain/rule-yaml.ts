import type { FrameMatcher, GroupingRule } from '../fingerprint/grouping-settings.js';

/** Means itself in YAML and in a configuration, and nothing else. */
const BARE = /^[A-Za-z][A-Za-z0-9_.-]{0,60}$/;
const WORDS_OF_YAML: ReadonlySet<string> = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n']);
/** What a terminal could obey or a reader cannot see. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const FRAME_PARTS = ['function', 'module', 'file'] as const;

/** A rule as YAML, ready to be pasted into a configuration: the section `grouping` with this rule alone. */
export function ruleYaml(rule: GroupingRule): string {
  const members = Object.entries(rule).flatMap(([name, value]: [string, unknown]) => memberLines(name, value));
  const listed = members.map((line, place) => `    ${place === 0 ? '- ' : '  '}${line}`);
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
  return BARE.test(text) && !WORDS_OF_YAML.has(text.toLowerCase()) ? text : quotedText(text);
}

/** Single quotes where nothing is hidden, else JSON, which YAML reads the same; a `$` is written twice, because one may begin a variable. */
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
