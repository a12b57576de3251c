import { THROWN_VALUES, thrownValue } from '../../../../core/fingerprint/message/thrown-value.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { computeFingerprint } from '../compute-fingerprint.js';

const NODE_TEXT =
  'This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason';

function ofNode(reason: string) {
  const message = `${NODE_TEXT} "${reason}".`;
  const stack = `UnhandledPromiseRejection: ${message}
    at throwUnhandledRejectionsMode (node:internal/process/promises:389:7)
    at processPromiseRejections (node:internal/process/promises:470:17)
    at process.processTicksAndRejections (node:internal/process/task_queues:96:32)`;
  return computeFingerprint(serverPayload({ error_name: 'UnhandledPromiseRejection', message, stack }));
}

describe('a value that was thrown and is no error', () => {
  it.each(THROWN_VALUES.flatMap(({ examples }) => examples))('is found in: %s', (message, value) => {
    expect(thrownValue(message)).toBe(value);
  });

  it('names the failure and decides its group', () => {
    expect(ofNode('card declined for order 17').title).toBe('card declined for order <n>');
    expect(ofNode('card declined for order 17').value).toBe(ofNode('card declined for order 2025').value);
    expect(ofNode('card declined').value).not.toBe(ofNode('shelf is empty').value);
  });

  it('is the same failure in the words of an SDK', () => {
    const message = 'Non-Error promise rejection captured with value: card declined';
    const sent = computeFingerprint(serverPayload({ error_name: 'UnhandledRejection', message, stack: null }));
    expect(sent.value).toBe(ofNode('card declined').value);
    expect(sent.title).toBe('card declined');
  });

  it('may be no text', () => {
    expect(ofNode('#<Object>').title).toBe('Promise rejected with #<Object>');
    expect(thrownValue('This error originated in the cart')).toBe('This error originated in the cart');
  });
});
