import { spawnSync } from 'node:child_process';
import { type Child, type ChildOptions, type ExitStatus, SIGNAL_NAMES } from './child.js';

/** The terminal of this process. */
export interface OwnTerminal {
  /** Opened only when needed, because a program that shares the terminal must find it unchanged. */
  stdin(): NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** A pseudo-terminal of node-pty without an encoding; its own types allow only strings. */
interface ByteTerminal {
  readonly pid: number;
  readonly onData: (listener: (chunk: unknown) => void) => unknown;
  readonly onExit: (listener: (end: { exitCode: number; signal?: number }) => void) => unknown;
  write(input: Buffer | string): void;
  resize(columns: number, rows: number): void;
  kill(signal: string): void;
}

/** Starts a program in a pseudo-terminal and forwards input, output and size. The own terminal is in raw mode until the program has ended. */
export async function startWithTerminal(options: ChildOptions, ownTerminal: OwnTerminal): Promise<Child> {
  const { spawn } = await import('@lydell/node-pty');
  const [program, ...args] = options.command;
  const { columns, rows } = sizeOf(ownTerminal.stdout);
  const terminal: ByteTerminal = spawn(program, args, {
    name: options.env['TERM'] ?? 'xterm',
    cols: columns,
    rows,
    cwd: process.cwd(),
    env: { ...options.env },
    encoding: null,
  });
  return connectTerminals(terminal, options, ownTerminal);
}

function connectTerminals(terminal: ByteTerminal, options: ChildOptions, ownTerminal: OwnTerminal): Child {
  const { stdout } = ownTerminal;
  const stdin = ownTerminal.stdin();
  let isClosed = false;
  let hasEnded = false;
  let detach = (): void => undefined;
  const restoreTerminal = enterRawMode(stdin);
  const forwardInput = (input: Buffer): void => terminal.write(input);
  const resize = (): void => {
    const { columns, rows } = sizeOf(stdout);
    if (!hasEnded) terminal.resize(columns, rows);
  };
  const hangUp = (): void => {
    if (!hasEnded) terminal.kill('SIGHUP');
  };
  stdin.on('data', forwardInput);
  stdin.on('end', hangUp);
  stdin.on('error', hangUp);
  stdin.resume();
  stdout.on('resize', resize);
  stdout.on('error', () => {
    isClosed = true;
  });
  terminal.onData((chunk) => {
    if (!Buffer.isBuffer(chunk)) return;
    if (!isClosed) stdout.write(chunk);
    options.onOutput('terminal', chunk);
  });
  const exited = new Promise<ExitStatus>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      hasEnded = true;
      const name = SIGNAL_NAMES.get(signal ?? 0);
      resolve(name === undefined ? { kind: 'exited', code: exitCode } : { kind: 'killed', signal: name });
    });
  });
  const detached = new Promise<void>((resolve) => {
    detach = resolve;
  });
  return {
    pid: terminal.pid,
    exited,
    closed: Promise.race([exited, detached]).then(() => {
      stdin.off('data', forwardInput);
      stdin.off('end', hangUp);
      stdout.off('resize', resize);
      restoreTerminal();
    }),
    isOutputClosed: () => isClosed,
    kill: (signal) => {
      if (!hasEnded) terminal.kill(signal);
    },
    detach: () => detach(),
  };
}

/** Some terminals report no size, for example serial lines. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): { columns: number; rows: number } {
  return { columns: columns || 80, rows: rows || 24 };
}

/** Lets only the pseudo-terminal interpret keys and newlines. Returns what restores the terminal, as Node does unless killed by SIGKILL. */
function enterRawMode(stdin: NodeJS.ReadStream): () => void {
  stdin.setRawMode(true);
  // Node's raw mode still adds a carriage return to each newline, which displaces full-screen programs. Without stty, only they look wrong.
  spawnSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] });
  return () => {
    stdin.setRawMode(false);
    stdin.pause();
    stdin.unref();
  };
}
