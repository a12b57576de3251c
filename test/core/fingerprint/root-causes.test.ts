import type { JsonObject } from '../../../core/event/json.js';
import type { Fingerprint } from '../../../core/fingerprint/fingerprint.js';
import { serverPayload } from '../../helpers/payloads.js';
import { computeFingerprint, decidingFrames, partOf } from './compute-fingerprint.js';

function textOf(error_name: string, message: string, stack: string): Fingerprint {
  return computeFingerprint(serverPayload({ error_name, message, stack }));
}

/** Exceptions as Sentry's receiver keeps them: the root first, each with one frame. */
function sentOf(...rootFirst: readonly (readonly [type: string, value: string, called: string])[]): Fingerprint {
  const values: JsonObject[] = rootFirst.map(([type, value, called]) => ({
    type,
    value,
    stacktrace: { frames: [{ function: called, module: 'shop.quotes', in_app: true }] },
  }));
  const sentry = { exception: { values }, mapping: { exceptions: values.map((_, at) => values.length - 1 - at) } };
  return computeFingerprint(serverPayload({ error_name: rootFirst.at(-1)?.[0] ?? '', stack: null, extra: { sentry } }));
}

function typeOf(fingerprint: Fingerprint): unknown {
  return partOf(fingerprint, 'error_name')?.value;
}

const javaText = (cause: string) => `com.shop.QuoteFailed: quote 4
	at com.shop.Quotes.load(Quotes.java:7)
	at com.shop.Main.main(Main.java:3)
Caused by: ${cause}
	at com.shop.Waiting.pause(Waiting.java:9)
	at com.shop.Quotes.load(Quotes.java:6)
	... 1 more
`;
const nodeText = (cause: string) => `QuoteError: no answer for 4
    at load (/srv/shop/quotes.mjs:6:134)
    at async /srv/shop/main.mjs:22:6 {
  [cause]: ${cause}
      at Timeout._onTimeout (/srv/shop/waiting.mjs:6:73)
      at listOnTimeout (node:internal/timers:581:17)
}`;
const loggedText = (cause: string, mark = 'caused by') => `QuoteError: no answer for 4
    at load (/srv/shop/quotes.mjs:6:134)
${mark}: ${cause}
    at pause (/srv/shop/waiting.mjs:6:73)`;
const pythonText = (cause: string) => `Traceback (most recent call last):
  File "/srv/shop/waiting.py", line 9, in pause
    await asyncio.sleep(5)
${cause}

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/shop/quotes.py", line 6, in load
    raise QuoteError("no answer for 4") from e
quotes.QuoteError: no answer for 4
`;

describe('a cancellation at the inner end of a chain', () => {
  it.each([
    ['java.lang.InterruptedException: sleep interrupted'],
    ['java.util.concurrent.CancellationException'],
    ['kotlinx.coroutines.JobCancellationException: Job was cancelled'],
    ['java.nio.channels.ClosedByInterruptException'],
  ])('of Java is not the root: %s', (cause) => {
    const fingerprint = textOf('com.shop.QuoteFailed', 'quote 4', javaText(cause));
    expect(typeOf(fingerprint)).toBe('com.shop.QuoteFailed');
    expect(decidingFrames(fingerprint)).toEqual(['com.shop.Quotes.load']);
  });

  it.each([
    ['AbortError: This operation was aborted'],
    ['DOMException [AbortError]: This operation was aborted'],
    ['CanceledError: canceled'],
  ])('of JavaScript is not the root: %s', (cause) => {
    for (const stack of [nodeText(cause), loggedText(cause)]) {
      const fingerprint = textOf('QuoteError', 'no answer for 4', stack);
      expect(typeOf(fingerprint)).toBe('QuoteError');
      expect(decidingFrames(fingerprint)).toEqual(['load (quotes.mjs)']);
    }
  });

  it.each(['asyncio.exceptions.CancelledError', 'concurrent.futures._base.CancelledError: gone'])(
    'of Python is not the root: %s',
    (cause) => {
      const fingerprint = textOf('QuoteError', 'no answer for 4', pythonText(cause));
      expect(typeOf(fingerprint)).toBe('QuoteError');
      expect(decidingFrames(fingerprint)).toEqual(['load (quotes.py)']);
    },
  );

  it('of Go is known by its text', () => {
    const wrapper = ['*fmt.wrapError', 'load quotes: context canceled', 'load'] as const;
    const chain = sentOf(['*errors.errorString', 'context canceled', 'Done'], wrapper);
    expect([typeOf(chain), decidingFrames(chain)]).toEqual(['*fmt.wrapError', ['shop.quotes.load']]);
    expect(typeOf(sentOf(['context.deadlineExceededError', 'context deadline exceeded', 'Done'], wrapper))).toBe(
      'context.deadlineExceededError',
    );
  });

  it('leaves the next exception that is not a cancellation, however many there are', () => {
    const fingerprint = sentOf(
      ['InterruptedException', 'interrupted', 'sleep'],
      ['CancellationException', 'cancelled', 'join'],
      ['PoolClosed', 'pool is closed', 'acquire'],
      ['QuoteError', 'no quote', 'load'],
    );
    expect([typeOf(fingerprint), decidingFrames(fingerprint)]).toEqual(['PoolClosed', ['shop.quotes.acquire']]);
  });

  it.each([
    ['a timeout', 'java.util.concurrent.TimeoutException: after 5 s', 'java.util.concurrent.TimeoutException'],
    [
      'a timeout that cancels',
      'kotlinx.coroutines.TimeoutCancellationException: Timed out',
      'kotlinx.coroutines.TimeoutCancellationException',
    ],
    ['a failure of the application', 'com.shop.OrderCancelledException: 4', 'com.shop.OrderCancelledException'],
  ])('does not mean %s', (_, cause, type) => {
    expect(typeOf(textOf('com.shop.QuoteFailed', 'quote 4', javaText(cause)))).toBe(type);
  });

  it('stays what it is without a chain', () => {
    const alone = textOf(
      'AbortError',
      'This operation was aborted',
      'AbortError: This operation was aborted\n    at load (/srv/shop/quotes.mjs:6:134)',
    );
    expect(typeOf(alone)).toBe('AbortError');
    expect(typeOf(sentOf(['CancelledError', '', 'join'], ['CancelledError', '', 'load']))).toBe('CancelledError');
  });
});

