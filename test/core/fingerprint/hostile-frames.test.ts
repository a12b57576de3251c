import type { JsonObject, JsonValue } from '../../../core/event/json.js';
import { computeFingerprint } from './compute-fingerprint.js';
import { receivedPayload } from './sent-frames/sent-event.js';

const PLATFORMS = 'javascript node java python ruby php csharp go rust native cocoa dart elixir other'.split(' ');
/** Parts of names that patterns repeat, which could make them try every split of a long name. */
const PIECES = [
  'a',
  ' ',
  '.',
  '/',
  '<',
  '(',
  '-',
  '_',
  '$',
  '::',
  'a.',
  'a<',
  '(*a[',
  '$1',
  '-aaaaaaa',
  '$a_',
  '{closure:',
  '::closure$0<f',
  'block in ',
  'eval at f (',
  'operator e ',
  ' in conformance ',
  '__pycache__/',
  '.pyc',
  '_erb__1_',
  '$$Lambda$',
];
const LONG = 1_024;
const MANY = 128;

function sent(platform: string, frames: JsonValue[]): JsonObject {
  return { platform, exception: { values: [{ type: 'E', value: 'x', stacktrace: { frames } }] } };
}

describe('frames that a hostile client sends', () => {
  // A pattern that tries every split of a name takes minutes.
  it.each(PLATFORMS)('are read to the end: %s', (platform) => {
    for (const piece of PIECES) {
      const long = `${piece.repeat(LONG / piece.length)}!`;
      for (const frame of [{ function: long }, { function: 'f', module: long }, { function: 'f', abs_path: long }]) {
        const frames = Array<JsonValue>(MANY).fill({ ...frame, in_app: false });
        expect(computeFingerprint(receivedPayload(sent(platform, frames))).value).toMatch(/^[0-9a-f]{32}$/);
      }
    }
  });

  it.each<[string, JsonValue[]]>([
    ['values of other types', [{ function: 7, module: [], abs_path: {}, lineno: 'x', in_app: 'yes', platform: null }]],
    ['no objects', [null, 7, 'f', true, [], [[{}]]]],
    ['inherited members', [JSON.parse('{"__proto__":{"function":"f"},"constructor":{"function":"g"}}')]],
    ['lone surrogates', [{ function: '\ud800', module: '\udc00', abs_path: '/a/\ud83d.js' }]],
    [
      'lines that no file has',
      [
        { function: 'f', lineno: -1 },
        { function: 'g', lineno: 1e308 },
      ],
    ],
    ['empty names', [{ function: '', module: '', filename: '', package: '' }]],
    ['20,000 frames', Array<JsonValue>(20_000).fill({ function: 'f', abs_path: '/a/b.js' })],
  ])('never throw, and give the same result twice: %s', (_, frames) => {
    for (const platform of PLATFORMS) {
      const payload = receivedPayload(sent(platform, frames));
      expect(computeFingerprint(payload)).toEqual(computeFingerprint(payload));
    }
  });
});
