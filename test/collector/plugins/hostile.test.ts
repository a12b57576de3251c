import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deadLettersOf } from '../../helpers/dead-letters.js';
import { serverPayload } from '../../helpers/payloads.js';
import { storedPayloads } from '../../helpers/stored-payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { CollectHere, stopCollectors } from '../commands/collect-here.js';

const PART = `
const part = (create, properties = {}) => ({ description: 'Misbehaves.', stability: 'alpha', schema: { type: 'object', properties }, create });
const processor = (consume) => part(() => ({ consume }));
`;
/** Processors that misbehave at events whose message is `bad`. */
const PROCESSORS = `${PART}
const isBad = ({ events }) => events.some(({ payload }) => payload.message === 'bad');
let kept = [];
export const processors = {
  throws: processor(async (batch) => {
    if (!isBad(batch)) return batch.events;
    for (const { payload } of batch.events) payload.message = 'changed before it threw';
    throw new Error('secret-words');
  }),
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
};
`;
const NOT_MADE = `${PART}
export const processors = { is_not_made: part(() => { throw new Error('no such mode'); }) };
`;
/** Exporters and a receiver that misbehave, and a processor that does not. */
const OTHERS = `${PART}
let failures = 0;
export const processors = { passes: processor(async ({ events }) => events) };
export const exporters = {
  fails_twice: part(({ file }) => ({ consume: async ({ events }) => {
    if (failures++ < 2) throw new Error('not yet');
    const { appendFile } = await import('node:fs/promises');
    await appendFile(file, events.map(({ payload }) => payload.message + '\\n').join(''));
    return events.map(() => ({ kind: 'stored' }));
  } }), { file: { type: 'string', description: 'Where it delivers.' } }),
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

afterAll(async () => {
  await stopCollectors();
  await removeTemporaryFolders();
});

interface Running {
  readonly command: CollectHere;
  /** The origin of the reading API. */
  readonly reading: string;
}

/** Starts a collector with a plugin; each processor, by id, has a pipeline and a receiver `events` of its own name, at a loopback address of its own. */
async function collect(
  module: string,
  processors: Record<string, string>,
  receivers: Record<string, string> = {},
  exporters: Record<string, string> = {},
): Promise<Running> {
  await writeFile(join(folder, 'hostile.mjs'), module);
  const names = Object.keys(processors).map((id) => id.replace('/', '-'));
  const events = names.map((name, index) => [`events/${name}`, `{ endpoint: 127.0.0.${index + 1}:0 }`]);
  const flow = (parts: readonly (readonly string[])[]) => parts.map((part) => part.join(': ')).join(', ');
  const config = `
plugins: [./hostile.mjs]
receivers: { ${flow([...events, ...Object.entries(receivers)])} }
processors: { ${flow(Object.entries(processors))} }
exporters: { ${flow([['store', `{ directory: ${folder}/data }`], ...Object.entries(exporters)])} }
extensions: { query: { endpoint: 127.0.0.1:0 } }
service:
  extensions: [query]
  telemetry: { metrics: { level: none } }
  pipelines:
${Object.keys(processors)
  .map((id, index) => {
    const received = [`events/${names[index]}`, ...Object.keys(receivers)];
    const exported = ['store', ...Object.keys(exporters)];
    return `    events/${names[index]}: { receivers: [${received}], processors: [${id}], exporters: [${exported}] }`;
  })
  .join('\n')}
`;
  await writeFile(join(folder, 'faultline.yaml'), config);
  const command = new CollectHere({ config: [join(folder, 'faultline.yaml')] });
  return { command, reading: await command.printed(/browse --url (http:\/\/[\w.:]+)/) };
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
    folder = await temporaryFolder();
    running = await collect(PROCESSORS, {
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
    expect(running.command.stderr.text).not.toContain('secret-words');
  });

  it('has its events passed on unchanged if it throws and error_mode is ignore', async () => {
    expect(await send(running, 'throws-ignore', 'good', 'bad')).toMatchObject({ status: 200 });
    expect(await ledger(running, 'events/throws-ignore')).toMatchObject({ stored: 2, refused: 0 });
    expect(await messagesOf('throws-ignore')).toEqual(['good', 'bad']);
  });

  it('has a large event passed on unchanged likewise', async () => {
    const { endpoints } = await statsOf(running);
    const large = serverPayload({ message: 'bad', service: 'large', extra: { body: 'x'.repeat(100_000) } });
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, body: JSON.stringify(large) };
    expect((await fetch(endpoints['events/throws-ignore'], sent)).status).toBe(200);
    expect(await messagesOf('large')).toEqual(['bad']);
    const { issues } = await (await fetch(`${running.reading}/api/v1/issues?query=service:large`)).json();
    expect(issues).toMatchObject([{ message: 'bad' }]);
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
    expect(await running.command.stop()).toBe(0);
    for (const name of ['never_stops', 'does_not_start-ignore']) expect(await messagesOf(name)).toEqual(['good']);
  });

  it('ends the start with its name if it does not start or is not made', async () => {
    await expect(collect(PROCESSORS, { does_not_start: '{}' })).rejects.toThrow(
      'processor does_not_start did not start: no disk',
    );
    folder = await temporaryFolder();
    await expect(collect(NOT_MADE, { is_not_made: '{}' })).rejects.toThrow(
      './hostile.mjs did not create is_not_made: no such mode',
    );
  });
});

describe('a plugin', () => {
  let running: Running;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const exporters = {
      fails_twice: `{ file: ${folder}/delivered, retry_on_failure: { initial_interval: 10ms }, sending_queue: { start_at: beginning } }`,
      never_answers: '{ timeout: 20ms, sending_queue: { start_at: beginning } }',
    };
    running = await collect(OTHERS, { passes: '{}' }, { sends_anything: '{}' }, exporters);
    expect(await send(running, 'passes', 'one', 'two')).toMatchObject({ status: 200 });
  });

  it('has each payload that its receiver sends checked, counted and kept', async () => {
    expect(await ledger(running, 'sends_anything')).toMatchObject({ stored: 1, rejected: 4 });
    expect(await messagesOf('s')).toEqual(['sent by a plugin']);
    expect(running.command.stderr.text).toContain('"outcomes":["stored","EVENT_INVALID"');
    expect(await deadLettersOf(join(folder, 'data'))).toHaveLength(4);
  });

  it('gets a batch again after its exporter threw', async () => {
    const delivered = () => readFile(join(folder, 'delivered'), 'utf8');
    const text = await waitFor('the events', async () => {
      const lines = await delivered();
      return lines.endsWith('two\n') && lines;
    });
    expect(text).toBe('sent by a plugin\none\ntwo\n');
  });

  it('whose exporter never answers keeps nothing from being stored, and says why it waits', async () => {
    expect(await messagesOf('passes')).toEqual(['one', 'two']);
    const exporter = await waitFor('the failure', async () => {
      const { exporters } = await statsOf(running);
      return exporters.never_answers.failing === true ? exporters.never_answers : undefined;
    });
    expect(exporter.last_error.message).toContain('20 ms');
    expect(await running.command.stop()).toBe(0);
  });
});
