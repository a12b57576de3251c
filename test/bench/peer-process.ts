import { spawn } from 'node:child_process';
import { end, killAtExit, residentMb } from './collector-process.js';
import { programPath } from './run-program.js';
import { type WatchedProcess, watchArguments, watchEnvironment } from './watched-process.js';

/** A running program for comparison. */
export interface PeerProcess extends WatchedProcess {
  readonly url: string;
  /** Resident memory in MB. */
  residentMb(): number;
  stop(): Promise<void>;
}

/** Starts a program on a free port; for `watchFile` see `startCollectorProcess`. */
export async function startPeerProcess(
  program: 'bare-express' | 'bare-http' | 'accept-all' | 'spotlight-sidecar' = 'bare-express',
  watchFile?: string,
  args: readonly string[] = [],
): Promise<PeerProcess> {
  const child = spawn(process.execPath, [...watchArguments(watchFile), programPath(program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: watchEnvironment(watchFile),
  });
  killAtExit(child);
  const port = await new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
  });
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    residentMb: () => residentMb(child.pid),
    stop: () => end(child, 'SIGTERM'),
  };
}
