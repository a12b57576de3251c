import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runComponents } from '../../../collector/commands/components.js';
import { runPrintConfig } from '../../../collector/commands/print-config.js';
import { runValidate } from '../../../collector/commands/validate.js';
import { runFaultline } from '../../helpers/faultline-process.js';
import { serverPayload } from '../../helpers/payloads.js';
import { storedPayloads } from '../../helpers/stored-payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { CollectHere, stopCollectors, WrittenText } from '../commands/collect-here.js';
import { post } from '../post.js';

const PROCESSOR = `{
  description: 'Sets the team.',
  stability: 'beta',
  schema: {
    type: 'object',
    required: ['team'],
    properties: {
      team: { type: 'string', minLength: 1, description: 'The team.' },
      key: { type: 'string', writeOnly: true, description: 'A secret.' },
      wait: { type: 'string', format: 'go-duration', formatMaximum: '1m', default: '1s', description: 'A wait.' },
    },
  },
  create: ({ team }) => ({
    consume: async ({ events }) =>
      events.map(({ payload }) => ({ payload: { ...payload, tags: { ...payload.tags, team } } })),
  }),
}`;
const rest = () => `
receivers: { events: { endpoint: 127.0.0.1:0 } }
exporters: { store: { directory: ${folder}/data } }
service:
  telemetry: { metrics: { level: none } }
  pipelines: { events: { receivers: [events], processors: [team], exporters: [store] } }
`;

let folder = '';
let config = '';

/** Writes the configuration with lines before the pipeline. */
async function configure(...lines: string[]): Promise<void> {
  await writeFile(config, `${lines.join('\n')}${rest()}`);
}

async function packageIn(name: string, manifest: object, files: Record<string, string>): Promise<void> {
  const root = join(folder, 'node_modules', name);
  await mkdir(join(root, 'lib'), { recursive: true });
  await writeFile(join(root, 'package.json'), JSON.stringify({ name, ...manifest }));
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text);
}

/** What a command prints about the configuration. */
function asked() {
  return { config: [config], set: [], env: {}, stdout: new WrittenText(), stderr: new WrittenText() };
}

async function problems(): Promise<string[]> {
  const options = asked();
  const code = await runValidate({ ...options, startChecks: false, connect: false });
  const { text } = options.stderr;
  if (code === 0) expect(text).toBe('');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [line.replace(`${config}:`, '')]));
}

async function components(format: 'yaml' | 'markdown' = 'yaml') {
  const options = asked();
  const code = await runComponents({ ...options, format, settings: false, version: '1.2.3' });
  return { code, stdout: options.stdout.text };
}

beforeEach(async () => {
  folder = await temporaryFolder();
  config = join(folder, 'faultline.yaml');
  await writeFile(join(folder, 'team.mjs'), `export const processors = { team: ${PROCESSOR} };`);
});
afterAll(async () => {
  await stopCollectors();
  await removeTemporaryFolders();
});

describe('the settings of a plugin', () => {
  it('are checked like those of Faultline, at their position', async () => {
    await configure(
      'plugins: [./team.mjs]',
      'processors:',
      '  team: { teams: x, key: [s3cret], wait: 5m, error_mode: ignroe }',
    );
    const found = await problems();
    expect(found).toEqual([
      '3:9: processors.team.team: is required',
      expect.stringMatching(
        /^3:11: processors\.team\.teams: unknown key "teams" in processors\.team; expected one of .*; did you mean "team"\?$/,
      ),
      '3:26: processors.team.key: expected a string, found a list',
      expect.stringMatching(/^3:42: processors\.team\.wait: expected a duration of at most 1m, found "5m"/),
      expect.stringMatching(
        /^3:58: processors\.team\.error_mode: expected one of propagate, ignore.*did you mean "ignore"\?$/,
      ),
    ]);
  });

  it('have defaults, and secrets that print-config masks', async () => {
    await configure('plugins: [./team.mjs]', 'processors:', '  team: { team: pay, key: s3cret }');
    expect(await problems()).toEqual([]);
    const options = asked();
    expect(await runPrintConfig({ ...options, format: 'yaml', unredacted: false })).toBe(0);
    const { plugins, processors } = parse(options.stdout.text);
    expect(plugins).toEqual(['./team.mjs']);
    expect(processors.team).toEqual({
      ...{ team: 'pay', key: '[REDACTED]', wait: '1s' },
      ...{ error_mode: 'propagate', timeout: '5s' },
    });
  });

  it('name the types of the plugin where a type is unknown', async () => {
    await configure('plugins: [./team.mjs]', 'processors:', '  team: { team: pay }', '  teams: {}');
    expect((await problems())[0]).toMatch(
      /^4:3: processors\.teams: unknown type: "teams".* team\]\); did you mean "team"\?$/,
    );
  });
});

