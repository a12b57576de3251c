import type { Low } from 'lowdb';
import { toEventId } from '../../../event/ids.js';
import { createDocument, type DocumentFile, type DocumentFormat, openDocument } from '../../files/durable-document.js';
import type { StoreFiles } from '../../files/store-files.js';
import { ISSUES_PER_SHARD } from '../content/issue-state.js';
import { decodeDocument, encodeDocument } from '../documents/checked-document.js';
import { DocumentFields } from '../documents/document-fields.js';
import { unlessUnusable } from '../documents/index-fault.js';
import { blockPath, isGeneration, manifestPath, statesPath } from '../documents/index-folder.js';
import type { SealedExtent } from '../segments/event-segments.js';
import { decodeUsers, encodeUsers, NO_USERS } from '../segments/user-sketch.js';

/** State of the action log in a manifest, so that a removed, cut or replaced log is noticed. */
export interface KnownActions {
  readonly count: number;
  /** Of the last action. */
  readonly lastId: string;
}

/** Names the consistent set of documents that is the index on disk. The record after its cursor is replayed. */
export interface Manifest extends SealedExtent {
  readonly generation: string;
  /** That wrote it. */
  readonly checkpoint: number;
  /** `id` of the grouping plan. */
  readonly grouping: string | null;
  /** Issues in headers and states. */
  readonly issues: number;
  /** Checkpoint that wrote the headers of the last block, if it is not full. */
  readonly openCards: number;
  /** Checkpoint that wrote each shard's states. */
  readonly states: readonly number[];
  /** Undefined if the action log was empty. */
  readonly actions?: KnownActions | undefined;
}

/** Issues whose headers share a document. */
export const HEADERS_PER_BLOCK = 256;

/** Path of the headers of a block. */
export function headersPath(
  folder: string,
  block: number,
  { issues, openCards }: Pick<Manifest, 'issues' | 'openCards'>,
): string {
  const isFull = (block + 1) * HEADERS_PER_BLOCK <= issues;
  return isFull ? blockPath(folder, block) : blockPath(folder, block, openCards);
}

interface IssueDocument {
  readonly path: string;
  readonly kind: 'cards' | 'states';
  /** Ordinal of the first issue. */
  readonly first: number;
  readonly count: number;
}

/** The documents of issues that a manifest names, of one kind. */
export function issueDocuments(folder: string, manifest: Manifest, kind: IssueDocument['kind']): IssueDocument[] {
  const { issues, states } = manifest;
  const size = kind === 'cards' ? HEADERS_PER_BLOCK : ISSUES_PER_SHARD;
  return Array.from({ length: Math.ceil(issues / size) }, (_, index) => {
    const path =
      kind === 'cards' ? headersPath(folder, index, manifest) : statesPath(folder, index, states[index] ?? 0);
    return { path, kind, first: index * size, count: Math.min(size, issues - index * size) };
  });
}

/** What the document of a manifest holds; undefined if it is missing. */
export interface ManifestData {
  readonly manifest: Manifest | undefined;
}

/** A manifest on disk; `replaceData` replaces it in one step. */
export type ManifestDocument = Low<ManifestData>;

/** Opens the manifest at a path. Rejects with `INDEX_UNUSABLE`. */
export function openManifest(files: StoreFiles, path: string): Promise<ManifestDocument> {
  return openDocument(manifestFile(files, path));
}

/** The manifest at a path, not read yet. */
export function createManifest(files: StoreFiles, path: string): ManifestDocument {
  return createDocument(manifestFile(files, path));
}

function manifestFile(files: StoreFiles, path: string): DocumentFile<ManifestData> {
  const format: DocumentFormat<ManifestData> = {
    encode({ manifest }) {
      if (manifest === undefined) throw new Error('A missing manifest cannot be written.');
      return encodeDocument('manifest', fieldsOf(manifest));
    },
    decode: (content) => ({
      manifest: parseManifest(new DocumentFields(path, decodeDocument(content, path, 'manifest'))),
    }),
  };
  return { files, path, format, defaults: { manifest: undefined } };
}

/** Throws `INDEX_UNUSABLE`. */
function parseManifest(fields: DocumentFields): Manifest {
  const generation = fields.text('generation');
  if (!isGeneration(generation)) throw fields.unusable('generation');
  const segments = fields.count('segments');
  const lastEventId = segments === 0 ? null : toEventId(fields.text('last_event_id'));
  if (lastEventId === undefined) throw fields.unusable('last_event_id');
  const releases = fields.texts('releases');
  const firstSeen = fields.integers('releases_first_seen', releases.length);
  const lastSeen = fields.integers('releases_last_seen', releases.length);
  const counts = fields.integers('releases_events', releases.length);
  const users = decodeUsers(fields, releases.length);
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
    releases: releases.map((name, index) => ({
      name,
      firstSeenMs: firstSeen[index] ?? 0,
      lastSeenMs: lastSeen[index] ?? 0,
      events: counts[index] ?? 0,
      users: users[index] ?? NO_USERS,
    })),
    issues: fields.count('issues'),
    openCards: fields.count('open_cards'),
    states: fields.integers('states'),
    ...(fields.has('last_action_id') && {
      actions: { count: fields.count('actions'), lastId: fields.text('last_action_id') },
    }),
  };
}

function fieldsOf(manifest: Manifest): object {
  return {
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
    releases: manifest.releases.map(({ name }) => name),
    releases_first_seen: manifest.releases.map(({ firstSeenMs }) => firstSeenMs),
    releases_last_seen: manifest.releases.map(({ lastSeenMs }) => lastSeenMs),
    releases_events: manifest.releases.map(({ events }) => events),
    ...encodeUsers(manifest.releases.map(({ users }) => users)),
    issues: manifest.issues,
    open_cards: manifest.openCards,
    states: manifest.states,
    actions: manifest.actions?.count,
    last_action_id: manifest.actions?.lastId,
  };
}

/** The action log as of the last manifest; undefined if it says nothing or cannot be used. */
export async function readKnownActions(files: StoreFiles, root: string): Promise<KnownActions | undefined> {
  const document = await unlessUnusable(() => openManifest(files, manifestPath(root)), undefined);
  return document?.data.manifest?.actions;
}

/** Summarizes a log for the manifest; undefined if it is empty. */
export function knownActionsOf(log: readonly { readonly id: string }[]): KnownActions | undefined {
  const last = log.at(-1);
  return last && { count: log.length, lastId: last.id };
}

/** Says, in a sentence, that a log lacks known actions; undefined if it has them all. */
export function missingActions(
  known: KnownActions | undefined,
  log: readonly { readonly id: string }[],
): string | undefined {
  if (known === undefined) return undefined;
  const held = log.findLastIndex(({ id }) => id === known.lastId) + 1;
  if (held >= known.count) return undefined;
  return `Of ${known.count} actions that were taken some or all are missing: the log was removed, cut or replaced, and holds ${log.length}.`;
}
