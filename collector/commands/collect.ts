import { closeSync, constants, openSync } from 'node:fs';
import { Fault } from '../../core/event/fault.js';
import type { Settings } from '../../generated/settings.js';
import { createService, type Service } from '../service/service.js';
import { createLog } from '../telemetry/logger.js';
import { type ConfigOptions, loadSettings, type TextSink } from './load-settings.js';
import { Reloader } from './reloader.js';
import { startUpText } from './start-up-text.js';

/** Where signals come from; `process` outside of tests. */
export interface SignalSource {
  on(signal: StopSignal, listener: () => void): unknown;
}

/** What `faultline collect` was called with. */
export interface CollectOptions extends ConfigOptions {
  stdout: TextSink;
  stderr: TextSink;
  /** Default `process`. */
  signals?: SignalSource;
  /** Ends the process at once; default `process.exit`. */
  exit?: (code: number) => void;
  /** Whether the terminal from which the collector was started was closed; default: the process's own. */
  isTerminalGone?: () => boolean;
}

type StopSignal = keyof typeof EXIT_CODES;

/** Of a second signal, which ends the process at once: 128 and the signal's number, as shells count. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs the collector until SIGTERM or SIGINT, then drains it. SIGHUP has it read its configuration again; where the terminal that it was started from is
 * gone, SIGHUP says just that and ends it too. Exit code 0 after a clean stop; 1 when the configuration does not hold, a component does not start, or the
 * stop was incomplete.
 */
export async function runCollect(options: CollectOptions): Promise<number> {
  const loaded = await loadSettings(options, options.stderr);
  if (loaded === undefined) return 1;
  const log = createLog(loaded.settings.service.telemetry.logs, options.stderr, options.env);
  const { logger } = log;
  for (const warning of loaded.warnings) logger.warn(warning);
  const exit = options.exit ?? process.exit;
  try {
    // A person who only tries it out is not to be stopped by what already runs on the machine.
    const service = createService(loaded.settings, { logger, toleratesTakenPorts: options.config.length === 0 });
    const reloader = new Reloader({ config: options, settings: loaded.settings, service, log });
    const stop = listen({
      signals: options.signals ?? process,
      exit,
      isTerminalGone: options.isTerminalGone ?? watchTerminal(),
      reload: () => void reloader.reload(),
    });
    const tellStarted = (): void => {
      options.stdout.write(startUpText(service.describe(), guardedIds(loaded.settings)));
    };
    await runUntil(stop, service, tellStarted);
    return 0;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    options.stderr.write(`${error.message}\n`);
    // What did not stop would keep the process alive.
    if (error.code === 'SHUTDOWN_INCOMPLETE') exit(1);
    return 1;
  }
}

async function runUntil(stop: StopRequest, service: Service, tellStarted: () => void): Promise<void> {
  await Promise.race([service.start(), stop.asked]);
  if (!stop.isAsked()) {
    tellStarted();
    await stop.asked;
  }
  await service.shutdown();
}

interface StopRequest {
  readonly asked: Promise<void>;
  isAsked(): boolean;
}

interface Signalled {
  readonly signals: SignalSource;
  readonly exit: (code: number) => void;
  readonly isTerminalGone: () => boolean;
  readonly reload: () => void;
}

/**
 * The first signal asks for a stop, the second one ends the process. Nobody stops listening: a signal that comes while the process ends must not
 * find the system's own way of ending it.
 */
function listen({ signals, exit, isTerminalGone, reload }: Signalled): StopRequest {
  let isAsked = false;
  let resolveAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    resolveAsked = resolve;
  });
  const onStop = (signal: StopSignal): void => {
    if (isAsked) exit(EXIT_CODES[signal]);
    isAsked = true;
    resolveAsked();
  };
  signals.on('SIGHUP', () => {
    if (isTerminalGone()) onStop('SIGHUP');
    else if (!isAsked) reload();
  });
  signals.on('SIGINT', () => onStop('SIGINT'));
  signals.on('SIGTERM', () => onStop('SIGTERM'));
  return {
    asked,
    isAsked: () => isAsked,
  };
}

/** Ids of the receivers and extensions that ask callers for a token. */
function guardedIds({ receivers, extensions }: Pick<Settings, 'receivers' | 'extensions'>): ReadonlySet<string> {
  const all = [...Object.entries(receivers), ...Object.entries(extensions)];
  return new Set(
    all.flatMap(([id, settings]) => ('auth' in settings && settings.auth.authenticator !== undefined ? [id] : [])),
  );
}

/**
 * Looks now whether this process was started from a terminal, and answers what tells later whether that terminal was closed since. Without one, as under a
 * supervisor, it never was.
 */
function watchTerminal(): () => boolean {
  const hasTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  return () => hasTerminal && !canOpenTerminal();
}

/** The system gives a process its terminal under this name as long as there is one. */
function canOpenTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}
