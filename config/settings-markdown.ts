import type { SchemaNode } from './check/config-schema.js';
import { describeSettings, type SettingRow, type SettingsTable } from './settings-reference.js';

/** Lines of an example, by section and type of component; undefined: none. */
type ExampleOf = (section: string, type?: string) => readonly string[] | undefined;

const SECTION_NAMES: Readonly<Record<string, string>> = {
  receivers: 'Receiver',
  processors: 'Processor',
  exporters: 'Exporter',
  extensions: 'Extension',
};
/** A description of at least this many characters is printed once; later rows link to it. */
const REPEATED_FROM = 80;
const COLUMNS = 130;

/** Returns the reference of all settings of a schema in Markdown: components, sections, and what several of them share. */
export function settingsMarkdown(schema: SchemaNode, exampleOf: ExampleOf = () => undefined): string {
  const { components, sections, parts } = describeSettings(schema);
  const printed = new Map<string, string>();
  const blocks = [
    ...components.map((part) => {
      const title = `${SECTION_NAMES[part.section]} \`${part.type}\``;
      return block(title, part, printed, exampleOf(part.section, part.type));
    }),
    ...sections.map((part) => block(`Section \`${part.section}\``, part, printed, exampleOf(part.section))),
    ...Array.from(parts, ([name, part]) => block(titleOf(name), part, printed)),
  ];
  return blocks.join('\n');
}

function block(
  title: string,
  { description, rows }: SettingsTable,
  printed: Map<string, string>,
  example?: readonly string[],
): string {
  const lines = [`### ${title}`, '', ...wrapped(sentenceOf(description)), ''];
  if (example !== undefined) lines.push('```yaml', ...example, '```', '');
  if (rows.length === 0) return lines.join('\n');
  const table = rows.map((row) => {
    const cells = [`\`${row.key}\``, typeOf(row), defaultOf(row), meaningOf(row, title, printed)];
    return `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return [...lines, '| setting | type | default | meaning |', '|---|---|---|---|', ...table, ''].join('\n');
}

/** Without the name of the component, which is in the heading. */
function sentenceOf(description: string): string {
  const sentence = description.replace(/^(?:Receiver|Processor|Exporter|Extension) `\w+`: /, '');
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function wrapped(text: string): string[] {
  return (text.match(new RegExp(`.{1,${COLUMNS}}(?: |$)`, 'g')) ?? []).map((line) => line.trimEnd());
}

function typeOf({ type, bounds }: SettingRow): string {
  return bounds === undefined ? type : `${type}, ${bounds}`;
}

function defaultOf(row: SettingRow): string {
  if (row.isRequired) return 'required';
  return 'default' in row ? `\`${JSON.stringify(row.default)}\`` : '';
}

function meaningOf(row: SettingRow, title: string, printed: Map<string, string>): string {
  const { key, description, isSecret, part } = row;
  if (part !== undefined && printed.get(part) === description) return `See ${linkTo(titleOf(part))}.`;
  if (part !== undefined) printed.set(part, description);
  const place = `${key.split('.').at(-1)}: ${description}`;
  const earlier = printed.get(place);
  if (earlier !== undefined && description.length >= REPEATED_FROM) return `As for ${linkTo(earlier)}.`;
  if (earlier === undefined) printed.set(place, title);
  // The default has its own column.
  const meaning = 'default' in row ? description.replace(/ Default \S+(?:, \S+)*\.$/, '') : description;
  const secret = isSecret ? ' Secret: `print-config` masks it.' : '';
  return `${meaning}${secret}${part === undefined ? '' : ` See ${linkTo(titleOf(part))}.`}`;
}

/** `TlsServerSettings` as `Shared: tls server`. */
function titleOf(name: string): string {
  const words = name.replace(/Settings$/, '').replace(/([a-z])(?=[A-Z])/g, '$1 ');
  return `Shared: ${words.toLowerCase()}`;
}

/** The anchor is as GitHub names it. */
function linkTo(title: string): string {
  const anchor = title.toLowerCase().replace(/[^\w\- ]/g, '');
  return `[${title}](#${anchor.replaceAll(' ', '-')})`;
}
