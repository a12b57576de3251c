import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { Fault } from '../../core/event/fault.js';
import type { Child, ChildOptions } from './child.js';
import type { ExitStatus } from './exit-status.js';
import { openPipes } from './open-pipes.js';
import { passOutput } from './pass-output.js';

/** Where output goes. */
export interface OutputStreams {
  readonly stdout: Writable;
  readonly stderr: Writable;
}

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
