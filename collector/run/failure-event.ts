import { isJsonObject, type JsonObject } from '../../core/event/json.js';
import { cutText } from '../../core/event/text.js';
import type { TextFailure } from '../log-parsing/text-failure.js';
import type { ExitStatus } from './child.js';
import type { RunSource, StreamName } from './run-source.js';

/** Where and when a failure was printed. */
export interface FailureContext {
  readonly stream: StreamName;
  readonly pid: number;
  /** RFC 3339; the timestamp of failures without their own. */
  readonly foundAt: string;
  /** Set if the program ended right after the failure. */
  readonly exitStatus: ExitStatus | undefined;
}

const MAX_COMMAND_LENGTH = 4 * 1024;
/** Other arguments are quoted. */
const UNQUOTED = /^[^\s"'`\\]+$/;
const LAST_WORD = /(?<!\S)\S*$/;

/** The raw payload of a failure that a program printed. Names in the line override the defaults; the overrides of the run override both. */
export function failureEvent(
  { format, value }: TextFailure,
  source: RunSource,
  { stream, pid, foundAt, exitStatus }: FailureContext,
): JsonObject {
  const { overrides, defaults } = source;
  const tags = isJsonObject(value['tags']) ? value['tags'] : {};
  const extra = isJsonObject(value['extra']) ? value['extra'] : {};
  return {
    route: '',
    ...value,
    app: overrides.app ?? value['app'] ?? defaults.app,
    service: overrides.service ?? value['service'] ?? defaults.service,
    env: overrides.env ?? value['env'] ?? defaults.env,
    release: overrides.release ?? value['release'] ?? defaults.release ?? null,
    timestamp: value['timestamp'] ?? foundAt,
    tags: { ...tags, source: 'run', stream, pid: String(pid) },
    extra: { ...extra, run: { ...runExtra(source), format, ...(exitStatus && exitExtra(exitStatus)) } },
  };
}

/** The members of `extra.run` in every event of a run. */
export function runExtra({ command, cwd }: RunSource): JsonObject {
  const line = command.map((arg) => (UNQUOTED.test(arg) ? arg : JSON.stringify(arg))).join(' ');
  // Redaction does not recognise a secret that is cut in two, so the cut word is removed.
  return {
    command: line.length > MAX_COMMAND_LENGTH ? cutText(line, MAX_COMMAND_LENGTH).replace(LAST_WORD, '') : line,
    cwd,
  };
}

/** The members of `extra.run` for the end of the program. */
export function exitExtra(status: ExitStatus): JsonObject {
  return status.kind === 'exited' ? { exit_code: status.code } : { signal: status.signal };
}
