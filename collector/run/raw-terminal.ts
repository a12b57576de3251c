import { spawnSync } from 'node:child_process';

/**
 * Lets a terminal hand on every byte as it is, so that only the program's own terminal interprets keys and newlines. Answers what gives it back as
 * it was; Node does that too when we end in any other way but by SIGKILL.
 */
export function takeTerminal(stdin: NodeJS.ReadStream): () => void {
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
