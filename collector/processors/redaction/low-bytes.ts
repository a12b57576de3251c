/** The low bytes of the units that are looked at now; nothing looks at two texts at once. */
export const LOW_BYTES = Buffer.allocUnsafeSlow(8 * 1024);

/** Units that are read one by one: a call that copies all at once costs as much as so many. */
const FEW = 48;

/**
 * Puts the low bytes of units of a text into `LOW_BYTES`, as many as it holds; answers how many. They are enough for a first look, which takes 5 bits of
 * each and may only take too much for digits. To read them costs half of what `charCodeAt` does.
 */
export function readLowBytes(text: string, from: number, end: number): number {
  const count = Math.min(end - from, LOW_BYTES.length);
  if (count > FEW) return LOW_BYTES.write(from === 0 ? text : text.slice(from, from + count), 0, count, 'latin1');
  for (let place = 0; place < count; place += 1) LOW_BYTES[place] = text.charCodeAt(from + place);
  return count;
}
