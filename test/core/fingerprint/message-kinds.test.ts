import fc from 'fast-check';
import { parameterize } from '../../../core/fingerprint/message/parameterize.js';

const int = (min: number, max: number) => fc.integer({ min, max });
const two = (min: number, max: number) => int(min, max).map((number) => String(number).padStart(2, '0'));
const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''));
const joined = (...parts: readonly (fc.Arbitrary<string | number> | string)[]) =>
  fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((texts) => texts.join(''));

const month = fc.constantFrom('Jan', 'Feb', 'Apr', 'May', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec');
const day = fc.constantFrom('Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun');
const clock = joined(two(0, 23), ':', two(0, 59), ':', two(0, 59));
const name = fc.constantFrom('anna', 'bo', 'shop', 'orders', 'data');
const octet = int(0, 255);
const ipv4 = joined(octet, '.', octet, '.', octet, '.', octet);
const uuid = joined(hex(8), '-', hex(4), '-', hex(4), '-', hex(4), '-', hex(12));
const word = fc.constantFrom('anna', 'bo', 'Carl Berg', 'x7', '');

/** For each kind of value: texts that have the same placeholder. */
const KINDS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.oneof(uuid, joined('{', uuid, '}'), joined('urn:uuid:', uuid)),
  // From 0x80000000 on it is a code of Windows, which is kept.
  'a hexadecimal number': joined(
    '0x',
    int(1, 2 ** 31 - 1).map((number) => number.toString(16)),
  ),
  'a hash': fc.oneof(hex(40), hex(64)),
  'a number': fc.oneof(
    int(0, 10 ** 9).map(String),
    joined(int(1, 999), '.', int(0, 99)),
    joined(int(1, 999), ',', int(100, 999), '.', two(0, 99)),
    joined(int(1, 999), '.', int(100, 999), ',', two(0, 99)),
    joined(int(1, 999), ' ', int(100, 999)),
    joined('-', int(1, 999)),
  ),
  'an amount of data': joined(int(0, 9999), fc.constantFrom('', ' '), fc.constantFrom('B', 'kB', 'MiB', 'GB', 'bytes')),
  'a duration': fc.oneof(
    joined(int(0, 9999), fc.constantFrom('ms', 's', ' s', ' seconds', 'µs', ' min', 'h')),
    joined(int(1, 9), 'h', int(1, 59), 'm', int(1, 59), 's'),
    joined('PT', int(1, 999), 'S'),
  ),
  'a date': fc.oneof(
    joined(
      int(1970, 2100),
      '-',
      two(1, 12),
      '-',
      two(1, 28),
      fc.constantFrom('T', ' '),
      clock,
      fc.constantFrom('', 'Z', '+01:00', '.123Z'),
    ),
    joined(day, ', ', two(1, 28), ' ', month, ' ', int(1970, 2100), ' ', clock, ' GMT'),
    joined(
      day,
      ' ',
      month,
      ' ',
      two(1, 28),
      ' ',
      int(1970, 2100),
      ' ',
      clock,
      ' GMT+0100 (Central European Standard Time)',
    ),
    joined(month, ' ', int(1, 28), ' ', clock),
    joined(int(1, 12), ':', two(0, 59), fc.constantFrom(' AM', ' PM', 'am', ' p.m.')),
    fc.constantFrom('Monday', 'Thursday', 'Sunday'),
  ),
  'a machine': fc.oneof(
    ipv4,
    joined(ipv4, ':', int(1, 65535)),
    joined(name, '-', int(1, 99), '.example.com'),
    joined(name, '.internal:', int(1, 65535)),
    joined('[2001:db8::', hex(4), ']:', int(1, 65535)),
    joined('fe80::', hex(4), '%eth0'),
  ),
  'a URL of a resource': joined(
    'https://shop-',
    int(1, 99),
    '.example.com',
    fc.constantFrom('', ':8080'),
    '/orders/',
    fc.oneof(int(1, 999), uuid, hex(40)),
    '/lines/',
    int(1, 99),
    fc.constantFrom('', '?a=1', '#top'),
  ),
  'a path': fc.oneof(
    joined('/', name, '/', name, '-', int(0, 99), '.db'),
    joined('C:\\', name, '\\', name, '.txt'),
    joined('\\\\', name, '\\', name, '\\x.txt'),
    joined('./', name, '/', name),
    joined(name, '/', name, '/', name, '.yaml'),
  ),
  'a mailbox': joined(name, '.', name, '@', name, fc.constantFrom('.com', '.example.org')),
  'a quotation': fc.oneof(
    joined('"', word, '"'),
    joined("'", word, "'"),
    joined('“', word, '”'),
    joined('«', word, '»'),
    joined('`', word, '`'),
  ),
  'a value behind =': joined('id=', fc.oneof(int(0, 999), name, joined('"', name, '"'), fc.constant('null'), uuid)),
  'an object of JSON': joined(
    '{"id":',
    fc.oneof(int(-999, 999), joined('"', word, '"'), fc.constant('null')),
    ',"b":{"c":',
    int(0, 9),
    '}}',
  ),
  'a list of numbers': fc.array(int(0, 999), { minLength: 1, maxLength: 9 }).map((list) => `[${list.join(', ')}]`),
  'a list of words': fc.array(name, { minLength: 2, maxLength: 9 }).map((list) => `[${list.join(', ')}]`),
  'an IN list': fc.array(int(0, 999), { minLength: 1, maxLength: 9 }).map((list) => `IN (${list.join(',')})`),
  'rows of an INSERT': fc
    .array(joined('(', int(0, 99), ",'", name, "')"), { minLength: 1, maxLength: 5 })
    .map((list) => `VALUES ${list.join(', ')}`),
  'a version': joined(
    fc.constantFrom('', 'v'),
    int(0, 30),
    '.',
    int(0, 30),
    '.',
    int(0, 30),
    fc.constantFrom('', '-rc.1', '-SNAPSHOT', '+build.7'),
  ),
  'a user agent': fc.oneof(
    joined(fc.constantFrom('curl', 'okhttp', 'python-requests'), '/', int(0, 9), '.', int(0, 99), '.', int(0, 9)),
    joined(
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/',
      int(500, 600),
      '.36 (KHTML, like Gecko) Chrome/',
      int(80, 130),
      '.0.0.0 Safari/537.36',
    ),
  ),
  'a price': joined(fc.constantFrom('$', '€', '£ ', 'EUR ', '-$'), int(1, 999), '.', two(0, 99)),
  'a share': joined(int(0, 100), fc.constantFrom('%', ' %', '.5%')),
  'a hardware address': joined(hex(2), ':', hex(2), ':', hex(2), ':', hex(2), ':', hex(2), ':', hex(2)),
  'an ordinal with digits': fc.constantFrom('1st', '2nd', '3rd', '21st', '104th'),
  'a thread': joined(fc.constantFrom('pool-1-thread-', 'Thread-', 'http-nio-8080-exec-'), int(0, 99)),
  'a trace': joined('00-', hex(32), '-', hex(16), '-01'),
  'a token': joined('eyJ0', hex(12), '.eyJ1', hex(20), '.', hex(30), '_1'),
  'an object id': joined('Cart@', hex(8)),
};

describe.each(Object.entries(KINDS))('%s in a message', (_, kind) => {
  it('has the same template for any value', () => {
    fc.assert(
      fc.property(kind, kind, (one, other) => {
        const template = (value: string) => `cannot handle ${value} in the queue`;
        expect(parameterize(template(one))).toBe(parameterize(template(other)));
      }),
    );
  });

  it('has the same template at the end', () => {
    fc.assert(
      fc.property(kind, kind, (one, other) => {
        expect(parameterize(`refused ${one}`)).toBe(parameterize(`refused ${other}`));
      }),
    );
  });

  it('is replaced once: a second pass changes nothing', () => {
    fc.assert(
      fc.property(kind, (value) => {
        const once = parameterize(`cannot handle ${value} in the queue`);
        expect(parameterize(once)).toBe(once);
      }),
    );
  });
});
