import { readdirSync, readFileSync } from 'node:fs';
import { createFailureLines } from '../../../collector/log-parsing/failure-lines.js';
import type { TextFailure } from '../../../collector/log-parsing/text-failure.js';

const FOLDER = new URL('../../fixtures/text/', import.meta.url);

/** Names of the fixtures, `<family>/<oddity>`. */
export function fixtureNames(): string[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.txt'))
    .map((name) => name.slice(0, -'.txt'.length))
    .sort();
}

export function fixtureLines(name: string): string[] {
  return readFileSync(new URL(`${name}.txt`, FOLDER), 'utf8')
    .replace(/\n$/, '')
    .split('\n');
}

/** The expected failures of a fixture. */
export function fixtureGolden(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));
}

/** All failures in lines; a span counts lines. */
export function failuresOf(lines: readonly string[], minSeverity = 'error'): TextFailure[] {
  const finder = createFailureLines(minSeverity);
  const found = lines.flatMap((line, index) => [...finder.push(line, { from: index, to: index + 1 })]);
  return [...found, ...finder.flush()];
}
