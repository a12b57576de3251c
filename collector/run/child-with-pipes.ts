import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Fault } from '../../core/event/fault.js';
import type { Child, ChildOptions } from './child.js';
import type { ExitStatus } from './exit-status.js';

/** Where output goes. */
export interface OutputStreams {
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** Output on its way from a program to the reader of ours. */
interface OutputPass {
  /** The program's side has ended and all of it was handed on. */
  readonly done: Promise<void>;
  /** True once nobody reads what we write. */
  isRefused(): boolean;
  /** Ends it from our side. */
  stop(): void;
}

/** The two ends of a pipe. */
interface Pipe {
  readonly reader: Socket;
  /** File descriptor for a child; close it after the child was started. */
  readonly writerFd: number;
}

/** POSIX; Node cannot make named pipes itself. */
const MAKE_PIPES = 'mkfifo';

/** Starts a program that has our standard input, and pipes to us for its output. Throws `PROGRAM_NOT_STARTED`. */
export async function startWithPipes(options: ChildOptions, streams: OutputStreams): Promise<Child> {
  const { process: child, stdout, stderr } = await spawnWithPipes(options);
  const exited = new Promise<ExitStatus>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'killed', signal }),
    );
  });
  const passes = [
    passOutput(stdout, streams.stdout, (chunk) => options.onOutput('stdout', chunk)),
    passOutput(stderr, streams.stderr, (chunk) => options.onOutput('stderr', chunk)),
  ];
  return {
    pid: child.pid ?? 0,
    exited,
    closed: Promise.all([exited, ...passes.map((pass) => pass.done)]).then(() => undefined),
    isOutputClosed: () => passes.some((pass) => pass.isRefused()),
    kill: (signal) => {
      child.kill(signal);
    },
    letGo: () => {
      for (const pass of passes) pass.stop();
    },
  };
}

interface Spawned {
  readonly process: ChildProcess;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

async function spawnWithPipes({ command, env }: ChildOptions): Promise<Spawned> {
  const [program, ...words] = command;
  const [out, err] = openPipes(2) ?? [];
  if (out === undefined || err === undefined) {
    const child = spawn(program, words, { env: { ...env }, stdio: ['inherit', 'pipe', 'pipe'] });
    await started(child);
    return { process: child, stdout: child.stdout, stderr: child.stderr };
  }
  try {
    const child = spawn(program, words, { env: { ...env }, stdio: ['inherit', out.writerFd, err.writerFd] });
    await started(child);
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

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => {
      reject(new Fault('PROGRAM_NOT_STARTED', `the program was not started: ${error.message}`, { cause: error }));
    });
  });
}

/**
 * Passes bytes on as they come, no faster than they are taken, and shows each piece to `onChunk` afterwards. When nobody reads any more, the
 * program's next write fails, as it would without us.
 */
function passOutput(from: Readable, to: Writable, onChunk: (chunk: Buffer) => void): OutputPass {
  let isRefused = false;
  const resume = (): void => {
    from.resume();
  };
  const refuse = (): void => {
    isRefused = true;
    from.destroy();
  };
  to.on('drain', resume);
  to.on('error', refuse);
  from.on('data', (chunk: Buffer) => {
    if (!to.write(chunk)) from.pause();
    onChunk(chunk);
  });
  // What is read when its writer was killed in the middle is an end like any other.
  from.on('error', () => undefined);
  const done = new Promise<void>((resolve) => {
    from.once('close', () => {
      to.off('drain', resume);
      // The listener for errors stays: what is still on its way may fail later.
      resolve();
    });
  });
  return { done, isRefused: () => isRefused, stop: () => from.destroy() };
}

/**
 * Opens pipes of the operating system. Node gives children sockets instead, which cannot be opened as `/dev/stdout`, as some programs do for their
 * log (ENXIO). Answers undefined where named pipes cannot be made.
 */
function openPipes(count: number): readonly Pipe[] | undefined {
  let folder: string | undefined;
  const fds: number[] = [];
  try {
    folder = mkdtempSync(join(tmpdir(), 'faultline-run-'));
    const paths = Array.from({ length: count }, (_, place) => join(folder ?? '', String(place)));
    if (spawnSync(MAKE_PIPES, ['-m', '600', ...paths], { stdio: 'ignore' }).status !== 0) return undefined;
    for (const path of paths) {
      // A reader that does not wait for a writer comes first, so that neither waits.
      fds.push(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
      fds.push(openSync(path, constants.O_WRONLY));
    }
    return paths.map((_, place) => ({
      reader: new Socket({ fd: fds[2 * place] ?? -1, readable: true, writable: false }),
      writerFd: fds[2 * place + 1] ?? -1,
    }));
  } catch {
    for (const fd of fds) closeSync(fd);
    return undefined;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
