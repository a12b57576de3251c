import { readdirSync, readFileSync } from 'node:fs';
import { ConfigError, formatProblem } from '../../../config/config-error.js';
import { loadPreferences } from '../../../tui/preferences/preferences.js';
import { KEYMAP } from './keymap.js';

const FIXTURES = new URL('../../fixtures/tui/preferences/', import.meta.url);

/** The problems and warnings of a file, one on each line, as in the golden `.txt` beside it. */
async function reportOf(name: string): Promise<string> {
  const text = readFileSync(new URL(`${name}.yaml`, FIXTURES), 'utf8');
  const env = { HOME: '/home/ada', TOKEN: 's3cret' };
  const readFile = async () => ({ name: 'config.yaml', text });
  const loaded = await loadPreferences(env, KEYMAP, readFile).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    return error;
  });
  const problems = 'problems' in loaded ? loaded.problems.map(formatProblem) : [];
  const lines = [...problems, ...loaded.warnings.map((warning) => `warning: ${warning}`)];
  return lines.map((line) => `${line}\n`).join('');
}

describe('the preferences in test/fixtures/tui/preferences', () => {
  const names = readdirSync(FIXTURES).flatMap((file) => (file.endsWith('.yaml') ? file.slice(0, -'.yaml'.length) : []));

  it.each(names)('%s.yaml is reported as in its golden file, each problem once', async (name) => {
    const report = await reportOf(name);
    expect(report).toBe(readFileSync(new URL(`${name}.txt`, FIXTURES), 'utf8'));
    const lines = report.split('\n').slice(0, -1);
    expect(new Set(lines).size).toBe(lines.length);
  });
});
