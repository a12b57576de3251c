import type { JsonValue } from '../../../core/event/json.js';
import type { Fingerprint } from '../../../core/fingerprint/fingerprint.js';
import { serverPayload } from '../../helpers/payloads.js';
import { computeFingerprint } from './compute-fingerprint.js';

function withClient(fingerprint: JsonValue, message = 'first'): Fingerprint {
  return computeFingerprint(serverPayload({ message, extra: { fingerprint } }));
}

describe('a fingerprint that the client sent', () => {
  it('is used alone', () => {
    const one = withClient(['checkout', 'card'], 'first');
    expect(one.value).toBe(withClient(['checkout', 'card'], 'other').value);
    expect(one.value).not.toBe(withClient(['checkout', 'cash'], 'first').value);
    expect(one.basis.parts.filter((part) => part.used).map((part) => part.part)).toEqual(['client_fingerprint']);
  });

  it.each(['{{ default }}', '{{default}}', '{{  default }}'])('adds to the built-in parts with %j', (token) => {
    const one = withClient([token, 'tenant-7'], 'first');
    expect(one.value).toBe(withClient(['{{ default }}', 'tenant-7'], 'first').value);
    expect(one.value).not.toBe(withClient([token, 'tenant-7'], 'other').value);
    expect(one.value).not.toBe(withClient([token, 'tenant-8'], 'first').value);
  });

  it('changes nothing if it is the built-in grouping alone', () => {
    expect(withClient(['{{ default }}']).value).toBe(computeFingerprint(serverPayload({ message: 'first' })).value);
  });

  it.each([
    ['a string', 'mine'],
    ['an object', { 0: 'mine' }],
    ['an empty list', []],
    ['a list with a number', ['mine', 7]],
    ['a blank entry', [' ']],
    ['too many entries', Array.from({ length: 33 }, () => 'x')],
    ['a very long entry', ['x'.repeat(1_025)]],
  ])('is not used if it is %s, and the basis has that', (_, value: JsonValue) => {
    const result = withClient(value);
    expect(result.value).toBe(computeFingerprint(serverPayload({ message: 'first' })).value);
    expect(result.basis.parts[0]).toMatchObject({
      part: 'client_fingerprint',
      used: false,
      reason: expect.stringMatching(/^extra\.fingerprint /),
    });
  });

  it('is not read from a prototype', () => {
    const extra = JSON.parse('{"__proto__":{"fingerprint":["mine"],"message_template":"x"}}');
    expect(computeFingerprint(serverPayload({ extra })).value).toBe(computeFingerprint(serverPayload()).value);
    const inherited = Object.create({ fingerprint: ['mine'] });
    expect(computeFingerprint(serverPayload({ extra: inherited })).value).toBe(
      computeFingerprint(serverPayload()).value,
    );
  });
});
