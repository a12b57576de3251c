import fc from 'fast-check';
import { CODE_ROWS, MAY_HOLD_CODE } from '../../../../core/fingerprint/message/codes.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { computeFingerprint } from '../compute-fingerprint.js';
import { sentExtra } from '../sent-frames/sent-stack.js';

const JAVA = 'com.acme.ServiceException\n\tat com.acme.Cart.load(Cart.java:12)\n\tat com.acme.Main.main(Main.java:3)';
const FRAMES = [
  { function: 'main', filename: 'shop/main.py', lineno: 3, in_app: true },
  { function: 'load_cart', filename: 'shop/cart.py', lineno: 12, in_app: true },
];

/** Fingerprints of one event without a stack, with a text, with sent frames, and with frames where only the file has a name. */
function valuesOf(message: string): string[] {
  const unnamed = FRAMES.map((frame) => ({ ...frame, function: '<module>' }));
  return [
    { stack: null, extra: null },
    { stack: JAVA, extra: null },
    { stack: null, extra: sentExtra('python', FRAMES) },
    { stack: null, extra: sentExtra('python', unnamed) },
  ].map((event) => computeFingerprint(serverPayload({ error_name: 'ServiceException', message, ...event })).value);
}

/** Two messages of one place that are two failures. */
const TWO_FAILURES: readonly (readonly [string, string])[] = [
  ['Request failed with status code 401', 'Request failed with status code 502'],
  ['HTTP 503 from billing', 'HTTP 429 from billing'],
  ['404 Not Found', '410 Not Found'],
  ['API said: (403) Forbidden', 'API said: (401) Forbidden'],
  ['got 500', 'got 504'],
  ['the server responded with a 429', 'the server responded with a 503'],
  ['worker exited with code 137', 'worker exited with code 1'],
  ['exit status 2', 'exit status 127'],
  ['killed by signal 9', 'killed by signal 15'],
  ['worker killed by SIGKILL', 'worker killed by SIGABRT'],
  ['ENOSPC while writing', 'EROFS while writing'],
  ['connect ECONNREFUSED 10.0.0.7:5432', 'connect ETIMEDOUT 10.0.0.7:5432'],
  ['[Errno 2] open', '[Errno 13] open'],
  ['cannot open (os error 2)', 'cannot open (os error 5)'],
  ['[WinError 5] open', '[WinError 32] open'],
  ['SQLSTATE[23505]: refused', 'SQLSTATE[40001]: refused'],
  ['ERROR: refused (SQLSTATE 40001)', 'ERROR: refused (SQLSTATE 55P03)'],
  ['ORA-00001: not executed', 'ORA-12541: not executed'],
  ['MySQL error 1062', 'MySQL error 1213'],
  ['(code 5 SQLITE_BUSY)', '(code 6 SQLITE_LOCKED)'],
  ['Exception from HRESULT: 0x80070005', 'Exception from HRESULT: 0x80004005'],
  ['fault (0xC0000005) in module', 'fault (0xC00000FD) in module'],
  [
    'Minified React error #418; visit https://react.dev/errors/418',
    'Minified React error #185; visit https://react.dev/errors/185',
  ],
  ['NG0100: the expression changed', 'NG0600: the expression changed'],
  ['NG0950: no value', 'NG0203: no value'],
  ['error TS2345: in file', 'error TS7006: in file'],
  ['rpc error: code = Unavailable desc = none', 'rpc error: code = Aborted desc = none'],
  ['14 UNAVAILABLE: no peer', '8 RESOURCE_EXHAUSTED: no peer'],
  ['call ended with StatusCode.NOT_FOUND', 'call ended with StatusCode.INTERNAL'],
  ['Response not successful: code UNAUTHENTICATED', 'Response not successful: code FORBIDDEN'],
  ['AccessDenied: refused by bucket', 'NoSuchBucket: refused by bucket'],
  ['An error occurred (ThrottlingException) when calling', 'An error occurred (ValidationException) when calling'],
  ['Firebase: Error (auth/invalid-email).', 'Firebase: Error (auth/user-disabled).'],
  ['[code=permission-denied]: refused', '[code=unavailable]: refused'],
  ['refused [ERR_INVALID_ARG_TYPE]', 'refused [ERR_OUT_OF_RANGE]'],
  ['error:0A000086:SSL routines', 'error:0A00010B:SSL routines'],
  ['WRONGTYPE for key', 'CROSSSLOT for key'],
  ['NSURLErrorDomain -1009', 'NSURLErrorDomain -1001'],
  ['Error Domain=NSCocoaErrorDomain Code=256', 'Error Domain=NSCocoaErrorDomain Code=260'],
  ['not completed. (kCLErrorDomain error 1.)', 'not completed. (kCLErrorDomain error 0.)'],
  ['OSStatus error -34018', 'OSStatus error -25300'],
  ['E11000 on write', 'E11001 on write'],
  ['Code: P2002', 'Code: P2025'],
  ['CUDA error: 2', 'CUDA error: 700'],
  ['invalid_grant', 'invalid_client'],
  ['OAuth error: invalid_grant', 'OAuth error: invalid_client'],
  ['signal: killed', 'signal: terminated'],
  ['died with <Signals.SIGKILL: 9>.', 'died with <Signals.SIGTERM: 15>.'],
  ['OS Error: refused, errno = 111', 'OS Error: refused, errno = 61'],
  ['SQLCODE=-803, SQLSTATE=23505', 'SQLCODE=-204, SQLSTATE=42704'],
  ['ReplyError: LOADING Data is loading', 'ReplyError: MISCONF Data is loading'],
  ['Status(StatusCode="Unavailable", Detail="none")', 'Status(StatusCode="Internal", Detail="none")'],
  ['KeeperErrorCode = NoNode for /a', 'KeeperErrorCode = ConnectionLoss for /a'],
  ['search: index_not_found_exception', 'search: mapper_parsing_exception'],
  ['resulted in a `401 Unauthorized` response', 'resulted in a `404 Not Found` response'],
  ['550 5.1.1 mailbox', '421 4.7.0 mailbox'],
  ['DNS: NXDOMAIN', 'DNS: SERVFAIL'],
  ['card_declined: by the bank', 'expired_card: by the bank'],
];

