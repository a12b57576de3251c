import { userInfo } from 'node:os';

const MAX_LENGTH = 200;

/** The default actor of actions: the user in the environment, else the account of the process; undefined without either. */
export function userName({ USER, LOGNAME, USERNAME }: NodeJS.ProcessEnv): string | undefined {
  const name = [USER, LOGNAME, USERNAME].find((one) => one !== undefined && one !== '') ?? accountName();
  return name?.slice(0, MAX_LENGTH);
}

function accountName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // In many containers the uid is missing in the password file.
    return undefined;
  }
}
