import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Why a program cannot be started, with the exit code that shells give it. */
export interface ProgramMissing {
  readonly exitCode: 126 | 127;
  readonly reason: string;
}

type Finding = 'runnable' | 'not_executable' | 'missing';

/** Looks for a program as `execvp` does: a name with a slash is a path, any other is looked for on PATH. Answers undefined when it can be run. */
export async function findObstacle(program: string, path: string | undefined): Promise<ProgramMissing | undefined> {
  if (program === '') return { exitCode: 127, reason: 'the command is empty' };
  const isPath = program.includes('/');
  const candidates = isPath
    ? [program]
    : (path ?? '/usr/local/bin:/usr/bin:/bin').split(delimiter).map((folder) => join(folder || '.', program));
  let isThere = false;
  for (const candidate of candidates) {
    const finding = await look(candidate);
    if (finding === 'runnable') return undefined;
    isThere ||= finding === 'not_executable';
  }
  if (isThere) return { exitCode: 126, reason: `${program} is not executable` };
  return { exitCode: 127, reason: isPath ? `${program}: no such file` : `${program}: command not found` };
}

async function look(file: string): Promise<Finding> {
  try {
    if ((await stat(file)).isDirectory()) return 'not_executable';
  } catch {
    return 'missing';
  }
  return await access(file, constants.X_OK).then(
    () => 'runnable',
    () => 'not_executable',
  );
}
