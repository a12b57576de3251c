import { spawnSync } from 'node:child_process';
import type { Child, ChildOptions } from './child.js';
import { type ExitStatus, signalOfNumber } from './exit-status.js';

/** The terminal that we were started in. */
export interface OwnTerminal {
  /** Opens it: a program that shares it must find it untouched. */
  stdin(): NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** A pseudo-terminal as node-pty gives it without an encoding: its declarations know only strings. */
interface ByteTerminal {
  readonly pid: number;
  readonly onData: (listener: (chunk: unknown) => void) => unknown;
  readonly onExit: (listener: (end: { exitCode: number; signal?: number }) => void) => unknown;
  write(keys: Buffer | string): void;
  resize(columns: number, rows: number): void;
  kill(signal: string): void;
}

/**
 * Starts a program in a pseudo-terminal and joins it to ours: keys, output and size are passed on, and our terminal hands on bytes as they are
 * until the program has ended.
 */
export async function startWithTerminal(options: ChildOptions, own: OwnTerminal): Promise<Child> {
  const { spawn } = await import('@lydell/node-pty');
  const [program, ...words] = options.command;
  const { columns, rows } = sizeOf(own.stdout);
  const terminal: ByteTerminal = spawn(program, words, {
    name: options.env['TERM'] ?? 'xterm',
    cols: columns,
    rows,
    cwd: process.cwd(),
    env: { ...options.env },
    encoding: null,
  });
  return joinTerminals(terminal, options, own);
}

function joinTerminals(terminal: ByteTerminal, options: ChildOptions, own: OwnTerminal): Child {
  const { stdout } = own;
  const stdin = own.stdin();
  let isRefused = false;
  let hasEnded = false;
  let letGo = (): void => undefined;
  const restoreTerminal = takeTerminal(stdin);
  const type = (keys: Buffer): void => terminal.write(keys);
  const resize = (): void => {
    const { columns, rows } = sizeOf(stdout);
    if (!hasEnded) terminal.resize(columns, rows);
  };
  const refuse = (): void => {
    isRefused = true;
  };
  const hangUp = (): void => {
    if (!hasEnded) terminal.kill('SIGHUP');
  };
  stdin.on('data', type);
  stdin.on('end', hangUp);
  stdin.on('error', hangUp);
  stdin.resume();
  stdout.on('resize', resize);
  stdout.on('error', refuse);
  terminal.onData((chunk) => {
    if (!Buffer.isBuffer(chunk)) return;
    if (!isRefused) stdout.write(chunk);
    options.onOutput('terminal', chunk);
  });
  const exited = new Promise<ExitStatus>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      hasEnded = true;
      const name = signal === undefined ? undefined : signalOfNumber(signal);
      resolve(name === undefined ? { kind: 'exited', code: exitCode } : { kind: 'killed', signal: name });
    });
  });
  const released = new Promise<void>((resolve) => {
    letGo = () => resolve();
  });
  return {
    pid: terminal.pid,
    exited,
    closed: Promise.race([exited, released]).then(() => {
      stdin.off('data', type);
      stdin.off('end', hangUp);
      stdout.off('resize', resize);
      restoreTerminal();
    }),
    isOutputClosed: () => isRefused,
    kill: (signal) => {
      if (!hasEnded) terminal.kill(signal);
    },
    letGo: () => letGo(),
  };
}

/** A terminal may not know its size, as on a serial line. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): { columns: number; rows: number } {
  return { columns: columns || 80, rows: rows || 24 };
}

/**
 * Lets a terminal hand on every byte as it is, so that only the program's own terminal interprets keys and newlines. Answers what gives it back as
 * it was; Node does that too when we end in any other way but by SIGKILL.
 */
function takeTerminal(stdin: NodeJS.ReadStream): () => void {
  stdin.setRawMode(true);
  // Node's raw mode still puts a carriage return before each newline, which moves the cursor of programs that draw their own screen. Where there is
  // no stty, such programs may look wrong, and nothing else.
  spawnSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] });
  return () => {
    stdin.setRawMode(false);
    stdin.pause();
    stdin.unref();
  };
}
