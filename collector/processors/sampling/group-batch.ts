import { hash } from 'node:crypto';
import type { ReceivedEvent } from '../../../core/contract/stages.js';
import type { FingerprintValue } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { Grouping } from '../../../core/fingerprint/fingerprint.js';
import type { Grouper } from '../../../core/fingerprint/grouper.js';
import { beginTimeSlice } from '../../../core/time-slice.js';

/** Where the events of a batch belong, each at its place; undefined where grouping failed. */
export interface GroupedBatch {
  /** Name the issues. */
  readonly keys: readonly (string | undefined)[];
  readonly groupings: readonly (Grouping | undefined)[];
}

interface KnownKey {
  readonly app: string;
  readonly service: string;
  readonly key: string;
}
const MAX_KEY_LENGTH = 256;

/**
 * Groups events, but for those that another processor has grouped by the same; `onFailure` is told of an error. In slices, because grouping reads whole
 * stack traces.
 */
export async function groupBatch(
  events: readonly ReceivedEvent[],
  grouper: Grouper,
  onFailure: (error: unknown) => void,
): Promise<GroupedBatch> {
  const slice = beginTimeSlice();
  const issueKeys = new IssueKeys();
  const keys: (string | undefined)[] = [];
  const groupings: (Grouping | undefined)[] = [];
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

/** Names issues (app, service, fingerprint); remembers, for one batch, the names it gave: a storm asks for the same one again and again. */
class IssueKeys {
  readonly #known = new Map<FingerprintValue, KnownKey>();

  /** Different for different issues, and short however long their names are. */
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
  // As UTF-16, in which no two texts are alike; a hash holds no space.
  return key.length <= MAX_KEY_LENGTH ? key : hash('sha256', Buffer.from(key, 'utf16le'), 'base64');
}
