import { examineConfig, loadConfig } from '../../../config/load-config.js';

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

describe('a fault from `check`', () => {
  it.each([
    [
      'the value',
      ['grouping', 'rules', 1, 'fingerprint', 1],
      'c.yaml:8:11: grouping.rules[1].fingerprint[1]: is not known',
    ],
    ['the value above a default', ['grouping', 'patterns_off'], 'c.yaml:4:3: grouping.patterns_off: is not known'],
  ])('is reported at the position of %s', (_, path, line) => {
    expect(load(TEXT, path)).toThrow(line);
  });

  it('is searched in the components without schema errors', () => {
    const text = TEXT.replace('fingerprint', 'fingerprints').replace('exporters: {', 'exporters: { debug: { x: 1 },');
    const calls: unknown[] = [];
    examineConfig({
      files: [{ name: 'c.yaml', text }],
      sets: [],
      env: {},
      check: ({ grouping, exporters }, isWhole) => {
        calls.push([grouping.rules, Object.keys(exporters), isWhole]);
        return [];
      },
    });
    expect(calls).toEqual([[[], ['store'], false]]);
  });

  it('is a warning if it is only a doubt', () => {
    const doubt = { path: ['exporters', 'store'], message: 'is hardly meant', isWarning: true };
    const { problems, warnings } = examineConfig({
      files: [{ name: 'c.yaml', text: TEXT }],
      sets: [],
      env: {},
      check: () => [doubt],
    });
    expect([problems.length, warnings.map(({ message }) => message)]).toEqual([0, ['is hardly meant']]);
  });
});
