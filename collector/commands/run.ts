import { Fault } from '../../core/event/fault.js';
import { createFailureLines } from '../log-parsing/failure-lines.js';
import { exitLike } from '../run/child.js';
import { checkProgram, programName, readPackageName } from '../run/program.js';
import { type RunProgramOptions, runProgram } from '../run/run-program.js';
import type { RunNames, RunSource } from '../run/run-source.js';
import { ingestAddress } from './ingest-address.js';

/** Options of `faultline run`. */
export interface RunOptions extends Pick<RunProgramOptions, 'env' | 'stdin' | 'stdout' | 'stderr'> {
  /** Names from the command line. */
  readonly names: RunNames;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Base URL of a collector; default: one in this process if `directory` is set, then `FAULTLINE_URL`, then the local collector. */
  readonly url: string | undefined;
  /** Data folder of a collector in this process. */
  readonly directory: string | undefined;
  /** Data folder of a collector in this process if no other collector is chosen or running. */
  readonly defaultDirectory: string;
}

const USAGE = 2;
const CANNOT_EXECUTE = 126;

/** Runs a program, collects its failures and ends as it does; 127 if it does not exist, 126 if it cannot be executed, 2 for wrong usage. */
export async function runRun(options: RunOptions): Promise<number> {
  const { stderr, env } = options;
  const [program, ...args] = options.command;
  if (program === undefined) {
    stderr.write('faultline: name a program: faultline run -- node server.js\n');
    return USAGE;
  }
  if (options.url !== undefined && options.directory !== undefined) {
    stderr.write('faultline: use --url or --data, not both\n');
    return USAGE;
  }
  const address = ingestAddress(options.url, env);
  if (typeof address === 'string') {
    stderr.write(`faultline: ${address}\n`);
    return USAGE;
  }
  const problem = await checkProgram(program, env['PATH']);
  if (problem !== undefined) {
    stderr.write(`faultline: ${problem.reason}\n`);
    return problem.exitCode;
  }
  const command = [program, ...args] as const;
  try {
    const status = await runProgram({
      ...options,
      command,
      source: await createSource(command, options),
      collector: {
        url: options.directory === undefined ? address.url : undefined,
        directory: options.directory,
        token: address.token,
        defaultDirectory: options.defaultDirectory,
      },
      createFailureLines: () => createFailureLines('error'),
      onProblem: printOnce(stderr),
    });
    return exitLike(status);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'PROGRAM_NOT_STARTED') throw error;
    stderr.write(`faultline: ${error.message}\n`);
    return CANNOT_EXECUTE;
  }
}

/** Prints only one line, because the terminal belongs to the output of the program. */
function printOnce(stderr: NodeJS.WriteStream): (text: string) => void {
  let isPrinted = false;
  return (text) => {
    if (!isPrinted) stderr.write(`faultline: ${text.replaceAll('\n', ' ')}\n`);
    isPrinted = true;
  };
}

async function createSource(command: readonly string[], options: RunOptions): Promise<RunSource> {
  const { app, service, env, release } = options.names;
  const cwd = process.cwd();
  const program = programName(command, await readPackageName(cwd));
  const defaultEnv = options.env['FAULTLINE_ENV'] || options.env['NODE_ENV'] || 'development';
  return {
    command,
    program,
    cwd,
    overrides: { app, service, env, release },
    defaults: { app: service ?? program, service: program, env: defaultEnv },
  };
}
