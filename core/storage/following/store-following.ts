import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { DataFolder } from '../files/store-files.js';
import { setAside } from '../files/write-durably.js';
import type { IndexSource } from '../index/index-source.js';
import type { CommittedEvent } from '../record/commits/committed-event.js';
import type { ArrivalClock } from '../record/partitions/arrival-clock.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import { CURSORS_FOLDER, CursorFile } from './cursor-file.js';
import type { FollowerOptions, FollowPosition, RecordFollower } from './record-follower.js';
import { StoreFollower } from './store-follower.js';
import { NoteFile, type StoreNote } from './store-note.js';

/** Options for `StoreFollowing`; it closes none of them. */
interface StoreFollowingOptions extends DataFolder {
  readonly index: Pick<IndexSource, 'content' | 'recover'>;
  readonly record: Pick<RecordReader, 'readAt'>;
  readonly clock: Pick<ArrivalClock, 'holdAbove'>;
  /** Wall clock. */
  readonly nowMs: () => number;
  /** Called for unreadable cursors and lines. */
  readonly onFault: (fault: Error) => void;
}

/** The followers of one store, and what they keep in its folder. */
export class StoreFollowing {
  readonly #options: StoreFollowingOptions;
  readonly #followers = new Map<string, StoreFollower>();
  #isFolderLost = false;

  constructor(options: StoreFollowingOptions) {
    this.#options = options;
  }

  /** Open followers. */
  get followers(): Iterable<StoreFollower> {
    return this.#followers.values();
  }

  /**
   * Yields events after the cursor of that name, and new ones, in order of arrival, until the store is closed. Faults: `FOLLOWER_EXISTS`,
   * `INDEX_UNUSABLE`; rejects with the system's error if the cursor cannot be read or written.
   */
  async follow({ name, startAt, holdMs, isDurable = true }: FollowerOptions): Promise<RecordFollower> {
    if (this.#followers.has(name)) {
      throw new Fault('FOLLOWER_EXISTS', `A follower ${name} is already open. Close it, or use another name.`);
    }
    const cursor = isDurable ? await this.#openCursor(name) : undefined;
    const isLost = cursor !== undefined && (cursor.isLost || this.#isFolderLost);
    const position = cursor?.position ?? this.#beginning(isLost ? 'beginning' : startAt);
    // Otherwise a crash before the first commit could begin elsewhere and skip events.
    if (cursor?.position === undefined) await cursor?.store(position);
    const follower = new StoreFollower({
      ...this.#options,
      position,
      holdMs,
      store: cursor && ((to) => cursor.store(to)),
      onClose: (closed) => {
        if (this.#followers.get(name) === closed) this.#followers.delete(name);
      },
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

  /** Opens a small document in the folder; one at a time per name. */
  note(name: string): StoreNote {
    const { directory, files, onFault } = this.#options;
    return new NoteFile({ directory, files, name, onFault });
  }

  /** Notifies all followers of a commit; synchronous and cheap. */
  committed(events: readonly CommittedEvent[]): void {
    const [first] = events;
    if (first === undefined) return;
    for (const follower of this.#followers.values()) follower.arrived(events.length, first.receivedAtMicros);
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    for (const follower of [...this.#followers.values()]) await follower.close();
  }

  async #openCursor(name: string): Promise<CursorFile> {
    const { directory, files, index, clock, nowMs, onFault } = this.#options;
    await this.#checkFolder();
    const latestMicros = Math.max(index.content.lastReceivedAtMicros, Math.floor(nowMs() * 1000));
    const cursor = await CursorFile.open({ directory, files, name, latestMicros });
    if (cursor.fault !== undefined) onFault(cursor.fault);
    // With durability `os` a power failure may lose events that were sent: later ones must be dated after them, or they would be skipped.
    if (cursor.position !== undefined) clock.holdAbove(cursor.position.receivedAtMicros);
    return cursor;
  }

  /** Sets aside a file at the path of the cursors' folder; all cursors are lost then. */
  async #checkFolder(): Promise<void> {
    const { directory, files, onFault } = this.#options;
    const folder = join(directory, CURSORS_FOLDER);
    if (((await files.stat(folder))?.kind ?? 'folder') === 'folder') return;
    this.#isFolderLost = true;
    await setAside(files, folder);
    const sentence = `${folder} is not a folder and was set aside: every exporter begins with the oldest stored event and ignores start_at, and sends events again. Nothing has to be done.`;
    onFault(new Fault('CURSOR_UNUSABLE', sentence));
  }

  #beginning(startAt: FollowerOptions['startAt']): FollowPosition {
    const { removed, segments, lastReceivedAtMicros } = this.#options.index.content;
    if (startAt === 'beginning') return { receivedAtMicros: 0, taken: 0, passed: removed.events };
    // After all events of the last instant.
    return { receivedAtMicros: lastReceivedAtMicros + 1, taken: 0, passed: removed.events + segments.events };
  }
}
