import { noticeLine } from '../../config/values/printable.js';
import { Fault, messageOf } from '../../core/event/fault.js';
import type { RunGateSettings } from '../gate/run-gate.js';
import { parseFailOn } from '../gate/run-rules.js';
import { parseReportTarget } from '../gate/write-reports.js';
import { createFailureLines } from '../log-parsing/failure-lines.js';
import { exitLike } from '../run/child.js';
import { checkProgram, programName, readPackageName } from '../run/program.js';
import { type RunProgramOptions, runProgram } from '../run/run-program.js';
import type { RunNames, RunSource } from '../run/run-source.js';
import { ingestAddress } from './post-events.js';

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
  /** What the run is judged by, as written. */
  readonly gate: GateOptions;
}

interface GateOptions {
  readonly failOn: string | undefined;
  readonly baseline: string | undefined;
  readonly updateBaseline: boolean;
  readonly reports: readonly string[];
}

const USAGE = 2;
const WRONG = 'RUN_OPTIONS_INVALID';
const EXIT_CODES: ReadonlyMap<string, number> = new Map([
  ['PROGRAM_NOT_STARTED', 126],
  [WRONG, USAGE],
  ['BASELINE_INVALID', USAGE],
  ['GATE_INVALID', USAGE],
  ['QUERY_INVALID', USAGE],
]);

/** Runs a program, collects its failures and ends as it does; 127 if it does not exist, 126 if it cannot be executed, 2 for wrong usage. */
export async function runRun(options: RunOptions): Promise<number> {
  const { stderr, env } = options;
  try {
    const [program, ...args] = options.command;
    if (program === undefined) throw new Fault(WRONG, 'name a program: faultline run -- node server.js');
    if (options.url !== undefined && options.directory !== undefined)
      throw new Fault(WRONG, 'use --url or --data, not both');
    const address = ingestAddress(options.url, env);
    if (typeof address === 'string') throw new Fault(WRONG, address);
    const problem = await checkProgram(program, env['PATH']);
    if (problem !== undefined) {
      stderr.write(noticeLine(problem.reason));
      return problem.exitCode;
    }
    const command = [program, ...args] as const;
    const gate = parseGate(options);
    const common = {
      ...options,
      command,
      source: await createSource(command, options),
      createFailureLines: () => createFailureLines('error'),
      onProblem: printOnce(stderr),
    };
    if (gate !== undefined) {
      const { runGated } = await import('../gate/run-gate.js');
      const { status, gateCode } = await runGated(common, gate);
      return status.kind === 'exited' && status.code === 0 ? gateCode : exitLike(status);
    }
    const status = await runProgram({
      ...common,
      collector: {
        url: options.directory === undefined ? address.url : undefined,
        directory: options.directory,
        token: address.token,
        defaultDirectory: options.defaultDirectory,
      },
    });
    return exitLike(status);
  } catch (error) {
    const code = error instanceof Fault ? EXIT_CODES.get(error.code) : undefined;
    if (code === undefined) throw error;
    stderr.write(noticeLine(messageOf(error)));
    return code;
  }
}

/** Undefined if nothing judges the run. Throws `GATE_INVALID` and `QUERY_INVALID`. */
function parseGate({ gate, directory, url }: RunOptions): RunGateSettings | undefined {
  const { failOn, baseline, updateBaseline, reports } = gate;
  if (updateBaseline && baseline === undefined) throw new Fault('GATE_INVALID', '--update-baseline needs --baseline');
  if (failOn === undefined && baseline === undefined && reports.length === 0) return undefined;
  const ofItsOwn = 'a judged run has a collector of its own: use --data, or no folder, instead of --url';
  if (url !== undefined) throw new Fault('GATE_INVALID', ofItsOwn);
  const rules = parseFailOn(failOn ?? '');
  if (failOn !== undefined && rules.length === 0) throw new Fault('GATE_INVALID', '--fail-on names no rule');
  return {
    rules,
    baselineFile: baseline,
    updatesBaseline: updateBaseline,
    reports: reports.map(parseReportTarget),
    directory,
  };
}

/** Prints only one line, because the terminal belongs to the output of the program. */
function printOnce(stderr: NodeJS.WriteStream): (text: string) => void {
  let isPrinted = false;
  return (text) => {
    if (!isPrinted) stderr.write(noticeLine(text));
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
