import fc from 'fast-check';
import type { JsonValue } from '../../../../core/event/json.js';
import { MemberCounter } from '../../../../core/event/member-counter.js';
import type { LeftOut } from '../../../../core/event/validate/repairs.js';
import { thinSteps } from '../../../../core/event/validate/thin-json.js';

interface Thinned {
  readonly value: JsonValue;
  readonly leftOut: readonly LeftOut[];
}

function thinText(text: string, maxMembers: number): Thinned | undefined {
  const steps = thinSteps(Buffer.from(text), maxMembers);
  for (;;) {
    const step = steps.next();
    if (step.done !== true) continue;
    return step.value && { value: JSON.parse(String(step.value.bytes)), leftOut: step.value.leftOut };
  }
}

function thin(value: unknown, maxMembers: number): Thinned {
  const thinned = thinText(JSON.stringify(value), maxMembers);
  if (thinned === undefined) throw new Error('it was not thinned');
  return thinned;
}

function membersOf(value: JsonValue): number {
  const counter = new MemberCounter();
  const bytes = Buffer.from(JSON.stringify(value));
  counter.advance(bytes, 0, bytes.length);
  return counter.members;
}

/** Whether each member of `part` is in `whole`, in the same order. */
function isPartOf(part: JsonValue, whole: JsonValue): boolean {
  if (typeof part !== 'object' || part === null) return Object.is(part, whole);
  if (typeof whole !== 'object' || whole === null || Array.isArray(part) !== Array.isArray(whole)) return false;
  const entries = Object.entries(whole);
  let next = 0;
  for (const [key, value] of Object.entries(part)) {
    const isKey = (name: string | undefined) => Array.isArray(part) || name === key;
    while (next < entries.length && !(isKey(entries[next]?.[0]) && isPartOf(value, entries[next]?.[1] ?? null))) next++;
    if (next++ >= entries.length) return false;
  }
  return true;
}

const list = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const frame = (index: number) => ({
  function: `call${index}`,
  vars: Object.fromEntries(list(20, (name) => [`v${name}`, index])),
  pre_context: ['{"[', '\\', ',]}'],
  lineno: index,
});
const stack = (count: number) => ({
  exception: { values: [{ type: 'E', stacktrace: { frames: list(count, frame) } }] },
});
const framesOf = ({ value }: Thinned) =>
  (value as unknown as ReturnType<typeof stack>).exception.values[0]?.stacktrace.frames;

describe('a JSON text of too many members', () => {
  it('becomes a part of itself within the bound, whatever its form', () => {
    const name = fc.constantFrom('frames', 'values', 'breadcrumbs', 'exception', 'crashed', '"', '\\', '{[,', 'é', '');
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.oneof(name, fc.integer(), fc.boolean(), fc.constant(null)),
        fc.array(tie('tree'), { maxLength: 30 }),
        fc.dictionary(name, tie('tree')),
      ),
    }));
    const space = fc.constantFrom(undefined, 1, ' \n\t');
    fc.assert(
      fc.property(fc.dictionary(name, tree), fc.integer({ min: 10, max: 100 }), space, (value, max, indent) => {
        const thinned = thinText(JSON.stringify(value, null, indent), max);
        if (thinned === undefined) return;
        expect(membersOf(thinned.value)).toBeLessThanOrEqual(max);
        expect(Object.keys(thinned.value as object)).toEqual(Object.keys(value));
        expect(isPartOf(thinned.value, value)).toBe(true);
        expect(thinned.leftOut.length > 0).toBe(membersOf(thinned.value) < membersOf(value));
      }),
    );
  });

  it('keeps both ends of a stack, and of the frames in the middle all but what is inside', () => {
    const thinned = thin(stack(3_000), 25_000);
    const frames = framesOf(thinned) ?? [];
    expect(frames).toHaveLength(2_048);
    expect(frames.slice(-64)).toEqual(stack(3_000).exception.values[0]?.stacktrace.frames.slice(-64));
    expect(frames[0]).toEqual(frame(0));
    expect(frames.at(-600)).toEqual({ function: 'call2400', vars: {}, pre_context: [], lineno: 2_400 });
    const path = ['exception', 'values', 0, 'stacktrace', 'frames'];
    expect(thinned.leftOut).toEqual([
      { limit: 'max_members', path, was: 3_000, kept: 2_048 },
      { limit: 'max_members_inside', path, was: 2_048, kept: 128 },
    ]);
  });

  it('keeps as many frames of the crash as grouping reads, while other lists become shorter', () => {
    const threads = { values: list(300, () => ({ stacktrace: { frames: list(30, frame) } })) };
    const frames = framesOf(thin({ ...stack(900), threads }, 40_000));
    expect(frames?.map((sent) => sent.function)).toEqual(list(900, (index) => `call${index}`));
  });

  it.each<[string, JsonValue, JsonValue]>([
    ['crashed', true, false],
    ['current', true, false],
    ['crashed', 1, 0],
    ['crashed', 'True', 'test'],
    ['current', '1', 12],
  ])('keeps the thread that is marked %s by %j', (mark, yes, no) => {
    const threads = list(2_000, (id) => ({
      id,
      [mark]: id === 1_234 ? yes : no,
      stacktrace: { frames: list(20, frame) },
    }));
    const { value } = thin({ threads: { values: threads } }, 30_000);
    const { values } = (value as unknown as { threads: { values: typeof threads } }).threads;
    expect(values.length).toBeLessThan(2_000);
    expect(values.find(({ id }) => id === 1_234)).toEqual(threads[1_234]);
  });

  it('keeps the links of a long chain of exceptions', () => {
    const values = list(400, (id) => ({
      type: `E${id}`,
      stacktrace: { frames: list(40, frame) },
      mechanism: { type: 'chained', exception_id: id, parent_id: id + 1 },
    }));
    const { value } = thin({ exception: { values } }, 30_000);
    const kept = (value as unknown as { exception: { values: typeof values } }).exception.values;
    expect(kept.map(({ mechanism }) => mechanism)).toEqual(values.map(({ mechanism }) => mechanism));
  });

  it('names what it cuts with at most the beginning of long keys', () => {
    const { leftOut } = thin({ ['k'.repeat(1_000_000)]: list(40, () => list(100, String)) }, 500);
    expect(leftOut.filter(({ path }) => path.length > 0).length).toBeGreaterThan(10);
    for (const { path } of leftOut) expect(path.join('/').length).toBeLessThan(300);
  });

  it.each([
    ['bare', (crumbs: JsonValue) => crumbs],
    ['under values', (crumbs: JsonValue) => ({ values: crumbs })],
  ])('keeps the newest breadcrumbs, %s', (_, form) => {
    const { value } = thin({ breadcrumbs: form(list(9_000, (index) => ({ index }))) }, 5_000);
    expect(value).toEqual({ breadcrumbs: form(list(2_048, (index) => ({ index: index + 6_952 }))) });
  });

  it.each([
    ['a text that is not balanced', `{"a":[${'1,'.repeat(500)}1`],
    ['more brackets that close', `{"a":[${'1,'.repeat(500)}1]]}`],
    ['members of the outermost object', JSON.stringify(Object.fromEntries(list(500, (index) => [`k${index}`, 1])))],
    ['nesting', `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`],
    ['nesting of thousands of levels', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['a text that ends in a string', `{"a":[${'1,'.repeat(500)}"`],
  ])('is not thinned if it is %s', (_, text) => {
    expect(thinText(text, 100)).toBeUndefined();
  });
});
