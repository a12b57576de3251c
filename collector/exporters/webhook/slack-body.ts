import { cutText } from '../../../core/event/text.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';
import { visible } from '../sending/visible.js';
import {
  ALERT_KINDS,
  type Alert,
  type AlertCounts,
  type AlertKind,
  browseCommand,
  type Call,
  countAlerts,
  openingOf,
  totalOf,
} from './alert.js';

/** Text in Slack's markup; `verbatim` disables Slack's own detection of mentions and links. */
interface SlackMarkup {
  readonly type: 'mrkdwn';
  readonly text: string;
  readonly verbatim: true;
}

interface SlackSection {
  readonly type: 'section';
  readonly text?: SlackMarkup;
  readonly fields?: readonly SlackMarkup[];
}

/** A message for Slack and compatible receivers: https://docs.slack.dev/reference/block-kit. */
export interface SlackBody {
  /** For notifications, and for receivers that do not support blocks. */
  readonly text: string;
  readonly parse: 'none';
  readonly link_names: false;
  readonly unfurl_links: false;
  readonly unfurl_media: false;
  readonly blocks: readonly SlackSection[];
}

/** Issues that a message lists; the others are counted. */
const MAX_LISTED = 10;
/** UTF-16 units of outside text. Escaping makes at most 10 of each; Slack accepts 3,000 in a section and 2,000 in a field. */
const MAX_TITLE = 200;
const MAX_NAME = 60;

/** Mentions notify people; the `@` of a mail address does not match. */
const MENTION = /(?<![\w.+-])@(?=\w)/g;

const HEADINGS: Readonly<Record<AlertKind, string>> = {
  new: 'New issue',
  regressed: 'Issue came back',
  spiking: 'Issue spikes',
};
const KIND_WORDS: Readonly<Record<AlertKind, string>> = { new: 'new', regressed: 'came back', spiking: 'spiking' };

/** Encodes a call as a message; deterministic. */
export function slackBody({ alerts, beyond }: Call, terminalUrl: string | undefined): SlackBody {
  const [first, ...others] = alerts;
  const isOne = first !== undefined && others.length + totalOf(beyond) === 0;
  return isOne ? alertMessage(first, terminalUrl) : digestMessage(alerts, beyond, terminalUrl);
}

function alertMessage(alert: Alert, terminalUrl: string | undefined): SlackBody {
  const { kind, issue } = alert;
  const origin = slackText(originOf(issue), 3 * MAX_NAME);
  const opening = terminalUrl === undefined ? undefined : openingOf(alert, terminalUrl);
  return message(`${HEADINGS[kind]} in ${origin}: ${slackText(issue.title, MAX_TITLE)}`, [
    section(`*${HEADINGS[kind]}* in ${slackCode(originOf(issue), 3 * MAX_NAME)}\n${slackCode(issue.title, MAX_TITLE)}`),
    { type: 'section', fields: fieldsOf(issue).map(([name, value]) => mrkdwn(`*${name}*\n${value}`)) },
    ...(opening === undefined ? [] : [commands([opening.issue, opening.browse])]),
  ]);
}

function digestMessage(alerts: readonly Alert[], beyond: AlertCounts, terminalUrl: string | undefined): SlackBody {
  const counts = countAlerts(alerts, beyond);
  const total = totalOf(counts);
  const kinds = ALERT_KINDS.filter((kind) => counts[kind] > 0).map((kind) => `${counts[kind]} ${KIND_WORDS[kind]}`);
  const heading = `${total} alerts: ${kinds.join(', ')}`;
  const listed = alerts.slice(0, MAX_LISTED);
  const left = total - listed.length;
  return message(heading, [
    section(`*${heading}*`),
    ...listed.map(({ kind, issue }) => section(summaryText(kind, issue))),
    ...(left > 0 && listed.length > 0 ? [section(`and ${left} more`)] : []),
    ...(terminalUrl === undefined ? [] : [commands([browseCommand(terminalUrl)])]),
  ]);
}

function summaryText(kind: AlertKind, issue: IssueSummary): string {
  const origin = slackCode(originOf(issue), 3 * MAX_NAME);
  return `*${HEADINGS[kind]}* in ${origin}, ${issue.count} events\n${slackCode(issue.title, MAX_TITLE / 2)}`;
}

/** Slack accepts at most 10 fields. */
function fieldsOf(issue: IssueSummary): [string, string][] {
  return [
    ['Level', slackCode(issue.level, MAX_NAME)],
    ['Environment', slackCode(issue.environments.slice(0, 5).join(', '), 2 * MAX_NAME)],
    ['Events', String(issue.count)],
    ['Users', String(issue.users)],
    ['First seen', slackCode(issue.first_seen, MAX_NAME)],
    ['Last seen', slackCode(issue.last_seen, MAX_NAME)],
    ['Release', slackCode(issue.releases.at(-1) ?? '', MAX_NAME)],
  ];
}

function originOf({ app, service }: IssueSummary): string {
  return `${cutText(app, MAX_NAME)}/${cutText(service, MAX_NAME)}`;
}

/** Replaces backticks, which would end the code block. */
function commands(lines: readonly string[]): SlackSection {
  return section(`\`\`\`${lines.map((line) => slackText(line, MAX_TITLE).replaceAll('`', '\u02cb')).join('\n')}\`\`\``);
}

function message(text: string, blocks: readonly SlackSection[]): SlackBody {
  return { text, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false, blocks };
}

function section(text: string): SlackSection {
  return { type: 'section', text: mrkdwn(text) };
}

function mrkdwn(text: string): SlackMarkup {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** Escapes hidden characters, `&`, `<`, `>` and the `@` of mentions: at most 10 units for each of the `maxLength` UTF-16 units. */
export function slackText(text: string, maxLength: number): string {
  const escaped = visible(text, maxLength).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replace(MENTION, '\uff20');
}

/** `slackText` as inline code, in which `*`, `_` and links have no meaning. */
function slackCode(text: string, maxLength: number): string {
  const shown = slackText(text, maxLength).replaceAll('`', '\u02cb');
  return shown === '' ? '–' : `\`${shown}\``;
}