/** What is wrong with a plugin, its text, and how the problem is told. */
const UNUSABLE: readonly (readonly [string, string | undefined, string])[] = [
  ['is missing', undefined, 'cannot be loaded: the file .*plugin-0.mjs does not exist'],
  ['is not JavaScript', 'export const = 3', 'cannot be loaded: .+'],
  ['throws while it is loaded', 'throw new Error("no licence")', 'cannot be loaded: no licence'],
  [
    'exports no components',
    'export const processor = {}',
    'exports none of receivers, processors, exporters, extensions',
  ],
  [
    'exports a component without create',
    'export const processors = { team: { description: "x", stability: "beta", schema: {} } }',
    'exports processors.team, which needs description, .*',
  ],
  [
    'exports a type of another form',
    'export const processors = { "te/am": {} }',
    'exports processors.te/am, which is not a letter .*',
  ],
  [
    'exports a type of another plugin',
    `export const processors = { team: ${PROCESSOR} }`,
    'exports processors.team, which "\\./team.mjs" exports too',
  ],
  [
    'exports a type that Faultline has',
    `export const processors = { filter: ${PROCESSOR} }`,
    'exports processors.filter, which has an unusable schema: Faultline has this type',
  ],
  [
    'has a schema that is not valid',
    `export const processors = { crew: { ...${PROCESSOR}, schema: { type: "object", properties: { a: { type: "txt" } } } } }`,
    'exports processors.crew, which has an unusable schema: .+',
  ],
  [
    'has a schema with references',
    `export const processors = { crew: { ...${PROCESSOR}, schema: { type: "object", properties: { a: { $ref: "#/x" } } } } }`,
    'exports processors.crew, which has an unusable schema: \\$ref is not supported',
  ],
  [
    'has a schema with an unknown format',
    `export const processors = { crew: { ...${PROCESSOR}, schema: { type: "object", properties: { a: { type: "string", format: "zip" } } } } }`,
    'exports processors.crew, which has an unusable schema: unknown format "zip".*',
  ],
];

