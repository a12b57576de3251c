import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Returns the path of a program in `programs/`. */
export function programPath(name: string): string {
  return fileURLToPath(new URL(`./programs/${name}.js`, import.meta.url));
}

/** Runs a program, in this or another Node, until it exits and returns the JSON that it prints. */
export async function runProgram(
  name: string,
  args: readonly string[],
  node: string = process.execPath,
): Promise<Record<string, unknown>> {
  const child = spawn(node, [programPath(name), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${name} ended with code ${code}`);
  const output: unknown = JSON.parse(text);
  if (typeof output !== 'object' || output === null) throw new Error(`${name} did not print an object`);
  return { ...output };
}
