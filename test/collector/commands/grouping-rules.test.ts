import { readdirSync, readFileSync } from 'node:fs';
import { runValidate } from '../../../collector/commands/validate.js';
import { checkSettings } from '../../../collector/service/check-settings.js';
import { ConfigError, formatProblem } from '../../../config/config-error.js';
import { loadConfig } from '../../../config/load-config.js';
import { createGrouper } from '../../../core/fingerprint/grouper.js';
import { groupingOf } from '../../../core/fingerprint/rules/check-grouping.js';

const FIXTURES = new URL('../../fixtures/grouping/', import.meta.url);

function problemsOf(name: string): string[] {
  const text = readFileSync(new URL(`${name}.yaml`, FIXTURES), 'utf8');
  try {
    loadConfig({ files: [{ name: `${name}.yaml`, text }], sets: [], env: {}, check: checkSettings });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(formatProblem);
  }
}

describe('every grouping section under test/fixtures/grouping', () => {
  const names = readdirSync(FIXTURES).flatMap((file) => (file.endsWith('.yaml') ? file.slice(0, -'.yaml'.length) : []));

  it.each(names)('%s.yaml has the problems of its golden file, with line and column', (name) => {
    const lines = problemsOf(name).map((line) => `${line}\n`);
    expect(lines.join('')).toBe(readFileSync(new URL(`${name}.txt`, FIXTURES), 'utf8'));
  });
});

it('`faultline validate` checks the rules too', async () => {
  const path = new URL('every-mistake.yaml', FIXTURES).pathname;
  let stderr = '';
  const sink = { write: (part: string) => (stderr += part) };
  expect(
    await runValidate({
      config: [path],
      set: [],
      env: {},
      startChecks: false,
      connect: false,
      stdout: sink,
      stderr: sink,
    }),
  ).toBe(1);
  expect(stderr).toContain('every-mistake.yaml:8:14: grouping.rules[0].query: Query, column 13: ');
});

it('a section becomes settings with rule names and without duplicates, which a grouper accepts', () => {
  const section = {
    patterns_off: ['url', 'number', 'url'],
    rules: [{ split_by: ['route'] }, { name: 'n', query: 'x', split_by: ['env'] }],
  };
  const settings = groupingOf(section, 4);
  expect(settings).toEqual({
    version: 4,
    patterns_off: ['number', 'url'],
    rules: [
      { name: 'rule 1', query: '', split_by: ['route'] },
      { name: 'n', query: 'x', split_by: ['env'] },
    ],
  });
  expect(createGrouper(settings).settings).toBe(settings);
});