describe('a cause in lower case', () => {
  it.each([
    ['JavaScript', loggedText('SyntaxError: Unexpected end of JSON input'), 'SyntaxError', 'pause (waiting.mjs)'],
    [
      'Java',
      javaText('com.shop.Missing: 4').replace('Caused by', 'caused by'),
      'com.shop.Missing',
      'com.shop.Waiting.pause',
    ],
  ])('is the root in %s', (_, stack, type, frame) => {
    const fingerprint = textOf('QuoteError', 'no answer for 4', stack);
    expect([typeOf(fingerprint), decidingFrames(fingerprint)]).toEqual([type, [frame]]);
  });

  it('is one failure with one in upper case', () => {
    const cause = 'SyntaxError: Unexpected end of JSON input';
    const lower = textOf('QuoteError', 'no answer for 4', loggedText(cause));
    expect(textOf('QuoteError', 'no answer for 4', loggedText(cause, 'Caused by')).value).toBe(lower.value);
  });
});

describe('an exception that was only being handled', () => {
  const raised = (type: string, called: string) => `Traceback (most recent call last):
  File "/srv/shop/quotes.py", line 9, in ${called}
    raise x
${type}: 4`;
  const chain = (link: string, ...exceptions: string[]) => exceptions.join(`\n\n${link}\n\n`);
  const during = 'During handling of the above exception, another exception occurred:';
  const from = 'The above exception was the direct cause of the following exception:';
  const escaped = raised('quotes.CleanupError', 'clean_up');

  it('is not the root in Python, whatever it was', () => {
    const alone = textOf('CleanupError', '4', escaped);
    for (const handled of ['KeyError', 'asyncio.exceptions.CancelledError']) {
      expect(textOf('CleanupError', '4', chain(during, raised(handled, 'parse'), escaped)).value).toBe(alone.value);
    }
  });

  it('is not the root if the exception that followed it was wrapped', () => {
    const inner = chain(during, raised('KeyError', 'parse'), escaped);
    const wrapped = textOf('QuoteError', '4', chain(from, inner, raised('quotes.QuoteError', 'load')));
    expect([typeOf(wrapped), decidingFrames(wrapped)]).toEqual(['quotes.CleanupError', ['clean_up (quotes.py)']]);
    const handled = chain(from, raised('KeyError', 'parse'), raised('quotes.QuoteError', 'load'));
    expect(decidingFrames(textOf('CleanupError', '4', chain(during, handled, escaped)))).toEqual([
      'clean_up (quotes.py)',
    ]);
  });

  it('is not the root as a suppressed exception of Java with causes of its own', () => {
    const suppressed = javaText('com.shop.Missing: 4').replace(
      'Caused by',
      `	Suppressed: com.shop.NotClosed: 4
		at com.shop.File.close(File.java:3)
	Caused by: java.net.SocketException: reset
		at com.shop.File.flush(File.java:8)
Caused by`,
    );
    expect(textOf('com.shop.QuoteFailed', 'quote 4', suppressed).value).toBe(
      textOf('com.shop.QuoteFailed', 'quote 4', javaText('com.shop.Missing: 4')).value,
    );
  });

  it('is the root in Ruby, where an exception is mostly raised again to wrap it', () => {
    const wrapped = textOf(
      'QuoteError',
      'no quote 4',
      "quotes.rb:3:in `rescue in load': no quote 4 (QuoteError)\n\tfrom quotes.rb:3:in `load'\nquotes.rb:2:in `parse': bad (ParseFailed)\n\tfrom quotes.rb:3:in `load'",
    );
    expect([typeOf(wrapped), decidingFrames(wrapped)]).toEqual(['ParseFailed', ['parse (quotes.rb)']]);
  });
});
