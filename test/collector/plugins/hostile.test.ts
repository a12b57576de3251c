import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deadLettersOf } from '../../helpers/dead-letters.js';
import { type FaultlineProcess, killLeftoverProcesses, startFaultline, stop } from '../../helpers/faultline-process.js';
import { freePort } from '../../helpers/free-port.js';
import { serverPayload } from '../../helpers/payloads.js';
import { storedPayloads } from '../../helpers/stored-payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

/** Processors that misbehave at events whose message is `bad`, and an exporter and a receiver that do. */
const HOSTILE = `
const part = (create) => ({ description: 'Misbehaves.', stability: 'alpha', schema: { type: 'object' }, create });
const processor = (consume) => part(() => ({ consume }));
const isBad = ({ events }) => events.some(({ payload }) => payload.message === 'bad');
let kept = [];
let failures = 0;
export const processors = {
  throws: processor(async (batch) => { if (isBad(batch)) throw new Error('secret-words'); return batch.events; }),
  hangs: processor((batch) => isBad(batch) ? new Promise(() => {}) : Promise.resolve(batch.events)),
  drops: processor(async (batch) => isBad(batch) ? batch.events.slice(1) : batch.events),
  duplicates: processor(async (batch) => isBad(batch) ? batch.events.map(() => batch.events[0]) : batch.events),
  answers_nothing: processor(async (batch) => isBad(batch) ? undefined : batch.events),
  lies: processor(async (batch) => isBad(batch) ? batch.events.map(() => ({ kind: 'stored' })) : batch.events),
  breaks: processor(async (batch) => isBad(batch) ? batch.events.map(({ payload }) => ({ payload: { ...payload, tags: 3 } })) : batch.events),
  loops: processor(async ({ events }) => events.map((event) => { const payload = { ...event.payload, extra: {} }; payload.extra.self = payload; return { payload }; })),
  keeps: processor(async ({ events }) => { for (const payload of kept) payload.message = 'changed later'; kept = events.map(({ payload }) => payload); return events; }),
  never_stops: part(() => ({ consume: async ({ events }) => events, shutdown: () => new Promise(() => {}) })),
  does_not_start: part(() => ({ consume: async ({ events }) => events, start: async () => { throw new Error('no disk'); } })),
  is_not_made: part(() => { throw new Error('no such mode'); }),
};
export const exporters = {
  fails_twice: part(() => ({ consume: async ({ events }) => {
    if (failures++ < 2) throw new Error('not yet');
    const { appendFile } = await import('node:fs/promises');
    await appendFile(process.env.DELIVERED, events.map(({ payload }) => payload.message + '\\n').join(''));
    return events.map(() => ({ kind: 'stored' }));
  } })),
  never_answers: part(() => ({ consume: () => new Promise(() => {}) })),
};
export const receivers = {
  sends_anything: part((settings, { consumer, logger }) => ({
    start: async () => {
      const good = { app: 'a', service: 's', env: 'e', error_name: 'E', message: 'sent by a plugin', route: '' };
      const loop = {}; loop.self = loop;
      const outcomes = await consumer.consume({ events: [good, { message: 3 }, loop, undefined, () => {}].map((payload) => ({ payload })) });
      logger.info({ outcomes: outcomes.map(({ kind, code }) => code ?? kind) }, 'sent');
    },
  })),
};
`;

let folder = '';

/** For each test, except those of processors, which share a collector. */
async function newFolder(): Promise<void> {
  folder = await temporaryFolder();
  await writeFile(join(folder, 'hostile.mjs'), HOSTILE);
}
afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

interface Running extends FaultlineProcess {
  readonly reading: string;
}

