import { loadConfig } from '../../config/load-config.js';

const TEXT = `receivers: { events: }
exporters: { store: }
grouping:
  rules:
    - query: 'level:error'
    - fingerprint:
        - checkout
        - '{{ nothing }}'
service: { pipelines: { events: { receivers: [events], exporters: [store] } } }
`;

const load = (text: string, path: readonly (string | number)[]) => () =>
  loadConfig({
    files: [{ name: 'c.yaml', text }],
    sets: [],
    env: {},
    check: () => [{ path, message: 'is not known' }],
  });

describe('what another room finds wrong in a configuration', () => {
  it.each([
    [
      'the value',
      ['grouping', 'rules', 1, 'fingerprint', 1],
      'c.yaml:8:11: grouping.rules[1].fingerprint[1]: is not known',
    ],
    ['what is above a default', ['grouping', 'patterns_off'], 'c.yaml:4:3: grouping.patterns_off: is not known'],
  ])('is reported with the place of %s', (_, path, line) => {
    expect(load(TEXT, path)).toThrow(line);
  });

  it('is looked for in settings that fit the schema only', () => {
    expect(load(TEXT.replace('fingerprint', 'fingerprints'), ['grouping'])).not.toThrow('is not known');
  });
});
