import fc from 'fast-check';
import { createGrouper } from '../../../../core/fingerprint/grouper.js';
import { checkGrouping, groupingOf, type WrittenRule } from '../../../../core/fingerprint/rules/check-grouping.js';

function problemsOf(...rules: WrittenRule[]): (readonly [string, string])[] {
  return checkGrouping({ patterns_off: [], rules }).map(({ path, message }) => [path.join('.'), message] as const);
}

describe('the problems of a grouping section', () => {
  it('are returned all at once, each with its path', () => {
    expect(problemsOf({ query: 'level:', split_by: ['rout'] }, {}).map(([path]) => path)).toEqual([
      'rules.0.query',
      'rules.0.split_by.0',
      'rules.1',
    ]);
  });

  it.each([
    [{ patterns_off: ['urls'] }, 'Did you mean "url"?'],
    [{ split_by: ['enviroment'] }, 'Did you mean "environment"?'],
    [{ split_by: ['something'] }, 'Known are app,'],
    [{ fingerprint: ['{{ mesage }}'] }, 'Did you mean "message"?'],
    [{ query: 'lvel:error', split_by: ['route'] }, 'column 1: unknown field "lvel". Did you mean "level"?'],
  ])('suggest the nearest name: %j', (rule, hint) => {
    expect(problemsOf(rule)).toEqual([[expect.any(String), expect.stringContaining(hint)]]);
  });

  it('have the path of the section if they do not belong to one rule', () => {
    const rules = Array.from({ length: 1001 }, () => ({ split_by: ['route'] }));
    expect(checkGrouping({ patterns_off: [], rules })).toEqual([
      { path: [], message: expect.stringContaining('more than 1000 rules') },
    ]);
  });
});

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('{{ route }}', '{{ default }}', '{{', 'level:error', '(', 'url', 'tags.x', 'route', ''),
);
const texts = fc.array(text, { minLength: 1, maxLength: 2 });
const frames = fc.array(fc.record({ function: text, file: text }, { requiredKeys: [] }), {
  minLength: 1,
  maxLength: 2,
});
const rule = fc.record(
  {
    name: text,
    query: text,
    fingerprint: texts,
    ignore_frames: frames,
    in_app: frames,
    not_in_app: frames,
    patterns_off: texts,
    patterns_on: texts,
    split_by: texts,
  },
  { requiredKeys: [] },
);

it('are found exactly if createGrouper throws', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 1 }), fc.array(rule, { maxLength: 2 }), (off, rules) => {
      const section = { patterns_off: off, rules };
      let makesOne = true;
      try {
        createGrouper(groupingOf(section, 2));
      } catch {
        makesOne = false;
      }
      if (!makesOne) expect(checkGrouping(section)).not.toEqual([]);
      if (checkGrouping(section).length === 0) expect(makesOne).toBe(true);
    }),
  );
});
