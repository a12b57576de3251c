import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Fault } from '../../core/event/fault.js';
import type { Child, ChildOptions, ExitStatus } from './child.js';

/** The destinations of forwarded output. */
export interface OutputStreams {
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** POSIX; Node cannot make named pipes itself. */
const MAKE_PIPES = 'mkfifo';

/** Starts a program with the standard input of this process and pipes for its output. Throws `PROGRAM_NOT_STARTED`. */
export async function startWithPipes(options: ChildOptions, streams: OutputStreams): Promise<Child> {
  const { process: child, stdout, stderr } = await spawnWithPipes(options);
  const exited = new Promise<ExitStatus>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'killed', signal }),
    );
  });
  const forwarded = [
    forward(stdout, streams.stdout, (chunk) => options.onOutput('stdout', chunk)),
    forward(stderr, streams.stderr, (chunk) => options.onOutput('stderr', chunk)),
  ];
  return {
    pid: child.pid ?? 0,
    exited,
    closed: Promise.all([exited, ...forwarded.map(({ done }) => done)]).then(() => undefined),
    isOutputClosed: () => forwarded.some((stream) => stream.isClosed()),
    kill: (signal) => {
      child.kill(signal);
    },
    detach: () => {
      for (const stream of forwarded) stream.stop();
    },
  };
}

async function spawnWithPipes({ command, env }: ChildOptions) {
  const [program, ...args] = command;
  const [out, err] = openPipes() ?? [];
  if (out === undefined || err === undefined) {
    const child = spawn(program, args, { env: { ...env }, stdio: ['inherit', 'pipe', 'pipe'] });
    await waitForStart(child);
    return { process: child, stdout: child.stdout, stderr: child.stderr };
  }
  try {
    const child = spawn(program, args, { env: { ...env }, stdio: ['inherit', out.writerFd, err.writerFd] });
    await waitForStart(child);
    return { process: child, stdout: out.reader, stderr: err.reader };
  } catch (error) {
    out.reader.destroy();
    err.reader.destroy();
    throw error;
  } finally {
    closeSync(out.writerFd);
    closeSync(err.writerFd);
  }
}

function waitForStart(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => {
      reject(new Fault('PROGRAM_NOT_STARTED', `cannot start the program: ${error.message}`, { cause: error }));
    });
  });
}

/** Forwards chunks with backpressure, then calls `onChunk`. When the reader is gone, the next write of the program fails, as without Faultline. */
function forward(from: Readable, to: Writable, onChunk: (chunk: Buffer) => void) {
  let isClosed = false;
  const resume = (): void => {
    from.resume();
  };
  to.on('drain', resume);
  to.on('error', () => {
    isClosed = true;
    from.destroy();
  });
  from.on('data', (chunk: Buffer) => {
    if (!to.write(chunk)) from.pause();
    onChunk(chunk);
  });
  // A writer that was killed is an ordinary end of the stream.
  from.on('error', () => undefined);
  const done = new Promise<void>((resolve) => {
    from.once('close', () => {
      to.off('drain', resume);
      // The error listener stays, because buffered writes may still fail.
      resolve();
    });
  });
  // `done` resolves when all was forwarded; `isClosed` is true once the reader is gone.
  return { done, isClosed: () => isClosed, stop: () => from.destroy() };
}

/** Opens system pipes: Node's sockets cannot be opened as `/dev/stdout` (ENXIO). Undefined where named pipes cannot be made. */
function openPipes() {
  let folder: string | undefined;
  const fds: number[] = [];
  try {
    folder = mkdtempSync(join(tmpdir(), 'faultline-run-'));
    const paths = [join(folder, 'stdout'), join(folder, 'stderr')];
    if (spawnSync(MAKE_PIPES, ['-m', '600', ...paths], { stdio: 'ignore' }).status !== 0) return undefined;
    for (const path of paths) {
      // The non-blocking reader comes first, so that neither open waits for the other.
      fds.push(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
      fds.push(openSync(path, constants.O_WRONLY));
    }
    return paths.map((_, index) => ({
      reader: new Socket({ fd: fds[2 * index] ?? -1, readable: true, writable: false }),
      /** For a child; close it after the child was started. */
      writerFd: fds[2 * index + 1] ?? -1,
    }));
  } catch {
    for (const fd of fds) closeSync(fd);
    return undefined;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
