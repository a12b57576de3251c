import { ValueError } from './value-error.js';

const RANGE = /^(\d{1,3})(?:-(\d{1,3}))?$/;
const ORDINAL = /^ordinal\/(\d{1,3})$/;

/** Parses `all`, numbers and ranges such as `0-7,12`, or `ordinal/2`; `ordinal`: the number at the end of the host name. Throws a ValueError for other text. */
export function parsePartitions(text: string): (partition: number, ordinal: number) => boolean {
  if (text.trim() === 'all') return () => true;
  const gateways = Number(ORDINAL.exec(text.trim())?.[1] ?? 0);
  if (gateways > 0) return (partition, ordinal) => partition % gateways === ordinal % gateways;
  const ranges = text.split(',').map((part): [from: number, to: number] => {
    const [, from, to = from] = RANGE.exec(part.trim()) ?? [];
    if (from === undefined) throw new ValueError('it is not a list of partitions');
    if (Number(to) < Number(from))
      throw new ValueError(`the range ${part.trim()} ends before it begins`, `${to}-${from}`);
    return [Number(from), Number(to)];
  });
  return (partition) => ranges.some(([from, to]) => from <= partition && partition <= to);
}
