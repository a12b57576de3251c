import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { printable } from '../../config/values/printable.js';
import { messageOf } from '../../core/event/fault.js';
import { toEventId } from '../../core/event/ids.js';
import { isJsonObject } from '../../core/event/json.js';
import { shortEventId } from '../../core/event/short-event-id.js';
import { failureTitle } from '../../core/issues/failure-title.js';
import { MAX_LINE_BYTES } from '../import/default-bounds.js';
import { readImportedLines } from '../import/imported-lines.js';
import type { CommandOutput } from './command-line.js';
import { ingestAddress, postEvents, type Receipt } from './post-events.js';
import { commandToCall } from './start-up-text.js';

/** Options of `faultline send`. */
export interface SendOptions extends CommandOutput {
  /** Message of the test events; default a fixed one. */
  readonly message: string | undefined;
  /** Number of test events, 1 to 1,000; default 1. */
  readonly count: number | undefined;
  /** NDJSON payloads to send instead of test events; `-` is standard input. */
  readonly file: string | undefined;
  /** Fields of the test events. */
  readonly fields: Readonly<Record<'app' | 'service' | 'env' | 'level' | 'errorName', string | undefined>>;
  readonly url: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
}

/** One JSON text and, in a file, its place for messages. */
interface Line {
  readonly text: string;
  readonly place?: string;
}

const DEFAULT_URL = 'http://localhost:4318';
const MAX_BATCH = 1_000;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const MAX_LISTED = 5;
const READING_TIMEOUT_MS = 1_000;
const FAILED = 1;
const USAGE = 2;

/** Sends test events or a file. Exit code 0 if all were accepted, 1 if one was refused or no collector responds, 2 for wrong usage. */
export async function runSend(options: SendOptions): Promise<number> {
  const { stdin, stdout, stderr, file, count = 1 } = options;
  const address = ingestAddress(options.url, options.env);
  if (typeof address === 'string') {
    stderr.write(`${address}\n`);
    return USAGE;
  }
  if (!isCount(count)) {
    stderr.write(`--count must be a whole number from 1 to ${MAX_BATCH}\n`);
    return USAGE;
  }
  const { url = DEFAULT_URL, token } = address;
  const sent = new SentEvents();
  const batches = file === undefined ? [testEvents(options, count)] : fileLines(file, stdin);
  try {
    await sendBatches(batches, `${url}/v1/events`, token, sent);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    sent.problems.push(`${file} cannot be read: ${messageOf(error)}.`);
  }
  if (sent.stored + sent.rejected > 0) {
    const text = [`Sent to ${url}/v1/events: ${sent.counts(file === undefined)}.`, ...sent.issueLines()];
    if (file === undefined && sent.stored === 1) text.push(...(await eventLines(options, url, sent)));
    stdout.write(`${text.map(printable).join('\n')}\n`);
  }
  for (const problem of sent.problems) stderr.write(`${printable(problem)}\n`);
  return sent.problems.length > 0 ? FAILED : 0;
}

function isCount(count: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= MAX_BATCH;
}

/** Sends batches until the collector refuses one. */
async function sendBatches(
  batches: Iterable<Line[]> | AsyncIterable<Line[]>,
  eventsUrl: string,
  token: string | undefined,
  sent: SentEvents,
): Promise<void> {
  for await (const lines of batches) {
    const receipt = await postEvents(eventsUrl, token, lines);
    sent.add(lines, receipt);
    if (receipt.refusal !== undefined) return;
  }
}

/** What the collector answered to all batches. */
class SentEvents {
  stored = 0;
  rejected = 0;
  lastEventId = '';
  /** Titles by issue id, in the order in which they came. */
  readonly issues = new Map<string, string>();
  /** Reasons of rejections and refusals. */
  readonly problems: string[] = [];

  add(lines: readonly Line[], { accepted, rejected, events, refusal }: Receipt): void {
    this.stored += accepted;
    this.rejected += rejected.length;
    for (const { index, reason } of rejected) {
      const place = lines[index]?.place;
      this.problems.push(place === undefined ? reason : `${place}: ${reason}`);
    }
    if (refusal !== undefined) this.problems.push(refusal);
    for (const { index, eventId, issueId } of events) {
      if (!this.issues.has(issueId)) this.issues.set(issueId, titleOf(lines[index]?.text ?? ''));
      this.lastEventId = eventId;
    }
  }

  counts(areTestEvents: boolean): string {
    const stored = areTestEvents && this.stored === 1 ? 'stored' : `${this.stored} stored`;
    return this.rejected > 0 ? `${stored}, ${this.rejected} rejected` : stored;
  }

  issueLines(): string[] {
    const lines = Array.from(this.issues, ([id, title]) => `  Issue ${id.slice(0, 8)}  ${title}`);
    const more = lines.length - MAX_LISTED;
    return more > 0 ? [...lines.slice(0, MAX_LISTED), `  and ${more} more issues`] : lines;
  }
}

function testEvents({ message, fields }: SendOptions, count: number): Line[] {
  const { service = 'test', app = service, env = 'development', level = 'error' } = fields;
  const payload = {
    app,
    service,
    env,
    level,
    route: '',
    error_name: fields.errorName ?? (message === undefined ? 'TestError' : 'Error'),
    message: message ?? 'a test event from faultline send',
  };
  const text = (): string => JSON.stringify({ ...payload, timestamp: new Date().toISOString() });
  return Array.from({ length: count }, () => ({ text: text() }));
}

async function* fileLines(file: string, stdin: Readable): AsyncGenerator<Line[]> {
  let lines: Line[] = [];
  let size = 0;
  for await (const { bytes, number } of readImportedLines(
    file === '-' ? stdin : createReadStream(file),
    MAX_LINE_BYTES,
  )) {
    // A line that is too long is sent as text that the collector rejects, so that it is reported like all others.
    const text = bytes === undefined ? 'longer than 16 MiB' : bytes.toString('utf8').trim();
    if (text === '') continue;
    lines.push({ text, place: `${file}:${number + 1}` });
    size += text.length;
    if (lines.length < MAX_BATCH && size < MAX_BATCH_BYTES) continue;
    yield lines;
    [lines, size] = [[], 0];
  }
  if (lines.length > 0) yield lines;
}

function titleOf(text: string): string {
  const payload: unknown = JSON.parse(text);
  if (!isJsonObject(payload)) return '';
  return failureTitle(String(payload['error_name'] ?? ''), String(payload['message'] ?? ''));
}

/** The event, and the command that shows its issue; none if a processor dropped the event. */
async function eventLines({ env }: SendOptions, url: string, sent: SentEvents): Promise<string[]> {
  const [issueId] = sent.issues.keys();
  const eventId = toEventId(sent.lastEventId);
  if (issueId === undefined || eventId === undefined) return [];
  const option = url === DEFAULT_URL ? '' : ` --url ${await readingUrl(url, issueId)}`;
  return [
    `  Event ${shortEventId(eventId)}`,
    '',
    `${commandToCall(env)} browse ${issueId.slice(0, 8)}${option} opens it.`,
  ];
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
