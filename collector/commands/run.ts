import { Fault } from '../../core/event/fault.js';
import { createFailureLines } from '../log-parsing/failure-lines.js';
import { endLike } from '../run/exit-status.js';
import { findObstacle } from '../run/find-program.js';
import { programName, readPackageName } from '../run/program-name.js';
import { runProgram } from '../run/run-program.js';
import type { RunNames, RunSource } from '../run/run-source.js';

/** What `faultline run` was called with. */
export interface RunOptions {
  /** As they were named on the command line. */
  readonly names: RunNames;
  /** The program and its words. */
  readonly command: readonly string[];
  /** Base address of a collector; default: one in this process when there is a `directory`, then `FAULTLINE_URL`, then the one that runs here. */
  readonly url: string | undefined;
  /** Data folder of a collector in this process. */
  readonly directory: string | undefined;
  /** Of a collector in this process where nothing is named and none runs. */
  readonly defaultDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Opens our standard input. */
  stdin(): NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

const USAGE = 2;
/** RFC 9110: what a header may hold; a token has no spaces. */
const TOKEN = /^[!-~]{1,4096}$/;
const CANNOT_EXECUTE = 126;

/**
 * Runs a program and collects the failures that it prints and its crash. Ends as the program ends: with its exit code, or by its signal. 127 when
 * the program does not exist, 126 when it cannot be executed, 2 without a program.
 */
export async function runRun(options: RunOptions): Promise<number> {
  const { stderr, env } = options;
  const [program, ...words] = options.command;
  if (program === undefined) {
    stderr.write('faultline: name the program to run behind --, as in `faultline run -- node server.js`\n');
    return USAGE;
  }
  if (options.url !== undefined && options.directory !== undefined) {
    stderr.write('faultline: --url names a collector that runs, --data one of its own: give one of them\n');
    return USAGE;
  }
  const url = baseUrl(options.url ?? (env['FAULTLINE_URL'] || undefined));
  if (url === 'invalid') {
    stderr.write(
      'faultline: the address of the collector must be like http://localhost:4318 (--url or FAULTLINE_URL)\n',
    );
    return USAGE;
  }
  const token = env['FAULTLINE_INGEST_TOKEN']?.trim() || undefined;
  if (token !== undefined && !TOKEN.test(token)) {
    stderr.write('faultline: FAULTLINE_INGEST_TOKEN holds no token: it is one line of visible characters, no spaces\n');
    return USAGE;
  }
  const obstacle = await findObstacle(program, env['PATH']);
  if (obstacle !== undefined) {
    stderr.write(`faultline: ${obstacle.reason}\n`);
    return obstacle.exitCode;
  }
  const command = [program, ...words] as const;
  try {
    const status = await runProgram({
      ...options,
      command,
      source: await sourceOf(command, options),
      collector: {
        url: options.directory === undefined ? url : undefined,
        directory: options.directory,
        token,
        defaultDirectory: options.defaultDirectory,
      },
      createFailureLines: () => createFailureLines('error'),
      onTrouble: onceToldTo(stderr),
    });
    return endLike(status);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'PROGRAM_NOT_STARTED') throw error;
    stderr.write(`faultline: ${error.message}\n`);
    return CANNOT_EXECUTE;
  }
}

/** One line at most is ours: the program's output is what people look at. */
function onceToldTo(stderr: NodeJS.WriteStream): (text: string) => void {
  let isTold = false;
  return (text) => {
    if (!isTold) stderr.write(`faultline: ${text.replaceAll('\n', ' ')}\n`);
    isTold = true;
  };
}

async function sourceOf(command: readonly string[], options: RunOptions): Promise<RunSource> {
  const { app, service, env, release } = options.names;
  const cwd = process.cwd();
  const program = programName(command, await readPackageName(cwd));
  const fallbackEnv = options.env['FAULTLINE_ENV'] || options.env['NODE_ENV'] || 'development';
  return {
    command,
    program,
    cwd,
    given: { app, service, env, release },
    fallback: { app: service ?? program, service: program, env: fallbackEnv },
  };
}

/** Without a slash at its end; undefined when none was given. */
function baseUrl(url: string | undefined): string | 'invalid' | undefined {
  if (url === undefined) return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return 'invalid';
  return url.replace(/\/{1,8}$/, '');
}
