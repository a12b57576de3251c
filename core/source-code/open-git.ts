import { execFile } from 'node:child_process';
import { hasCode } from '../storage/files/system-error.js';

/** Runs git in a folder; undefined if it fails. Problems that an operator can solve are reported once each. */
export type Git = (folder: string, args: readonly string[]) => Promise<string | undefined>;

const TIMEOUT_MS = 2_000;
const MAX_RUNNING = 2;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Options before the subcommand. A repository is not trusted: its own configuration must not start programs. */
export const GIT_OPTIONS: readonly string[] = [
  ...['--no-pager', '--literal-pathspecs', '--no-replace-objects'],
  ...['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'i18n.logOutputEncoding=UTF-8'],
];
const VARIABLES = ['PATH', 'HOME', 'XDG_CONFIG_HOME'];
/** Forbids every transport, because a partial clone would otherwise fetch with the programs of its configuration. */
const ENVIRONMENT = {
  ...{ GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0' },
  ...{ GIT_OPTIONAL_LOCKS: '0', GIT_ATTR_NOSYSTEM: '1', LC_ALL: 'C' },
};

/** The variables of a git process, without those that change what it reads or starts. `env`: for the programs' path and the person's configuration. */
export function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(VARIABLES.map((name) => [name, env[name]])), ...ENVIRONMENT };
}

/** Opens git, of which at most two processes run at a time, each for at most 2 s. `env` is as in `gitEnvironment`. */
export function openGit(env: NodeJS.ProcessEnv, onProblem: (sentence: string) => void): Git {
  const options = {
    env: gitEnvironment(env),
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
  } as const;
  const reported = new Set<string>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const run: Git = (folder, args) =>
    new Promise((resolve) => {
      execFile('git', [...GIT_OPTIONS, '-C', folder, ...args], options, (error, stdout, stderr) => {
        const problem = error === null ? undefined : problemOf(error, stderr, folder);
        if (problem !== undefined && !reported.has(problem)) {
          reported.add(problem);
          onProblem(problem);
        }
        resolve(error === null ? stdout : undefined);
      });
    });

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

/** Undefined for ordinary failures, such as a line beyond the end of a file. */
function problemOf(error: Error & { readonly killed?: boolean }, stderr: string, folder: string): string | undefined {
  if (hasCode(error, 'ENOENT')) return 'git is not installed: suspect commits are not looked up';
  if (error.killed === true) return `git took longer than ${TIMEOUT_MS / 1_000} s in ${folder}`;
  if (stderr.includes('dubious ownership'))
    return `git refuses ${folder}, which another user owns; allow it: git config --global --add safe.directory ${folder}`;
  if (stderr.includes('not a git repository') || stderr.includes('cannot change to'))
    return `${folder} is not a git repository`;
  return undefined;
}
