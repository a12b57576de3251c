import type { RawPayload } from '../../core/event/raw-payload.js';
import { post } from '../collector/post.js';
import type { RunningCollector } from '../helpers/faultline-process.js';
import { serverPayload } from '../helpers/payloads.js';

/** Names of failures that are separate issues. */
export const FAILURES = [
  'Alder',
  'Birch',
  'Cedar',
  'Dogwood',
  'Elm',
  'Fir',
  'Ginkgo',
  'Hazel',
  'Ironwood',
  'Juniper',
  'Kauri',
  'Larch',
  'Maple',
  'Nutmeg',
  'Oak',
  'Pine',
  'Quince',
  'Rowan',
  'Spruce',
  'Teak',
] as const;
export type Failure = (typeof FAILURES)[number];

/** Returns an event whose name decides its issue. */
export function failure(name: string, changes: Partial<RawPayload> = {}): RawPayload {
  return serverPayload({ error_name: `${name}Error`, message: `the ${name} did not answer`, stack: null, ...changes });
}

/** Sends events to a collector and waits until they are stored. */
export async function send(
  collector: Pick<RunningCollector, 'ingestUrl'>,
  events: readonly RawPayload[],
): Promise<void> {
  for (const event of events) {
    const { status, body } = await post(`${collector.ingestUrl}/v1/events`, JSON.stringify(event));
    if (status !== 200) throw new Error(`the collector returned ${status}: ${JSON.stringify(body)}`);
  }
}
