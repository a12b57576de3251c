import { hash } from 'node:crypto';
import type { ReceivedEvent } from '../../../core/contract/stages.js';
import type { FingerprintValue } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { GroupingResult } from '../../../core/fingerprint/fingerprint.js';
import type { Grouper } from '../../../core/fingerprint/grouper.js';
import { beginTimeSlice } from '../../../core/time-slice.js';

/** Issue keys and groupings by index in the batch; undefined if grouping failed. */
interface GroupedBatch {
  /** Identify the issues. */
  readonly keys: readonly (string | undefined)[];
  readonly groupings: readonly (GroupingResult | undefined)[];
}

interface KnownKey {
  readonly app: string;
  readonly service: string;
  readonly key: string;
}
const MAX_KEY_LENGTH = 256;

/**
 * Groups events that no earlier processor grouped with the same rules; calls `onFailure` for errors. Runs in time slices, because stack
 * traces can be large.
 */
export async function groupBatch(
  events: readonly ReceivedEvent[],
  grouper: Grouper,
  onFailure: (error: unknown) => void,
): Promise<GroupedBatch> {
  const slice = beginTimeSlice();
  const issueKeys = new IssueKeys();
  const keys: (string | undefined)[] = [];
  const groupings: (GroupingResult | undefined)[] = [];
  for (const { payload, grouping: known } of events) {
    if (slice.isOver) await slice.next();
    try {
      const grouping = known?.key === grouper.key ? known.fingerprint : grouper.fingerprint(payload);
      keys.push(issueKeys.keyOf(payload, grouping.value));
      groupings.push(grouping);
    } catch (error) {
      onFailure(error);
      keys.push(undefined);
      groupings.push(undefined);
    }
  }
  return { keys, groupings };
}

/** Builds and caches keys of issues (app, service, fingerprint) for one batch. */
class IssueKeys {
  readonly #known = new Map<FingerprintValue, KnownKey>();

  /** Unique per issue, and bounded in length. */
  keyOf({ app, service }: RawPayload, fingerprint: FingerprintValue): string {
    const known = this.#known.get(fingerprint);
    if (known !== undefined && known.app === app && known.service === service) return known.key;
    const key = keyOf(app, service, fingerprint);
    this.#known.set(fingerprint, { app, service, key });
    return key;
  }
}

function keyOf(app: string, service: string, fingerprint: FingerprintValue): string {
  const key = `${fingerprint}${app.length} ${app}${service}`;
  // UTF-16 is unique also for lone surrogates; a base64 hash has no space.
  return key.length <= MAX_KEY_LENGTH ? key : hash('sha256', Buffer.from(key, 'utf16le'), 'base64');
}
