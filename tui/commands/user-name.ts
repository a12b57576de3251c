import { userInfo } from 'node:os';

const MAX_LENGTH = 200;

/** The name of the person at this shell, with which actions are signed: from the environment, else the account of the process; undefined where neither has one. */
export function userName({ USER, LOGNAME, USERNAME }: NodeJS.ProcessEnv): string | undefined {
  const name = [USER, LOGNAME, USERNAME].find((one) => one !== undefined && one !== '') ?? accountName();
  return name?.slice(0, MAX_LENGTH);
}

function accountName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // The uid has no entry in the password file, as in many containers.
    return undefined;
  }
}
