import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { Fault } from '../../core/event/fault.js';
import type { Settings } from '../../generated/settings.js';
import { Service } from '../service/service.js';
import { Log } from '../telemetry/logger.js';
import type { CommandOutput } from './command-line.js';
import { type ConfigOptions, type LoadedSettings, loadSettings } from './load-settings.js';
import { createReloader } from './reloader.js';
import { commandToCall, startUpText } from './start-up-text.js';

/** Options of `faultline collect`. */
export interface CollectOptions extends ConfigOptions, CommandOutput {
  /** Version of this build. */
  version: string;
  /** Default `process`. */
  signals?: { on(signal: StopSignal, listener: () => void): unknown };
  /** Ends the process at once; default `process.exit`. */
  exit?: (code: number) => void;
  /** Whether the terminal that started the collector was closed; default: the terminal of this process. */
  isTerminalClosed?: () => boolean;
}

type StopSignal = keyof typeof EXIT_CODES;

const MAX_PORT = 65_535;

/** For a second signal, which ends the process at once: 128 and the number of the signal. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Runs the collector until SIGTERM or SIGINT, then drains it; SIGHUP reloads the configuration. Exit code 0, 1 for a fault, 2 for an invalid port. */
export async function runCollect(options: CollectOptions): Promise<number> {
  if (!isUsablePort(options.port)) {
    options.stderr.write(
      `--port must be a whole number from 2 to ${MAX_PORT - 1}, because its neighbours are used too.\n`,
    );
    return 2;
  }
  const loaded = await loadSettings(options, options.stderr);
  if (loaded === undefined) return 1;
  const log = new Log(loaded.settings.service.telemetry.logs, options.stderr, options.env);
  const { logger } = log;
  for (const warning of loaded.warnings) {
    // An option may turn off a component of the embedded default, which stays configured there.
    if (options.config.length > 0 || !warning.startsWith('default.yaml:')) logger.warn(warning);
  }
  try {
    await runService(options, loaded, log);
    return 0;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    options.stderr.write(`${error.message}\n`);
    // Components that did not stop would keep the process alive.
    if (error.code === 'SHUTDOWN_INCOMPLETE') (options.exit ?? process.exit)(1);
    return 1;
  }
}

function isUsablePort(port: number | undefined): boolean {
  return port === undefined || port === 0 || (Number.isInteger(port) && port > 1 && port < MAX_PORT);
}

/** Runs the service until a signal stops it, or a failed start. */
async function runService(options: CollectOptions, { settings, plugins }: LoadedSettings, log: Log): Promise<void> {
  // Without a configuration you only try the collector out, so taken monitoring ports must not prevent that.
  const toleratesTakenPorts = options.config.length === 0;
  const service = new Service(settings, { logger: log.logger, plugins, toleratesTakenPorts });
  const reload = createReloader({ config: options, settings, service, log });
  const stop = handleSignals({
    signals: options.signals ?? process,
    exit: options.exit ?? process.exit,
    isTerminalClosed: options.isTerminalClosed ?? watchTerminal(),
    reload: () => void reload(),
  });
  const stopped = once(stop, 'abort');
  await Promise.race([service.start(), stopped]);
  if (!stop.aborted) {
    const command = commandToCall(options.env ?? process.env);
    const texts = { version: options.version, secured: securedIds(settings), command };
    options.stdout.write(startUpText(service.describe(), texts));
    await stopped;
  }
  await service.shutdown();
}

/** Aborts at the first signal, ends the process at the second. The listeners stay: a default action must not end an exiting process. */
function handleSignals({
  signals,
  exit,
  isTerminalClosed,
  reload,
}: Required<Pick<CollectOptions, 'signals' | 'exit' | 'isTerminalClosed'>> & { reload: () => void }): AbortSignal {
  const abort = new AbortController();
  const onStop = (signal: StopSignal): void => {
    if (abort.signal.aborted) exit(EXIT_CODES[signal]);
    abort.abort();
  };
  signals.on('SIGHUP', () => {
    if (isTerminalClosed()) onStop('SIGHUP');
    else if (!abort.signal.aborted) reload();
  });
  signals.on('SIGINT', () => onStop('SIGINT'));
  signals.on('SIGTERM', () => onStop('SIGTERM'));
  return abort.signal;
}

function securedIds({ receivers, extensions }: Pick<Settings, 'receivers' | 'extensions'>): ReadonlySet<string> {
  const all = [...Object.entries(receivers), ...Object.entries(extensions)];
  return new Set(
    all.flatMap(([id, settings]) => ('auth' in settings && settings.auth.authenticator !== undefined ? [id] : [])),
  );
}

/** Returns a check whether the terminal that started this process was closed; without a terminal, as under a supervisor, always false. */
function watchTerminal(): () => boolean {
  const hasTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  return () => hasTerminal && !canOpenTerminal();
}

function canOpenTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}
