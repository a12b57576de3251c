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

/**
 * The ids that events of other collectors have there and here, and what was applied of each source: files of an hour in `origins/`, synced
 * with each append. Faults: `STORE_UNAVAILABLE`, `STORE_CLOSING`.
 */
export type OriginLog = Awaited<ReturnType<typeof openOriginLog>>;

/** Lines of positions hold all sources. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** How long a source may take to send again what was stored before a crash. */
const UNLOGGED_MICROS = 24 * 3_600_000_000;

/** Opens the log; after a crash it reads what was stored last. */
export async function openOriginLog(options: OriginLogOptions) {
  const { directory, files, clock, record } = options;
  const folder = join(directory, ORIGINS_FOLDER);
  await makeFolderDurably(files, folder);
  const newest = (await listOriginFiles({ directory, files })).at(-1);
  const known = await readNewest({ ...options, directory: folder }, newest?.name);
  const { applied } = known;
  const unlogged = known.floorMicros === undefined ? new Map<string, EventId[]>() : await readUnlogged(record, known);
  const unloggedUntil = clock.now() + UNLOGGED_MICROS;
  /** What was taken of `unlogged` and is not in the log yet. */
  const taken = new Set<EventId>();
  const running = new Set<{ readonly atMicros: number }>();
  let hour = newest?.hour ?? Number.NEGATIVE_INFINITY;
  let { log } = known;
  let waiting: { line: string; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let writing: Promise<void> | undefined;
  let isClosed = false;

  function floorMicros(): number {
    const [oldest] = running;
    const current = oldest?.atMicros ?? clock.now();
    if (current > unloggedUntil) unlogged.clear();
    // Until they are in the log, a second crash must find them again.
    return unlogged.size + taken.size === 0 ? current : Math.min(known.floorMicros ?? current, current);
  }

  /** The file of this hour; a new one begins with the positions of all sources. */
  async function currentFile(): Promise<LineLog> {
    const now = Math.max(hour, hourOfMicros(clock.now()));
    if (log !== undefined && now === hour) return log;
    const file = { ...ORIGIN_LOG, name: originFile(now), parseLine: parseOriginLine };
    const { log: next } = await openLineLog({ ...options, directory: folder }, file);
    await next.append(Buffer.from(encodePositions(applied, floorMicros())));
    await log?.close();
    [log, hour] = [next, now];
    await removeOld();
    return next;
  }

  async function removeOld(): Promise<void> {
    const keptFrom = hourOfMicros(options.removedBeforeMicros());
    for (const { name, hour: ofFile } of await listOriginFiles({ directory, files })) {
      if (ofFile < keptFrom && ofFile < hour) await files.unlink(join(folder, name));
    }
  }

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await (await currentFile()).append(Buffer.from(batch.map(({ line }) => line).join('')));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  function write(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ line, resolve, reject });
      writing ??= writeWaiting().finally(() => {
        writing = undefined;
      });
    });
  }

  // A crash during the first append must find a floor.
  await write(encodePositions(applied, floorMicros()));
  return {
    /** What is in the log. */
    applied,
    /** Call before events of a source are stored; the returned function ends it. */
    begin() {
      const one = { atMicros: clock.now() };
      running.add(one);
      return () => void running.delete(one);
    },
    /** Resolves when the line is durable. Calls may overlap and share a sync. */
    async append(events: AppliedEvents): Promise<void> {
      if (isClosed) throw storeClosing();
      await write(encodeEvents(events, floorMicros()));
      for (const { stored } of events.origins) if (stored !== undefined) taken.delete(stored);
      setPosition(applied, events);
    },
    /** Takes the id of an event with these bytes that was stored before a crash and is not logged; undefined: store it. */
    takeUnlogged(rawLine: Uint8Array): EventId | undefined {
      if (unlogged.size === 0) return undefined;
      const key = keyOfLine(rawLine);
      const ids = unlogged.get(key);
      const id = ids?.shift();
      if (ids?.length === 0) unlogged.delete(key);
      if (id !== undefined) taken.add(id);
      return id;
    },
    /** Undoes `takeUnlogged` if the id was not logged. */
    putBack(rawLine: Uint8Array, eventId: EventId): void {
      const key = keyOfLine(rawLine);
      unlogged.set(key, [...(unlogged.get(key) ?? []), eventId]);
      taken.delete(eventId);
    },
    async close(): Promise<void> {
      if (isClosed) return;
      isClosed = true;
      await writing;
      const isSettled = running.size + unlogged.size + taken.size === 0;
      await write(encodePositions(applied, isSettled ? undefined : floorMicros()));
      await log?.close();
    },
  };
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

function keyOfLine(rawLine: Uint8Array): string {
  return Buffer.from(rawLine.buffer, rawLine.byteOffset, rawLine.byteLength).toString('latin1');
}

function setPosition(
  applied: AppliedPositions,
  { source, partition, to }: Pick<AppliedEvents, 'source' | 'partition' | 'to'>,
): void {
  const positions = applied.get(source) ?? new Map<number, string>();
  applied.set(source, positions.set(partition, to));
}
