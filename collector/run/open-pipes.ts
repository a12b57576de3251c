import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The two ends of a pipe. */
export interface Pipe {
  readonly reader: Socket;
  /** File descriptor for a child; close it after the child was started. */
  readonly writerFd: number;
}

/** POSIX; Node cannot make named pipes itself. */
const MAKE_PIPES = 'mkfifo';

/**
 * Opens pipes of the operating system. Node gives children sockets instead, which cannot be opened as `/dev/stdout`, as some programs do for their
 * log (ENXIO). Answers undefined where named pipes cannot be made.
 */
export function openPipes(count: number): readonly Pipe[] | undefined {
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
