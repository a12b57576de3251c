import { removeTemporaryFolders } from '../../../helpers/temporary-folder.js';
import { recordsOf } from '../backend.js';
import { attributesOf, exported, plain } from './exported-records.js';
import { stopExporters } from './exporter-under-test.js';

afterEach(stopExporters);
afterAll(removeTemporaryFolders);

/** Units between two pauses. */
const PIECE = 64 * 1024;

describe.each(['proto', 'json'])('a large event as a log record in %s', (encoding) => {
  it.each([
    ['a text with pairs of surrogates on its cuts', `.${'😀'.repeat(2 * PIECE)}`, undefined],
    [
      'a text with halves of pairs on its cuts',
      `${'.'.repeat(PIECE - 1)}\ud83d${'"\\\n'.repeat(PIECE)}\udc00`,
      undefined,
    ],
    ['a text under a long key', 'é'.repeat(PIECE), 'key'.repeat(PIECE)],
    [
      'a list of very many values',
      Array.from({ length: 10_000 }, (_, at) => [at, `v${at}`, null, at / 2][at % 4] ?? null),
      undefined,
    ],
    [
      'an object of very many keys',
      Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at}`, { at }])),
      undefined,
    ],
    [
      'a large value in a list in an object',
      { a: [1, { b: 'x'.repeat(2 * PIECE), c: [] }, {}, 'end'], d: true },
      undefined,
    ],
  ])('keeps %s unchanged', async (_what, value, key) => {
    const extra = { before: 'b', [key ?? 'large']: value, behind: ['c'] };
    const small = await exported(encoding, { message: 'm' });
    const request = await exported(encoding, { message: 'm', extra });
    const whole = JSON.parse(JSON.stringify(value), (_key, one) =>
      typeof one === 'string'
        ? one.replace(/\p{Cs}/gu, '\ufffd')
        : typeof one === 'number' && Number.isInteger(one)
          ? BigInt(one)
          : one,
    );
    const [record] = recordsOf(request);
    const { before, behind, [key ?? 'large']: large } = attributesOf(record);
    expect([before, behind]).toEqual(['b', ['c']]);
    expect(large).toEqual(whole);
    expect(record?.body).toEqual(recordsOf(small)[0]?.body);
    expect(record?.eventName).toBe('exception');
  });

  it('keeps small and large records of one request in their order', async () => {
    const messages = ['a', 'x'.repeat(3 * PIECE), 'b', `${'ü'.repeat(3 * PIECE)}!`, 'c'];
    const request = await exported(encoding, ...messages.map((message) => ({ message })));
    expect(recordsOf(request).map(({ body }) => plain(body))).toEqual(messages);
  });

  it('groups by resources that differ only in their last attribute', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`k${at}`, at]));
    const extras = [1, 2, 1].map((last) => ({ otlp: { resource: { attributes: { ...attributes, last } } } }));
    const request = await exported(encoding, ...extras.map((extra) => ({ extra })));
    expect(request.resourceLogs.map(({ scopeLogs }) => scopeLogs.map(({ logRecords }) => logRecords.length))).toEqual([
      [2],
      [1],
    ]);
  });
});
