import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deadLettersOf } from '../../helpers/dead-letters.js';
import { type FaultlineProcess, killLeftoverProcesses, startFaultline, stop } from '../../helpers/faultline-process.js';
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

beforeEach(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder, 'hostile.mjs'), HOSTILE);
});
afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

interface Running extends FaultlineProcess {
  readonly url: string;
  readonly reading: string;
}

/** Starts a collector whose pipeline has one component of the plugin besides `events` and `store`. */
async function collect(parts: Record<string, string>): Promise<Running> {
  const { receivers = '', processors = '', exporters = '' } = parts;
  const idOf = (text: string): string => (text === '' ? '' : `, ${/^\w+/.exec(text)?.[0]}`);
  const config = `
plugins: [./hostile.mjs]
receivers: { events: { endpoint: 127.0.0.1:0 }, ${receivers} }
processors: { ${processors} }
exporters: { store: { directory: ${JSON.stringify(join(folder, 'data'))} }, ${exporters} }
extensions: { query: { endpoint: 127.0.0.1:0 } }
service:
  extensions: [query]
  telemetry: { metrics: { level: none } }
  pipelines:
    events: { receivers: [events${idOf(receivers)}], processors: [${idOf(processors).slice(2)}], exporters: [store${idOf(exporters)}] }
`;
  await writeFile(join(folder, 'faultline.yaml'), config);
  const args = ['collect', '--config', join(folder, 'faultline.yaml')];
  const process = startFaultline(args, { env: { DELIVERED: join(folder, 'delivered') } });
  const [url, reading] = await waitFor('the addresses', () => {
    if (process.child.exitCode !== null) return [];
    const found = ['send', 'browse'].map(
      (command) => new RegExp(`${command} --url (http://[\\w.:]+)`).exec(process.output.stdout)?.[1],
    );
    return found[1] === undefined ? undefined : found;
  });
  if (url === undefined || reading === undefined) throw new Error((await process.finished).stderr);
  return { ...process, url, reading };
}

async function send({ url }: Running, ...messages: string[]) {
  const lines = messages.map((message) => JSON.stringify(serverPayload({ message })));
  const body = lines.join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  const { status, headers: answered } = await fetch(`${url}/v1/events`, { method: 'POST', headers, body });
  return { status, retryAfter: answered.get('retry-after') };
}

/** The ledger of `events`; fails unless every received event has one outcome. */
async function ledger({ reading }: Running, receiver = 'events') {
  const stats = await (await fetch(`${reading}/api/v1/stats`)).json();
  const { received, stored, rejected, filtered, sampled, refused, reasons } = stats.receivers[receiver];
  expect(received).toBe(stored + rejected + filtered + sampled + refused);
  return { stored, rejected, filtered, refused, reasons };
}

async function messages(): Promise<string[]> {
  return (await storedPayloads(join(folder, 'data'))).map(({ message }) => String(message));
}

