import { type ExecFileOptions, execFile } from 'node:child_process';
import { delimiter, isAbsolute } from 'node:path';
import { promisify } from 'node:util';

/** The git commands that Faultline uses, each with options that keep the configuration of a repository from changing what it does. */
const COMMANDS = {
  blame: ['--no-textconv'],
  config: [],
  log: ['--no-show-signature', '--no-ext-diff', '--no-textconv', '--no-color', '--no-relative', '-O/dev/null'],
  'ls-tree': [],
  'rev-list': [],
  'rev-parse': [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A git command that Faultline may run. */
export type GitCommand = keyof typeof COMMANDS;

/** What git gets of the environment: where programs are, and the person's own configuration, which names the folders that they trust. */
const VARIABLES = ['HOME', 'XDG_CONFIG_HOME'];
/** Forbids every transport, because a partial clone would otherwise fetch with the programs of its configuration. */
const ENVIRONMENT = {
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
};

/** A program that does nothing, for settings that must name one. */
const NO_PROGRAM = 'false';
/** Settings that win over those of the repository, which is not trusted: it must start no program and change no format. */
const SETTINGS: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.alternateRefsCommand': NO_PROGRAM,
  'core.askPass': NO_PROGRAM,
  'core.editor': NO_PROGRAM,
  'core.gitProxy': NO_PROGRAM,
  'core.pager': NO_PROGRAM,
  'core.sshCommand': NO_PROGRAM,
  'credential.helper': '',
  'diff.external': '',
  'gpg.program': NO_PROGRAM,
  'gpg.openpgp.program': NO_PROGRAM,
  'gpg.ssh.program': NO_PROGRAM,
  'gpg.ssh.defaultKeyCommand': NO_PROGRAM,
  'gpg.x509.program': NO_PROGRAM,
  'log.showSignature': 'false',
  'advice.graftFileDeprecated': 'false',
  'blame.showRoot': 'false',
  'core.attributesFile': '/dev/null',
  'core.quotePath': 'false',
  'i18n.logOutputEncoding': 'UTF-8',
  'log.showRoot': 'true',
  'mailmap.blob': '',
  'mailmap.file': '',
};
const OPTIONS: readonly string[] = [
  '--no-pager',
  '--literal-pathspecs',
  '--no-replace-objects',
  ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

/**
 * Runs git once in a folder and returns its output; throws what `execFile` throws, also after the time and the output that `limits` allow. The only
 * place where Faultline starts git: no program that the repository names runs, and nothing is fetched. Of `env` git gets what locates programs and
 * the person's configuration, no variable that changes what it reads or starts.
 */
export async function runGit(
  env: NodeJS.ProcessEnv,
  folder: string,
  [command, ...args]: readonly [GitCommand, ...string[]],
  limits: Required<Pick<ExecFileOptions, 'timeout' | 'maxBuffer'>>,
): Promise<string> {
  const inherited = {
    ...Object.fromEntries(VARIABLES.map((name) => [name, env[name]])),
    PATH: absolutePath(env['PATH']),
  };
  const options = {
    ...limits,
    env: { ...inherited, ...ENVIRONMENT },
    killSignal: 'SIGKILL',
    encoding: 'utf8',
  } as const;
  const gitArguments = [...OPTIONS, '-C', folder, command, ...COMMANDS[command], ...args];
  return (await promisify(execFile)('git', gitArguments, options)).stdout;
}

/** The PATH without relative folders, in which a repository could have a program named git. */
function absolutePath(path: string | undefined): string | undefined {
  return path?.split(delimiter).filter(isAbsolute).join(delimiter);
}
