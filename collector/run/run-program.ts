import { isatty } from 'node:tty';
import { Fault } from '../../core/event/fault.js';
import type { FailureLines } from '../log-parsing/text-failure.js';
import type { Child } from './child.js';
import { childEnvironment, type ServedEndpoints } from './child-environment.js';
import { startWithPipes } from './child-with-pipes.js';
import { startWithTerminal } from './child-with-terminal.js';
import { type Delivery, EventSender, type EventSenderOptions } from './event-sender.js';
import type { ExitStatus } from './exit-status.js';
import type { RunSource } from './run-source.js';
import { RunWatch } from './run-watch.js';
import { askServed, isCollector } from './running-collector.js';

/** Signals that a program gets when we get them. */
const PASSED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const;
/** Those that a terminal sends to every process in its foreground, so that a program which shares ours has them already. */
const FROM_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT', 'SIGWINCH']);
/** By which a person who waits for nothing but our own end asks for it. */
const STOPS: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']);

/**
 * Passes signals on to a program; until `end` none of them ends us. `reached` are those that came while the program ran, from us or from the terminal that it
 * shares with us. `onHurry` is called where we are asked to stop after the program had ended.
 */
function passSignals(
  child: Child,
  isTerminalShared: boolean,
  onHurry: () => void,
): { readonly reached: ReadonlySet<NodeJS.Signals>; end(): void } {
  const reached = new Set<NodeJS.Signals>();
  let hasEnded = false;
  void child.exited.then(() => {
    hasEnded = true;
  });
  const listeners = PASSED.map((signal) => {
    const listener = (): void => {
      if (hasEnded) {
        if (STOPS.has(signal)) onHurry();
        return;
      }
      reached.add(signal);
      if (!(isTerminalShared && FROM_TERMINAL.has(signal))) child.kill(signal);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    reached,
    end() {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}

/** What is run, and where its failures go. */
export interface RunProgramOptions {
  readonly command: readonly [string, ...string[]];
  readonly source: RunSource;
  readonly collector: CollectorChoice;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Opens our standard input; only done for a terminal. */
  stdin(): NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  createFailureLines(): FailureLines;
  /** Tells a person what did not work; the run goes on. Called at most once. */
  onTrouble(text: string): void;
}

/** How long events may be on their way after the program has ended. */
const LAST_EVENTS_TIMEOUT_MS = 5_000;
/** File descriptors. */
const STANDARD_STREAMS = [0, 1, 2];

/** Where a collector answers that was started as it is. */
const DEFAULT_URL = 'http://localhost:4318';
/** The collector that a run sends to. */
interface RunCollector {
  readonly served: ServedEndpoints;
  /** Ends it when it is ours. */
  close(): Promise<void>;
}
/** Which collector a run is to have. */
interface CollectorChoice {
  /** Base address of one that runs. */
  readonly url: string | undefined;
  /** Data folder of one in our own process. */
  readonly directory: string | undefined;
  /** What is shown to one that runs; undefined: nothing. */
  readonly token: string | undefined;
  /** Data folder of one in our own process when neither is named and none runs at the default address. */
  readonly defaultDirectory: string;
}

/** Runs a program to its end and collects its failures. Trouble with collecting changes neither its output nor its end. Throws `PROGRAM_NOT_STARTED`. */
export async function runProgram(options: RunProgramOptions): Promise<ExitStatus> {
  const collector = await openOrTell(options);
  let masking: Promise<EventSenderOptions['mask']> | undefined;
  // Most programs end well: the rules are loaded for the first event.
  const mask: EventSenderOptions['mask'] = async (payload) => {
    masking ??= import('./mask-event.js').then(({ createEventMask }) => createEventMask());
    return (await masking)(payload);
  };
  try {
    const sender =
      collector &&
      new EventSender({
        eventsUrl: `${collector.served.url}/v1/events`,
        token: options.collector.token,
        mask,
      });
    return await runAndCollect(options, collector?.served, sender);
  } finally {
    // What was acknowledged is on the disk, however the collector ends.
    await collector?.close().catch(() => undefined);
  }
}

async function openOrTell({ collector, source, onTrouble }: RunProgramOptions): Promise<RunCollector | undefined> {
  try {
    return await openRunCollector(collector, source);
  } catch (error) {
    const hint = error instanceof Fault && error.code === 'STORE_LOCKED' ? ' Or name its address with --url.' : '';
    onTrouble(`collecting nothing: ${textOf(error)}${hint}`);
    return undefined;
  }
}

async function runAndCollect(
  options: RunProgramOptions,
  served: ServedEndpoints | undefined,
  sender: EventSender | undefined,
): Promise<ExitStatus> {
  const isOnTerminal = STANDARD_STREAMS.every(isatty);
  const watch = sender && createWatch(options, sender);
  const child = await (isOnTerminal ? startWithTerminal : startWithPipes)(
    {
      command: options.command,
      env: childEnvironment(options.env, served, options.source),
      onOutput: (stream, chunk) => watch?.output(stream, chunk),
    },
    options,
  );
  watch?.started(child.pid);
  const hurry = new AbortController();
  const pass = passSignals(child, !isOnTerminal && STANDARD_STREAMS.some(isatty), () => {
    child.letGo();
    hurry.abort();
  });
  try {
    const status = await child.exited;
    await child.closed;
    watch?.ended(status, { signals: pass.reached, isOnTerminal, isOutputClosed: child.isOutputClosed() });
    tellLost(await sender?.finish(LAST_EVENTS_TIMEOUT_MS, hurry.signal), options);
    return status;
  } finally {
    pass.end();
  }
}

function createWatch({ source, createFailureLines, onTrouble }: RunProgramOptions, sender: EventSender): RunWatch {
  return new RunWatch({
    source,
    createFailureLines,
    onEvent: (payload) => sender.send(payload),
    onBroken: (error) => onTrouble(`stopped looking at the output: ${textOf(error)}`),
    now: () => new Date(),
  });
}

function tellLost(delivery: Delivery | undefined, { onTrouble }: RunProgramOptions): void {
  if (delivery === undefined || delivery.lost === 0) return;
  onTrouble(`${delivery.lost === 1 ? '1 event is' : `${delivery.lost} events are`} lost: ${delivery.reason}`);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Opens the collector that was chosen; one with an address is taken as it is, whether it answers now or not. Rejects when one in our own process does not start. */
async function openRunCollector(choice: CollectorChoice, source: RunSource): Promise<RunCollector> {
  const url = choice.url ?? (await defaultUrl(choice));
  if (url !== undefined) return { served: await askServed(url), close: () => Promise.resolve() };
  const { openEmbeddedCollector } = await import('./embedded-collector.js');
  return await openEmbeddedCollector(choice.directory ?? choice.defaultDirectory, source);
}

async function defaultUrl({ directory, token }: CollectorChoice): Promise<string | undefined> {
  return directory === undefined && (await isCollector(DEFAULT_URL, token)) ? DEFAULT_URL : undefined;
}
