import fc from 'fast-check';
import { encodePartitionName } from '../../../../../core/storage/record/partitions/partition-name.js';
import {
  formatHour,
  isIn,
  parsePartitionFolder,
  partitionOf,
} from '../../../../../core/storage/record/partitions/partition-path.js';
import { PartitionCache } from '../../../../../core/storage/record/writer/commit-plan.js';

const HOUR = Date.UTC(2026, 10, 21, 10) / 3_600_000;

/** Any text, often of characters with a meaning in paths. */
const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('.', '/', '%', '~', 'a', 'A', '2', 'E', '\0', 'é', '\ufffd') }),
  fc.string({ unit: fc.constantFrom('a', '%', 'ü', '😀'), minLength: 60, maxLength: 260 }),
);

describe('encodePartitionName', () => {
  it.each([
    ['api', 'api'],
    ['my app', 'my%20app'],
    ['../../etc', '..%2F..%2Fetc'],
    ['a/b', 'a%2Fb'],
    ['a\\b', 'a%5Cb'],
    ['.', '%2E'],
    ['..', '%2E%2E'],
    ['...', '...'],
    ['', '%'],
    ['%', '%25'],
    ['~', '%7E'],
    ['\0', '%00'],
    ['zażółć', 'za%C5%BC%C3%B3%C5%82%C4%87'],
    ['🔥', '%F0%9F%94%A5'],
    ['\ud83d', '%EF%BF%BD'],
  ])('names the folder of %j %s', (name, folder) => {
    expect(encodePartitionName(name)).toBe(folder);
  });

  it('is also known by a folder of an earlier version, which named halves of surrogate pairs', () => {
    const folder = `raw/pr%ED%A0%BDod/%ED%B1%8D/%25ED%25A0%25BD/${formatHour(HOUR)}`;
    const names = { env: 'pr\ufffdod', service: '\ufffd', app: '%ED%A0%BD' };
    expect(isIn({ folder, hour: HOUR }, names)).toBe(true);
    expect(isIn({ folder, hour: HOUR }, { ...names, app: '\ufffd' })).toBe(false);
  });

  it('leaves a name of 200 bytes, and cuts a longer one to 200 that end in its hash', () => {
    expect(encodePartitionName('a'.repeat(200))).toBe('a'.repeat(200));
    const cut = encodePartitionName('a'.repeat(300));
    expect(cut).toMatch(/^a{135}~[0-9a-f]{64}$/);
    expect(encodePartitionName('a'.repeat(301))).not.toBe(cut);
  });

  it('returns one safe path component', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(encodePartitionName(name)).toMatch(/^(?!\.{1,2}$)[A-Za-z0-9._%~-]{1,200}$/);
      }),
    );
  });

  it('gives different names different folders', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyName, { maxLength: 40 }), (names) => {
        expect(new Set(names.map(encodePartitionName)).size).toBe(names.length);
      }),
    );
  });
});

describe('partitionOf', () => {
  it('lays out environment, service, app and the hour of receipt', () => {
    expect(partitionOf({ env: 'production', service: 'api', app: 'shop' }, HOUR)).toEqual({
      folder: 'raw/production/api/shop/2026/11/21/10',
      hour: HOUR,
      hash: 0xf03857d3,
    });
  });

  it('is parsed back from its folder', () => {
    fc.assert(
      fc.property(anyName, anyName, anyName, fc.nat(2_500_000), (env, service, app, hour) => {
        const partition = partitionOf({ env, service, app }, hour);
        expect(parsePartitionFolder(partition.folder)).toEqual({ folder: partition.folder, hour });
      }),
    );
  });

  it.each([
    'raw/e/s/a/2026/11/21',
    'raw/e/s/a/2026/11/21/10/x',
    'raw/e/s/a/2026/02/30/10',
    'raw/e/s/a/2026/11/21/24',
    'raw/e/s/a/26/11/21/10',
    'raw//s/a/2026/11/21/10',
    'index/e/s/a/2026/11/21/10',
    '',
  ])('is not read from %j', (folder) => {
    expect(parsePartitionFolder(folder)).toBeUndefined();
  });

  it('returns the same from the cache, over hours and more names than it holds', () => {
    const cached = new PartitionCache();
    for (const hour of [HOUR, HOUR + 1]) {
      for (let index = 0; index < 10_050; index += 1) {
        const partition = cached.get('e', `s${index}`, 'a', hour);
        if (index % 1000 === 0)
          expect(partition).toEqual(partitionOf({ env: 'e', service: `s${index}`, app: 'a' }, hour));
      }
      const again = cached.get('e', 's10049', 'a', hour);
      expect(cached.get('e', 's10049', 'a', hour)).toBe(again);
    }
  });

  it('formats hours as folders', () => {
    expect(formatHour(HOUR)).toBe('2026/11/21/10');
    expect(formatHour(0)).toBe('1970/01/01/00');
  });
});
