import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { printable, quoted } from '../../../config/values/printable.js';
import { wellFormedJson } from '../../../config/values/well-formed-json.js';
import { messageOf } from '../../../core/event/fault.js';
import { isJsonObject } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { parseSentJson } from '../../../core/event/sent-json.js';
import { PayloadParser } from '../../../core/event/validate/payload-reader.js';
import { BLANK, headingLines } from '../../../core/explain/explained-line.js';
import { createRuleMatcher, explanationLines, type MatchedRule } from '../../../core/explain/explanation-lines.js';
import type { Fingerprint } from '../../../core/fingerprint/fingerprint.js';
import { createCachedGrouper } from '../../../core/fingerprint/grouper.js';
import {
  FINGERPRINT_VERSION,
  GROUPING_VERSIONS,
  type GroupingSettings,
} from '../../../core/fingerprint/grouping-settings.js';
import { groupingOf } from '../../../core/fingerprint/rules/check-grouping.js';
import { hasCode } from '../../../core/storage/files/system-error.js';
import { DEFAULT_LIMITS, MAX_LINE_BYTES } from '../../import/default-bounds.js';
import { readImportedLines } from '../../import/imported-lines.js';
import type { TextSink } from '../command-line.js';
import { type ConfigOptions, loadSettings } from '../load-settings.js';
import { paintLines } from '../paint-lines.js';

/** Options of `faultline fingerprint`. */
export interface FingerprintOptions extends ConfigOptions {
  /** Paths; `-` is standard input. Default: standard input. */
  files: readonly string[];
  /** Print as text what decided each fingerprint, and why. */
  explain: boolean;
  /** Print NDJSON also with `explain`. */
  json: boolean;
  /** Version of the built-in rules; default the newest. */
  groupingVersion?: number | undefined;
  stdin: Readable;
  stdout: Writable & { readonly isTTY?: boolean | undefined };
  stderr: TextSink;
}

const STDIN = '-';
const UNREADABLE = ['EACCES', 'EIO', 'EISDIR', 'ELOOP', 'EMFILE', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'EPERM'];

type Result =
  | { readonly error: string }
  | { readonly fingerprint: Fingerprint; readonly rules: readonly MatchedRule[] };

/** Defaults for the required strings, so that a payload needs only what decides its fingerprint. */
const EMPTY_STRINGS = { app: '', env: '', error_name: '', message: '', route: '', service: '' };

/** Prints the fingerprint of each payload as NDJSON, or with `explain` as text. Exit code 1 if one is invalid, 2 for an unknown version. */
export async function runFingerprint(options: FingerprintOptions): Promise<number> {
  const { groupingVersion: version = FINGERPRINT_VERSION } = options;
  if (!GROUPING_VERSIONS.includes(version)) {
    options.stderr.write(`--grouping-version must be ${GROUPING_VERSIONS.join(' or ')}\n`);
    return 2;
  }
  const settings = await loadGrouping(options, version);
  return settings === undefined ? 1 : await fingerprintFiles(options, settings);
}

/** Without a configuration, the built-in rules alone. */
async function loadGrouping(options: FingerprintOptions, version: number): Promise<GroupingSettings | undefined> {
  if (options.config.length === 0 && options.set.length === 0)
    return groupingOf({ patterns_off: [], rules: [] }, version);
  const loaded = await loadSettings({ ...options, isPartial: true }, options.stderr);
  return loaded && groupingOf(loaded.settings.grouping, version);
}

async function fingerprintFiles(options: FingerprintOptions, settings: GroupingSettings): Promise<number> {
  const grouper = createCachedGrouper(settings);
  const rulesFor = options.explain ? createRuleMatcher(settings) : () => [];
  const fingerprint = (payload: RawPayload): Result => ({
    fingerprint: grouper.fingerprint(payload),
    rules: rulesFor(payload),
  });
  const files = options.files.length === 0 ? [STDIN] : options.files;
  let hasFailed = false;
  for (const file of files) {
    const input = file === STDIN ? options.stdin : createReadStream(file);
    const prefix = options.files.length === 0 ? '' : `${file}: `;
    try {
      const hasInvalid = await printResults(fingerprintLines(input, fingerprint), prefix, options);
      hasFailed ||= hasInvalid;
    } catch (error) {
      if (!hasCode(error, ...UNREADABLE)) throw error;
      options.stderr.write(`${quoted(file)} cannot be read: ${printable(String(error).replace(/^Error: /, ''))}\n`);
      hasFailed = true;
    }
    if (options.stdout.destroyed) break;
  }
  return hasFailed ? 1 : 0;
}

/** Prints the results of one file, the errors after `prefix`, and returns whether there was an error. Closed output (`| head`) is none. */
async function printResults(
  results: AsyncIterable<Result>,
  prefix: string,
  { stdout, explain, json, env }: FingerprintOptions,
): Promise<boolean> {
  let hasInvalid = false;
  try {
    for await (const result of results) {
      hasInvalid ||= 'error' in result;
      const located = 'error' in result ? { error: prefix + result.error } : result;
      const text = explain && !json ? formatText(located, stdout, env) : formatJson(located, explain);
      if (!stdout.write(text)) await once(stdout, 'drain');
      if (stdout.destroyed) break;
    }
  } catch (error) {
    if (!hasCode(error, 'EPIPE')) throw error;
  }
  return hasInvalid;
}

async function* fingerprintLines(
  input: Readable,
  fingerprint: (payload: RawPayload) => Result,
): AsyncGenerator<Result> {
  const parser = new PayloadParser({ defaults: {}, limits: DEFAULT_LIMITS });
  for await (const { number, bytes } of readImportedLines(input, MAX_LINE_BYTES)) {
    const text = bytes?.toString('utf8').trim();
    if (text === '') continue;
    const parsed =
      text === undefined
        ? { error: `line ${number + 1} is longer than ${MAX_LINE_BYTES} bytes` }
        : parseLine(parser, text, number + 1);
    yield 'error' in parsed ? parsed : fingerprint(parsed.payload);
  }
}

function formatJson(result: Result, explain: boolean): string {
  if ('error' in result) return `${JSON.stringify(result)}\n`;
  const { value, version, title, culprit, basis } = result.fingerprint;
  const more = explain ? { culprit, rules: result.rules } : {};
  return `${wellFormedJson(JSON.stringify({ fingerprint: value, version, title, basis, ...more }))}\n`;
}

function formatText(result: Result, stdout: FingerprintOptions['stdout'], env: FingerprintOptions['env']): string {
  const lines = 'error' in result ? headingLines(result.error) : explanationLines(result.fingerprint, result.rules);
  return paintLines([...lines, BLANK], stdout, env);
}

/** Missing strings of the payload become empty. `number` counts from 1. */
function parseLine(
  parser: PayloadParser,
  text: string,
  number: number,
): { readonly payload: RawPayload } | { readonly error: string } {
  let value: unknown;
  try {
    ({ value } = parseSentJson(text));
  } catch (error) {
    return { error: `line ${number} is not JSON: ${messageOf(error)}` };
  }
  const parsed = parser.parse(isJsonObject(value) ? withDefaults(value) : value);
  if (parsed.ok) return { payload: parsed.payload };
  return { error: `line ${number}: ${parsed.rejection.field} ${parsed.rejection.reason}` };
}

function withDefaults(payload: Record<string, unknown>): Record<string, unknown> {
  const present = Object.entries(payload).filter(([key, value]) => !(key in EMPTY_STRINGS && value === null));
  // Spread defines properties, so a key named __proto__ stays a key.
  return { ...EMPTY_STRINGS, ...Object.fromEntries(present) };
}
