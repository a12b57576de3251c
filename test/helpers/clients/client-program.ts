import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { CLIENTS } from './stable-payload.js';

/** A running client in a process of its own. */
export interface ClientProgram {
  readonly child: ChildProcess;
  /** Its standard output, once it has ended with exit code 0; rejects with its standard error otherwise. */
  readonly finished: Promise<string>;
}

/** Starts a client of test/fixtures/clients; it ends by itself, or when its standard input ends. */
export function startClient(name: string, env: NodeJS.ProcessEnv): ClientProgram {
  return startNode([join(CLIENTS, `${name}.mjs`)], env);
}

/** Starts Node with the words of a command line. */
export function startNode(words: readonly string[], env: NodeJS.ProcessEnv): ClientProgram {
  const child = spawn(process.execPath, words, {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const finished = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(stdout) : reject(new Error(`exit code ${code}: ${stderr}`))));
  });
  return { child, finished };
}
