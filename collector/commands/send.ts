import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { printable } from '../../config/values/printable.js';
import { messageOf } from '../../core/event/fault.js';
import { toEventId } from '../../core/event/ids.js';
import { isJsonObject, type JsonObject } from '../../core/event/json.js';
import { shortEventId } from '../../core/event/short-event-id.js';
import { failureTitle } from '../../core/issues/failure-title.js';
import { MAX_LINE_BYTES } from '../import/default-bounds.js';
import { readImportedLines } from '../import/imported-lines.js';
import type { TextSink } from './command-line.js';
import { ingestAddress } from './ingest-address.js';
import { postEvents, type Receipt } from './post-events.js';

/** Options of `faultline send`. */
export interface SendOptions {
  /** Message of the test events; default a fixed one. */
  readonly message: string | undefined;
  /** Number of test events, 1 to 10,000; default 1. */
  readonly count: number | undefined;
  /** NDJSON payloads to send instead of test events; `-` is standard input. */
  readonly file: string | undefined;
  /** Fields of the test events. */
  readonly fields: Readonly<Record<'app' | 'service' | 'env' | 'level' | 'errorName', string | undefined>>;
  readonly url: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
}

/** Lines of one request and what to call them in messages. */
interface Batch {
  readonly lines: readonly string[];
  readonly names: readonly string[];
}

const DEFAULT_URL = 'http://localhost:4318';
const MAX_COUNT = 10_000;
const MAX_BATCH = 1_000;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const MAX_LISTED = 5;
const READING_TIMEOUT_MS = 1_000;
const FAILED = 1;
const USAGE = 2;

/**
 * Sends test events, or the payloads of a file, to a running collector and prints their issues. Exit code 0 if all were accepted; 1 if one was refused
 * or no collector responds, with the reason; 2 for wrong usage.
 */
export async function runSend(options: SendOptions): Promise<number> {
  const { stdin, stderr, file, count = 1 } = options;
  const address = ingestAddress(options.url, options.env);
  if (typeof address === 'string') return fail(stderr, `${address}.`, USAGE);
  if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT) {
    return fail(stderr, `--count must be a whole number from 1 to ${MAX_COUNT}.`, USAGE);
  }
  const baseUrl = address.url ?? DEFAULT_URL;
  const eventsUrl = `${baseUrl}/v1/events`;
  const report = new Report();
  try {
    const batches = file === undefined ? testEvents(options, count) : fileBatches(file, stdin);
    for await (const { lines, names } of batches) {
      const receipt = await postEvents({ eventsUrl, token: address.token, lines });
      report.add(receipt, lines, names);
      if (receipt.refusal !== undefined) break;
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return fail(stderr, `${file} cannot be read: ${messageOf(error)}.`, FAILED);
  }
  return await report.print({ ...options, baseUrl, eventsUrl });
}

function fail(stderr: TextSink, sentence: string, exitCode: number): number {
  stderr.write(`${printable(sentence)}\n`);
  return exitCode;
}

function* testEvents({ message, fields }: SendOptions, count: number): Generator<Batch> {
  const { service = 'test', app = service, env = 'development', level = 'error' } = fields;
  const payload = {
    app,
    service,
    env,
    level,
    error_name: fields.errorName ?? (message === undefined ? 'TestError' : 'Error'),
    message: message ?? 'a test event from faultline send',
    route: '',
  };
  for (let sent = 0; sent < count; sent += MAX_BATCH) {
    const size = Math.min(MAX_BATCH, count - sent);
    const line = (): string => JSON.stringify({ ...payload, timestamp: new Date().toISOString() });
    yield { lines: Array.from({ length: size }, line), names: [] };
  }
}

