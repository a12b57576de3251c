import { readdirSync, readFileSync } from 'node:fs';
import { ConfigError, formatProblem } from '../../config/config-error.js';
import { loadConfig } from '../../config/load-config.js';

const FIXTURES = new URL('../fixtures/config/', import.meta.url);

/** What the fixtures refer to. */
const ENV = {
  HOST: '127.0.0.1',
  PORT: '4318',
  COUNT: '4096',
  DIGITS: '0123',
  BRACKET: '[not yaml',
  HOSTS: '[a.example, b.example]',
  EMPTY: '',
  LIMITS: '{ max_depth: 8 }',
};

/** The problems and warnings that a file gives, one on a line, as the golden `.txt` beside it has them. */
function complaintsOf(name: string): string {
  const text = readFileSync(new URL(`${name}.yaml`, FIXTURES), 'utf8');
  const { problems, warnings } = load(name, text);
  const lines = [...problems, ...warnings.map((warning) => `warning: ${warning}`)];
  return lines.map((line) => `${line}\n`).join('');
}

function load(name: string, text: string): { problems: string[]; warnings: readonly string[] } {
  try {
    const { warnings } = loadConfig({ files: [{ name: `${name}.yaml`, text }], sets: [], env: ENV });
    return { problems: [], warnings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: error.problems.map(formatProblem), warnings: error.warnings };
  }
}

describe('every odd configuration under test/fixtures/config', () => {
  const names = readdirSync(FIXTURES).flatMap((file) => (file.endsWith('.yaml') ? file.slice(0, -'.yaml'.length) : []));

  it.each(names)('%s.yaml is answered with the complaints of its golden file, each once', (name) => {
    const complaints = complaintsOf(name);
    expect(complaints).toBe(readFileSync(new URL(`${name}.txt`, FIXTURES), 'utf8'));
    const lines = complaints.split('\n').slice(0, -1);
    expect(new Set(lines).size).toBe(lines.length);
  });
});
