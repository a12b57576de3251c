import { type EndReasons, isFailedEnd } from '../../../collector/run/exit-event.js';

const none: EndReasons = { signals: new Set(), isOnTerminal: false, isOutputClosed: false };
const exited = (code: number) => ({ kind: 'exited', code }) as const;
const killed = (signal: NodeJS.Signals) => ({ kind: 'killed', signal }) as const;

describe('the end of a program', () => {
  it('is a failure with an exit code other than 0 or a signal', () => {
    expect(isFailedEnd(exited(0), none)).toBe(false);
    expect(isFailedEnd(exited(1), none)).toBe(true);
    expect(isFailedEnd(killed('SIGKILL'), none)).toBe(true);
    expect(isFailedEnd(killed('SIGTERM'), none)).toBe(true);
  });

  it('is not a failure after a stop signal, unless it crashed while stopping', () => {
    const stopped = { ...none, signals: new Set<NodeJS.Signals>(['SIGTERM']) };
    expect(isFailedEnd(exited(143), stopped)).toBe(false);
    expect(isFailedEnd(killed('SIGTERM'), stopped)).toBe(false);
    expect(isFailedEnd(killed('SIGKILL'), stopped)).toBe(false);
    expect(isFailedEnd(killed('SIGSEGV'), stopped)).toBe(true);
  });

  it('is a failure after any other signal, unless that signal ended it', () => {
    const signalled = { ...none, signals: new Set<NodeJS.Signals>(['SIGUSR1']) };
    expect(isFailedEnd(exited(1), signalled)).toBe(true);
    expect(isFailedEnd(killed('SIGUSR1'), signalled)).toBe(false);
  });

  it('is not a failure after Ctrl-C on a terminal, or when the reader of its output is gone', () => {
    const terminal = { ...none, isOnTerminal: true };
    expect(isFailedEnd(killed('SIGINT'), terminal)).toBe(false);
    expect(isFailedEnd(exited(130), terminal)).toBe(false);
    expect(isFailedEnd(exited(130), none)).toBe(true);
    expect(isFailedEnd(killed('SIGPIPE'), { ...none, isOutputClosed: true })).toBe(false);
    expect(isFailedEnd(killed('SIGPIPE'), none)).toBe(true);
  });
});
