import { join } from 'node:path';
import type { EventId } from '../../event/ids.js';
import { makeFolderDurably } from '../files/write-durably.js';
import { storeClosing } from '../record/append-faults.js';
import type { LogFolder } from '../record/io/read-log.js';
import { type LineLog, openLineLog } from '../record/line-log.js';
import { type ArrivalClock, hourOfMicros } from '../record/partitions/arrival-clock.js';
import { createEventIds, parseEventId } from '../record/partitions/event-id.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import { listOriginFiles, ORIGINS_FOLDER, originFile } from './origin-files.js';
import {
  type AppliedEvents,
  type AppliedPositions,
  encodeEvents,
  encodePositions,
  idOfKey,
  KEY_LENGTH,
  type OriginLine,
  parseOriginLine,
} from './origin-line.js';

interface OriginLogOptions extends LogFolder {
  readonly clock: Pick<ArrivalClock, 'now'>;
  readonly record: Pick<RecordReader, 'replay'>;
  /** Retention removed everything received before this instant. */
  readonly removedBeforeMicros: () => number;
}

/** Lines of positions hold all sources. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** How long a source may take to send again what was stored before a crash. */
const UNLOGGED_MICROS = 24 * 3_600_000_000;

/** Opens the log; after a crash it reads what was stored last. */
export async function openOriginLog(options: OriginLogOptions): Promise<OriginLog> {
  const { directory, files, record } = options;
  const folder = join(directory, ORIGINS_FOLDER);
  await makeFolderDurably(files, folder);
  const newest = (await listOriginFiles({ directory, files })).at(-1);
  const content = await readNewest({ ...options, directory: folder }, newest?.name);
  const unlogged =
    content.floorMicros === undefined ? new Map<string, EventId[]>() : await readUnlogged(record, content);
  const log = new OriginLog(options, content, unlogged, newest?.hour ?? Number.NEGATIVE_INFINITY);
  await log.writeFirstLine();
  return log;
}

/** A line that waits to be written. */
interface WaitingLine {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The ids that events of other collectors have there and here, and what was applied of each source: files of an hour in `origins/`, synced
 * with each append. Faults: `STORE_UNAVAILABLE`, `STORE_CLOSING`.
 */
export class OriginLog {
  /** What is in the log. */
  readonly applied: AppliedPositions;
  readonly #options: OriginLogOptions;
  readonly #folder: string;
  /** The floor of the last line that an earlier process wrote. */
  readonly #floorAtOpen: number | undefined;
  /** Events that were stored before a crash and are not in the log, by their raw line. */
  readonly #unlogged: Map<string, EventId[]>;
  /** A source does not send them again after this instant. */
  readonly #unloggedUntil: number;
  /** What was taken of `#unlogged` and is not in the log yet. */
  readonly #taken = new Set<EventId>();
  /** Appends to the record that have begun and not ended, oldest first. */
  readonly #storing = new Set<{ readonly atMicros: number }>();
  /** Hour of the current file. */
  #hour: number;
  #file: LineLog | undefined;
  #waiting: WaitingLine[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: OriginLogOptions, newest: NewestFile, unlogged: Map<string, EventId[]>, hour: number) {
    this.#options = options;
    this.#folder = join(options.directory, ORIGINS_FOLDER);
    this.applied = newest.applied;
    this.#floorAtOpen = newest.floorMicros;
    this.#unlogged = unlogged;
    this.#unloggedUntil = options.clock.now() + UNLOGGED_MICROS;
    this.#hour = hour;
    this.#file = newest.log;
  }

  /** Call it first: a crash during the first append must find a floor. */
  async writeFirstLine(): Promise<void> {
    await this.#write(encodePositions(this.applied, this.#floorMicros()));
  }

