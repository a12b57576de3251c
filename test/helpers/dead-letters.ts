import { readDeadLetters } from '../../core/storage/dead-letters/read-dead-letters.js';
import type { RejectedRecord } from '../../generated/reader-answers.js';

/** A kept record with its content in one member. */
export interface DeadLetter {
  readonly rejectedAt: string;
  readonly receiver: string;
  readonly code: string;
  readonly field: string;
  readonly reason: string;
  readonly bytes: number | null;
  readonly isCut: boolean;
  readonly content: { readonly kind: string; readonly value: unknown } | undefined;
}

/** The records of a folder, newest first; undefined for damaged lines. */
export async function deadLettersOf(directory: string): Promise<(DeadLetter | undefined)[]> {
  const letters: (DeadLetter | undefined)[] = [];
  for await (const { record } of readDeadLetters({ directory })) letters.push(record && toLetter(record));
  return letters;
}

function toLetter(record: RejectedRecord): DeadLetter {
  const { rejected_at: rejectedAt, cut: isCut = false, receiver, code, field, reason, bytes } = record;
  const kind = (['payload', 'text', 'base64'] as const).find((name) => record[name] !== undefined);
  const content = kind && { kind, value: record[kind] };
  return { rejectedAt, receiver, code, field, reason, bytes, isCut, content };
}
