import type { RawPayload } from '../../../core/event/raw-payload.js';

/** Returns what failures of one group have in common. */
type Baseline = (payload: RawPayload, language: string) => string;

/** Finds the frames of a stack; its first group is the place without line numbers. */
const FRAMES: Readonly<Record<string, RegExp>> = {
  python: /^ *File ("[^"\n]+"), line \d+(, in .+)$/gm,
  node: /^ +at (.+?)(?::\d+)*\)?$/gm,
  java: /^\s+at ([^(\n]+)\(/gm,
  go: /^((?!panic\()[\w./]+\.[\w.()*]+)\(/gm,
  rust: /^ +\d+: (?!__rustc|rust_begin_unwind|std::|core::)(.+)$/gm,
};

/** Returns the frame that raised; Python prints it last. */
function topFrame(stack: string, language: string): string {
  const frames = [...stack.matchAll(FRAMES[language] ?? /$^/g)].map(([, ...parts]) => parts.join(''));
  return frames.at(language === 'python' ? -1 : 0) ?? '';
}

/** Grouping without rules. Numbers of the message count only in the whole message. */
export const BASELINES = {
  'type + message + top frame': ({ error_name, message, stack }, language) =>
    [error_name, message.replaceAll(/\d+/g, '#'), topFrame(stack ?? '', language)].join('\n'),
  'whole message': ({ message }) => message,
} as const satisfies Record<string, Baseline>;
