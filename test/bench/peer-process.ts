import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { residentMib } from './collector-process.js';

/** The bare Express program, running. */
export interface PeerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Resident memory in MiB. */
  residentMib(): number;
  stop(): Promise<void>;
}

/** Starts `bare-express` on a free port. */
export async function startPeerProcess(): Promise<PeerProcess> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./bare-express.js', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
  });
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    residentMib: () => residentMib(child.pid),
    stop: () =>
      new Promise((resolve) => {
        child.on('close', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}
