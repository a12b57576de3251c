import type { JsonValue } from '../event/json.js';
import type { BasisPart, FingerprintBasis } from './fingerprint.js';
import type { Findings, MainError } from './main-error.js';
import { filledParts } from './rules/rule-outcome.js';

/** Which case applies, and everything that could decide, used or not, with reasons. */
export function basisParts(findings: Findings, main: MainError): Pick<FingerprintBasis, 'rule' | 'parts'> {
  const { client, stack, user } = findings;
  const filled = filledParts(user, main.type, main.message.value, stack.frames);
  const builtIn = partsOfMain(findings, main);
  const isUsers = filled.fingerprint !== null;
  const isClients = !isUsers && client.entries !== null;
  const includesDefault = isUsers
    ? user.fingerprint?.template.includesDefault
    : client.entries === null || client.includesDefault;
  const setAsideBy = isUsers ? 'A rule of the user grouped this event.' : 'The client grouped this event itself.';
  const parts: BasisPart[] = [
    {
      part: 'client_fingerprint',
      used: isClients,
      value: client.entries,
      reason: isUsers && client.entries !== null ? setAsideBy : client.reason,
    },
    ...filled.notes,
    ...(includesDefault ? builtIn : builtIn.map((part) => setAside(part, setAsideBy))),
    ...filled.splits,
  ];
  return { rule: isUsers ? 'rule' : isClients ? 'client' : ruleOf(builtIn), parts };
}

/** The root cause alone: what it was wrapped in is shown and does not count. */
function partsOfMain({ stack, isSynthetic }: Findings, main: MainError): BasisPart[] {
  const { type, kind, wrapper } = main;
  const parts = [
    kind === 'nameless'
      ? unused('error_name', type, isSynthetic ? 'The client made this type up.' : 'Any failure may have this name.')
      : used(
          'error_name',
          type,
          wrapper === null
            ? 'Different types are different failures.'
            : 'Type of the root cause, whatever it was wrapped in.',
        ),
    framesPart(stack),
    messagePart(stack, main),
  ];
  if (wrapper === null) return parts;
  return [unused('wrapper', wrapper, 'It only wraps the root cause.'), ...parts];
}

function messagePart({ frames }: Findings['stack'], { kind, message }: MainError): BasisPart {
  if (message.value === '') return unused('message', '', 'The message is empty.');
  const why = whyMessageJoins(frames?.doubt ?? (frames === null ? 'no frame decides' : null), kind);
  return why === null
    ? unused('message', message.value, 'Type and frames tell this failure from others.')
    : used('message', message.value, `${message.reason} It counts because ${why}.`);
}

function whyMessageJoins(doubt: string | null, kind: MainError['kind']): string | null {
  if (doubt !== null) return doubt;
  if (kind === 'nameless') return 'any failure may have this name';
  return kind === 'standard' ? 'the type comes with the language and does not say what failed' : null;
}

function framesPart(stack: Findings['stack']): BasisPart {
  return stack.frames === null
    ? unused('frames', null, stack.reason)
    : used('frames', stack.frames.keys, stack.frames.reason);
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

function setAside(part: BasisPart, reason: string): BasisPart {
  return part.used ? unused(part.part, part.value, reason) : part;
}
