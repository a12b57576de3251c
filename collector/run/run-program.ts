import { isatty } from 'node:tty';
import { Fault, messageOf } from '../../core/event/fault.js';
import type { FailureLines } from '../log-parsing/text-failure.js';
import type { Child, ExitStatus } from './child.js';
import { type CollectorEndpoints, childEnvironment } from './child-environment.js';
import { startWithPipes } from './child-with-pipes.js';
import { startWithTerminal } from './child-with-terminal.js';
import type { RunCollector } from './embedded-collector.js';
import { EventSender, type EventSenderOptions } from './event-sender.js';
import { STOP_SIGNALS } from './exit-event.js';
import type { RunSource } from './run-source.js';
import { RunWatch } from './run-watch.js';
import { isCollector, probeEndpoints } from './running-collector.js';

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const;
/** A terminal sends these to every foreground process, so a program on the same terminal already has them. */
const TERMINAL_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT', 'SIGWINCH']);

/** Forwards signals, which do not end this process until `stop`. `reached`: while the program ran; `onStop`: a stop after its end. */
function forwardSignals(
  child: Child,
  isTerminalShared: boolean,
  onStop: () => void,
): { readonly reached: ReadonlySet<NodeJS.Signals>; stop(): void } {
  const reached = new Set<NodeJS.Signals>();
  let hasEnded = false;
  void child.exited.then(() => {
    hasEnded = true;
  });
  const listeners = FORWARDED_SIGNALS.map((signal) => {
    const listener = (): void => {
      if (hasEnded) {
        if (STOP_SIGNALS.includes(signal)) onStop();
        return;
      }
      reached.add(signal);
      if (!(isTerminalShared && TERMINAL_SIGNALS.has(signal))) child.kill(signal);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    reached,
    stop() {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}

/** Options of `runProgram`. */
export interface RunProgramOptions {
  readonly command: readonly [string, ...string[]];
  readonly source: RunSource;
  readonly collector: CollectorChoice;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Opens standard input; called only for a terminal. */
  stdin(): NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  createFailureLines(): FailureLines;
  /** Called with a problem of collecting, to be printed; the program runs on. */
  onProblem(text: string): void;
}

/** How long the last events may take after the program has ended. */
const LAST_EVENTS_TIMEOUT_MS = 5_000;
/** File descriptors. */
const STANDARD_STREAMS = [0, 1, 2];

/** The collector with the default configuration. */
const DEFAULT_URL = 'http://localhost:4318';

interface CollectorChoice {
  /** Opens the collector instead of the choices below. */
  readonly open?: () => Promise<RunCollector>;
  /** Base URL of a running collector. */
  readonly url: string | undefined;
  /** Data folder of a collector in this process. */
  readonly directory: string | undefined;
  /** Bearer token for a running collector; undefined: none. */
  readonly token: string | undefined;
  /** Data folder of a collector in this process if `url` and `directory` are undefined and none runs at the default URL. */
  readonly defaultDirectory: string;
}

/** Runs a program and collects its failures. Problems of collecting do not affect the program. Throws `PROGRAM_NOT_STARTED`. */
export async function runProgram(options: RunProgramOptions): Promise<ExitStatus> {
  const collector = await openCollectorOrReport(options);
  let masking: Promise<EventSenderOptions['mask']> | undefined;
  // The redaction rules are loaded for the first event, because most programs have none.
  const mask: EventSenderOptions['mask'] = async (payload) => {
    masking ??= import('./mask-event.js').then(({ createEventMask }) => createEventMask());
    return (await masking)(payload);
  };
  try {
    const eventsUrl = `${collector?.endpoints.url}/v1/events`;
    const sender = collector && new EventSender({ eventsUrl, token: options.collector.token, mask });
    return await runAndCollect(options, collector?.endpoints, sender);
  } finally {
    // Acknowledged events are on disk even if the shutdown fails.
    await collector?.close().catch(() => undefined);
  }
}

async function openCollectorOrReport(options: RunProgramOptions): Promise<RunCollector | undefined> {
  try {
    return await openCollector(options.collector, options.source);
  } catch (error) {
    const hint =
      error instanceof Fault && error.code === 'STORE_LOCKED' ? ' Or send to that collector with --url.' : '';
    options.onProblem(`not collecting: ${messageOf(error)}${hint}`);
    return undefined;
  }
}

async function runAndCollect(
  options: RunProgramOptions,
  endpoints: CollectorEndpoints | undefined,
  sender: EventSender | undefined,
): Promise<ExitStatus> {
  const isOnTerminal = STANDARD_STREAMS.every(isatty);
  const watch = sender && createWatch(options, sender);
  const child = await (isOnTerminal ? startWithTerminal : startWithPipes)(
    {
      command: options.command,
      env: childEnvironment(options.env, endpoints, options.source),
      onOutput: (stream, chunk) => watch?.output(stream, chunk),
    },
    options,
  );
  watch?.started(child.pid);
  const abort = new AbortController();
  const signals = forwardSignals(child, !isOnTerminal && STANDARD_STREAMS.some(isatty), () => {
    child.detach();
    abort.abort();
  });
  try {
    const status = await child.exited;
    await child.closed;
    watch?.ended(status, { signals: signals.reached, isOnTerminal, isOutputClosed: child.isOutputClosed() });
    const { lost = 0, reason } = (await sender?.finish(LAST_EVENTS_TIMEOUT_MS, abort.signal)) ?? {};
    if (lost > 0) options.onProblem(`${lost === 1 ? '1 event' : `${lost} events`} lost: ${reason}`);
    return status;
  } finally {
    signals.stop();
  }
}

function createWatch({ source, createFailureLines, onProblem }: RunProgramOptions, sender: EventSender): RunWatch {
  return new RunWatch({
    source,
    createFailureLines,
    onEvent: (payload) => sender.send(payload),
    onError: (error) => onProblem(`stopped reading the output: ${messageOf(error)}`),
    now: () => new Date(),
  });
}

/** A collector with a chosen URL need not respond yet. Rejects if one in this process does not start. */
async function openCollector(choice: CollectorChoice, source: RunSource): Promise<RunCollector> {
  if (choice.open !== undefined) return await choice.open();
  const mayUseDefault = choice.url === undefined && choice.directory === undefined;
  const url = mayUseDefault && (await isCollector(DEFAULT_URL, choice.token)) ? DEFAULT_URL : choice.url;
  if (url !== undefined) return { endpoints: await probeEndpoints(url), close: () => Promise.resolve() };
  const { openEmbeddedCollector } = await import('./embedded-collector.js');
  return await openEmbeddedCollector(choice.directory ?? choice.defaultDirectory, source);
}
