import type { JsonObject } from '../../core/event/json.js';
import type { ExitStatus } from './exit-status.js';
import { endPart, runPart } from './failure-event.js';
import { type RunSource, runNamesOf } from './run-source.js';

/** What is known of a program that has ended. */
export interface ProgramEnd {
  readonly status: ExitStatus;
  readonly pid: number;
  /** RFC 3339. */
  readonly endedAt: string;
  /** Its output's last lines, streams mixed as they came. */
  readonly lastLines: readonly string[];
}

/** What made a program end beside itself. */
export interface EndReasons {
  /** Signals that we were sent while it ran, and that reached it. */
  readonly signals: ReadonlySet<NodeJS.Signals>;
  /** It ran on a terminal, where Ctrl-C reaches it without us. */
  readonly isOnTerminal: boolean;
  /** Nobody reads its output any more. */
  readonly isOutputClosed: boolean;
}

/** By which a program is asked to stop. */
const STOPS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
/** 128 and SIGINT: programs that catch Ctrl-C say by it that they were interrupted. */
const INTERRUPTED_EXIT_CODE = 130;

/** True for an end that is a failure: an exit code other than 0, or a signal that nobody sent on purpose. */
export function isFailedEnd(status: ExitStatus, reasons: EndReasons): boolean {
  const isStopAsked = STOPS.some((signal) => reasons.signals.has(signal));
  if (status.kind === 'exited') {
    const isInterrupted = reasons.isOnTerminal && status.code === INTERRUPTED_EXIT_CODE;
    return status.code !== 0 && !isStopAsked && !isInterrupted;
  }
  if (reasons.signals.has(status.signal)) return false;
  // Who stops slowly is killed.
  if (isStopAsked && [...STOPS, 'SIGKILL'].includes(status.signal)) return false;
  if (reasons.isOutputClosed && status.signal === 'SIGPIPE') return false;
  return !(reasons.isOnTerminal && status.signal === 'SIGINT');
}

/** The raw payload of a program's failed end: `ProcessExit` with an exit code, `ProcessKilled` by a signal. */
export function exitEvent({ status, pid, endedAt, lastLines }: ProgramEnd, source: RunSource): JsonObject {
  const { release = null, ...names } = runNamesOf(source);
  const isExit = status.kind === 'exited';
  return {
    ...names,
    release,
    error_name: isExit ? 'ProcessExit' : 'ProcessKilled',
    message: `${source.program} ${isExit ? `exited with code ${status.code}` : `was killed by ${status.signal}`}`,
    route: '',
    level: 'fatal',
    stack: null,
    timestamp: endedAt,
    tags: { source: 'run', pid: String(pid) },
    extra: { run: { ...runPart(source), ...endPart(status), last_lines: [...lastLines] } },
  };
}
