import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject, JsonValue } from '../../../../core/event/json.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { StackFrame } from '../../../../core/fingerprint/stack/frames.js';
import { structuredStack } from '../../../../core/fingerprint/stack/structured-frames.js';
import { computeFingerprint } from '../compute-fingerprint.js';
import { framesOf, walkedFrames } from '../stack-parsers/read-text.js';
import { sentByGo, sentByNative, sentByRust } from './compiled.js';
import { sentByElixir, sentByPhp, sentByPython, sentByRuby } from './dynamic.js';
import { sentByDotnet, sentByJvm } from './managed.js';
import { sentByBrowser, sentByNode } from './scripts.js';
import { chosenChain, receivedPayload } from './sent-event.js';

type Sender = (type: string, message: string, stack: string) => JsonObject;

/** By folder of test/fixtures/traces. Lua, Perl and Erlang have no SDK that sends frames. */
const SENDERS: Readonly<Record<string, Sender>> = {
  bun: sentByNode,
  'bun-minified': sentByNode,
  c: sentByNative,
  chromium: sentByBrowser,
  'chromium-minified': sentByBrowser,
  'chromium-page': sentByBrowser,
  clojure: sentByJvm,
  cpp: sentByNative,
  csharp: sentByDotnet,
  deno: sentByNode,
  'deno-minified': sentByNode,
  elixir: sentByElixir,
  firefox: sentByBrowser,
  'firefox-minified': sentByBrowser,
  'firefox-page': sentByBrowser,
  go: sentByGo,
  groovy: sentByJvm,
  hermes: sentByBrowser,
  'hermes-minified': sentByBrowser,
  java: sentByJvm,
  javascriptcore: sentByBrowser,
  'javascriptcore-minified': sentByBrowser,
  kotlin: sentByJvm,
  node: sentByNode,
  'node-bundled': sentByNode,
  'node-compiled': sentByNode,
  php: sentByPhp,
  python: sentByPython,
  'python-3.8-and-3.13': sentByPython,
  ruby: sentByRuby,
  rust: sentByRust,
  scala: sentByJvm,
};

const TRACES = new URL('../../../fixtures/traces/', import.meta.url);
const PROGRAMS = new URL('../../../fixtures/fingerprint/', import.meta.url);

/** A stack of the fixtures, and the SDK of its language. */
export interface WrittenStack {
  readonly name: string;
  readonly sender: Sender;
  readonly payload: RawPayload;
}

/** Reads all stacks of the fixtures whose language has an SDK that sends frames. */
export function writtenStacks(): WrittenStack[] {
  const stacks: WrittenStack[] = [];
  for (const name of readdirSync(TRACES, { recursive: true, encoding: 'utf8' }).sort()) {
    const sender = SENDERS[name.split('/')[0] ?? ''];
    if (sender === undefined || !name.endsWith('.json')) continue;
    const { runs } = JSON.parse(readFileSync(new URL(name, TRACES), 'utf8'));
    for (const { payload } of runs) stacks.push({ name, sender, payload });
  }
  for (const name of readdirSync(PROGRAMS).sort()) {
    const sender = SENDERS[name.replace('browser', 'chromium').split('-')[0] ?? ''];
    const { payload } = JSON.parse(readFileSync(new URL(name, PROGRAMS), 'utf8'));
    if (sender !== undefined) stacks.push({ name, sender, payload });
  }
  return stacks.filter(({ payload }) => payload.stack !== null);
}

/** Groups a stack once as its SDK sends it and once as its text: by all that tells failures apart. */
export function bothWays({ sender, payload: { error_name, message, stack } }: WrittenStack): [Reading, Reading] {
  const event = sender(error_name, message, stack ?? '');
  const asFrames = receivedPayload(event);
  const asText = { ...asFrames, error_name, message, stack, extra: null };
  const sent = walkedFrames(structuredStack(chosenChain(asFrames), event['platform']));
  const written = framesOf((stack ?? '').replace(message, message.split('\n')[0] ?? ''));
  // The text of a group has frames of a member too, in case no other decides.
  const isGroup = JSON.stringify(event).includes('is_exception_group');
  return [readingOf(asFrames, isGroup ? [] : sent), readingOf(asText, isGroup ? [] : written)];
}

interface Reading {
  readonly title: string;
  readonly culprit: string | null;
  readonly rule: string;
  readonly used: readonly (readonly [string, JsonValue])[];
  /** Frames of the application, each once: texts leave out frames that repeat or that two exceptions share. */
  readonly own: readonly string[];
}

function readingOf(payload: RawPayload, frames: readonly StackFrame[]): Reading {
  const { title, culprit, basis } = computeFingerprint(payload);
  const used = basis.parts.filter((part) => part.used).map(({ part, value }) => [part, value] as const);
  const own = frames
    .filter(({ inApp }) => inApp)
    .map(({ function: name, module, file }) => JSON.stringify([module, name, file]));
  return { title, culprit, rule: basis.rule, used, own: [...new Set(own)].sort() };
}