/** Two messages of one failure, whose numbers and names are values. */
const ONE_FAILURE: readonly (readonly [string, string])[] = [
  ['order 401 is closed', 'order 502 is closed'],
  ['listening on port 8080 failed', 'listening on port 9090 failed'],
  ['no answer, took 500 ms', 'no answer, took 2 s'],
  ['3 items left', '404 items left'],
  ['user 404 does not exist', 'user 500 does not exist'],
  ['postal code 10115 is unknown', 'postal code 94107 is unknown'],
  ['product code: ABC-123 is unknown', 'product code: XYZ-987 is unknown'],
  ['INV-2031: is overdue', 'INV-2999: is overdue'],
  ['error [3 of 7]', 'error [4 of 9]'],
  ['got 404 rows, expected 500', 'got 12 rows, expected 10'],
  ['Loading chunk 401 failed.', 'Loading chunk 502 failed.'],
  ['access violation at 0x7ffe1000', 'access violation at 0x7ffe20f0'],
  ['timeout of 5000ms exceeded', 'timeout of 30000ms exceeded'],
  ['line 12 of file a1.csv is not valid', 'line 913 of file b7.csv is not valid'],
];

describe('codes in a message', () => {
  it.each(CODE_ROWS.map((row) => [row.reason, row] as const))('%s', (_, { pattern, examples }) => {
    expect(Object.keys(examples)).not.toHaveLength(0);
    for (const [message, code] of Object.entries(examples)) expect(pattern.exec(message)?.[0]).toBe(code);
    for (const message of Object.keys(examples)) expect(message).toMatch(MAY_HOLD_CODE);
    expect(pattern.flags).toBe('');
    expect(new RegExp(`${pattern.source}|`).exec('')).toHaveLength(1);
  });

  it.each(TWO_FAILURES)('tell %j and %j apart, without a stack, in a text and in sent frames', (first, second) => {
    const others = valuesOf(second);
    for (const [index, value] of valuesOf(first).entries()) expect(value).not.toBe(others[index]);
  });

  it.each(ONE_FAILURE)('are not found in %j and %j', (first, second) => {
    expect(valuesOf(first)).toEqual(valuesOf(second));
  });

  it('are not those of a customer, where a frame decides', () => {
    const [, ...winter] = valuesOf('promo code: WINTER is used up');
    expect(valuesOf('promo code: SUMMER is used up').slice(1)).toEqual(winter);
  });

  it('do not join failures of a general type whose messages have no other word in common', () => {
    const of = (message: string) => computeFingerprint(serverPayload({ error_name: 'Error', message, stack: JAVA }));
    expect(of('Warehouse HTTP 404').value).not.toBe(of('Coupon HTTP 404').value);
  });

  it('count however the message goes on, and values of the same sentence do not', () => {
    const code = fc.constantFrom(
      'HTTP 503',
      'exit status 2',
      'errno 13',
      'ENOENT',
      'SQLSTATE 40001',
      'E_FAIL',
      'code = Unavailable',
      'status code 404',
      'error #31',
      'HRESULT: 0x80070005',
    );
    fc.assert(
      fc.property(code, code, fc.nat(), fc.nat(), (one, other, a, b) => {
        const first = valuesOf(`cannot load cart (${one}), request ${a}`);
        expect(valuesOf(`cannot load cart (${one}), request ${b}`)).toEqual(first);
        if (one === other) return;
        const second = valuesOf(`cannot load cart (${other}), request ${a}`);
        for (const [index, fingerprint] of first.entries()) expect(second[index]).not.toBe(fingerprint);
      }),
      { numRuns: 50 },
    );
  });
});
