import type { KeyInput } from '../../../tui/terminal/key-parser.js';
import { readKeys } from '../../../tui/terminal/key-reader.js';
import { createTestTerminal } from '../../helpers/terminal.js';

describe('the keys of a terminal', () => {
  it('include the mouse only while it is on', () => {
    const terminal = createTestTerminal(20, 4);
    const inputs: KeyInput[] = [];
    let isOn = false;
    const stop = readKeys(
      terminal.input,
      (input) => inputs.push(input),
      () => isOn,
    );
    terminal.typeAhead('\u001b[<64;3;4M');
    isOn = true;
    terminal.typeAhead('\u001b[<64;3;4Mj');
    stop();
    expect(inputs).toEqual([
      { kind: 'mouse', button: 'wheel_up', column: 2, row: 3, isPress: true },
      { kind: 'character', character: 'j' },
    ]);
  });
});
