import { createHash } from 'node:crypto';
import type { RedactionProcessorSettings } from '../../../config/settings.js';

/** What stands where a secret stood. */
export type Mask = (secret: string) => string;

const ALGORITHMS = { md5: 'md5', sha1: 'sha1', sha3: 'sha3-256' } as const;

/** Asterisks, or the hexadecimal hash of the secret as UTF-8. */
export function createMask(hash: RedactionProcessorSettings['hash_function']): Mask {
  if (hash === 'none') return () => '****';
  const algorithm = ALGORITHMS[hash];
  return (secret) => createHash(algorithm).update(secret).digest('hex');
}
