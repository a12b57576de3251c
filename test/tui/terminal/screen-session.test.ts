import { ScreenSession } from '../../../tui/terminal/screen-session.js';
import { createTestTerminal } from '../../helpers/terminal.js';
import { waitFor } from '../../helpers/wait-for.js';

function open() {
  const terminal = createTestTerminal(20, 4);
  const calls: string[] = [];
  const session = new ScreenSession({
    input: terminal.input,
    output: terminal.output,
    signals: terminal.signals,
    onLeave: () => calls.push('leave'),
    onReturn: () => calls.push('return'),
  });
  return { terminal, session, calls };
}

const ENTERED = ['?1049h', '?25l', '?7l', '?2004h'];
const LEFT = ['?2004l', '?7h', '?25h', '?1049l'];

/** Everything that was written, once it has arrived. */
async function writtenBy(terminal: ReturnType<typeof createTestTerminal>): Promise<string> {
  await terminal.settled();
  return terminal.written();
}

describe('a screen session', () => {
  it('enters raw mode, the alternate screen, no cursor, no wrapping, and bracketed paste', async () => {
    const { terminal, session } = open();
    await waitFor('the alternate screen', terminal.isOnAlternateScreen);
    for (const mode of ENTERED) expect(terminal.written()).toContain(`\u001b[${mode}`);
    expect(terminal.input.isRaw).toBe(true);
    session.close();
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['uncaughtException', 1],
    ['unhandledRejection', 1],
  ])('restores everything on %s', async (event, exitCode) => {
    const { terminal, session, calls } = open();
    terminal.signals.emit(event, new Error('broken'));
    expect(await session.ended).toMatchObject({ exitCode });
    await terminal.settled();
    expect(terminal.isOnAlternateScreen()).toBe(false);
    for (const mode of LEFT) expect(terminal.written()).toContain(`\u001b[${mode}`);
    expect(terminal.input.isRaw).toBe(false);
    expect(calls).toEqual(['leave']);
    // A library that ends the process if it has the only listener must find ours, until everything is restored.
    terminal.signals.emit(event, new Error('again'));
    session.close();
    expect(terminal.signals.eventNames()).toEqual([]);
  });

  it('reports the mouse only after it was enabled, and never while the terminal is suspended', async () => {
    const { terminal, session } = open();
    session.mouse(false);
    expect(await writtenBy(terminal)).not.toMatch(/\?100[06]/);
    session.mouse(true);
    expect(await writtenBy(terminal)).toMatch(/\u001b\[\?1000h\u001b\[\?1006h$/);
    terminal.signals.emit('SIGTSTP');
    expect(await writtenBy(terminal)).toMatch(/\u001b\[\?1006l\u001b\[\?1000l.*\u001b\[\?1049l$/);
    terminal.signals.emit('SIGCONT');
    expect(await writtenBy(terminal)).toMatch(/\u001b\[\?1000h\u001b\[\?1006h$/);
    session.mouse(false);
    expect(await writtenBy(terminal)).toMatch(/\u001b\[\?1006l\u001b\[\?1000l$/);
    session.mouse(true);
    terminal.signals.emit('SIGTERM');
    expect(await writtenBy(terminal)).toMatch(/\u001b\[\?1006l\u001b\[\?1000l.*\u001b\[\?1049l$/);
    const { length } = await writtenBy(terminal);
    session.mouse(false);
    session.mouse(true);
    expect(await writtenBy(terminal)).toHaveLength(length);
    session.close();
  });

  it('reports the error that ended it', async () => {
    const { terminal, session } = open();
    const error = new Error('broken');
    terminal.signals.emit('uncaughtException', error);
    expect(await session.ended).toEqual({ exitCode: 1, error });
  });

  it('restores the terminal when the process exits', async () => {
    const { terminal } = open();
    terminal.signals.emit('exit', 0);
    await terminal.settled();
    expect(terminal.isOnAlternateScreen()).toBe(false);
  });

  it('ends when the terminal is closed', async () => {
    const gone = open();
    gone.terminal.output.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(await gone.session.ended).toEqual({ exitCode: 129 });
    const closed = open();
    closed.terminal.input.emit('end');
    expect(await closed.session.ended).toEqual({ exitCode: 129 });
  });

  it('ends once, for the first reason', async () => {
    const { terminal, session, calls } = open();
    session.end({ exitCode: 0 });
    session.end({ exitCode: 1 });
    terminal.signals.emit('SIGTERM');
    expect(await session.ended).toEqual({ exitCode: 0 });
    expect(calls).toEqual(['leave']);
  });

  it('restores the terminal while it is stopped, and enters it again', async () => {
    const { terminal, session, calls } = open();
    terminal.signals.emit('SIGTSTP');
    expect(terminal.signals.killed).toEqual(['SIGTSTP 0']);
    expect(terminal.input.isRaw).toBe(false);
    terminal.signals.emit('SIGCONT');
    const written = await writtenBy(terminal);
    for (const sequence of LEFT) expect(written).toContain(sequence);
    expect(terminal.isOnAlternateScreen()).toBe(true);
    expect(terminal.input.isRaw).toBe(true);
    expect(calls).toEqual(['leave', 'return']);
    session.suspend();
    expect(terminal.signals.killed).toHaveLength(2);
    session.end({ exitCode: 0 });
  });

  it('enters the terminal again if nothing stopped the process', async () => {
    const { terminal, session, calls } = open();
    session.suspend();
    await waitFor('the return', () => calls.includes('return'));
    expect(terminal.input.isRaw).toBe(true);
    session.end({ exitCode: 0 });
  });
});