describe('a processor of a plugin', () => {
  it('has its batch refused if it throws, and does not put its words into the log', async () => {
    const running = await collect({ processors: 'throws: {}' });
    expect(await send(running, 'good', 'bad')).toEqual({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
    expect(await send(running, 'good')).toMatchObject({ status: 200 });
    expect(await ledger(running)).toMatchObject({ stored: 1, refused: 2, reasons: { PLUGIN_FAILED: 2 } });
    await stop(running);
    expect(await messages()).toEqual(['good']);
    expect(running.output.stdout + running.output.stderr).not.toContain('secret-words');
  });

  it('has its events passed on unchanged if it throws and error_mode is ignore', async () => {
    const running = await collect({ processors: 'throws: { error_mode: ignore }' });
    expect(await send(running, 'good', 'bad')).toMatchObject({ status: 200 });
    expect(await ledger(running)).toMatchObject({ stored: 2, refused: 0 });
    await stop(running);
    expect(await messages()).toEqual(['good', 'bad']);
  });

  it.each(['propagate', 'ignore'])('has a batch refused that it holds too long, with error_mode %s', async (mode) => {
    const running = await collect({ processors: `hangs: { timeout: 50ms, error_mode: ${mode} }` });
    expect(await send(running, 'bad')).toEqual({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
    expect(await send(running, 'good')).toMatchObject({ status: 200 });
    expect(await ledger(running)).toMatchObject({ stored: 1, refused: 1, reasons: { PLUGIN_TIMEOUT: 1 } });
    expect(await stop(running)).toMatchObject({ code: 0 });
  });

  it.each([
    ['drops', 'PLUGIN_OUTCOME_INVALID', ['one', 'bad']],
    ['answers_nothing', 'PLUGIN_OUTCOME_INVALID', ['one', 'bad']],
    ['lies', 'PLUGIN_OUTCOME_INVALID', ['one', 'bad']],
    ['duplicates', 'PLUGIN_OUTCOME_INVALID', ['bad']],
    ['breaks', 'PLUGIN_PAYLOAD_INVALID', ['one', 'bad']],
  ])('has events in the dead letters, under its name, if it %s', async (type, code, lost) => {
    const running = await collect({ processors: `${type}: {}` });
    expect(await send(running, 'one', 'bad')).toMatchObject({ status: 200 });
    expect(await send(running, 'good')).toMatchObject({ status: 200 });
    const { stored, filtered, reasons } = await ledger(running);
    expect({ stored, filtered, reasons }).toEqual({
      stored: 3 - lost.length,
      filtered: lost.length,
      reasons: { [code]: lost.length },
    });
    await stop(running);
    const letters = await deadLettersOf(join(folder, 'data'));
    expect(letters.map((letter) => letter?.code)).toEqual(lost.map(() => code));
    expect(letters.every((letter) => letter?.reason.startsWith(`${type} of ./hostile.mjs`))).toBe(true);
    const contents = letters.map((letter) => JSON.stringify(letter?.content?.value));
    for (const message of lost) expect(contents.join()).toContain(message);
  });

  it('is given copies: what it changes later does not reach the store', async () => {
    const running = await collect({ processors: 'keeps: {}' });
    for (const message of ['one', 'two']) expect(await send(running, message)).toMatchObject({ status: 200 });
    await stop(running);
    expect(await messages()).toEqual(['one', 'two']);
  });

  it('has a payload that refers to itself in the dead letters', async () => {
    const running = await collect({ processors: 'loops: {}' });
    expect(await send(running, 'one')).toMatchObject({ status: 200 });
    expect(await ledger(running)).toMatchObject({ reasons: { PLUGIN_PAYLOAD_INVALID: 1 } });
    await stop(running);
  });

  it('does not keep the collector from stopping', async () => {
    const running = await collect({ processors: 'never_stops: {}' });
    expect(await send(running, 'good')).toMatchObject({ status: 200 });
    expect(await stop(running)).toMatchObject({ code: 0 });
    expect(await messages()).toEqual(['good']);
  });

  it('ends the start with its name if it does not start or is not made', async () => {
    await expect(collect({ processors: 'does_not_start: {}' })).rejects.toThrow(
      'processor does_not_start did not start: no disk',
    );
    await expect(collect({ processors: 'is_not_made: {}' })).rejects.toThrow(
      './hostile.mjs did not create is_not_made: no such mode',
    );
  });

  it('does not end the start with error_mode ignore', async () => {
    const running = await collect({ processors: 'does_not_start: { error_mode: ignore }' });
    expect(await send(running, 'good')).toMatchObject({ status: 200 });
    await stop(running);
  });
});

describe('an exporter of a plugin', () => {
  it('gets a batch again after it threw', async () => {
    const running = await collect({
      exporters:
        'fails_twice: { retry_on_failure: { initial_interval: 10ms }, sending_queue: { start_at: beginning } }',
    });
    expect(await send(running, 'one', 'two')).toMatchObject({ status: 200 });
    const path = join(folder, 'delivered');
    const text = await waitFor('the events', () => readFile(path, 'utf8').catch(() => undefined));
    expect(text).toBe('one\ntwo\n');
    await stop(running);
  });

  it('that never answers keeps nothing from being stored, and says why it waits', async () => {
    const running = await collect({ exporters: 'never_answers: { timeout: 20ms }' });
    expect(await send(running, 'one')).toMatchObject({ status: 200 });
    const exporter = await waitFor('the failure', async () => {
      const { exporters } = await (await fetch(`${running.reading}/api/v1/stats`)).json();
      return exporters.never_answers.failing === true ? exporters.never_answers : undefined;
    });
    expect(exporter.last_error.message).toContain('20 ms');
    expect(await stop(running)).toMatchObject({ code: 0 });
  });
});

describe('a receiver of a plugin', () => {
  it('has each payload checked, counted and kept', async () => {
    const running = await collect({ receivers: 'sends_anything: {}' });
    expect(await ledger(running, 'sends_anything')).toMatchObject({ stored: 1, rejected: 4 });
    await stop(running);
    expect(await messages()).toEqual(['sent by a plugin']);
    expect(running.output.stdout + running.output.stderr).toContain('"outcomes":["stored","EVENT_INVALID"');
    expect(await deadLettersOf(join(folder, 'data'))).toHaveLength(4);
  });
});
