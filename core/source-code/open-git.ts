import { hasCode } from '../storage/files/system-error.js';
import { type GitCommand, runGit } from './run-git.js';

/** Runs git in a folder; undefined if it fails. Problems that an operator can solve are reported once each. */
export type Git = (folder: string, args: readonly [GitCommand, ...string[]]) => Promise<string | undefined>;

const TIMEOUT_MS = 2_000;
const MAX_RUNNING = 2;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Opens git, of which at most two processes run at a time, each for at most 2 s. `env` is as in `runGit`. */
export function openGit(env: NodeJS.ProcessEnv, onProblem: (sentence: string) => void): Git {
  const limits = { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
  const reported = new Set<string>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const run: Git = async (folder, args) => {
    try {
      return await runGit(env, folder, args, limits);
    } catch (error) {
      const problem = problemOf(error as FailedGit, folder);
      if (problem !== undefined && !reported.has(problem)) {
        reported.add(problem);
        onProblem(problem);
      }
      return undefined;
    }
  };

  return async (folder, args) => {
    if (running >= MAX_RUNNING) await new Promise<void>((free) => waiting.push(free));
    else running += 1;
    try {
      return await run(folder, args);
    } finally {
      // The slot passes to the next caller.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

type FailedGit = Error & { readonly killed?: boolean; readonly stderr?: string };

/** Undefined for ordinary failures, such as a line beyond the end of a file. */
function problemOf(error: FailedGit, folder: string): string | undefined {
  const { stderr = '' } = error;
  if (hasCode(error, 'ENOENT')) return 'git is not installed: suspect commits are not looked up';
  if (error.killed === true) return `git took longer than ${TIMEOUT_MS / 1_000} s in ${folder}`;
  if (stderr.includes('dubious ownership'))
    return `git refuses ${folder}, which another user owns; allow it: git config --global --add safe.directory ${folder}`;
  if (stderr.includes('not a git repository') || stderr.includes('cannot change to'))
    return `${folder} is not a git repository`;
  return undefined;
}
