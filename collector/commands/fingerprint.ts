import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { printable, quoted } from '../../config/values/printable.js';
import type { RawPayload } from '../../core/event/raw-payload.js';
import { createPayloadParser } from '../../core/event/validate/payload-reader.js';
import { blankLine, headingLines } from '../../core/explain/explained-line.js';
import { explanationLines } from '../../core/explain/explanation-lines.js';
import { createRuleMatcher, type MatchedRule } from '../../core/explain/matching-rules.js';
import type { Fingerprint } from '../../core/fingerprint/fingerprint.js';
import { createCachedGrouper } from '../../core/fingerprint/grouper.js';
import {
  FINGERPRINT_VERSION,
  GROUPING_VERSIONS,
  type GroupingSettings,
} from '../../core/fingerprint/grouping-settings.js';
import { groupingOf } from '../../core/fingerprint/rules/grouping-section.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import { DEFAULT_LIMITS, MAX_LINE_BYTES } from '../import/default-bounds.js';
import { readImportedLines } from '../import/imported-lines.js';
import { type ConfigOptions, loadSettings } from './load-settings.js';
import { paintLines } from './paint-lines.js';

/** What `faultline fingerprint` was called with. */
export interface FingerprintOptions extends ConfigOptions {
  /** Paths, `-` for standard input; none means standard input. */
  files: readonly string[];
  /** For people instead of programs: what decided, and why. */
  explain: boolean;
  /** NDJSON also with `explain`. */
  json: boolean;
  /** Of the built-in rules; default the newest. */
  groupingVersion?: number | undefined;
  stdin: Readable;
  stdout: Writable & { readonly isTTY?: boolean | undefined };
  stderr: { write(text: string): unknown };
}

const STDIN = '-';
const UNREADABLE = ['EACCES', 'EIO', 'EISDIR', 'ELOOP', 'EMFILE', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'EPERM'];

/** An event that was grouped, or why a line is none. */
type Answer =
  | { readonly error: string }
  | { readonly fingerprint: Fingerprint; readonly rules: readonly MatchedRule[] };

/** Only what groups has to be there: the rest of the required strings is filled in. */
const UNGROUPED = { app: '', env: '', error_name: '', message: '', route: '', service: '' };

/**
 * Reads raw payloads as NDJSON and prints `{"fingerprint","version","title","basis"}` for each line, in order; an invalid line prints `{"error"}` in its
 * place. With `explain` a text for people, or with `json` also `culprit` and the `rules` of the user that match.
 * Exit code 1 when there was such a line, a file cannot be read or the configuration does not hold; 2 for a version that there is not.
 */
export async function runFingerprint(options: FingerprintOptions): Promise<number> {
  const { groupingVersion: version = FINGERPRINT_VERSION } = options;
  if (!GROUPING_VERSIONS.includes(version)) {
    options.stderr.write(`--grouping-version must be ${GROUPING_VERSIONS.join(' or ')}\n`);
    return 2;
  }
  const settings = await groupingFrom(options, version);
  return settings === undefined ? 1 : await groupFiles(options, settings);
}

/** The rules of the configuration, or none where no file is named. */
async function groupingFrom(options: FingerprintOptions, version: number): Promise<GroupingSettings | undefined> {
  if (options.config.length === 0 && options.set.length === 0)
    return groupingOf({ patterns_off: [], rules: [] }, version);
  const loaded = await loadSettings({ ...options, isPartial: true }, options.stderr);
  return loaded && groupingOf(loaded.settings.grouping, version);
}

async function groupFiles(options: FingerprintOptions, settings: GroupingSettings): Promise<number> {
  const { stdin, stdout, stderr, explain, json, env } = options;
  const grouper = createCachedGrouper(settings);
  const rulesFor = explain ? createRuleMatcher(settings) : () => [];
  const answerOf = (payload: RawPayload): Answer => ({
    fingerprint: grouper.fingerprint(payload),
    rules: rulesFor(payload),
  });
  const files = options.files.length === 0 ? [STDIN] : options.files;
  let failed = false;
  for (const file of files) {
    const where = options.files.length === 0 ? '' : `${file}: `;
    try {
      for await (const answer of answersOf(file === STDIN ? stdin : createReadStream(file), answerOf)) {
        if ('error' in answer) failed = true;
        const shown = 'error' in answer ? { error: where + answer.error } : answer;
        const text = explain && !json ? forPeople(shown, stdout, env) : forPrograms(shown, explain);
        if (!stdout.write(text)) await once(stdout, 'drain');
        if (stdout.destroyed) return failed ? 1 : 0;
      }
    } catch (error) {
      // A reader that went away (`| head`) is not a failure.
      if (hasCode(error, 'EPIPE')) return failed ? 1 : 0;
      if (!hasCode(error, ...UNREADABLE)) throw error;
      stderr.write(`${quoted(file)} cannot be read: ${printable(String(error).replace(/^Error: /, ''))}\n`);
      failed = true;
    }
  }
  return failed ? 1 : 0;
}

async function* answersOf(input: Readable, answerOf: (payload: RawPayload) => Answer): AsyncGenerator<Answer> {
  const reader = createPayloadParser({ defaults: {}, limits: DEFAULT_LIMITS });
  for await (const { number, bytes } of readImportedLines(input, MAX_LINE_BYTES)) {
    const text = bytes?.toString('utf8').trim();
    if (text === '') continue;
    const read =
      text === undefined
        ? { error: `line ${number + 1} is longer than ${MAX_LINE_BYTES} bytes` }
        : payloadOfLine(reader, text, number);
    yield 'error' in read ? read : answerOf(read.payload);
  }
}

function forPrograms(answer: Answer, explain: boolean): string {
  if ('error' in answer) return `${JSON.stringify(answer)}\n`;
  const { value, version, title, culprit, basis } = answer.fingerprint;
  const more = explain ? { culprit, rules: answer.rules } : {};
  return `${JSON.stringify({ fingerprint: value, version, title, basis, ...more })}\n`;
}

function forPeople(answer: Answer, stdout: FingerprintOptions['stdout'], env: FingerprintOptions['env']): string {
  const lines = 'error' in answer ? headingLines(answer.error) : explanationLines(answer.fingerprint, answer.rules);
  return paintLines([...lines, blankLine()], stdout, env);
}

/** The payload in a line of NDJSON, its absent texts filled in with nothing, or what is wrong with it. `number` counts from 0. */
function payloadOfLine(
  reader: ReturnType<typeof createPayloadParser>,
  text: string,
  number: number,
): { readonly payload: RawPayload } | { readonly error: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: `line ${number + 1} is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const reading = reader.parse(isPlainObject(value) ? fillMissing(value) : value);
  if (reading.ok) return { payload: reading.payload };
  return { error: `line ${number + 1}: ${reading.rejection.field} ${reading.rejection.reason}` };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fillMissing(value: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries(value).filter(([key, part]) => !(key in UNGROUPED && part === null));
  // Spread defines properties, so a key named __proto__ stays a key.
  return { ...UNGROUPED, ...Object.fromEntries(given) };
}