/** Starts a collector; each processor, by id, has a pipeline and a receiver `events` of its own name. */
async function collect(processors: Record<string, string>, receivers = '', exporters = ''): Promise<Running> {
  const names = Object.keys(processors).map((id) => id.replace('/', '-'));
  const idsOf = (text: string): string => (text === '' ? '' : `, ${/^\w+/.exec(text)?.[0]}`);
  const store = JSON.stringify(join(folder, 'data'));
  const ports = await Promise.all(names.map(() => freePort()));
  const config = `
plugins: [./hostile.mjs]
receivers: { ${[...names.map((name, index) => `events/${name}: { endpoint: 127.0.0.1:${ports[index]} }`), receivers].join(', ')} }
processors: { ${Object.entries(processors).map((entry) => entry.join(': '))} }
exporters: { store: { directory: ${store} }, ${exporters} }
extensions: { query: { endpoint: 127.0.0.1:0 } }
service:
  extensions: [query]
  telemetry: { metrics: { level: none } }
  pipelines:
${Object.keys(processors)
  .map((id, index) => {
    const received = `events/${names[index]}${idsOf(receivers)}`;
    return `    events/${names[index]}: { receivers: [${received}], processors: [${id}], exporters: [store${idsOf(exporters)}] }`;
  })
  .join('\n')}
`;
  await writeFile(join(folder, 'faultline.yaml'), config);
  const args = ['collect', '--config', join(folder, 'faultline.yaml')];
  const process = startFaultline(args, { env: { DELIVERED: join(folder, 'delivered') } });
  const reading = await waitFor('the addresses', () => {
    if (process.child.exitCode !== null) return '';
    return /browse --url (http:\/\/[\w.:]+)/.exec(process.output.stdout)?.[1];
  });
  if (reading === '') throw new Error((await process.finished).stderr);
  return { ...process, reading };
}

async function statsOf({ reading }: Running) {
  return await (await fetch(`${reading}/api/v1/stats`)).json();
}

/** Sends events that have the name as their service. */
async function send(running: Running, name: string, ...messages: string[]) {
  const { endpoints } = await statsOf(running);
  const body = messages.map((message) => JSON.stringify(serverPayload({ message, service: name }))).join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  const response = await fetch(endpoints[`events/${name}`], { method: 'POST', headers, body });
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
}

/** The ledger of a receiver; fails unless every received event has one outcome. */
async function ledger(running: Running, receiver: string) {
  const { receivers } = await statsOf(running);
  const { received, stored, rejected, filtered, sampled, refused, reasons } = receivers[receiver];
  expect(received).toBe(stored + rejected + filtered + sampled + refused);
  return { stored, rejected, filtered, refused, reasons };
}

async function messagesOf(name: string): Promise<string[]> {
  const payloads = await storedPayloads(join(folder, 'data'));
  return payloads.flatMap(({ message, service }) => (service === name ? [String(message)] : []));
}

const REFUSED = { status: 503, retryAfter: expect.stringMatching(/^\d+$/) };

