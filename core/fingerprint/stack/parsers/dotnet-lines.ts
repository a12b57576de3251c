import type { FormRow } from './frame-lines.js';

/** The word for `at` in the languages of the .NET Framework, before a name with parameters. */
const AT_WORD =
  /^(?:bei|à|en|in|в|у|在|於|場所|위치:|em|w|v|bij|vid|ved|kohteessa|konum:|a következő helyen:|σε|la|на) (?=[\w.`+<>[\]|$@,-]{3,400} ?\()/;

/** Applied in order to a trimmed line, which becomes `at Type.Method(Type name) in path:line 12`. */
export const DOTNET_FORMS: readonly FormRow[] = [
  {
    pattern: AT_WORD,
    replacement: 'at ',
    reason: 'The .NET Framework writes the word for `at` in the language of the system.',
    examples: [
      ['bei Shop.Cart.Total(Int32 id)', 'at Shop.Cart.Total(Int32 id)'],
      ['위치: Shop.Cart.Total()', 'at Shop.Cart.Total()'],
    ],
  },
  {
    pattern: /^(?:at )?\(wrapper [\w-]{1,40}\) ([^\s(]{3,400}?)(?:_Patch\d{1,4})?(?= ?\()/,
    replacement: 'at $1',
    reason: 'Mono writes of which kind a method is that it made, and tools that patch programs number theirs.',
    examples: [
      ['at (wrapper managed-to-native) Shop.Cart.Total(Shop.Cart,int)', 'at Shop.Cart.Total(Shop.Cart,int)'],
      ['(wrapper dynamic-method) Shop.Cart.Total_Patch2 (int)', 'at Shop.Cart.Total (int)'],
    ],
  },
  {
    pattern: /^at [\w.]{0,200}DMD<([\w.+]{1,200})::([\w.]{1,100})>(?:\?-?\d{1,12})?(?= ?\()/,
    replacement: 'at $1.$2',
    reason: 'A patched method, which has the name of the original.',
    examples: [['at Shop.Cart.DMD<Shop.Cart::Total>?-812 (Shop.Cart)', 'at Shop.Cart.Total (Shop.Cart)']],
  },
  {
    pattern: /^(at .{1,800}\)) (?:\p{L}{1,20}: )?(\S.{0,400}?)(?: içinde:|, sor:) ?(?:satır )?(\d{1,9})\.?$/u,
    replacement: '$1 in $2:line $3',
    reason: 'Turkish and Hungarian write the words behind the path.',
    examples: [
      ['at Shop.Cart.Total() C:\\shop\\Cart.cs içinde: satır 3', 'at Shop.Cart.Total() in C:\\shop\\Cart.cs:line 3'],
    ],
  },
  {
    pattern: /^(at .{1,800}\)) (?!in )\S{1,20} (.{1,400}?):\s?\p{L}{1,20} (\d{1,9})\.?$/u,
    replacement: '$1 in $2:line $3',
    reason: 'So are the words of a location.',
    examples: [
      ['at Shop.Cart.Total() dans C:\\shop\\Cart.cs:ligne 3', 'at Shop.Cart.Total() in C:\\shop\\Cart.cs:line 3'],
      ['at Shop.Cart.Total() 位置 C:\\shop\\Cart.cs:行号 3', 'at Shop.Cart.Total() in C:\\shop\\Cart.cs:line 3'],
    ],
  },
  {
    pattern: /^(at .{1,800}\) in .{1,400}?):\s?(?!line )\p{L}{1,20} (\d{1,9})\.?$/u,
    replacement: '$1:line $2',
    reason: 'Some languages share the word `in` and end the location with a full stop.',
    examples: [
      ['at Shop.Cart.Total() in C:\\shop\\Cart.cs:Zeile 3.', 'at Shop.Cart.Total() in C:\\shop\\Cart.cs:line 3'],
    ],
  },
  {
    pattern: /^(at .{1,800}\)) (?:in|at) (\S.{0,400}?) ?: (\d{1,9})$/,
    replacement: '$1 in $2:line $3',
    reason: 'Some tools write the line without a word.',
    examples: [
      [
        'at Shop.Cart.Total(Int32 id) at C:\\shop\\Cart.cs : 3',
        'at Shop.Cart.Total(Int32 id) in C:\\shop\\Cart.cs:line 3',
      ],
    ],
  },
  {
    pattern:
      /^(at .{1,400}?) \(([\w.-]{1,200}), Version=[^:]{0,200}(?:: ?(\S.{0,400}?)(?:\2, Version=[^:]{0,200})?: ?(\d{1,9}))?\)$/,
    replacement: '$1() in $3:line $4',
    reason: 'Telemetry writes the assembly in place of the parameters, and often a second time.',
    examples: [
      [
        'at Shop.Cart.Total (Shop, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null: C:\\shop\\Cart.csShop, Version=1.0.0.0: 3)',
        'at Shop.Cart.Total() in C:\\shop\\Cart.cs:line 3',
      ],
      ['at Shop.Cart.Total (Shop, Version=1.0.0.0, Culture=neutral)', 'at Shop.Cart.Total() in :line '],
    ],
  },
  {
    pattern: /^(at .{1,800}\)) \+ 0x[0-9a-f]{1,8}(?= in |$)/,
    replacement: '$1',
    reason: 'Programs that were compiled ahead of time write the offset in the method.',
    examples: [['at Shop.Cart.Total(Int32) + 0x1b', 'at Shop.Cart.Total(Int32)']],
  },
  {
    pattern: /^(?:at )?([\w.+<>`[\],|$/:?]{3,400}) ?\([^()]{0,400}\) <(?:IL )?0x[0-9a-f]{1,8}(?:, 0x[0-9a-f]{1,8})?>$/,
    replacement: 'at $1()',
    reason: 'Older versions of Mono end a call with its offset, and leave out the names of parameters.',
    examples: [
      ['at Shop.Cart.Total (int,Shop.Cart/Line) <0x0001b>', 'at Shop.Cart.Total()'],
      ['Shop.Cart.Total (int) <IL 0x0001b, 0x0042>', 'at Shop.Cart.Total()'],
    ],
  },
  {
    pattern: /^([\w.+<>`[\],|$/]{1,400}):([\w<>.|$]{1,200}) ?(\([^()]{0,400}\))(?: \(at (.{1,400}):(\d{1,9})\))?$/,
    replacement: 'at $1.$2$3 in $4:line $5',
    reason: 'Unity separates the method by a colon and writes the location in parentheses.',
    examples: [
      ['Shop.Cart:Total(Int32) (at Assets/Cart.cs:3)', 'at Shop.Cart.Total(Int32) in Assets/Cart.cs:line 3'],
      ['Shop.Cart:Total(Int32)', 'at Shop.Cart.Total(Int32) in :line '],
    ],
  },
  {
    pattern: /^(?:at )?([\w.+<>`[\],|$/]{1,400}) ?(\([^()]{0,400}\)) \(at (.{1,400}):(\d{1,9})\)$/,
    replacement: 'at $1$2 in $3:line $4',
    reason: 'Unity writes exceptions like this.',
    examples: [
      [
        'Shop.Cart.Total (System.Int32 id) (at Assets/Cart.cs:3)',
        'at Shop.Cart.Total(System.Int32 id) in Assets/Cart.cs:line 3',
      ],
    ],
  },
  {
    pattern:
      /^([\w.+<>`[\],|$/]{3,400} ?\([^()]{0,400}\) (?:\[0x[0-9a-f]{1,8}\]|<0x[0-9a-f]{1,16} \+ 0x[0-9a-f]{1,8}>) in [^;]{1,400}:\d{1,9})(?:;[\w.]{1,200})?$/,
    replacement: 'at $1',
    reason: 'Reports of crashes leave out the word for `at` of Mono.',
    examples: [['Shop.Cart.Total () [0x0001b] in <8f3a91>:0;Shop', 'at Shop.Cart.Total () [0x0001b] in <8f3a91>:0']],
  },
  {
    pattern: /^([\w.+<>`[\],|$]{3,400}\([^()]{0,400}\)) (?:\+\d{1,9}|in (\S.{0,400}\.\w{1,10}):(\d{1,9}))$/,
    replacement: 'at $1 in $2:line $3',
    reason: 'ASP.NET writes the offset or the location of a call in a page.',
    examples: [
      ['Shop.Cart.Total(Int32 id) +297', 'at Shop.Cart.Total(Int32 id) in :line '],
      [
        'Shop.Cart.Total(Int32 id) in f:\\shop\\Cart.cs:741',
        'at Shop.Cart.Total(Int32 id) in f:\\shop\\Cart.cs:line 741',
      ],
    ],
  },
];

