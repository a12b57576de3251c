import { toEventId } from '../../../event/ids.js';
import type { StoreFiles } from '../../files/store-files.js';
import { readDocument, writeDocument } from '../documents/document-adapter.js';
import { DocumentFields } from '../documents/document-fields.js';
import { isGeneration } from '../documents/index-folder.js';
import type { SealedExtent } from '../segments/segment-files.js';

/** What a manifest says of the action log, so that a log that was removed, cut or replaced is noticed. */
export interface KnownActions {
  readonly count: number;
  /** Id of the last of them. */
  readonly lastId: string;
}

/** Names the one consistent set of documents that is the index on disk; its segments, from `firstSegment` on, are there, and what came after its cursor is replayed from the record. */
export interface Manifest extends SealedExtent {
  /** Folder of its documents. */
  readonly generation: string;
  /** Number of the checkpoint that wrote it; names documents that change. */
  readonly checkpoint: number;
  /** `id` of the plan by which its events are grouped. */
  readonly grouping: string | null;
  /** Issues in cards and states. */
  readonly issues: number;
  /** Checkpoint that wrote the cards of the last block, if that block is not full. */
  readonly openCards: number;
  /** Checkpoint that wrote each shard's states. */
  readonly states: readonly number[];
  /** The action log as of its last checkpoint; undefined where it held nothing. */
  readonly actions?: KnownActions | undefined;
}

/** The manifest at a path; undefined when there is none. Throws `INDEX_UNUSABLE`. */
export async function readManifest(files: StoreFiles, path: string): Promise<Manifest | undefined> {
  const data = await readDocument(files, path, 'manifest');
  if (data === undefined) return undefined;
  const fields = new DocumentFields(path, data);
  const generation = fields.text('generation');
  if (!isGeneration(generation)) throw fields.unusable('generation');
  const segments = fields.count('segments');
  const lastEventId = segments === 0 ? null : toEventId(fields.text('last_event_id'));
  if (lastEventId === undefined) throw fields.unusable('last_event_id');
  return {
    generation,
    checkpoint: fields.count('checkpoint'),
    grouping: fields.textOrNull('grouping'),
    segments,
    events: fields.count('events'),
    cursorMicros: fields.count('cursor'),
    lastEventId,
    firstSegment: fields.count('first_segment'),
    removedEvents: fields.count('removed_events'),
    beforeMicros: fields.count('removed_before'),
    issues: fields.count('issues'),
    openCards: fields.count('open_cards'),
    states: fields.integers('states'),
    ...(fields.has('last_action_id') && {
      actions: { count: fields.count('actions'), lastId: fields.text('last_action_id') },
    }),
  };
}

/** Makes a set of documents the one that counts, in one step; answers the bytes written. */
export async function writeManifest(files: StoreFiles, path: string, manifest: Manifest): Promise<number> {
  return await writeDocument(files, path, 'manifest', {
    generation: manifest.generation,
    checkpoint: manifest.checkpoint,
    grouping: manifest.grouping,
    segments: manifest.segments,
    events: manifest.events,
    cursor: manifest.cursorMicros,
    last_event_id: manifest.lastEventId,
    first_segment: manifest.firstSegment,
    removed_events: manifest.removedEvents,
    removed_before: manifest.beforeMicros,
    issues: manifest.issues,
    open_cards: manifest.openCards,
    states: manifest.states,
    actions: manifest.actions?.count,
    last_action_id: manifest.actions?.lastId,
  });
}