describe('a plugin', () => {
  it('is found as a package, by its exports or its main file, also below the working directory', async () => {
    await packageIn(
      '@acme/team',
      { version: '1.2.3', exports: { '.': { import: './lib/team.mjs' } } },
      {
        'lib/team.mjs': `export const processors = { team: ${PROCESSOR} };`,
      },
    );
    await packageIn(
      'other',
      { version: '4.5.6', main: 'lib/index.js' },
      {
        'lib/index.js': `module.exports = { version: '7', extensions: { other: { ...${PROCESSOR}, create: () => ({}) } } };`,
      },
    );
    await configure('plugins: ["@acme/team", other]', 'processors: { team: { team: pay } }');
    expect(await problems()).toEqual([]);
    const { processors, extensions } = parse((await components()).stdout);
    expect(processors.at(-1)).toEqual({
      name: 'team',
      plugin: '@acme/team',
      version: '1.2.3',
      stability: { events: 'Beta' },
    });
    expect(extensions.at(-1)).toEqual({
      name: 'other',
      plugin: 'other',
      version: '7',
      stability: { extension: 'Beta' },
    });
  });

  it('is part of the reference that components prints', async () => {
    await configure('plugins: [./team.mjs]', 'processors: { team: { team: pay } }');
    const { stdout } = await components('markdown');
    expect(stdout).toContain('### Processor `team`\n\nSets the team.\n');
    expect(stdout).toContain('| `team` | string, not empty | required | The team. |');
    expect(stdout).toContain('| `key` | string |  | A secret. Secret: `print-config` masks it. |');
  });

  it('is relative to the working directory if an option names it', async () => {
    await configure('processors: { team: { team: pay } }');
    const run = (cwd: string) =>
      runFaultline(['validate', '--no-start-checks', '--config', config, '--set', 'plugins=[team.mjs]'], { cwd });
    expect(await run(folder)).toMatchObject({ code: 0 });
    const elsewhere = await temporaryFolder();
    expect(await run(elsewhere)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^--set plugins: plugins\[0\]: "team\.mjs" cannot be loaded: /),
    });
  });

  it('that cannot be used is a problem at the line that names it, with the reason', async () => {
    await configure(
      'plugins:',
      '  - ./team.mjs',
      ...UNUSABLE.map((_, index) => `  - ./plugin-${index}.mjs`),
      'processors: { team: { team: pay } }',
    );
    for (const [index, [, text]] of UNUSABLE.entries()) {
      if (text !== undefined) await writeFile(join(folder, `plugin-${index}.mjs`), text);
    }
    expect(await problems()).toEqual(
      UNUSABLE.map(([, , problem], index) =>
        expect.stringMatching(
          new RegExp(`^${index + 3}:5: plugins\\[${index + 1}\\]: "\\./plugin-${index}\\.mjs" ${problem}$`),
        ),
      ),
    );
  });

  it('that cannot be loaded is reported with all other problems, but not its types as unknown', async () => {
    await configure(
      'plugins: [./team.mjs, ./gone.mjs]',
      'processors: { team: { team: 3 }, gone: { a: 1 } }',
      'grupping: {}',
    );
    expect(await problems()).toEqual([
      expect.stringMatching(/^1:23: plugins\[1\]: "\.\/gone\.mjs" cannot be loaded: /),
      '2:29: processors.team.team: expected a string, found the number 3; write it in quotes',
      expect.stringMatching(/^3:1: grupping: unknown key "grupping".*did you mean "grouping"\?$/),
    ]);
    expect(await components()).toEqual({ code: 1, stdout: '' });
  });

  it('that changed needs a restart, and a reload says so', async () => {
    await configure('plugins: [./team.mjs]', 'processors: { team: { team: pay } }');
    const running = new CollectHere({ config: [config] });
    await running.ingestUrl();
    const { signals, stderr } = running;
    signals.emit('SIGHUP');
    await waitFor('the reload', () => stderr.text.includes('configuration reloaded'));
    expect(stderr.text).not.toContain('restart the collector');
    await utimes(join(folder, 'team.mjs'), 1, 1);
    signals.emit('SIGHUP');
    await waitFor('the warning', () => stderr.text.includes('plugins changed: restart the collector to use them'));
    expect(stderr.text).toContain('"plugins":["./team.mjs"]');
    expect(await running.stop()).toBe(0);
  });

  it('is replaced by a reload, and used again if the reload is refused', async () => {
    await writeFile(
      join(folder, 'bad.mjs'),
      `export const processors = { team: { ...${PROCESSOR}, create: () => ({ start: async () => { throw new Error('no disk'); }, consume: async () => [] }) } };`,
    );
    await configure('plugins: [./team.mjs]', 'processors: { team: { team: one } }');
    const running = new CollectHere({ config: [config] });
    const url = await running.ingestUrl();
    const reload = async (plugin: string, team: string, line: string) => {
      await configure(`plugins: [${plugin}]`, `processors: { team: { team: ${team} } }`);
      running.signals.emit('SIGHUP');
      await waitFor(line, () => running.stderr.text.includes(line));
      const { status } = await post(`${url}/v1/events`, JSON.stringify(serverPayload({ message: line })));
      expect(status).toBe(200);
    };
    await reload('./bad.mjs', 'two', 'RELOAD_REFUSED');
    await reload('./team.mjs', 'three', 'configuration reloaded');
    expect(await running.stop()).toBe(0);
    const stored = await storedPayloads(join(folder, 'data'));
    expect(stored.map(({ tags }) => Object(tags).team)).toEqual(['one', 'three']);
  });
});