  /** Call before events of a source are stored; the returned function ends it. */
  begin(): () => void {
    const storing = { atMicros: this.#options.clock.now() };
    this.#storing.add(storing);
    return () => void this.#storing.delete(storing);
  }

  /** Resolves when the line is durable. Calls may overlap and share a sync. */
  async append(events: AppliedEvents): Promise<void> {
    if (this.#isClosed) throw storeClosing();
    await this.#write(encodeEvents(events, this.#floorMicros()));
    for (const { stored } of events.origins) if (stored !== undefined) this.#taken.delete(stored);
    setPosition(this.applied, events);
  }

  /** Takes the id of an event with these bytes that was stored before a crash and is not logged; undefined: store it. */
  takeUnlogged(rawLine: Uint8Array): EventId | undefined {
    if (this.#unlogged.size === 0) return undefined;
    const key = keyOfLine(rawLine);
    const ids = this.#unlogged.get(key);
    const id = ids?.shift();
    if (ids?.length === 0) this.#unlogged.delete(key);
    if (id !== undefined) this.#taken.add(id);
    return id;
  }

  /** Undoes `takeUnlogged` if the id was not logged. */
  putBack(rawLine: Uint8Array, eventId: EventId): void {
    const key = keyOfLine(rawLine);
    this.#unlogged.set(key, [...(this.#unlogged.get(key) ?? []), eventId]);
    this.#taken.delete(eventId);
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    const isSettled = this.#storing.size + this.#unlogged.size + this.#taken.size === 0;
    await this.#write(encodePositions(this.applied, isSettled ? undefined : this.#floorMicros()));
    await this.#file?.close();
  }

  #floorMicros(): number {
    const [oldest] = this.#storing;
    const current = oldest?.atMicros ?? this.#options.clock.now();
    if (current > this.#unloggedUntil) this.#unlogged.clear();
    // Until they are in the log, a second crash must find them again.
    const isAllLogged = this.#unlogged.size + this.#taken.size === 0;
    return isAllLogged ? current : Math.min(this.#floorAtOpen ?? current, current);
  }

  #write(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, resolve, reject });
      this.#writing ??= this.#writeWaiting().finally(() => {
        this.#writing = undefined;
      });
    });
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const file = await this.#currentFile();
        await file.append(Buffer.from(batch.map(({ line }) => line).join('')));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  /** The file of this hour; a new one begins with the positions of all sources. */
  async #currentFile(): Promise<LineLog> {
    const hour = Math.max(this.#hour, hourOfMicros(this.#options.clock.now()));
    if (this.#file !== undefined && hour === this.#hour) return this.#file;
    const log = { ...ORIGIN_LOG, name: originFile(hour), parseLine: parseOriginLine };
    const { log: next } = await openLineLog({ ...this.#options, directory: this.#folder }, log);
    await next.append(Buffer.from(encodePositions(this.applied, this.#floorMicros())));
    await this.#file?.close();
    this.#file = next;
    this.#hour = hour;
    await this.#removeOld();
    return next;
  }

  async #removeOld(): Promise<void> {
    const firstHour = hourOfMicros(this.#options.removedBeforeMicros());
    for (const { name, hour } of await listOriginFiles(this.#options)) {
      if (hour < firstHour && hour < this.#hour) await this.#options.files.unlink(join(this.#folder, name));
    }
  }
}

interface NewestFile {
  readonly applied: AppliedPositions;
  /** Undefined: everything that was stored is in the log. */
  readonly floorMicros: number | undefined;
  /** Lines that may hold ids of events received after the floor. */
  readonly recent: readonly OriginLine[];
  /** Undefined without a file. */
  readonly log: LineLog | undefined;
}

const ORIGIN_LOG = { maxLineBytes: MAX_LINE_BYTES, what: 'line', complaint: 'is not a line of origins' };

async function readNewest(folder: LogFolder, name: string | undefined): Promise<NewestFile> {
  const applied: AppliedPositions = new Map();
  let recent: OriginLine[] = [];
  let floorMicros: number | undefined;
  const fold = (text: string): true | undefined => {
    const line = parseOriginLine(text);
    if (line === undefined) return undefined;
    floorMicros = line.floorMicros;
    if (line.positions === undefined) {
      setPosition(applied, line);
      recent.push(line);
    } else for (const [source, positions] of line.positions) applied.set(source, positions);
    const begin = recent.findIndex(({ ids }) => latestOf(ids) >= (line.floorMicros ?? Number.POSITIVE_INFINITY));
    recent = begin < 0 ? [] : recent.slice(begin);
    return true;
  };
  const opened = name === undefined ? undefined : await openLineLog(folder, { ...ORIGIN_LOG, name, parseLine: fold });
  return { applied, floorMicros, recent, log: opened?.log };
}

/** Receipt of the last stored event of a line, microseconds since the epoch. */
function latestOf(ids: string): number {
  const last = idOfKey(ids.slice(-KEY_LENGTH));
  return (last && parseEventId(last)?.receivedAtMicros) ?? Number.POSITIVE_INFINITY;
}

/** Events received since the floor whose ids are in none of the lines, by their raw line. */
async function readUnlogged(
  record: Pick<RecordReader, 'replay'>,
  { floorMicros = 0, recent }: NewestFile,
): Promise<Map<string, EventId[]>> {
  const logged = new Set(recent.flatMap(({ ids }) => storedIn(ids)));
  const unlogged = new Map<string, EventId[]>();
  for await (const { receivedAtMicros, events } of record.replay({ afterMicros: floorMicros - 1 })) {
    for (const { partition, line, rawLine } of events) {
      const id = createEventIds(partition, receivedAtMicros)(line);
      if (logged.has(id)) continue;
      const key = keyOfLine(rawLine);
      unlogged.set(key, [...(unlogged.get(key) ?? []), id]);
    }
  }
  return unlogged;
}

function storedIn(ids: string): EventId[] {
  const stored: EventId[] = [];
  for (let at = KEY_LENGTH; at < ids.length; at += 2 * KEY_LENGTH) {
    const id = idOfKey(ids.slice(at, at + KEY_LENGTH));
    if (id !== undefined) stored.push(id);
  }
  return stored;
}

/** The mark of a repetition differs here, because it is the id of an event. */
const MARK = /"repeats":"[0-9a-f-]{36}"/g;

function keyOfLine(rawLine: Uint8Array): string {
  const line = Buffer.from(rawLine.buffer, rawLine.byteOffset, rawLine.byteLength).toString('latin1');
  return line.replace(MARK, '');
}

function setPosition(
  applied: AppliedPositions,
  { source, partition, to }: Pick<AppliedEvents, 'source' | 'partition' | 'to'>,
): void {
  const positions = applied.get(source) ?? new Map<number, string>();
  applied.set(source, positions.set(partition, to));
}
