import { createHash } from 'node:crypto';
import type { RedactionProcessorSettings } from '../../../config/settings.js';
import type { Steps } from '../steps.js';
import { outsidePair } from './characters.js';

/** What stands where a secret stood: asterisks, or the hexadecimal hash of the secret as UTF-8. */
export interface Mask {
  readonly inOneGo: (secret: string) => string;
  /** The same with pauses, for secrets of any size. */
  readonly inSteps: (secret: string) => Steps<string>;
}

const ALGORITHMS = { md5: 'md5', sha1: 'sha1', sha3: 'sha3-256' } as const;
const ASTERISKS = '****';
/** Units that are hashed without a pause: about a millisecond. */
const PIECE = 256 * 1024;

/** Builds the mask of a setting. */
export function createMask(hash: RedactionProcessorSettings['hash_function']): Mask {
  if (hash === 'none') {
    return {
      inOneGo: () => ASTERISKS,
      // biome-ignore lint/correctness/useYield: there is nothing to pause at.
      *inSteps() {
        return ASTERISKS;
      },
    };
  }
  const algorithm = ALGORITHMS[hash];
  return {
    inOneGo: (secret) => createHash(algorithm).update(secret).digest('hex'),
    *inSteps(secret) {
      const hashed = createHash(algorithm);
      for (let at = 0; at < secret.length; ) {
        const end = outsidePair(secret, at + PIECE);
        hashed.update(secret.slice(at, end));
        at = end;
        yield;
      }
      return hashed.digest('hex');
    },
  };
}
