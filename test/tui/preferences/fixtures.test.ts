import { readdirSync, readFileSync } from 'node:fs';
import { formatProblem } from '../../../config/config-error.js';
import { loadPreferences } from '../../../tui/preferences/load-preferences.js';
import { BINDINGS } from './key-table.js';

const FIXTURES = new URL('../../fixtures/tui/preferences/', import.meta.url);

/** The problems and warnings of a file, one on a line, as the golden `.txt` beside it has them. */
async function complaintsOf(name: string): Promise<string> {
  const text = readFileSync(new URL(`${name}.yaml`, FIXTURES), 'utf8');
  const env = { HOME: '/home/ada', TOKEN: 's3cret' };
  const readFile = async () => ({ name: 'config.yaml', text });
  const loaded = await loadPreferences({ env, bindings: BINDINGS, readFile });
  const problems = 'problems' in loaded ? loaded.problems.map(formatProblem) : [];
  const lines = [...problems, ...loaded.warnings.map((warning) => `warning: ${warning}`)];
  return lines.map((line) => `${line}\n`).join('');
}

describe('every odd file of preferences under test/fixtures/tui/preferences', () => {
  const names = readdirSync(FIXTURES).flatMap((file) => (file.endsWith('.yaml') ? file.slice(0, -'.yaml'.length) : []));

  it.each(names)('%s.yaml is answered with the complaints of its golden file, each once', async (name) => {
    const complaints = await complaintsOf(name);
    expect(complaints).toBe(readFileSync(new URL(`${name}.txt`, FIXTURES), 'utf8'));
    const lines = complaints.split('\n').slice(0, -1);
    expect(new Set(lines).size).toBe(lines.length);
  });
});
