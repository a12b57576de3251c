import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { storeUnderTest } from '../../../core/storage/store-under-test.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { type AnyValueJson, type RecordJson, type RequestJson, startBackend } from '../backend.js';
import { startExporter } from './exporter-under-test.js';

/** Returns what a backend receives of events in one request. */
export async function exported(encoding: string, ...changes: Partial<RawPayload>[]): Promise<RequestJson> {
  const store = await storeUnderTest();
  await store.append(...changes);
  const backend = await startBackend();
  await startExporter(store.store, backend.url, `encoding=${encoding}`);
  return await waitFor('a request', () => backend.accepted[0]);
}

/** Converts to a JavaScript value; integers to bigint. */
export function plain(value: AnyValueJson | undefined): unknown {
  if (value === undefined) return undefined;
  if (value.kvlistValue !== undefined) {
    return Object.fromEntries((value.kvlistValue.values ?? []).map((pair) => [pair.key, plain(pair.value)]));
  }
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(plain);
  if (value.intValue !== undefined) return BigInt(value.intValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue ?? null;
}

/** The attributes of a record, by key. */
export function attributesOf(of: Pick<RecordJson, 'attributes'> | undefined): Record<string, unknown> {
  return Object.fromEntries((of?.attributes ?? []).map(({ key, value }) => [key, plain(value)]));
}
