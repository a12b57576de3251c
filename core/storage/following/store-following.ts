import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import { setAside } from '../files/set-aside.js';
import type { DataFolder } from '../files/store-files.js';
import type { IndexSource } from '../index/index-source.js';
import type { CommittedEvent } from '../record/commits/committed-event.js';
import type { ArrivalClock } from '../record/partitions/arrival-clock.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import { CURSORS_FOLDER, CursorFile, type KnownCursor } from './cursor-file.js';
import type { FollowOptions, FollowPosition, RecordFollower } from './record-follower.js';
import { StoreFollower } from './store-follower.js';
import { createStoreNote, type StoreNote } from './store-note.js';

/** What is followed; all of it stays open. */
export interface StoreFollowingOptions extends DataFolder {
  readonly index: Pick<IndexSource, 'content' | 'recover'>;
  readonly record: Pick<RecordReader, 'readAt'>;
  /** Dates what arrives. */
  readonly clock: Pick<ArrivalClock, 'holdAbove'>;
  /** Wall clock in milliseconds. */
  readonly nowMs: () => number;
  /** Called for cursors and lines that cannot be read. */
  readonly onFault: (fault: Error) => void;
}

/** Everybody who follows one store. */
export class StoreFollowing {
  readonly #options: StoreFollowingOptions;
  /** By name. */
  readonly #followers = new Map<string, StoreFollower>();
  #isFolderLost = false;

  constructor(options: StoreFollowingOptions) {
    this.#options = options;
  }

  /** Those that are open. */
  get followers(): Iterable<StoreFollower> {
    return this.#followers.values();
  }

  /** Goes on where the cursor of that name stands. Faults: `FOLLOWER_EXISTS`, `INDEX_UNUSABLE`; rejects with the system's error where the cursor cannot be read or kept. */
  async follow({ name, startAt, holdMs, isDurable = true }: FollowOptions): Promise<RecordFollower> {
    if (this.#followers.has(name)) {
      throw new Fault(
        'FOLLOWER_EXISTS',
        `The store is followed as ${name} already. Close that follower, or take another name.`,
      );
    }
    const { directory, files, index, record, onFault } = this.#options;
    const cursor = isDurable ? new CursorFile({ files, directory, name }) : undefined;
    const known = await this.#read(cursor);
    const position = known?.position ?? this.#beginning(known?.isLost ? 'beginning' : startAt);
    // Otherwise a crash before the first commit would begin at another end, and skip what came in between.
    if (known?.position === undefined) await cursor?.write(position);
    const follower = new StoreFollower({
      directory,
      index,
      record,
      position,
      holdMs,
      write: cursor && ((to) => cursor.write(to)),
      onClose: (closed) => {
        if (this.#followers.get(name) === closed) this.#followers.delete(name);
      },
      onFault,
    });
    this.#followers.set(name, follower);
    try {
      await follower.begin();
    } catch (error) {
      await follower.close();
      throw error;
    }
    return follower;
  }

  /** The note of that name. */
  note(name: string): StoreNote {
    const { directory, files, onFault } = this.#options;
    return createStoreNote({ directory, files, name, onFault });
  }

  /** Tells everybody of a commit; synchronous, and cheap. */
  committed(events: readonly CommittedEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    for (const follower of this.#followers.values()) follower.arrived(events.length, first.receivedAtMicros);
  }

  /** Ends all following. Safe twice. */
  async close(): Promise<void> {
    for (const follower of [...this.#followers.values()]) await follower.close();
  }

  async #read(cursor: CursorFile | undefined): Promise<KnownCursor | undefined> {
    if (cursor === undefined) return undefined;
    const { index, clock, nowMs, onFault } = this.#options;
    await this.#mendFolder();
    const latestMicros = Math.max(index.content.lastReceivedAtMicros, Math.floor(nowMs() * 1000));
    const known = await cursor.read(latestMicros);
    const { position, fault } = known;
    if (fault !== undefined) onFault(fault);
    // A loss of power may have taken events that were sent (durability os): what comes is dated after them, or it would be skipped.
    if (position !== undefined) clock.holdAbove(position.receivedAtMicros);
    return position === undefined && this.#isFolderLost ? { ...known, isLost: true } : known;
  }

  /** Sets aside what is not a folder in the place of the cursors, which took them all with it. */
  async #mendFolder(): Promise<void> {
    const { directory, files, onFault } = this.#options;
    const folder = join(directory, CURSORS_FOLDER);
    if (((await files.stat(folder))?.kind ?? 'folder') === 'folder') return;
    this.#isFolderLost = true;
    await setAside(files, folder);
    const sentence = `${folder} is not a folder and was set aside: every exporter begins with the oldest event that is kept, whatever start_at says, and sends again what it had sent. Nothing has to be done.`;
    onFault(new Fault('CURSOR_UNUSABLE', sentence));
  }

  #beginning(startAt: FollowOptions['startAt']): FollowPosition {
    const { removed, segments, lastReceivedAtMicros } = this.#options.index.content;
    if (startAt === 'beginning') return { receivedAtMicros: 0, taken: 0, passed: removed.events };
    // After every event of the last instant.
    return { receivedAtMicros: lastReceivedAtMicros + 1, taken: 0, passed: removed.events + segments.events };
  }
}
