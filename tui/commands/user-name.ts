const MAX_LENGTH = 200;

/** The name of the person at this shell, with which actions are signed; undefined where the environment holds none. */
export function userName({ USER, LOGNAME, USERNAME }: NodeJS.ProcessEnv): string | undefined {
  return [USER, LOGNAME, USERNAME].find((name) => name !== undefined && name !== '')?.slice(0, MAX_LENGTH);
}
