import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import {
  FAULTLINE,
  killLeftoverProcesses,
  type RunningCollector,
  startCollector,
  stop,
} from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { buildPrograms, LANGUAGES, type LanguageName, missingPrograms, PROGRAMS, startOf } from './languages.js';
import { FAILING_PROGRAMS, type FailingProgram, VARYING_OUTPUT } from './programs.js';

/** How many of a hundred programs must be collected as users want. */
const BAR = 97;
/** Programs that run at the same time. */
const CONCURRENCY = 2;
/** Only ends a program that hangs. */
const TIMEOUT_MS = 60_000;

interface Ended {
  /** As a shell shows it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Verdict {
  readonly program: FailingProgram;
  /** What is not as users want; empty: all is. */
  readonly problems: readonly string[];
}

interface Issue {
  readonly issue_id: string;
  readonly title: string;
  readonly culprit: string | null;
  readonly count: number;
  readonly releases: readonly string[];
}

/** `all`, or names of languages; by default those that are quick. */
const CHOSEN = process.env['FAULTLINE_LANGUAGES']?.split(',');

let collector: RunningCollector;
let built: string;

beforeAll(async () => {
  collector = await startCollector(await temporaryFolder());
  built = await temporaryFolder();
});
afterAll(async () => {
  await stop(collector);
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

/** Languages of this run; those that are not installed are reported. */
async function languagesHere(): Promise<LanguageName[]> {
  const here: LanguageName[] = [];
  for (const name of Object.keys(LANGUAGES) as LanguageName[]) {
    if (CHOSEN === undefined ? !LANGUAGES[name].isQuick : !['all', name].some((word) => CHOSEN.includes(word)))
      continue;
    const missing = await missingPrograms(name);
    if (missing.length > 0) {
      console.warn(`SKIPPED: the programs in ${name} need ${missing.join(' and ')}`);
      continue;
    }
    await mkdir(join(built, name));
    await buildPrograms(name, join(built, name));
    here.push(name);
  }
  return here;
}

function releaseOf({ language, name }: FailingProgram): string {
  return `${language}-${name}`;
}

function commandOf({ language, file, args }: FailingProgram): string[] {
  return [...startOf(language, file, join(built, language)), ...args];
}

/** Runs a command until it exits. */
async function end(command: readonly string[], { language, env }: FailingProgram): Promise<Ended> {
  const [program = '', ...words] = command;
  const { RUST_BACKTRACE: _, ...own } = process.env;
  const child = spawn(program, words, {
    cwd: join(PROGRAMS, language),
    env: { ...own, LC_ALL: 'C.UTF-8', NODE_OPTIONS: '', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  return await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve({ exitCode: signal === null ? (code ?? -1) : 128 + constants.signals[signal], ...output }),
    );
  });
}

/** Output without what differs between two runs: addresses, process ids, times. */
function stable(text: string): string {
  return text.replaceAll(/\b(?:0x)?[\da-f]*\d[\da-f]*\b/gi, '#').replaceAll(/\d+/g, '#');
}

/** Runs a program without and twice under `faultline run`, and returns what differs. */
async function runThrice(program: FailingProgram): Promise<string[]> {
  const problems: string[] = [];
  const command = commandOf(program);
  const plain = await end(command, program);
  if (plain.exitCode !== program.exitCode)
    throw new Error(`${releaseOf(program)} exits with ${plain.exitCode}:\n${plain.stderr}`);
  const names = ['--service', program.language, '--release', releaseOf(program), '--url', collector.ingestUrl];
  const comparable = (text: string): string =>
    stable(VARYING_OUTPUT.has(releaseOf(program)) ? text.trimStart().replace(/\n[\s\S]*/, '') : text);
  for (const attempt of ['first', 'second']) {
    const run = await end([process.execPath, FAULTLINE, 'run', ...names, '--', ...command], program);
    if (run.exitCode !== plain.exitCode) problems.push(`${attempt} run: exit code ${run.exitCode}`);
    for (const stream of ['stdout', 'stderr'] as const)
      if (comparable(run[stream]) !== comparable(plain[stream])) problems.push(`${attempt} run: other ${stream}`);
  }
  return problems;
}

async function get<T>(path: string): Promise<T> {
  const response = await fetch(`${collector.queryUrl}/api/v1/${path}`);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

/** Returns what a user misses in the issues of a program. */
async function readIssues(program: FailingProgram): Promise<string[]> {
  const release = releaseOf(program);
  const { issues } = await get<{ issues: Issue[] }>(`issues?query=${encodeURIComponent(`release:${release}`)}`);
  const [issue, ...further] = issues;
  if (issue === undefined) return ['no issue'];
  if (further.length > 0) return [`${issues.length} issues: ${issues.map(({ title }) => title).join(' | ')}`];
  const problems: string[] = [];
  const others = issue.releases.filter((other) => other !== release);
  if (others.length > 0) problems.push(`one issue with ${others.join(', ')}`);
  else if (issue.count !== 2) problems.push(`${issue.count} events`);
  const { events } = await get<{ events: { event_id: string; release: string }[] }>(
    `issues/${issue.issue_id}/events?limit=500`,
  );
  const id = events.find((event) => event.release === release)?.event_id;
  const { normalized } = await get<{ normalized: { error_name: string; message: string; stack: string | null } }>(
    `events/${id}`,
  );
  return [...problems, ...compare(program, { ...normalized, culprit: issue.culprit })];
}

function compare(
  { errorName, message, culprit }: FailingProgram,
  found: { error_name: string; message: string; stack: string | null; culprit: string | null },
): string[] {
  const problems: string[] = [];
  const isNamed =
    typeof errorName === 'string' ? found.error_name === errorName : (errorName?.test(found.error_name) ?? true);
  if (!isNamed) problems.push(`name ${found.error_name}`);
  if (!found.message.includes(message)) problems.push(`message ${JSON.stringify(found.message.slice(0, 120))}`);
  if (culprit === undefined) return problems;
  if (found.stack === null) problems.push('no stack');
  if (!found.culprit?.includes(culprit)) problems.push(`culprit ${JSON.stringify(found.culprit)}`);
  return problems;
}

function report(verdicts: readonly Verdict[]): string {
  const failed = verdicts.filter(({ problems }) => problems.length > 0);
  const rows = failed.map(({ program, problems }) => `  ${releaseOf(program)}: ${problems.join('; ')}`);
  return [`${verdicts.length - failed.length} of ${verdicts.length} programs are collected as wanted`, ...rows].join(
    '\n',
  );
}

it('collects crashing programs under `run`: one issue with two events, named, and output and exit code unchanged', async () => {
  const here = await languagesHere();
  const programs = FAILING_PROGRAMS.filter(({ language }) => here.includes(language));
  const changed = new Map<FailingProgram, string[]>();
  const waiting = [...programs];
  const work = async (): Promise<void> => {
    for (let program = waiting.shift(); program !== undefined; program = waiting.shift())
      changed.set(program, await runThrice(program));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const verdicts: Verdict[] = [];
  for (const program of programs)
    verdicts.push({ program, problems: [...(changed.get(program) ?? []), ...(await readIssues(program))] });
  const table = report(verdicts);
  console.log(table);
  const passed = verdicts.filter(({ problems }) => problems.length === 0).length;
  if (passed * 100 < BAR * verdicts.length) throw new Error(table);
});
