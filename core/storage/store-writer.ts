import { DEFAULT_DEAD_LETTER_BOUNDS } from './dead-letters/dead-letter-files.js';
import { type DeadLetterLog, openDeadLetterLog } from './dead-letters/dead-letter-log.js';
import type { EventStoreOptions } from './event-store-options.js';
import { NoteFile } from './following/store-note.js';
import type { HeldFolder } from './held-folder.js';
import { type OriginLog, openOriginLog } from './origins/origin-log.js';
import type { CommittedEvent } from './record/commits/committed-event.js';
import { hourOfMicros } from './record/partitions/arrival-clock.js';
import { openFolderId } from './record/partitions/folder-id.js';
import { openRecordWriter, type RecordWriter } from './record/writer/record-writer.js';
import type { OpenedIndex, OpenedRecord } from './recover-store.js';
import { RecordAges } from './retention/record-ages.js';

/** What a store appends to. */
export interface OpenedWriter {
  readonly writer: RecordWriter;
  readonly commits: CommitListeners;
  readonly rejected: DeadLetterLog;
  readonly origins: LazyOriginLog;
  readonly ages: RecordAges;
}

type CommitListener = (events: readonly CommittedEvent[]) => void;

/** Those that hear of each commit, in the order in which they were added. A listener must not throw, and what it does delays the appends. */
export class CommitListeners {
  readonly #listeners: CommitListener[] = [];

  add(listener: CommitListener): void {
    this.#listeners.push(listener);
  }

  notify(events: readonly CommittedEvent[]): void {
    for (const listener of this.#listeners) listener(events);
  }
}

/** Fourth phase: opens the record for appending, and the other logs of a store that grows. Each commit reaches the index before other listeners. */
export async function openWriter(
  folder: HeldFolder,
  options: EventStoreOptions,
  { uptime, clock, reader, ledger }: OpenedRecord,
  { index, hours, writerFlush }: OpenedIndex,
): Promise<OpenedWriter> {
  const { directory, files, onFault } = folder;
  const { durability = 'fsync', rejected: bounds = DEFAULT_DEAD_LETTER_BOUNDS, nowMs = Date.now } = options;
  const { lastReceivedAtMicros: lastMicros } = index.content;
  const note = new NoteFile({ directory, files, onFault, name: 'retention' });
  const ages = folder.closeLater(await RecordAges.open({ uptime, note, lastMicros, onFault }));
  const removedBeforeMicros = () => ledger.totals.beforeMicros;
  const openLog = () => openOriginLog({ directory, files, onFault, clock, record: reader, removedBeforeMicros });
  const origins = folder.closeLater(new LazyOriginLog(openLog));
  const commits = new CommitListeners();
  commits.add(([first]) => {
    if (first !== undefined) ages.observeCommit(first.receivedAtMicros);
  });
  commits.add((events) => index.apply(events));
  const lastHour = lastMicros === 0 ? undefined : hourOfMicros(lastMicros);
  const writer = folder.closeLater(
    await openRecordWriter({
      directory,
      files,
      onFault,
      durability,
      syncIntervalMs: options.checkpointIntervalMs,
      timers: options.timers,
      folderId: await openFolderId({ directory, files, onFault, lastHour }),
      clock,
      onCommitted: (events) => commits.notify(events),
      onGrown: (added) => hours.sizes.add(added),
      holdsFolder: () => folder.check(),
    }),
  );
  writerFlush.begin(writer);
  const rejected = folder.closeLater(await openDeadLetterLog({ directory, files, onFault, bounds, nowMs }));
  return { writer, commits, rejected, origins, ages };
}

/** The log of events from other collectors, which most stores do not need. */
export class LazyOriginLog {
  readonly #openLog: () => Promise<OriginLog>;
  #log: Promise<OriginLog> | undefined;

  constructor(openLog: () => Promise<OriginLog>) {
    this.#openLog = openLog;
  }

  /** The first call opens it. */
  open(): Promise<OriginLog> {
    this.#log ??= this.#openLog();
    return this.#log;
  }

  async close(): Promise<void> {
    const log = await this.#log?.catch(() => undefined);
    await log?.close();
  }
}