/** A type before its calls, the root first: with its message in a page of ASP.NET, alone in the event log of Windows. */
export const HEADER_OF_CALLS =
  /^(?:\[([\w.]{1,200}(?:Exception|Error)\b.{0,800})\]|Exception Info: ([\w.]{1,200}(?:Exception|Error)))$/;

/** Matches whenever a row may match a line that begins with `at`; most lines do not. */
const MAY_CHANGE = /^at \(wrapper |DMD<|[\d.]$| \+ 0x|, Version=|\(at |\) <(?:IL )?0x/;
/** An English location, which most calls have; no row changes it. */
const PLAIN = /\) in [^:]{0,400}(?::[\\/][^:]{0,400})?:line \d{1,9}$/;

/** Returns a trimmed line as the English runtime writes it; other lines are returned as they are. */
export function dotnetLine(line: string): string {
  if (line.startsWith('at ') && (!MAY_CHANGE.test(line) || PLAIN.test(line))) return line;
  let rest = line;
  for (const { pattern, replacement } of DOTNET_FORMS) rest = rest.replace(pattern, replacement);
  return rest.replace(/ in :line $/, '');
}

/** What ends a call that does not begin with a word for `at`: of Unity, Mono and ASP.NET. */
const END_OF_CALL =
  /\) (?:\(at .{1,400}\)|<(?:IL )?0x[0-9a-f, x]{1,20}>|\[0x[0-9a-f]{1,8}\] in .{1,400}|\+\d{1,9}|in .{1,400}:\d{1,9})$/;

/** Whether a trimmed line that does not begin with `at` is a call in another language or form. */
export function isOtherCall(line: string): boolean {
  return AT_WORD.test(line) || (line.includes(') ') && END_OF_CALL.test(line));
}

/** Whether a trimmed line ends the calls of an inner exception, in any language of the .NET Framework. */
export function isEndOfInner(line: string): boolean {
  return line.startsWith('--- ') && END_OF_INNER.test(line);
}

const END_OF_INNER =
  /^--- (?:End of inner |.{0,60}(?:\b[Ii]ntern|[Ii]nnere|внутренн|внутрішн|内部|內部|내부|wewnętrzn|vnitřní|İç|iç|belső|εσωτερικ|indre|inre|sisäi|binnen))/;