describe('a processor of a plugin', () => {
  let running: Running;

  beforeAll(async () => {
    await newFolder();
    running = await collect({
      ...{ throws: '{}', 'throws/ignore': '{ error_mode: ignore }' },
      ...{ hangs: '{ timeout: 50ms }', 'hangs/ignore': '{ timeout: 50ms, error_mode: ignore }' },
      ...{ drops: '{}', answers_nothing: '{}', lies: '{}', duplicates: '{}', breaks: '{}', loops: '{}', keeps: '{}' },
      ...{ never_stops: '{}', 'does_not_start/ignore': '{ error_mode: ignore }' },
    });
  });

  it('has its batch refused if it throws, and does not put its words into the log', async () => {
    expect(await send(running, 'throws', 'good', 'bad')).toEqual(REFUSED);
    expect(await send(running, 'throws', 'good')).toMatchObject({ status: 200 });
    expect(await ledger(running, 'events/throws')).toMatchObject({
      ...{ stored: 1, refused: 2, reasons: { PLUGIN_FAILED: 2 } },
    });
    expect(await messagesOf('throws')).toEqual(['good']);
    expect(running.output.stdout + running.output.stderr).not.toContain('secret-words');
  });

  it('has its events passed on unchanged if it throws and error_mode is ignore', async () => {
    expect(await send(running, 'throws-ignore', 'good', 'bad')).toMatchObject({ status: 200 });
    expect(await ledger(running, 'events/throws-ignore')).toMatchObject({ stored: 2, refused: 0 });
    expect(await messagesOf('throws-ignore')).toEqual(['good', 'bad']);
  });

  it.each(['hangs', 'hangs-ignore'])('has a batch refused that it holds too long (%s)', async (name) => {
    expect(await send(running, name, 'bad')).toEqual(REFUSED);
    expect(await send(running, name, 'good')).toMatchObject({ status: 200 });
    expect(await ledger(running, `events/${name}`)).toMatchObject({
      ...{ stored: 1, refused: 1, reasons: { PLUGIN_TIMEOUT: 1 } },
    });
  });

  it.each([
    ['drops', 'PLUGIN_OUTCOME_INVALID', ['one', 'bad']],
    ['answers_nothing', 'PLUGIN_OUTCOME_INVALID', ['one', 'bad']],
    ['lies', 'PLUGIN_OUTCOME_INVALID', ['one', 'bad']],
    ['duplicates', 'PLUGIN_OUTCOME_INVALID', ['bad']],
    ['breaks', 'PLUGIN_PAYLOAD_INVALID', ['one', 'bad']],
  ])('has events in the dead letters, under its name, if it %s', async (name, code, lost) => {
    expect(await send(running, name, 'one', 'bad')).toMatchObject({ status: 200 });
    expect(await send(running, name, 'good')).toMatchObject({ status: 200 });
    const { stored, filtered, reasons } = await ledger(running, `events/${name}`);
    expect({ stored, filtered, reasons }).toEqual({
      stored: 3 - lost.length,
      filtered: lost.length,
      reasons: { [code]: lost.length },
    });
    const all = await deadLettersOf(join(folder, 'data'));
    const letters = all.filter((letter) => letter?.reason.startsWith(`${name} of ./hostile.mjs `));
    expect(letters.map((letter) => letter?.code)).toEqual(lost.map(() => code));
    const contents = letters.map((letter) => JSON.stringify(letter?.content?.value)).join();
    for (const message of lost) expect(contents).toContain(`"message":"${message}"`);
  });

  it('is given copies: what it changes later does not reach the store', async () => {
    for (const message of ['one', 'two']) expect(await send(running, 'keeps', message)).toMatchObject({ status: 200 });
    expect(await messagesOf('keeps')).toEqual(['one', 'two']);
  });

  it('has a payload that refers to itself in the dead letters', async () => {
    expect(await send(running, 'loops', 'one')).toMatchObject({ status: 200 });
    expect(await ledger(running, 'events/loops')).toMatchObject({ reasons: { PLUGIN_PAYLOAD_INVALID: 1 } });
  });

  it('does not keep the collector from starting with error_mode ignore, or from stopping', async () => {
    for (const name of ['never_stops', 'does_not_start-ignore']) {
      expect(await send(running, name, 'good')).toMatchObject({ status: 200 });
    }
    expect(await stop(running)).toMatchObject({ code: 0 });
    for (const name of ['never_stops', 'does_not_start-ignore']) expect(await messagesOf(name)).toEqual(['good']);
  });

  it('ends the start with its name if it does not start or is not made', async () => {
    await expect(collect({ does_not_start: '{}' })).rejects.toThrow('processor does_not_start did not start: no disk');
    await expect(collect({ is_not_made: '{}' })).rejects.toThrow(
      './hostile.mjs did not create is_not_made: no such mode',
    );
  });
});

describe('an exporter of a plugin', () => {
  beforeEach(newFolder);

  it('gets a batch again after it threw', async () => {
    const running = await collect(
      { keeps: '{}' },
      '',
      'fails_twice: { retry_on_failure: { initial_interval: 10ms }, sending_queue: { start_at: beginning } }',
    );
    expect(await send(running, 'keeps', 'one', 'two')).toMatchObject({ status: 200 });
    const path = join(folder, 'delivered');
    const text = await waitFor('the events', async () => (await readFile(path, 'utf8').catch(() => '')) || undefined);
    expect(text).toBe('one\ntwo\n');
    await stop(running);
  });

  it('that never answers keeps nothing from being stored, and says why it waits', async () => {
    const running = await collect({ keeps: '{}' }, '', 'never_answers: { timeout: 20ms }');
    expect(await send(running, 'keeps', 'one')).toMatchObject({ status: 200 });
    const exporter = await waitFor('the failure', async () => {
      const { exporters } = await statsOf(running);
      return exporters.never_answers.failing === true ? exporters.never_answers : undefined;
    });
    expect(exporter.last_error.message).toContain('20 ms');
    expect(await stop(running)).toMatchObject({ code: 0 });
  });
});

describe('a receiver of a plugin', () => {
  beforeEach(newFolder);

  it('has each payload checked, counted and kept', async () => {
    const running = await collect({ keeps: '{}' }, 'sends_anything: {}');
    expect(await ledger(running, 'sends_anything')).toMatchObject({ stored: 1, rejected: 4 });
    await stop(running);
    expect(await messagesOf('s')).toEqual(['sent by a plugin']);
    expect(running.output.stdout + running.output.stderr).toContain('"outcomes":["stored","EVENT_INVALID"');
    expect(await deadLettersOf(join(folder, 'data'))).toHaveLength(4);
  });
});
