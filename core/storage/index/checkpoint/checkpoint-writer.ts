import { dirname } from 'node:path';
import { setImmediate as nextMacrotask } from 'node:timers/promises';
import { unlinkIfExists } from '../../files/store-files.js';
import { makeFolderDurably } from '../../files/write-durably.js';
import { ISSUES_PER_SHARD } from '../content/issue-state.js';
import { type DocumentKind, writeDocument } from '../documents/document-adapter.js';
import { generationFolder, statesPath } from '../documents/index-folder.js';
import type { IssueIndexOptions } from '../issue-index-options.js';
import { encodeIssueHeaders } from './issue-header-document.js';
import type { LoadedIndex } from './load-index.js';
import { HEADERS_PER_BLOCK, headersPath, type KnownActions, type Manifest, writeManifest } from './manifest.js';
import { encodeStates } from './states-document.js';

/** Bytes per issue assumed for a document that was not written yet. */
const ASSUMED_STATE_BYTES = 120;
const ASSUMED_HEADER_BYTES = 400;
const ASSUMED_MANIFEST_BYTES = 400;

type CheckpointOptions = Pick<IssueIndexOptions, 'files' | 'directory' | 'beforeManifest' | 'knownActions'>;

export type CheckpointWriter = ReturnType<typeof createCheckpointWriter>;

/**
 * Creates functions that write what changed since the last checkpoint; a replay after its cursor brings all documents to one moment.
 * `loaded.manifest` is the one on disk, or the first of a new generation; later ones go to `manifestPath`.
 */
export function createCheckpointWriter(
  { files, directory, beforeManifest, knownActions }: CheckpointOptions,
  { content, manifest: firstManifest }: LoadedIndex,
  manifestPath: string,
) {
  const folder = generationFolder(directory, firstManifest.generation);
  const stateBytes: number[] = [];
  let manifest = firstManifest;
  let path = manifestPath;
  let { checkpoint, events: eventsAtLast } = firstManifest;

  const actionsNow = (): KnownActions | undefined => knownActions?.() ?? manifest.actions;

  async function writeHeaders(from: number, end: number): Promise<void> {
    const { inOrder } = content.issues;
    if (from === end) return;
    for (let block = Math.floor(from / HEADERS_PER_BLOCK); block * HEADERS_PER_BLOCK < end; block += 1) {
      const first = block * HEADERS_PER_BLOCK;
      const last = Math.min(first + HEADERS_PER_BLOCK, end);
      const ofBlock = headersPath(folder, block, { issues: end, openCards: checkpoint });
      await writeSlowly(ofBlock, 'cards', () => encodeIssueHeaders(inOrder.slice(first, last)));
    }
  }

  async function writeStates(shard: number, issues: number, segments: number): Promise<void> {
    const first = shard * ISSUES_PER_SHARD;
    const end = Math.min(first + ISSUES_PER_SHARD, issues);
    const ofShard = statesPath(folder, shard, checkpoint);
    await writeSlowly(ofShard, 'states', () => {
      // Later events mark the shard again. Issues newer than this checkpoint wait for the next one.
      const isWhole = end === first + ISSUES_PER_SHARD || end === content.issues.inOrder.length;
      if (isWhole) content.changedShards.delete(shard);
      return encodeStates(content.issues.inOrder.slice(first, end), content.countedThrough(shard), (issue) =>
        content.segments.chain(issue.ordinal, issue.lastSegment, segments),
      );
    });
    stateBytes[shard] = (await files.stat(ofShard))?.bytes ?? 0;
  }

  /** Encodes in a separate macrotask, so that a checkpoint blocks for one document at most. */
  async function writeSlowly(document: string, kind: DocumentKind, encode: () => object): Promise<void> {
    await makeFolderDurably(files, dirname(document));
    await nextMacrotask();
    await writeDocument(files, document, kind, encode());
  }

  async function removeReplaced(before: Manifest): Promise<void> {
    const replaced = before.states.flatMap((written, shard) =>
      written === manifest.states[shard] ? [] : [statesPath(folder, shard, written)],
    );
    if (before.openCards !== manifest.openCards && before.issues % HEADERS_PER_BLOCK > 0) {
      replaced.push(headersPath(folder, Math.floor(before.issues / HEADERS_PER_BLOCK), before));
    }
    for (const document of replaced) await unlinkIfExists(files, document);
    await content.segments.dropBelow(manifest.firstSegment);
  }

  return {
    /** The last one written. */
    get manifest() {
      return manifest;
    },
    /** Events since the last checkpoint began, bytes to write as estimated from that one, and events that a crash would replay. */
    cost(): { readonly events: number; readonly bytes: number; readonly lagEvents: number } {
      const { changedShards, issues, segments } = content;
      const events = segments.arrived;
      const issueCount = issues.inOrder.length;
      // Actions, and removals of events outside the index, change only the manifest.
      const isManifestSame =
        segments.sealed.beforeMicros === manifest.beforeMicros && actionsNow()?.lastId === manifest.actions?.lastId;
      let bytes = isManifestSame ? 0 : ASSUMED_MANIFEST_BYTES;
      for (const shard of changedShards) {
        const inShard = Math.min(ISSUES_PER_SHARD, issueCount - shard * ISSUES_PER_SHARD);
        bytes += stateBytes[shard] ?? inShard * ASSUMED_STATE_BYTES;
      }
      if (issueCount > manifest.issues) {
        const firstHeader = manifest.issues - (manifest.issues % HEADERS_PER_BLOCK);
        bytes += (issueCount - firstHeader) * ASSUMED_HEADER_BYTES;
      }
      return { events: events - eventsAtLast, bytes, lagEvents: events - manifest.events };
    },
    /** Sends later manifests to another path; call it between checkpoints. */
    redirect(to: string): void {
      path = to;
    },
    /** Writes the last manifest again, to the current path; call it between checkpoints. */
    publish: (): Promise<void> => writeManifest(files, path, manifest),
    /** Makes a checkpoint; calls must not overlap. `seal` covers everything up to now, so that a reopened index replays nothing of it. */
    async write(options: { seal: boolean }): Promise<void> {
      if (options.seal) content.segments.seal();
      const before = manifest;
      const { sealed, arrived } = content.segments;
      const issues = content.issues.inOrder.length;
      const changed = [...content.changedShards];
      // A number is used once, even by a failed checkpoint: its manifest may be on disk all the same.
      checkpoint += 1;
      content.segments.hold(sealed.segments);
      try {
        await content.segments.writeUpTo(sealed.segments);
        await writeHeaders(before.issues, issues);
        const states = [...before.states];
        for (const shard of changed) {
          await writeStates(shard, issues, sealed.segments);
          states[shard] = checkpoint;
        }
        const { generation, grouping } = before;
        const openCards = issues === before.issues ? before.openCards : checkpoint;
        const next = { ...sealed, generation, grouping, checkpoint, issues, openCards, states, actions: actionsNow() };
        await beforeManifest?.();
        await writeManifest(files, path, next);
        manifest = next;
      } catch (error) {
        for (const shard of changed) content.changedShards.add(shard);
        throw error;
      } finally {
        content.segments.release();
      }
      eventsAtLast = arrived;
      await removeReplaced(before);
    },
  };
}
