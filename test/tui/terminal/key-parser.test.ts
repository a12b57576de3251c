import fc from 'fast-check';
import { type KeyInput, KeyParser } from '../../../tui/terminal/key-parser.js';

const shown = (inputs: readonly KeyInput[]): string[] =>
  inputs.map((input) => {
    if (input.kind === 'paste') return `paste:${input.text}`;
    if (input.kind === 'mouse') return `${input.button}@${input.column},${input.row}${input.isPress ? '' : ' up'}`;
    return input.kind === 'key' ? `<${input.key}>` : input.character;
  });

/** The input of these pieces, with a pause at the end. */
function typed(...pieces: string[]): string[] {
  const parser = new KeyParser();
  const inputs = pieces.flatMap((piece) => parser.push(piece));
  return shown([...inputs, ...(parser.flushAfterMs() === undefined ? [] : parser.flush())]);
}

const SEQUENCES: readonly (readonly [string, readonly string[]])[] = [
  ['\u001b[A', ['<up>']],
  ['\u001bOB', ['<down>']],
  ['\u001b[1;5C', ['<right>']],
  ['\u001b[D', ['<left>']],
  ['\u001b[H', ['<home>']],
  ['\u001b[4~', ['<end>']],
  ['\u001b[5~', ['<pageup>']],
  ['\u001b[6;2~', ['<pagedown>']],
  ['\u001b[3~', ['<delete>']],
  ['\r', ['<enter>']],
  ['\u007f', ['<backspace>']],
  ['\u0003', ['<ctrl-c>']],
  ['\u0001', ['<ctrl-a>']],
  ['\u0012', ['<ctrl-r>']],
  ['\u001a', ['<ctrl-z>']],
  ['\t', ['<tab>']],
  ['\b', ['<backspace>']],
  ['\u001b[Z', ['<shift-tab>']],
  ['\u001b[1;2Z', ['<shift-tab>']],
  ['\u001b[2~', ['<insert>']],
  // Function keys of xterm, VT220, rxvt and the console of Linux.
  ['\u001bOP', ['<f1>']],
  ['\u001bOR', ['<f3>']],
  ['\u001b[1;5S', ['<f4>']],
  ['\u001b[13~', ['<f3>']],
  ['\u001b[15;2~', ['<f5>']],
  ['\u001b[24~', ['<f12>']],
  ['\u001b[[B', ['<f2>']],
  ['\u001b[[Z', []],
  ['q', ['q']],
  ['漢', ['漢']],
  ['👍', ['👍']],
  // Mouse: X10 with three bytes behind it, SGR press and release, urxvt.
  ['\u001b[M q!', []],
  ['\u001b[<0;12;7M', []],
  ['\u001b[<0;12;7m', []],
  ['\u001b[32;12;7M', []],
  // Focus in and out, cursor position, device attributes, kitty keyboard reports, unknown ones.
  ['\u001b[I', []],
  ['\u001b[O', []],
  ['\u001b[12;40R', []],
  ['\u001b[?62;c', []],
  ['\u001b[?1u', []],
  ['\u001b[99~', []],
  // Colour and version reports of terminals, ended by BEL and by ST.
  ['\u001b]11;rgb:1e1e/1e1e/1e1e\u0007', []],
  ['\u001bP>|term q\u001b\\', []],
  ['\u001b[200~q\rj\u001b[31m\u001b[201~', ['paste:q\rj\u001b[31m']],
];

