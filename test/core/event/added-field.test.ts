import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const SCHEMA = 'core/event/payload-schema.json';
const PROGRAM = 'test/core/event/added-field-program.ts';
const COPIED = [
  'core',
  'collector',
  'config',
  'tui',
  'package.json',
  'tsconfig.json',
  'docs/configuration.md',
  'test/collector/exporters/otlp-http/next-faultline.ts',
  PROGRAM,
];

/** Copies the product, adds a field to the schema of the copy and nowhere else, and returns what the copy makes of an event with the field. */
async function withField(name: string, field: object) {
  const folder = await temporaryFolder();
  for (const path of COPIED) await cp(join(ROOT, path), join(folder, path), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const schema = JSON.parse(await readFile(join(folder, SCHEMA), 'utf8'));
  schema.properties[name] = field;
  await writeFile(join(folder, SCHEMA), JSON.stringify(schema));
  await run(process.execPath, ['config/generate-settings.mjs'], { cwd: folder });
  const { stdout } = await run(process.execPath, ['--import', 'tsx', PROGRAM], { cwd: folder });
  return { ...JSON.parse(stdout), payloadType: await readFile(join(folder, 'generated/payload.ts'), 'utf8') };
}

describe('a field that is added to the schema of a payload', () => {
  let added: Awaited<ReturnType<typeof withField>>;

  beforeAll(async () => {
    added = await withField('region', {
      type: ['string', 'null'],
      maxUnits: 'maxStringLength',
      query: { kind: 'text', isRepeated: true },
      isLater: true,
    });
  });
  afterAll(removeTemporaryFolders);

  it('is completed, converted and cut as other fields are', () => {
    expect(added.notes).toEqual([
      { code: 'VALUE_CONVERTED', field: '/region', reason: 'was a number and became text' },
    ]);
    expect(added.missing.payload.region).toBeNull();
    expect(added.missing.added).toContain('region');
    expect(added.cut.payload.region).toHaveLength(10_000);
    expect(added.cut.cuts).toEqual({ max_string_length: 1 });
  });

  it('stands in the raw line and in the normalized event, in alphabetical order', () => {
    expect(added.line).toContain('"method":null,"region":"eu","release":null');
    expect(added.normalizedKeys).toEqual([...added.normalizedKeys].sort());
    expect(added.normalized.region).toBe('eu');
  });

  it('is empty in the raw lines of earlier versions', () => {
    expect(added.earlier.region).toBeNull();
  });

  it('can be queried', () => {
    expect(added.matched).toEqual({ 'region:eu': true, 'region:us': false, 'region:e*': true });
  });

  it('is a column of an exported table, before the objects', () => {
    expect(added.csv).toEqual(expect.arrayContaining([['region', 'eu']]));
    expect(added.csv.slice(-6).map(([heading]: [string]) => heading)).toEqual([
      'stack',
      'region',
      'tags',
      'extra',
      'raw_path',
      'raw_line',
    ]);
  });

  it('reaches the next Faultline', () => {
    expect(added.forwarded.region).toBe('eu');
  });

  it('is in the type that plugins see and in the description of the reading API', () => {
    expect(added.payloadType).toContain('  region: string | null;');
    for (const name of ['RawPayload', 'NormalizedEvent']) {
      expect(added.schemas[name].properties.region).toEqual({ type: ['string', 'null'] });
      expect(added.schemas[name].required).toContain('region');
    }
  });
});
