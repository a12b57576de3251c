import { hash } from 'node:crypto';
import type { FingerprintValue } from '../event/ids.js';
import type { JsonValue } from '../event/json.js';
import type { RawPayload } from '../event/raw-payload.js';
import { cutText } from '../event/text.js';
import type { BasisPart, Fingerprint, FingerprintBasis } from './fingerprint.js';
import { FINGERPRINT_VERSION } from './grouping-settings.js';
import { type Findings, type MainError, mainError, plainErrorName } from './main-error.js';
import { foldedMessage } from './message/folded-message.js';
import { type MessageText, messageText } from './message/message-text.js';
import { withoutAddresses } from './message/patterns/url-template.js';
import { type ReasonWords, reasonWords, rootReasonWords, sentenceWords } from './message/reason-words.js';
import type { OutcomeOf } from './rules/compile-rules.js';
import { type Analysis, expandEntry } from './rules/fingerprint-template.js';
import { fillParts, type RuleOutcome } from './rules/rule-outcome.js';
import {
  type ClientFingerprint,
  type ClientMaterial,
  parseClientFingerprint,
  parseClientMaterial,
} from './sentry-material.js';
import { parseStack, type StackAnalysis } from './stack/read-stack.js';
import { hasMessageOfRuntime, isAssertionType, isErrorText } from './standard-types.js';

/** Computes the fingerprint of a payload without a cache. */
export function groupPayload(outcomeOf: OutcomeOf, payload: RawPayload): Fingerprint {
  const { error_name: errorName, message, stack, extra } = payload;
  const user = outcomeOf(payload);
  const material = parseClientMaterial(extra);
  const analysis = parseStack({ stack, errorName, message, structured: material.stack, effects: user.frames });
  return decideFingerprint(findingsOf(payload, user, material, analysis));
}

/** Collects what was parsed from a payload. */
export function findingsOf(
  payload: RawPayload,
  user: RuleOutcome,
  material: ClientMaterial,
  stack: StackAnalysis,
): Findings {
  return {
    payload,
    client: parseClientFingerprint(payload.extra, material.fingerprint),
    errorName: plainErrorName(payload.error_name),
    isSynthetic: material.isSynthetic,
    code: material.code,
    stack,
    message: messageText(payload.error_name, payload.message, user.parameterize, material.template),
    user,
  };
}

const MAX_TITLE = 256;

/** Type and message in one line; without a message the type and the culprit. Arguments are plain text. */
function titleOf({ type, isNameless, firstLine }: MainError['titled'], culprit: string | null): string {
  if (firstLine !== '') return cutTitle(isNameless ? firstLine : `${type}: ${firstLine}`);
  const name = type === '' ? 'Unnamed failure' : type;
  return cutTitle(culprit === null ? name : `${name} in ${culprit}`);
}

function cutTitle(title: string): string {
  return title.length <= MAX_TITLE ? title : `${cutText(title, MAX_TITLE - 1)}…`;
}

/** Hexadecimal characters: the first 128 bits of the hash. */
const VALUE_LENGTH = 32;

/** Computes a fingerprint from findings. */
export function decideFingerprint(findings: Findings): Fingerprint {
  const main = mainError(findings);
  const basis: FingerprintBasis = { version: FINGERPRINT_VERSION, ...basisParts(findings, main) };
  const culprit = findings.stack.frames?.culprit ?? null;
  return {
    value: hash('sha256', canonicalBasis(basis)).slice(0, VALUE_LENGTH) as FingerprintValue,
    version: FINGERPRINT_VERSION,
    title: titleOf(main.titled, culprit),
    culprit,
    basis,
  };
}

/** The text that is hashed: version, rule, then name and value of each used part, in order. */
export function canonicalBasis({ version, rule, parts }: FingerprintBasis): string {
  const used = parts.filter((part) => part.used);
  return JSON.stringify([version, rule, ...used.flatMap((part) => [part.part, hashedValue(part)])]);
}

/** Name and value of a part as they are hashed. */
export function hashedText(part: BasisPart): string {
  return JSON.stringify([part.part, hashedValue(part)]);
}

function hashedValue({ part, value }: BasisPart): JsonValue {
  return part === 'message' && typeof value === 'string' ? foldedMessage(value) : value;
}

/** The case that applies, and all parts with reasons, used or not. */
function basisParts(findings: Findings, main: MainError): Pick<FingerprintBasis, 'rule' | 'parts'> {
  const { payload, stack, user } = findings;
  const analysis = { errorName: main.type, message: main.message.value, frames: stack.frames };
  const userParts = fillParts(user, payload, analysis);
  const client = filledIn(findings.client, payload, analysis);
  const builtIn = partsOfMain(findings, main);
  const isUsers = userParts.fingerprint !== null;
  const isClients = !isUsers && client.entries !== null;
  const includesDefault = isUsers
    ? user.fingerprint?.template.includesDefault
    : client.entries === null || client.includesDefault;
  const setAsideBy = isUsers ? 'A rule of the user grouped this event.' : 'The client grouped this event itself.';
  const parts: BasisPart[] = [
    {
      part: 'client_fingerprint',
      used: isClients,
      value: client.entries === null ? null : [...client.entries],
      reason: isUsers && client.entries !== null ? setAsideBy : client.reason,
    },
    ...userParts.notes,
    ...(includesDefault
      ? builtIn
      : builtIn.map((part) => (part.used ? unused(part.part, part.value, setAsideBy) : part))),
    ...userParts.splits,
  ];
  return { rule: isUsers ? 'rule' : isClients ? 'client' : ruleOf(builtIn), parts };
}

