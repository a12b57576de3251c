/**
 * The info string of a block decides its check. `yaml`: valid in a collector configuration. `yaml preferences`: valid preferences of the terminal.
 * `sh`: the commands and options of Faultline exist. `sh run`: run-blocks.test.ts also runs it. `js`: sending.test.ts runs it if the client is
 * installed. `yaml otelcol`, `python`, `json` and an empty info string: not checked.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { glob } from 'tinyglobby';
import { loadSettings } from '../../collector/commands/load-settings.js';
import { loadPreferences } from '../../tui/preferences/preferences.js';
import { DEFAULT_KEYMAP } from '../../tui/terminal/keymap.js';
import { runFaultline } from '../helpers/faultline-process.js';
import { blocksOf, type MarkdownBlock, markdownPages, userPages } from './markdown-blocks.js';
import { faultlineWords, shellCommands } from './shell-commands.js';

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
const inlineCommands = (await Promise.all((await userPages()).map(inlineCommandsOf))).flat();

function ofKind(...kinds: string[]): [string, MarkdownBlock][] {
  return blocks.filter(({ info }) => kinds.includes(info)).map((block) => [`${block.page}:${block.line}`, block]);
}

async function inlineCommandsOf(page: string): Promise<(readonly [string, string])[]> {
  const text = await readFile(page, 'utf8');
  return Array.from(
    text.matchAll(/`((?:npx )?faultline [a-z][^`\n]*)`/g),
    ([, command = '']) => [page, command] as const,
  );
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

describe('a command', () => {
  const optionsOf = new Map<string, Promise<Set<string>>>();
  const help = async (command: string): Promise<Set<string>> => {
    const { stdout } = await runFaultline([command, '--help']);
    if (!stdout.startsWith(`faultline ${command}`)) return new Set();
    return new Set(stdout.match(/(?<=[\s,])--?[a-z][\w-]*/g) ?? []);
  };

  it.each(commandsOfPages())('%s exists with its options', async (_, words) => {
    const [command = '', ...rest] = words;
    const options = optionsOf.get(command) ?? help(command);
    optionsOf.set(command, options);
    const known = await options;
    const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
    const used = own
      .filter((word) => /^--?[a-z]/.test(word))
      .map((word) => word.replace(/=.*$/s, '').replace(/^--no-/, '--'));
    expect(known).toContain('--help');
    for (const option of used) expect(known).toContain(option);
  });
});

/** Calls of Faultline in shell blocks and in inline code. */
function commandsOfPages(): [string, readonly string[]][] {
  const texts = [...ofKind('sh', 'sh run').map(([name, { text }]) => [name, text] as const), ...inlineCommands];
  return texts.flatMap(([name, text]) =>
    shellCommands(text).flatMap((command): [string, readonly string[]][] => {
      const words = faultlineWords(command);
      return words === undefined ? [] : [[`${name} faultline ${words[0]}`, words]];
    }),
  );
}

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

  it('have lines of at most 160 characters outside of tables', async () => {
    for (const page of (await markdownPages()).filter((name) => name !== 'CHANGELOG.md')) {
      const long = (await readFile(page, 'utf8'))
        .split('\n')
        .filter((line) => line.length > 160 && !line.startsWith('|'));
      expect([page, ...long]).toEqual([page]);
    }
  });

  it('name files and folders that exist', async () => {
    const sources = await glob(['main.ts', '{config,core,collector,tui,test,generated}/**/*.{ts,tsx,js,json,yaml}'], {
      ignore: ['**/node_modules/**'],
    });
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

  it('include a README.md of at most 150 lines', async () => {
    expect((await readFile('README.md', 'utf8')).trimEnd().split('\n').length).toBeLessThanOrEqual(150);
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
