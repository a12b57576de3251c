import { readdirSync, readFileSync } from 'node:fs';
import { checkSettings } from '../../../collector/service/check-settings.js';
import { formatProblem } from '../../../config/config-error.js';
import { examineConfig } from '../../../config/load-config.js';

const FIXTURES = new URL('../../fixtures/settings/', import.meta.url);

/** The problems and warnings of a file, one per line, as in its golden `.txt`. */
function messagesOf(name: string): string {
  const text = readFileSync(new URL(`${name}.yaml`, FIXTURES), 'utf8');
  const files = [{ name: `${name}.yaml`, text }];
  const { problems, warnings } = examineConfig({ files, sets: [], env: {}, check: checkSettings });
  const lines = [...problems.map(formatProblem), ...warnings.map((warning) => `warning: ${formatProblem(warning)}`)];
  return lines.map((line) => `${line}\n`).join('');
}

describe('every configuration under test/fixtures/settings', () => {
  const names = readdirSync(FIXTURES).flatMap((file) => (file.endsWith('.yaml') ? file.slice(0, -'.yaml'.length) : []));

  it.each(names)('%s.yaml gives the messages of its golden file', (name) => {
    expect(messagesOf(name)).toBe(readFileSync(new URL(`${name}.txt`, FIXTURES), 'utf8'));
  });

  it('does not repeat secrets in messages', () => {
    expect(messagesOf('tokens-with-blanks')).not.toContain('hunter');
    expect(messagesOf('token-with-a-control-character')).not.toContain('hunter');
  });
});
