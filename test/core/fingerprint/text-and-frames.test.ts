import { bothWays, writtenStacks } from './sent-frames/both-ways.js';

/** Stacks that an SDK does not send as they are written, and why. */
const SENT_OTHERWISE: ReadonlyMap<string, string> = new Map([
  ['node/vm-script.json', 'The SDK calls files without folders foreign.'],
  ['deno/function-made-from-text.json', 'The SDK calls code made from a text foreign.'],
  ['node-eval.json', 'The SDK calls code made from a text foreign.'],
  ['hermes/function-made-from-text.json', 'The SDK takes the line for a part of the name `JavaScript`.'],
  ['python/syntax-error-in-a-plugin.json', 'The file that does not parse has no frame.'],
  ['rust/panic-without-backtrace.json', 'It has no frames.'],
  [
    'go/panic-again-while-recovering.json',
    'The SDK leaves out the frames of the runtime, which show where it panicked.',
  ],
  ['go/recovered-with-debug-stack.json', 'The SDK leaves out the frames of the runtime, which show where it panicked.'],
  ['elixir/match-error.json', 'A script without a module has no function.'],
]);

/** One stack, once as a text and once as the frames that an SDK sends. */
describe('a stack sent as frames is read like its text', () => {
  const stacks = writtenStacks();

  it('in at least 500 stacks', () => {
    expect(stacks.length).toBeGreaterThanOrEqual(500);
  });

  const known = stacks.filter(({ name }) => !SENT_OTHERWISE.has(name));
  it.each(known.map((stack) => [stack.name, stack] as const))('%s', (_, stack) => {
    const [asFrames, asText] = bothWays(stack);
    expect(asFrames).toEqual(asText);
  });

  it.each([...SENT_OTHERWISE.keys()])('except %s', (name) => {
    const readings = stacks.filter((stack) => stack.name === name).map(bothWays);
    expect(readings).not.toEqual(readings.map(([, asText]) => [asText, asText]));
  });
});
