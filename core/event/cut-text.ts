/** The first `maxUnits` UTF-16 units of a text, one fewer where the cut would part a surrogate pair. */
export function cutText(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const partsPair =
    (text.charCodeAt(maxUnits - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(maxUnits) & 0xfc00) === 0xdc00;
  return text.slice(0, partsPair ? maxUnits - 1 : maxUnits);
}