/** The client's entries with their variables inserted; unused if that leaves nothing, which would join all events. */
function filledIn(client: ClientFingerprint, payload: RawPayload, analysis: Analysis): ClientFingerprint {
  if (client.entries === null) return client;
  const entries = client.entries.map((entry) => expandEntry(entry, payload, analysis));
  if (entries.some((entry) => entry.trim() !== '')) return { ...client, entries };
  return { entries: null, includesDefault: false, reason: 'The variables of the client have no values.' };
}

/** Only the root cause counts; its wrapper is listed as unused. */
function partsOfMain({ stack, isSynthetic, code }: Findings, main: MainError): BasisPart[] {
  const { type, kind, wrapper } = main;
  if (main.message.reworded?.wording.isOutage === true) return partsOfOutage(stack, main);
  const parts = [
    kind === 'nameless'
      ? unused(
          'error_name',
          type,
          isSynthetic ? 'The type was made up by the logging library.' : 'The name is too general.',
        )
      : used(
          'error_name',
          type,
          wrapper === null
            ? 'Different error types are different failures.'
            : 'Type of the root cause; its wrapper does not count.',
        ),
    ...(code === '' ? [] : [used('code', code, 'The client sent it as the number of the error.')]),
    framesPart(stack, kind),
    messagePart(stack, main),
  ];
  if (wrapper === null) return parts;
  return [unused('wrapper', wrapper, 'It only wraps another error.'), ...parts];
}

/** A part of the program that cannot be loaded fails wherever it is asked for, with the type of the bundler. */
function partsOfOutage({ frames }: Findings['stack'], { type, message }: MainError): BasisPart[] {
  const reason = 'An outage is one failure, wherever the program meets it.';
  return [
    unused('error_name', type, reason),
    unused('frames', frames?.keys ?? null, reason),
    used('message', message.value, message.reason),
  ];
}

/** All of the message counts if nothing else says what failed. */
function messagePart({ frames }: Findings['stack'], { type, kind, message }: MainError): BasisPart {
  const { value, isTemplate, reason } = message;
  if (value === '') return unused('message', '', 'The message is empty.');
  if (value === 'null' && frames !== null) return unused('message', value, 'Loggers write it for an empty message.');
  if (kind !== 'own' && (isTemplate || message.reworded !== null)) return used('message', value, reason);
  if (isAssertionType(type)) return used('message', value, `${reason} It counts because it says what was expected.`);
  const text = withoutAddresses(value);
  if (isErrorText(type)) return wordsPart(rootReasonWords(text), kind, message);
  if (frames === null) return used('message', value, `${reason} It counts because no frame decides.`);
  if (hasMessageOfRuntime(type)) {
    return unused('message', value, 'The runtime writes it, the same for each failure, in the language of the system.');
  }
  if (NO_NAME.test(frames.shown.function ?? '')) {
    const why = 'The deciding frame has no name; words that may be names do not count.';
    return used('message', sentenceWords(text), why);
  }
  return wordsPart(reasonWords(text, kind !== 'own'), kind, message);
}

/** An anonymous function, or the code of a file outside functions as Python, Ruby and PHP name it. */
const NO_NAME = /^(?:|<(?:module|main|top \(required\))>|\{(?:main|closure)\})$/;

/** If a frame with a name decides, or the error is only text, the words and codes of the message that name a reason count: others may be values. */
function wordsPart(
  { text, hasWords, hasCodes }: ReasonWords,
  kind: MainError['kind'],
  message: MessageText,
): BasisPart {
  // Codes alone would join all failures of a type that does not say what failed.
  if (hasWords || (hasCodes && kind === 'own')) {
    const others = hasCodes ? 'Codes, and words' : 'Words';
    return used('message', text, `${others} that messages of many programs use; the others may be values.`);
  }
  const { value, reason } = message;
  return kind === 'own'
    ? unused('message', value, 'Type and frames decide: none of its words is one that messages of many programs use.')
    : used('message', value, `${reason} It counts because the type does not say what failed.`);
}

/** A check decides without its callers if it raises a type of its own for its own file: it is a step there, not shared by many. */
function framesPart({ frames, reason }: Findings['stack'], kind: MainError['kind']): BasisPart {
  if (frames === null) return unused('frames', null, reason);
  return used('frames', frames.isLocalCheck && kind === 'own' ? frames.keys.slice(0, 1) : frames.keys, frames.reason);
}

function ruleOf(parts: readonly BasisPart[]): string {
  const isUsed = (name: string): boolean => parts.some(({ part, used: counts }) => part === name && counts);
  if (!isUsed('frames')) return 'message';
  return isUsed('message') ? 'stack_and_message' : 'stack';
}

function used(part: string, value: JsonValue, reason: string): BasisPart {
  return { part, used: true, value, reason };
}

function unused(part: string, value: JsonValue, reason: string): BasisPart {
  return { part, used: false, value, reason };
}
