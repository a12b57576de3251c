import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { DataFolder } from '../files/store-files.js';
import { setAside } from '../files/write-durably.js';
import type { IndexSource } from '../index/index-source.js';
import type { CommittedEvent } from '../record/commits/committed-event.js';
import type { ArrivalClock } from '../record/partitions/arrival-clock.js';
import type { RecordReader } from '../record/reader/record-reader.js';
import { CURSORS_FOLDER, type CursorFile, createCursorFile, type KnownCursor } from './cursor-file.js';
import type { FollowerOptions, FollowPosition, RecordFollower } from './record-follower.js';
import { StoreFollower } from './store-follower.js';
import { createStoreNote, type StoreNote } from './store-note.js';

/** Options for `createStoreFollowing`; it closes none of them. */
interface StoreFollowingOptions extends DataFolder {
  readonly index: Pick<IndexSource, 'content' | 'recover'>;
  readonly record: Pick<RecordReader, 'readAt'>;
  readonly clock: Pick<ArrivalClock, 'holdAbove'>;
  /** Wall clock. */
  readonly nowMs: () => number;
  /** Called for unreadable cursors and lines. */
  readonly onFault: (fault: Error) => void;
}

/** Creates the followers of one store. */
export function createStoreFollowing(options: StoreFollowingOptions) {
  const { directory, files, index, record, clock, nowMs, onFault } = options;
  const followers = new Map<string, StoreFollower>();
  let isFolderLost = false;

  /**
   * Yields events after the cursor of that name, and new ones, in order of arrival, until the store is closed. Faults: `FOLLOWER_EXISTS`,
   * `INDEX_UNUSABLE`; rejects with the system's error if the cursor cannot be read or written.
   */
  async function follow({ name, startAt, holdMs, isDurable = true }: FollowerOptions): Promise<RecordFollower> {
    if (followers.has(name)) {
      throw new Fault('FOLLOWER_EXISTS', `A follower ${name} is already open. Close it, or use another name.`);
    }
    const cursor = isDurable ? createCursorFile({ files, directory, name }) : undefined;
    const known = await load(cursor);
    const position = known?.position ?? beginning(known?.isLost ? 'beginning' : startAt);
    // Otherwise a crash before the first commit could begin elsewhere and skip events.
    if (known?.position === undefined) await cursor?.store(position);
    const follower = new StoreFollower({
      directory,
      index,
      record,
      position,
      holdMs,
      store: cursor && ((to) => cursor.store(to)),
      onClose: (closed) => {
        if (followers.get(name) === closed) followers.delete(name);
      },
      onFault,
    });
    followers.set(name, follower);
    try {
      await follower.begin();
    } catch (error) {
      await follower.close();
      throw error;
    }
    return follower;
  }

  async function load(cursor: CursorFile | undefined): Promise<KnownCursor | undefined> {
    if (cursor === undefined) return undefined;
    await checkFolder();
    const latestMicros = Math.max(index.content.lastReceivedAtMicros, Math.floor(nowMs() * 1000));
    const known = await cursor.load(latestMicros);
    const { position, fault } = known;
    if (fault !== undefined) onFault(fault);
    // With durability `os` a power failure may lose events that were sent: later ones must be dated after them, or they would be skipped.
    if (position !== undefined) clock.holdAbove(position.receivedAtMicros);
    return position === undefined && isFolderLost ? { ...known, isLost: true } : known;
  }

  /** Sets aside a file at the path of the cursors' folder; all cursors are lost then. */
  async function checkFolder(): Promise<void> {
    const folder = join(directory, CURSORS_FOLDER);
    if (((await files.stat(folder))?.kind ?? 'folder') === 'folder') return;
    isFolderLost = true;
    await setAside(files, folder);
    const sentence = `${folder} is not a folder and was set aside: every exporter begins with the oldest stored event and ignores start_at, and sends events again. Nothing has to be done.`;
    onFault(new Fault('CURSOR_UNUSABLE', sentence));
  }

  function beginning(startAt: FollowerOptions['startAt']): FollowPosition {
    const { removed, segments, lastReceivedAtMicros } = index.content;
    if (startAt === 'beginning') return { receivedAtMicros: 0, taken: 0, passed: removed.events };
    // After all events of the last instant.
    return { receivedAtMicros: lastReceivedAtMicros + 1, taken: 0, passed: removed.events + segments.events };
  }

  return {
    follow,
    /** Open followers. */
    get followers(): Iterable<StoreFollower> {
      return followers.values();
    },
    /** Opens a small document in the folder; one at a time per name. */
    note: (name: string): StoreNote => createStoreNote({ directory, files, name, onFault }),
    /** Notifies all followers of a commit; synchronous and cheap. */
    committed(events: readonly CommittedEvent[]): void {
      const [first] = events;
      if (first === undefined) return;
      for (const follower of followers.values()) follower.arrived(events.length, first.receivedAtMicros);
    },
    /** Safe to call twice. */
    async close(): Promise<void> {
      for (const follower of [...followers.values()]) await follower.close();
    },
  };
}
