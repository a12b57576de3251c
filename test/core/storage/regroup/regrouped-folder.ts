import { hash } from 'node:crypto';
import type { FailureReader } from '../../../../core/contract/reader.js';
import type { FingerprintedEvent } from '../../../../core/contract/stages.js';
import type { FingerprintValue } from '../../../../core/event/ids.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { Fingerprint } from '../../../../core/fingerprint/fingerprint.js';
import type { Grouper } from '../../../../core/fingerprint/grouper.js';
import { type GroupingSettings, groupingKey } from '../../../../core/fingerprint/grouping-settings.js';
import { type EventStore, openEventStore } from '../../../../core/storage/event-store.js';
import type { EventStoreOptions } from '../../../../core/storage/event-store-options.js';
import { missing } from '../../../helpers/missing.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';

/** Groups by error name: a version of the test's own, as older programs may have left one. */
export const BY_NAME: GroupingSettings = { version: 1, patterns_off: [], rules: [] };
/** Groups by message. */
export const BY_MESSAGE: GroupingSettings = { version: 4, patterns_off: [], rules: [] };
/** Everything is one issue. */
export const ALL_ONE: GroupingSettings = { version: 4, patterns_off: [], rules: [{ name: 'all', query: '' }] };

/** Groups by the settings above, so that tests decide what merges and splits. */
export function createTestGrouper(settings: GroupingSettings): Grouper {
  const { version, rules } = settings;
  const fingerprint = ({ error_name: name, message }: RawPayload): Fingerprint => {
    const key = rules.length > 0 ? 'all' : version === 1 ? name : message;
    return {
      value: hash('sha256', `${version} ${key}`).slice(0, 32) as FingerprintValue,
      version,
      title: `${version} ${key}`,
      culprit: null,
      basis: { version, rule: 'message', parts: [] },
    };
  };
  return { settings, key: groupingKey(settings), fingerprint };
}

/** Opens a folder that is grouped by the test's grouper; a new one begins with the newest version, by message. */
export async function openGrouped(directory: string, options: Partial<EventStoreOptions> = {}): Promise<EventStore> {
  return await openEventStore({
    directory,
    files: unsyncedFiles,
    durability: 'os',
    createGrouper: createTestGrouper,
    ...options,
  });
}

/** A payload by its error name and message. */
export function payloadOf(name: string, message: string, changes: Partial<RawPayload> = {}): RawPayload {
  return serverPayload({ error_name: name, message, timestamp: null, ...changes });
}

/** Events as an exporter passes them. */
export function grouped(store: Pick<EventStore, 'grouper'>, payloads: readonly RawPayload[]): FingerprintedEvent[] {
  return payloads.map((payload) => ({ payload, fingerprint: store.grouper.fingerprint(payload) }));
}

/** One commit, grouped by the store's own grouper. */
export async function send(store: EventStore, ...payloads: RawPayload[]) {
  return await store.append(grouped(store, payloads), { groupedBy: store.grouper.key });
}

/** Returns all issues in a fixed order, with the ids of their events. */
export async function issuesOf(reader: FailureReader): Promise<unknown[]> {
  const { issues } = await reader.listIssues({ limit: 500 });
  const found = [];
  for (const { issue_id } of issues) {
    const { is_new, spiking, trend, ...issue } = (await reader.getIssue(issue_id)) ?? issues[0] ?? missing();
    const events = (await reader.listEvents(issue_id, { limit: 500 }))?.events.map(({ event_id: id }) => id);
    found.push({ ...issue, events });
  }
  return found.sort((a, b) => (a.issue_id < b.issue_id ? -1 : 1));
}

/** Title, count and status of each issue, in one order. */
export async function countsOf(reader: FailureReader): Promise<string[]> {
  const { issues } = await reader.listIssues({ limit: 500 });
  return issues.map(({ title, count, status }) => `${title}: ${count} ${status}`).sort();
}
