/**
 * The info string of a block decides its check. `yaml`: valid in a collector configuration. `yaml preferences`: valid preferences of the terminal.
 * `sh`: test/system/docs checks that the commands and options of Faultline exist. `sh run`: it also runs the block. `js`: it runs the block if the
 * client is installed. `yaml otelcol`, `python`, `json` and an empty info string: not checked.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { glob } from 'tinyglobby';
import { loadSettings } from '../../collector/commands/load-settings.js';
import { loadPreferences } from '../../tui/preferences/preferences.js';
import { DEFAULT_KEYMAP } from '../../tui/terminal/keymap.js';
import { blocksOf, type MarkdownBlock, markdownPages, userPages } from './markdown-blocks.js';

const KINDS = ['', 'yaml', 'yaml preferences', 'yaml otelcol', 'sh', 'sh run', 'js', 'python', 'json'];
const EXAMPLES = 'config/examples.yaml';
/** Environment variables that the configurations of the pages use. */
const ENVIRONMENT = {
  FAULTLINE_INGEST_TOKEN: 'i'.repeat(16),
  FAULTLINE_READ_TOKEN: 'r'.repeat(16),
  FAULTLINE_ACTIONS_TOKEN: 'a'.repeat(16),
  OTEL_TOKEN: 'o'.repeat(16),
  SLACK_URL: 'https://hooks.example.com/services/1',
};

const blocks = (await Promise.all((await userPages()).map(blocksOf))).flat();

function ofKind(...kinds: string[]): [string, MarkdownBlock][] {
  return blocks.filter(({ info }) => kinds.includes(info)).map((block) => [`${block.page}:${block.line}`, block]);
}

function isComplete(config: string): boolean {
  return /^service:/m.test(config) && /^exporters:/m.test(config);
}

async function validate(configs: readonly string[]): Promise<void> {
  let errors = '';
  const stderr = { write: (text: string) => (errors += text) };
  const loaded = await loadSettings({ config: configs, set: [], env: ENVIRONMENT }, stderr);
  expect(errors).toBe('');
  expect(loaded?.warnings).toEqual([]);
}

it('every block has an info string that decides its check', () => {
  for (const { page, line, info } of blocks)
    expect([`${page}:${line}`, KINDS.includes(info) ? '' : info]).toEqual([`${page}:${line}`, '']);
});

describe('a configuration', () => {
  it('with an example of every component is valid', async () => {
    await validate([EXAMPLES]);
  });

  it.each(ofKind('yaml').filter(([, { text }]) => isComplete(text)))('at %s is valid', async (_, { text }) => {
    await validate([`yaml:${text}`]);
  });

  it.each(ofKind('yaml').filter(([, { text }]) => !isComplete(text)))(
    'at %s is valid when merged into a complete one',
    async (_, { text }) => {
      await validate([EXAMPLES, `yaml:${text}`]);
    },
  );

  it.each(ofKind('yaml preferences'))('at %s is valid for the terminal', async (name, { text }) => {
    const { warnings } = await loadPreferences({ HOME: '/home/anna' }, DEFAULT_KEYMAP, async () => ({ name, text }));
    expect(warnings).toEqual([]);
  });
});

describe('the pages', () => {
  it('link to files and headings that exist', async () => {
    for (const page of await markdownPages()) {
      const text = await readFile(page, 'utf8');
      for (const [, target = ''] of text.replace(/^```.*?^```/gms, '').matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : normalize(join(dirname(page), path));
        const found = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) =>
          error.code === 'EISDIR' ? '' : undefined,
        );
        expect([page, target, found === undefined ? 'missing' : 'found']).toEqual([page, target, 'found']);
        if (anchor !== undefined) expect([page, target, ...anchorsOf(found ?? '')]).toContain(anchor);
      }
    }
  });

  it('name files and folders that exist', async () => {
    const sources = await glob(
      ['main.ts', 'cli.ts', '{config,core,collector,tui,test,generated}/**/*.{ts,tsx,js,json,yaml}'],
      {
        ignore: ['**/node_modules/**'],
      },
    );
    const isSource = (path: string): boolean => sources.some((source) => `/${source}`.includes(`/${path}`));
    for (const page of (await markdownPages()).filter((name) => !/^(?:CHANGELOG|docs\/decisions)/.test(name))) {
      const text = await readFile(page, 'utf8');
      const named = text.matchAll(/`([\w-]+(?:\/[\w.-]+)*\.tsx?|(?:config|core|collector|tui|docs|test)\/[\w./-]+)`/g);
      for (const [, path = ''] of named) {
        const found = existsSync(path) || existsSync(join(dirname(page), path)) || isSource(path);
        expect([page, path, found]).toEqual([page, path, true]);
      }
    }
  });
});

/** The anchors that GitHub generates for headings. */
function anchorsOf(text: string): string[] {
  return Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
