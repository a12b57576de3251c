import type { Argv } from 'yargs';
import { ConfigError } from '../../config/config-error.js';
import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { toIssueId } from '../../core/event/ids.js';
import { toShortEventId } from '../../core/event/short-event-id.js';
import { openCollectorToken, TOKEN_VARIABLE } from '../../core/http-reader/collector-token.js';
import type { SourcesReader } from '../../core/merged/source.js';
import { parseQuery } from '../../core/query/parse-query.js';
import { loadPreferences, type Preferences } from '../preferences/preferences.js';
import type { SourceChoice } from '../readers/open-sources.js';
import { openEvent } from '../state/event-state.js';
import { openIssue } from '../state/issue-state.js';
import { ISSUE_TABS, type IssueTab } from '../state/issue-tabs.js';
import { pushScreen, type StateChange } from '../state/terminal-state.js';
import { neutralise } from '../text/visible.js';
import { type CommandContext, flag, text, tokenOption } from './command-context.js';
import { findEventId, findIssueId } from './find-ids.js';
import { findSince } from './find-since.js';
import { EXIT_CODES, runPrinting } from './printing-command.js';
import { print, type TextOutput } from './text-output.js';

/** Adds the command that opens the terminal. */
export function addBrowseCommand(cli: Argv, { streams, openTerminalReader, defaultUrl, done }: CommandContext): void {
  cli.command(
    'browse [id]',
    'Open the terminal, at an issue or an event if named',
    (command) =>
      tokenOption(command)
        .positional('id', text('Issue or event id, also a short one'))
        .option('query', { ...text('Filter of the list, for example "level:error"'), nargs: 1 })
        .option('tab', { choices: ISSUE_TABS, describe: `Tab of the list: ${ISSUE_TABS.join(', ')} (default: open)` })
        .option('since', { ...text('What is new since 24h, a date or a release'), nargs: 1 })
        .option('fresh', flag('Do not restore the last session'))
        .option('as', { ...text('Your name, for mine and actions (default: USER)'), nargs: 1 })
        .option('url', {
          type: 'string',
          array: true,
          nargs: 1,
          describe: `Collector to read; repeat to combine several (default: ${defaultUrl}, else the local data folder)`,
        })
        .option('data', { ...text('Data folder to read; repeat to combine several'), array: true, nargs: 1 })
        .option('context', text('Context from the preferences'))
        .conflicts('context', ['url', 'data'])
        .example('$0 browse', 'the local collector or folder')
        .example('$0 browse 94cdb1e3', 'one issue; Esc leads to the list')
        .example('$0 browse --data /var/lib/faultline', '')
        .example('$0 browse --url http://a:4319 --url http://b:4319', ''),
    // Set here, because `conflicts` treats defaults of yargs as given.
    async ({ url = [], data = [], context, tokenFile, ...named }) => {
      const preferences = await loadOrReport(streams.stderr, process.env);
      if (preferences === undefined) return done(EXIT_CODES.usage);
      const given: SourceChoice[] = [...url.map((one) => ({ url: one })), ...data.map((one) => ({ data: one }))];
      const chosen = chooseSources(preferences, given, context);
      const { runBrowse } = await import('./browse.js');
      const token = await openCollectorToken({ file: tokenFile, variable: TOKEN_VARIABLE }, process.env);
      const sources = await Promise.all(chosen.sources.map((source) => withOwnToken(source, process.env)));
      let reader: Promise<SourcesReader> | undefined;
      const openReader = () => {
        reader ??= openTerminalReader(sources, token);
        return reader;
      };
      let start: StateChange | undefined;
      const found = await runPrinting(streams, async () => {
        start = await findStart(openReader, named);
      });
      if (found !== EXIT_CODES.done) {
        await (await reader)?.close();
        return done(found);
      }
      const isFresh = named.fresh || named.query !== undefined || named.tab !== undefined;
      const choice = { preferences, rememberAs: chosen.name, start, isFresh, userName: named.as };
      done(await runBrowse({ openReader, ...choice, env: process.env, stdin: process.stdin, ...streams }));
    },
  );
}

interface NamedChoice extends SourceChoice {
  readonly tokenFile?: string;
  readonly tokenEnv?: string;
}

async function withOwnToken(
  { tokenFile, tokenEnv, ...source }: NamedChoice,
  env: NodeJS.ProcessEnv,
): Promise<SourceChoice> {
  const token = await openCollectorToken({ file: tokenFile, variable: tokenEnv }, env);
  return token.value === undefined ? source : { ...source, token };
}

function chooseSources(
  { contexts, defaultContext }: Preferences,
  named: readonly SourceChoice[],
  context: string | undefined,
): { sources: readonly NamedChoice[]; name: string } {
  if (named.length > 0) return { sources: named, name: named.map(({ url, data }) => url ?? data).join(' ') };
  const name = context ?? defaultContext;
  if (name === undefined) return { sources: [], name: '' };
  const sources = contexts.get(name);
  if (sources !== undefined) return { sources, name };
  const known = contexts.size === 0 ? 'none' : [...contexts.keys()].join(', ');
  throw new Fault('CONTEXT_UNKNOWN', `No context "${name}"; the preferences have ${known}.`);
}

async function loadOrReport(stderr: TextOutput, env: NodeJS.ProcessEnv): Promise<Preferences | undefined> {
  try {
    const { preferences, warnings } = await loadPreferences(env);
    for (const warning of warnings) await print(stderr, `${neutralise(warning)}\n`);
    return preferences;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    await print(stderr, `${error.message.split('\n').map(neutralise).join('\n')}\n`);
    return undefined;
  }
}

interface NamedStart {
  /** Of an issue or an event, also a short one. */
  readonly id?: string | undefined;
  readonly query?: string | undefined;
  readonly tab?: IssueTab | undefined;
  readonly since?: string | undefined;
}

/** Finds what a call names; the change opens it above the list. Throws a Fault for an unknown id, release or field of the query. */
export async function findStart(
  openReader: () => Promise<FailureReader>,
  { id, query = '', tab, since }: NamedStart,
): Promise<StateChange> {
  parseQuery(query, 'issues');
  const range = since === undefined ? undefined : await findSince(openReader, since);
  const open: StateChange = id === undefined ? (state) => state : await findNamed(await openReader(), id);
  return (state) => {
    const [list, ...above] = state.stack;
    const isListed = query !== '' || tab !== undefined;
    const wanted = {
      ...list.wanted,
      ...(isListed && { query, tab: tab ?? list.wanted.tab }),
      ...(range !== undefined && { since: { range, kind: 'new' as const } }),
    };
    // The notice says what was restored, which is below or replaced then.
    const notice = isListed || range !== undefined || id !== undefined ? undefined : state.notice;
    return open({ ...state, notice, stack: [{ ...list, wanted }, ...above] });
  };
}

async function findNamed(reader: FailureReader, id: string): Promise<StateChange> {
  const isEvent = toShortEventId(id) !== undefined;
  const issue = isEvent ? undefined : await reader.getIssue(await findIssueId(reader, id));
  if (issue !== undefined) return (state) => pushScreen(state, (key) => openIssue(key, issue));
  const event =
    isEvent || toIssueId(id) !== undefined ? await reader.getEvent(await findEventId(reader, id)) : undefined;
  if (event === undefined) throw new Fault('ISSUE_NOT_FOUND', `No issue or event ${id}. See faultline issues.`);
  return (state) => pushScreen(state, (key) => openEvent(key, event));
}
