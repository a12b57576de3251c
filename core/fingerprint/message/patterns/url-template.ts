/** A name of a machine with its generated parts replaced: addresses, and labels with digits or of random letters. */
export function templateOfHost(host: string): string {
  if (ADDRESS.test(host) || host === 'localhost') return '<host>';
  const labels = host.toLowerCase().split('.');
  return labels.map((label) => (GENERATED_LABEL.test(label) ? '<n>' : label)).join('.');
}

const ADDRESS = /^(?:\[|\d{1,3}(?:\.\d{1,3}){3}$)/;
const GENERATED_LABEL = /\d|^[a-z]{20,}$|^.{41,}$/;

/** The part of a path or of its last name that is no value: letters, in words joined by hyphens, underscores or a dot. */
const WORD =
  /^[@:*{]?[A-Za-z][A-Za-z_]{0,40}(?:-[A-Za-z_]{1,40}){0,2}(?:\.(?:php|aspx?|jsp|do|html?|json|xml|js|css|cgi))?[}*]?$/;
/** Of an interface. */
const VERSION = /^v\d{1,2}(?:(?:alpha|beta)\d)?$/;
const HEX = /^(?:[a-f]{8,}|[A-F]{8,})$/;
/** Names of a path that count; further ones are data. */
const MAX_NAMES = 12;

/** A path with its values replaced: every name that is no word. Without its query. */
export function templateOfPath(path: string): string {
  const [names = ''] = path.split(/[?#;]/, 1);
  const parts = names.split('/', MAX_NAMES).map((name) => {
    const isLiteral = name === '' || (WORD.test(name) && !HEX.test(name)) || VERSION.test(name);
    return isLiteral ? name : '<n>';
  });
  return parts
    .join('/')
    .replace(/<n>(?:\/<n>)+/g, '<n>')
    .replace(/(?<=.)\/$/, '');
}

const URL_PARTS =
  /^([A-Za-z][\w+.:-]{0,60}):\/\/(?:[^/@\s]{0,300}@)?(\[[^\]]{0,60}\]|[^/:?#\s]{0,253})(?::\d{1,5})?(.{0,2000})/s;

/** A URL with its values replaced: host and path keep their literal parts, because two services or resources are two failures. */
export function templateOfUrl(url: string): string {
  const [, scheme = '', host = '', path = ''] = URL_PARTS.exec(url) ?? [];
  if (host === '') return '<url>';
  return `${scheme.toLowerCase()}://${templateOfHost(host)}${templateOfPath(path)}`;
}

const ADDRESS_IN_TEXT = /(?<![\w.'"`])(?:\w{1,20}:\/\/|\/(?=[\w{:*<]))[^\s"'`]{1,400}|(?<=\w)\/\d{1,2}(?!\w)/g;

/** A template without its paths, URLs and arities, which say where something failed, not why. */
export function withoutAddresses(template: string): string {
  return template.includes('/') ? template.replace(ADDRESS_IN_TEXT, '<url>') : template;
}
