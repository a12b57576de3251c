import { execAt } from './characters.js';
import type { ReportFinding } from './finding.js';

/** The modular crypt format and the PHC string format: `$2b$10$…`, `$argon2id$v=19$…`. */
const HASH = /\$(?:2[abxy]|argon2(?:id?|d)|pbkdf2(?:-\w{1,16})?|scrypt|[156y])\$[\w./+=,$-]{20,512}/iy;

/** What a password hash begins with. */
export const HASH_PREFIXES: readonly string[] = '$2a$ $2b$ $2x$ $2y$ $argon2 $pbkdf2 $scrypt$ $1$ $5$ $6$ $y$'.split(
  ' ',
);

/** Finds the hash of a password, whatever its name; returns the offset to continue from. */
export function findPasswordHash(text: string, at: number, report: ReportFinding): number {
  const length = execAt(HASH, text, at)?.[0].length;
  if (length === undefined) return at + 1;
  report(at, at + length, 'passwords');
  return at + length;
}