describe('keys', () => {
  it.each(SEQUENCES)('%j is %j', (sequence, keys) => {
    expect(typed(sequence)).toEqual(keys);
  });

  it('are the same however their bytes are split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...SEQUENCES), { maxLength: 6 }),
        fc.array(fc.nat(60), { maxLength: 5 }),
        (parts, cuts) => {
          const text = parts.map(([sequence]) => sequence).join('');
          const indexes = [...new Set(cuts)].sort((one, other) => one - other);
          // A decoder never splits a surrogate pair.
          const ends = [...indexes, text.length].filter((end) => !/[\udc00-\udfff]/.test(text.charAt(end)));
          const pieces = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
          expect(typed(...pieces)).toEqual(parts.flatMap(([, keys]) => keys));
        },
      ),
    );
  });

  it('are keys and characters only, for any bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (pieces) => {
        for (const key of typed(...pieces)) if (!key.startsWith('paste:')) expect(key).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  it('distinguish a lone escape byte from the start of a sequence by the pause after it', () => {
    expect(typed('\u001b')).toEqual(['<escape>']);
    expect(typed('\u001b', '[A')).toEqual(['<up>']);
    expect(typed('\u001bq')).toEqual(['<escape>', 'q']);
    expect(typed('\u001b\u001b')).toEqual(['<escape>', '<escape>']);
  });

  it('continue after a sequence that never ends', () => {
    const parser = new KeyParser();
    expect(parser.push('\u001b[12;')).toEqual([]);
    expect(parser.flushAfterMs()).toBe(50);
    expect(parser.flush()).toEqual([]);
    expect(shown(parser.push('j'))).toEqual(['j']);
    expect(shown(parser.push(`\u001b[${'1'.repeat(500)}`)).every((key) => key === '1')).toBe(true);
  });
});

describe('the mouse', () => {
  const REPORTS: readonly (readonly [string, string])[] = [
    ['\u001b[<0;1;1M', 'left@0,0'],
    ['\u001b[<0;12;7m', 'left@11,6 up'],
    ['\u001b[<1;300;40M', 'middle@299,39'],
    ['\u001b[<2;3;4M', 'right@2,3'],
    ['\u001b[<64;5;6M', 'wheel_up@4,5'],
    ['\u001b[<65;5;6M', 'wheel_down@4,5'],
    // With Shift, meta and control.
    ['\u001b[<28;5;6M', 'left@4,5'],
  ];

  it.each(REPORTS)('%j is %s if it is on, and ignored if it is off', (report, input) => {
    let isOn = true;
    const parser = new KeyParser(() => isOn);
    expect(shown(parser.push(`a${report}b`))).toEqual(['a', input, 'b']);
    isOn = false;
    expect(shown(parser.push(`a${report}b`))).toEqual(['a', 'b']);
  });

  it.each([
    '\u001b[<35;5;6M',
    '\u001b[<32;5;6M',
    '\u001b[<3;5;6M',
    '\u001b[<66;5;6M',
    '\u001b[<128;5;6M',
    '\u001b[<0;0;6M',
    '\u001b[<0;5M',
    '\u001b[<;;M',
    '\u001b[<0;5;6;7M',
    '\u001b[<0;999999;6M',
    '\u001b[M q!',
    '\u001b[32;12;7M',
  ])('%j is ignored: a move, an unused button, or an invalid report', (report) => {
    const parser = new KeyParser(() => true);
    expect(shown(parser.push(`a${report}b`))).toEqual(['a', 'b']);
  });
});

describe('a paste', () => {
  it('is bounded, and the excess is dropped, not typed', () => {
    const [input, ...others] = typed(`\u001b[200~${'x'.repeat(100_000)}`, `${'y'.repeat(100_000)}\u001b[201~`);
    expect(input).toHaveLength('paste:'.length + 4_096);
    expect(others).toEqual([]);
  });

  it('is text, whatever it contains, Ctrl-C too', () => {
    expect(typed('\u001b[200~x\u0003q\r\u001b\u001b[201~')).toEqual(['paste:x\u0003q\r\u001b']);
  });

  it('does not end by a short pause, but by a long one if its end is lost', () => {
    const parser = new KeyParser();
    parser.push('\u001b[200~rm -rf');
    expect(parser.flushAfterMs()).toBe(3_000);
    expect(parser.push('q\r')).toEqual([]);
    expect(shown(parser.flush())).toEqual(['paste:rm -rfq\r']);
    expect(shown(parser.push('q'))).toEqual(['q']);
  });
});
