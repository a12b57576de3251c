import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { waitFor } from './wait-for.js';

/** Path of the built command; `npm test` builds it first. */
export const FAULTLINE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

const started = new Set<ChildProcess>();
// Also if a run is interrupted.
process.once('exit', killLeftoverProcesses);

/** For `afterAll`: kills the processes of a failed test, so that the run does not hang. */
export function killLeftoverProcesses(): void {
  for (const child of started) child.kill('SIGKILL');
}

/** Lets `killLeftoverProcesses` end a process that a test spawned itself; returns it. */
export function endAfterTests<Child extends ChildProcess>(child: Child): Child {
  started.add(child);
  child.once('close', () => started.delete(child));
  return child;
}

/** The result of a command. */
export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A running `faultline` command. */
export interface FaultlineProcess {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly finished: Promise<Finished>;
}

interface StartOptions {
  readonly cwd?: string;
  readonly input?: string | Buffer;
  readonly env?: NodeJS.ProcessEnv;
  /** An installed command to run instead of the built one. */
  readonly command?: readonly string[];
  /** A program, with its arguments, that starts the command. */
  readonly through?: readonly string[];
}

/** Starts `faultline ARGS`; the test must stop it. */
export function startFaultline(args: readonly string[], options: StartOptions = {}): FaultlineProcess {
  const { through = [], command = [process.execPath, FAULTLINE] } = options;
  const [program = process.execPath, ...words] = [...through, ...command, ...args];
  const spawned = spawn(program, words, {
    cwd: options.cwd,
    env: { ...process.env, NODE_OPTIONS: '', npm_command: undefined, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const child = endAfterTests(spawned);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  // A command that does not read its input may exit before the write completes.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input);
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  return { child, output, finished };
}

/** Sends a signal to a command and waits until it exits. */
export async function stop(
  { child, finished }: Pick<FaultlineProcess, 'child' | 'finished'>,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<Finished> {
  child.kill(signal);
  return await finished;
}

/** Runs `faultline ARGS` until it exits. */
export async function runFaultline(args: readonly string[], options: StartOptions = {}): Promise<Finished> {
  return await startFaultline(args, options).finished;
}

/** A collector on free ports. */
export interface RunningCollector extends FaultlineProcess {
  ingestUrl: string;
  queryUrl: string;
}

/** For `startCollector`: all receivers of the default configuration, on one free port except gRPC. */
export const EVERY_RECEIVER = [
  '--set=service.pipelines.events.receivers=[events, otlp, sentry]',
  '--set=receivers.otlp.protocols.http.endpoint=localhost:0',
  '--set=receivers.otlp.protocols.grpc.endpoint=localhost:0',
  '--set=receivers.sentry.endpoint=localhost:0',
];

/** Returns the arguments of a collector on free ports over a folder; later settings override earlier ones. */
export function collectArguments(directory: string, extra: readonly string[] = []): string[] {
  return [
    'collect',
    '--set=service.pipelines.events.receivers=[events]',
    '--set=receivers.events.endpoint=localhost:0',
    '--set=extensions.query.endpoint=localhost:0',
    '--set=extensions.health_check.endpoint=localhost:0',
    '--set=service.telemetry.metrics.address=localhost:0',
    `--set=exporters.store.directory=${directory}`,
    ...extra,
  ];
}

/** Starts a collector on free ports over a folder and waits until it prints its addresses. */
export async function startCollector(
  directory: string,
  extra: readonly string[] = [],
  options: StartOptions = {},
): Promise<RunningCollector> {
  const running = startFaultline(collectArguments(directory, extra), options);
  const ports = await waitFor('the collector to print its addresses', () => {
    if (running.child.exitCode !== null) throw new Error(`the collector ended: ${running.output.stderr}`);
    const ingest = /send --url '?(http:\/\/[\w.:[\]]+:\d+)/.exec(running.output.stdout)?.[1];
    const query = /browse --url '?(http:\/\/[\w.:[\]]+:\d+)/.exec(running.output.stdout)?.[1];
    return ingest !== undefined && query !== undefined && { ingestUrl: ingest, queryUrl: query };
  });
  return { ...running, ...ports };
}
