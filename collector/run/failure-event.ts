import { isJsonObject, type JsonObject } from '../../core/event/json.js';
import type { TextFailure } from '../log-parsing/text-failure.js';
import type { ExitStatus } from './exit-status.js';
import type { RunSource, StreamName } from './run-source.js';

/** Where and when a failure was printed. */
export interface FailurePlace {
  readonly stream: StreamName;
  readonly pid: number;
  /** RFC 3339; for failures whose text tells no time. */
  readonly foundAt: string;
  /** How the program ended right after it; undefined when it did not. */
  readonly ended?: ExitStatus | undefined;
}

const MAX_COMMAND_LENGTH = 4 * 1024;
/** All others are quoted, so that it shows where they end. */
const PLAIN_WORD = /^[^\s"'`\\]+$/;
const LAST_WORD = /(?<!\S)\S*$/;

/** The raw payload of a failure that a program printed. What the line says of its origin holds over what we guess, and what was given holds over both. */
export function failureEvent({ format, value }: TextFailure, source: RunSource, place: FailurePlace): JsonObject {
  const { given, fallback } = source;
  const tags = isJsonObject(value['tags']) ? value['tags'] : {};
  const extra = isJsonObject(value['extra']) ? value['extra'] : {};
  return {
    route: '',
    ...value,
    app: given.app ?? value['app'] ?? fallback.app,
    service: given.service ?? value['service'] ?? fallback.service,
    env: given.env ?? value['env'] ?? fallback.env,
    release: given.release ?? value['release'] ?? fallback.release ?? null,
    timestamp: value['timestamp'] ?? place.foundAt,
    tags: { ...tags, source: 'run', stream: place.stream, pid: String(place.pid) },
    extra: {
      ...extra,
      run: { ...runPart(source), format, ...(place.ended === undefined ? {} : endPart(place.ended)) },
    },
  };
}

/** What every event of a run says under `extra.run`. */
export function runPart({ command, cwd }: RunSource): JsonObject {
  const words = command.map((word) => (PLAIN_WORD.test(word) ? word : JSON.stringify(word)));
  const line = words.join(' ');
  // Of a word that is cut in two, nobody could tell that it is a secret.
  return {
    command: line.length > MAX_COMMAND_LENGTH ? line.slice(0, MAX_COMMAND_LENGTH).replace(LAST_WORD, '') : line,
    cwd,
  };
}

/** How the program ended, for `extra.run`. */
export function endPart(status: ExitStatus): JsonObject {
  return status.kind === 'exited' ? { exit_code: status.code } : { signal: status.signal };
}
