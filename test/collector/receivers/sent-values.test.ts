import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { storedPayloads } from '../../helpers/stored-payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { originOf, type RunningService, settingsFor, startService, stopServices } from '../running-service.js';

let running: RunningService;
let directory = '';
let logFile = '';

beforeAll(async () => {
  directory = await temporaryFolder();
  logFile = join(await temporaryFolder(), 'api.log');
  await writeFile(logFile, '');
  running = await startService(
    settingsFor(
      directory,
      'service.pipelines.events.receivers=[events, sentry, otlp, file_log]',
      'service.pipelines.events.processors=[]',
      'receivers.sentry.endpoint=127.0.0.1:0',
      'receivers.otlp.protocols.http.endpoint=127.0.0.1:0',
      `receivers.file_log={ include: ["${logFile}"], start_at: beginning, storage: { directory: "${directory}/places" } }`,
    ),
  );
});
afterAll(async () => {
  await stopServices();
  await removeTemporaryFolders();
});

async function posted(receiver: string, path: string, body: string, type = 'application/json'): Promise<void> {
  const url = `${originOf(running, receiver)}${path}`;
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
  expect([200, 202]).toContain(response.status);
  await response.arrayBuffer();
}

/** Sends one failure by each way. `marker` is its whole message, `members` are JSON members with values of any kind. */
const WAYS: Readonly<Record<string, (marker: string, members: string) => Promise<void>>> = {
  'events, an object': (marker, members) => posted('events', '/v1/events', event(marker, members)),
  'events, an array': (marker, members) => posted('events', '/v1/events', `[${event(marker, members)}]`),
  'events, NDJSON': (marker, members) =>
    posted('events', '/v1/events', `${event(marker, members)}\n`, 'application/x-ndjson'),
  'a Sentry envelope': (marker, members) =>
    posted('sentry', '/api/1/envelope/?sentry_key=a', `{}\n{"type":"event"}\n${sentryEvent(marker, members)}`),
  'the Sentry store': (marker, members) => posted('sentry', '/api/1/store/?sentry_key=a', sentryEvent(marker, members)),
  'Sentry logs': (marker, members) => {
    const log = `{"timestamp":1,"level":"error","body":"${marker}","attributes":{"all":{"value":{${members}}}}}`;
    return posted('sentry', '/api/1/envelope/?sentry_key=a', `{}\n{"type":"log"}\n{"items":[${log}]}`);
  },
  'OTLP JSON': (marker, members) => {
    const attributes = otlpValues(members).map((value, index) => `{"key":"k${index}","value":${value}}`);
    const record = `{"severityNumber":17,"body":{"stringValue":"${marker}"},"attributes":[${attributes.join()}]}`;
    return posted('otlp', '/v1/logs', `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${record}]}]}]}`);
  },
  'lines of a log': (marker, members) => appendFile(logFile, `{"level":"error","msg":"${marker}",${members}}\n`),
};

function event(marker: string, members: string): string {
  return `{"app":"a","service":"s","env":"e","error_name":"E","route":"","message":"${marker}","extra":{${members}}}`;
}

function sentryEvent(marker: string, members: string): string {
  const contexts = `"contexts":{"own":{${members}}}`;
  return `{"message":"${marker}","level":"error",${contexts},"breadcrumbs":[{"message":"b","data":{${members}}}]}`;
}

/** The members as AnyValue: only whole numbers and texts. */
function otlpValues(members: string): string[] {
  return [...members.matchAll(/:(?:(-?\d+)|("(?:[^"\\]|\\.)*"))(?=,"|$)/g)].map(([, integer, text]) =>
    integer === undefined ? `{"stringValue":${text}}` : `{"intValue":${integer}}`,
  );
}

let rounds = 0;

/** The raw line that each way stored, as JSON. */
async function storedBy(members: string): Promise<Map<string, string>> {
  rounds += 1;
  const prefix = `sent ${rounds} by `;
  const ways = Object.entries(WAYS);
  await Promise.all(ways.map(([way, send]) => send(prefix + way, members)));
  return await waitFor('all events', async () => {
    const payloads = await storedPayloads(directory);
    const found = payloads.filter(({ message }) => String(message).startsWith(prefix));
    return found.length >= ways.length && new Map(found.map((one) => [String(one['message']), JSON.stringify(one)]));
  });
}

describe('by every way', () => {
  it('integers beyond 2^53 are stored as text of their digits', async () => {
    const long = fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n });
    await fc.assert(
      fc.asyncProperty(fc.tuple(long, long), async ([one, other]) => {
        const stored = await storedBy(`"one":${one},"other":${-other}`);
        expect(stored.size).toBe(Object.keys(WAYS).length);
        for (const line of stored.values()) {
          expect(line).toContain(`"${one}"`);
          expect(line).toContain(`"${-other}"`);
        }
      }),
      { numRuns: 5 },
    );
  });

  it('texts of any UTF-16 units are stored without halves of pairs', async () => {
    const text = fc.array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0xd83d, 0xde00, 0x5c, 0x22)), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(text, async (units) => {
        const sent = String.fromCharCode(...units);
        const stored = await storedBy(`"text":${JSON.stringify(`<${sent}>`)}`);
        expect(stored.size).toBe(Object.keys(WAYS).length);
        const wanted = JSON.stringify(`<${sent.toWellFormed()}>`);
        for (const line of stored.values()) expect(line).toContain(wanted);
      }),
      { numRuns: 10 },
    );
  });
});

describe('a user of an SDK with an id beyond 2^53', () => {
  it('is not the user whose id differs in the last digit', async () => {
    for (const id of ['175928847299117063', '175928847299117061']) {
      const body = `{"message":"user ${id}","user":{"id":${id}},"tags":{"guild":${id}}}`;
      await posted('sentry', '/api/1/store/?sentry_key=a', body);
      await posted('events', '/v1/events', event(`own ${id}`, `"order":${id}`).replace('{', `{"user_id":${id},`));
    }
    const stored = await storedPayloads(directory);
    const users = stored.flatMap(({ user_id: userId }) => userId ?? []);
    expect(users.sort()).toEqual([
      '175928847299117061',
      '175928847299117061',
      '175928847299117063',
      '175928847299117063',
    ]);
    expect(stored).toContainEqual(
      expect.objectContaining({ tags: expect.objectContaining({ guild: '175928847299117063' }) }),
    );
    const query = encodeURIComponent('extra.order:175928847299117063');
    const answer = await fetch(`${running.apiUrl}/events?query=${query}`);
    expect(await answer.json()).toMatchObject({ events: [{ message: 'own 175928847299117063' }], next_cursor: null });
  });

  it('sends a line that is written anew, and whose note says so', async () => {
    const body =
      '{ "app":"a","service":"s","env":"e","error_name":"E","route":"","message":"m \\ud83d", "extra":{"n":9007199254740993,"f":1.50e1}}';
    const response = await fetch(running.eventsUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { events } = (await response.json()) as { events: { notes: { code: string }[] }[] };
    expect(events[0]?.notes.map(({ code }) => code)).toEqual(['INTEGER_CONVERTED', 'INVALID_UNICODE']);
    expect(await storedPayloads(directory)).toContainEqual(
      expect.objectContaining({ message: 'm \ufffd', extra: { n: '9007199254740993', f: 15 } }),
    );
  });
});