/** Batches of the lines of a file, without blank ones; named by file and line. */
async function* fileBatches(file: string, stdin: Readable): AsyncGenerator<Batch> {
  let lines: string[] = [];
  let names: string[] = [];
  let bytes = 0;
  for await (const line of readImportedLines(file === '-' ? stdin : createReadStream(file), MAX_LINE_BYTES)) {
    const text = line.bytes?.toString('utf8').trim();
    if (text === '') continue;
    // A line that is too long is sent as a value that the collector rejects, so that it is reported like all others.
    lines.push(text ?? '"longer than 16 MiB"');
    names.push(`${file}:${line.number + 1}`);
    bytes += line.bytes?.length ?? 0;
    if (lines.length < MAX_BATCH && bytes < MAX_BATCH_BYTES) continue;
    yield { lines, names };
    [lines, names, bytes] = [[], [], 0];
  }
  if (lines.length > 0) yield { lines, names };
}

/** What became of the events of all requests. */
class Report {
  #accepted = 0;
  readonly #rejections: string[] = [];
  /** Titles by issue id, in the order of arrival. */
  readonly #issues = new Map<string, string>();
  #lastEventId = '';
  #refusal: string | undefined;

  add({ accepted, rejected, events, refusal }: Receipt, lines: readonly string[], names: readonly string[]): void {
    this.#accepted += accepted;
    this.#refusal = refusal;
    for (const { index, reason } of rejected) {
      this.#rejections.push(names[index] === undefined ? reason : `${names[index]}: ${reason}`);
    }
    for (const { index, eventId, issueId } of events) {
      if (!this.#issues.has(issueId)) this.#issues.set(issueId, titleOf(lines[index] ?? ''));
      this.#lastEventId = eventId;
    }
  }

  /** Prints what was stored, then what was not; returns the exit code. */
  async print({
    stdout,
    stderr,
    file,
    baseUrl,
    eventsUrl,
  }: SendOptions & Readonly<Record<'baseUrl' | 'eventsUrl', string>>): Promise<number> {
    const stored = this.#accepted;
    const isOne = file === undefined && stored === 1;
    const rejected = this.#rejections.length;
    const counts = [
      ...(stored > 0 || rejected === 0 ? [isOne ? 'stored' : `${stored} stored`] : []),
      ...(rejected > 0 ? [`${rejected} rejected`] : []),
    ];
    const issues = [...this.#issues].slice(0, MAX_LISTED);
    const lines = [
      `Sent to ${eventsUrl}: ${counts.join(', ')}.`,
      ...issues.map(([id, title]) => `  Issue ${id.slice(0, 8)}  ${title}`),
      ...(this.#issues.size > MAX_LISTED ? [`  and ${this.#issues.size - MAX_LISTED} more issues`] : []),
    ];
    const [first] = issues;
    const eventId = toEventId(this.#lastEventId);
    if (isOne && first !== undefined && eventId !== undefined) {
      const url = baseUrl === DEFAULT_URL ? '' : ` --url ${await readingUrl(baseUrl, first[0])}`;
      lines.push(`  Event ${shortEventId(eventId)}`, '', `faultline issue ${first[0].slice(0, 8)}${url} shows it.`);
    }
    if (stored > 0 || rejected > 0) stdout.write(`${lines.map(printable).join('\n')}\n`);
    for (const line of [...this.#rejections, ...(this.#refusal === undefined ? [] : [this.#refusal])])
      stderr.write(`${printable(line)}\n`);
    return rejected > 0 || this.#refusal !== undefined ? FAILED : 0;
  }
}

/** The title of a payload that the collector stored. */
function titleOf(line: string): string {
  const value: unknown = JSON.parse(line);
  const payload: JsonObject = isJsonObject(value) ? value : {};
  const { error_name: errorName, message } = payload;
  return failureTitle(typeof errorName === 'string' ? errorName : '', typeof message === 'string' ? message : '');
}

/** The address that serves an issue: the one for events, or the port above it as with `collect --port`; a placeholder if neither does. */
async function readingUrl(baseUrl: string, issueId: string): Promise<string> {
  const next = new URL(baseUrl);
  next.port = String(Number(next.port) + 1);
  for (const url of [baseUrl, next.origin]) {
    const signal = AbortSignal.timeout(READING_TIMEOUT_MS);
    const response = await fetch(`${url}/api/v1/issues/${issueId}`, { signal }).catch(() => undefined);
    if (response?.ok === true) return url;
  }
  return '<reading address>';
}
