import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES } from './languages.js';

/** The halves of the corpus: rules may be tuned on the first; the second only judges them. */
export const HALVES = ['tuning', 'held-out'] as const;

/** A half of the corpus. */
export type Half = (typeof HALVES)[number];

/** Arguments with which a program fails at one place for one reason. */
export interface Case {
  /** Language, program, place and reason. */
  readonly label: string;
  /** The arguments of one run each. */
  readonly runs: readonly (readonly string[])[];
}

/** A program that fails at two places for two reasons each. */
export interface Program {
  readonly half: Half;
  readonly language: string;
  readonly name: string;
  readonly file: string;
  readonly source: string;
  /** Variables of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cases: readonly Case[];
}

const PROGRAMS = 'test/bench/grouping/programs';
/** A comment of the program, for example `# case reserve unknown: order tea 2 | order cup 1`. */
const CASE = /^(?:#|\/\/) case (\S+) (\S+): (.+)$/gm;
/** A comment of the program, for example `// env RUST_BACKTRACE=1`. */
const VARIABLE = /^(?:#|\/\/) env (\w+)=(.+)$/gm;
/** The start and every blank line, where comments fit in all languages. */
const GAP = /^|\n\n/g;
const MAX_ADDED = 3;

/** Reads the programs of a half. */
export function readPrograms(half: Half): Program[] {
  return Object.entries(LANGUAGES).flatMap(([language, { suffix }]) => {
    const folder = join(PROGRAMS, half, language);
    return readdirSync(folder)
      .filter((file) => file.endsWith(suffix))
      .sort()
      .map((file) => {
        const name = file.slice(0, -suffix.length);
        const source = readFileSync(join(folder, file), 'utf8');
        const env = Object.fromEntries([...source.matchAll(VARIABLE)].map(([, key = '', value = '']) => [key, value]));
        return { half, language, name, file, source, env, cases: casesOf(source, `${language}/${name}`) };
      });
  });
}

function casesOf(source: string, program: string): Case[] {
  return [...source.matchAll(CASE)].map(([, place, reason, runs = '']) => ({
    label: `${program}/${place}/${reason}`,
    runs: runs.split(' | ').map((run) => run.trim().split(' ')),
  }));
}

/** Returns a source as a later release has it: comments at its start and above its functions move the lines. */
export function laterRelease({ source, language }: Program): string {
  const mark = language === 'python' ? '#' : '//';
  let gap = 0;
  return source.replace(GAP, (found) => {
    gap += 1;
    const added = Array.from(
      { length: 1 + (gap % MAX_ADDED) },
      (_, line) => `${mark} Reviewed: part ${gap}, ${line}.\n`,
    );
    return `${found}${added.join('')}`;
  });
}
