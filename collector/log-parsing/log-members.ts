import { hasMembers, isJsonObject, type JsonObject, type JsonValue } from '../../core/event/json.js';
import { headOf, type LogField } from './log-fields.js';

/** A member of a log entry that holds a field. */
export interface LogMember {
  readonly path: string;
  readonly value: string | number;
  /** Whether the member stays in `extra`. */
  readonly isCopied: boolean;
}

/** The members of a log entry, and which of them became a field. */
export class LogMembers {
  readonly #log: JsonObject;
  readonly #usedPaths: string[] = [];
  /** The heads of all names, so that most paths of a field cost one look. */
  #heads: ReadonlySet<string> | undefined;

  constructor(log: JsonObject) {
    this.#log = log;
  }

  /** Returns the member with the whole path as its name, else the nested one. */
  valueAt(path: string): JsonValue | undefined {
    if (Object.hasOwn(this.#log, path)) return this.#log[path];
    const head = headOf(path);
    return head !== path && Object.hasOwn(this.#log, head) ? nestedValue(this.#log, path.split('.')) : undefined;
  }

  /** Finds the first path of a field whose value the field accepts. */
  find({ paths, parse, isCopied }: LogField): LogMember | undefined {
    this.#heads ??= new Set(Object.keys(this.#log).map(headOf));
    for (const { text, head } of paths) {
      const member = this.#heads.has(head) ? this.valueAt(text) : undefined;
      const value = member === undefined ? undefined : parse(member);
      if (value !== undefined) return { path: text, value, isCopied };
    }
    return undefined;
  }

  /** Returns the value of a member that becomes a field. */
  use(member: LogMember | undefined): string | number | undefined {
    if (member?.isCopied === false) this.#usedPaths.push(member.path);
    return member?.value;
  }

  /** Removes the used members from the log; undefined if none remains. */
  unused(): JsonObject | undefined {
    for (const path of this.#usedPaths) removeAt(this.#log, path);
    return hasMembers(this.#log) ? this.#log : undefined;
  }
}

function nestedValue(object: JsonObject, steps: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const step of steps) {
    if (Array.isArray(value)) value = step === '0' ? value[0] : undefined;
    else if (isJsonObject(value)) value = Object.hasOwn(value, step) ? value[step] : undefined;
    else return undefined;
  }
  return value;
}

function removeAt(object: JsonObject, path: string): void {
  if (Object.hasOwn(object, path)) {
    delete object[path];
    return;
  }
  const point = path.indexOf('.');
  if (point === -1) return;
  const head = path.slice(0, point);
  const inner = Object.hasOwn(object, head) ? object[head] : undefined;
  if (!isJsonObject(inner)) return;
  removeAt(inner, path.slice(point + 1));
  if (Object.keys(inner).length === 0) delete object[head];
}
