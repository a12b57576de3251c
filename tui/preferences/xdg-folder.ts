import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const FOLDERS = {
  config: { variable: 'XDG_CONFIG_HOME', below: ['.config'] },
  state: { variable: 'XDG_STATE_HOME', below: ['.local', 'state'] },
} as const;

/** Faultline's folder for configuration or state by the XDG Base Directory Specification 0.8, which ignores relative paths. */
export function xdgFolder(env: NodeJS.ProcessEnv, kind: keyof typeof FOLDERS): string {
  const { variable, below } = FOLDERS[kind];
  const named = env[variable] ?? '';
  return isAbsolute(named) ? join(named, 'faultline') : join(homeFolder(env), ...below, 'faultline');
}

/** `HOME`, else the home folder of the system's user database. */
export function homeFolder(env: NodeJS.ProcessEnv): string {
  const home = env['HOME'] ?? '';
  return isAbsolute(home) ? home : homedir();
}
