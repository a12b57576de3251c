import { hash } from 'node:crypto';
import type { FingerprintValue } from '../event/ids.js';
import type { JsonValue } from '../event/json.js';
import type { RawPayload } from '../event/raw-payload.js';
import { canonicalBasis } from './canonical-basis.js';
import { type ClientFingerprint, readClientFingerprint } from './client-fingerprint.js';
import { readClientMaterial } from './client-material.js';
import { isGenericErrorName, plainErrorName } from './error-name.js';
import type { BasisPart, Fingerprint, FingerprintBasis } from './fingerprint.js';
import { type MessageText, messageText } from './message-text.js';
import { readStack, type StackReading } from './read-stack.js';
import { titleOf } from './title.js';

/** Version of the grouping rules; it is hashed with the parts, so values of two versions are never equal. */
export const FINGERPRINT_VERSION = 1;

/** Hexadecimal characters of a fingerprint: the first 128 bits of the hash. */
const VALUE_LENGTH = 32;

/** What was read from a payload before anything is decided. */
export interface FingerprintParts {
  readonly client: ClientFingerprint;
  /** Plain text. */
  readonly errorName: string;
  readonly stack: StackReading;
  readonly message: MessageText;
}

/** Groups one raw payload by what failed, not by where and when: pure, total, deterministic, and linear in an input that it bounds itself. */
export function computeFingerprint(payload: RawPayload): Fingerprint {
  const material = readClientMaterial(payload.extra);
  return fingerprintOf({
    client: readClientFingerprint(payload.extra, material),
    errorName: plainErrorName(payload.error_name),
    stack: readStack(payload.stack, payload.error_name, payload.message, material.stack),
    message: messageText(payload.message, payload.extra, material),
  });
}

/** The fingerprint that follows from what was read. */
export function fingerprintOf({ client, errorName: name, stack, message }: FingerprintParts): Fingerprint {
  const isGeneric = isGenericErrorName(name);
  const builtIn: BasisPart[] = [
    isGeneric
      ? unused('error_name', name, 'Any failure may have this name.')
      : used('error_name', name, 'Different names are different failures.'),
    stack.cause === null
      ? unused('cause', null, 'The stack names no cause.')
      : used('cause', stack.cause, 'Type of the exception at the root of the chain.'),
    stack.frames === null ? unused('frames', null, stack.reason) : used('frames', stack.frames.keys, stack.reason),
    message.value === ''
      ? unused('message', '', 'The message is empty.')
      : used('message', message.value, message.reason),
  ];
  const basis: FingerprintBasis = {
    version: FINGERPRINT_VERSION,
    rule: ruleOf(client.entries !== null, stack.frames !== null, message.value !== ''),
    parts: [
      { part: 'client_fingerprint', used: client.entries !== null, value: client.entries, reason: client.reason },
      ...(client.entries === null || client.includesDefault ? builtIn : builtIn.map(setAside)),
    ],
  };
  return {
    value: hash('sha256', canonicalBasis(basis)).slice(0, VALUE_LENGTH) as FingerprintValue,
    version: FINGERPRINT_VERSION,
    title: titleOf(name, isGeneric, message.firstLine),
    culprit: stack.frames?.culprit ?? null,
    basis,
  };
}

function used(part: string, value: JsonValue, reason: string): BasisPart {
  return { part, used: true, value, reason };
}

function unused(part: string, value: JsonValue, reason: string): BasisPart {
  return { part, used: false, value, reason };
}

function setAside(part: BasisPart): BasisPart {
  return part.used ? unused(part.part, part.value, 'The client grouped this event itself.') : part;
}

function ruleOf(isClient: boolean, hasFrames: boolean, hasMessage: boolean): string {
  if (isClient) return 'client';
  if (!hasFrames) return 'message';
  return hasMessage ? 'stack_and_message' : 'stack';
}
