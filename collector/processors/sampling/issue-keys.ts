import { hash } from 'node:crypto';
import type { FingerprintValue } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';

interface KnownKey {
  readonly app: string;
  readonly service: string;
  readonly key: string;
}

const MAX_KEY_LENGTH = 256;

/** Names issues (app, service, fingerprint); remembers, for one batch, the names it gave: a storm asks for the same one again and again. */
export class IssueKeys {
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
