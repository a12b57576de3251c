import { encodePartitionName } from './record/partition-name.js';

const ENCODED_BYTE = /%([0-9A-F]{2})/g;

/** The environment of the events in a partition's folder; undefined where the folder's name does not tell, as for very long names. */
export function environmentOf(folder: string): string | undefined {
  const [, name = ''] = folder.split('/', 2);
  const decoded = name === '%' ? '' : decodeName(name);
  return encodePartitionName(decoded) === name ? decoded : undefined;
}

function decodeName(name: string): string {
  if (!name.includes('%')) return name;
  const bytes = name.replace(ENCODED_BYTE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
