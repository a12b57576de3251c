/** Red, green and blue, 0 to 255 each. */
export type Rgb = readonly [number, number, number];

/** xterm's own; other terminals and their owners choose others. */
const FIRST_16: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];
const CUBE_STEPS = [0, 95, 135, 175, 215, 255];
const CUBE_BEGIN = 16;
const GREYS_BEGIN = 232;

/** The hue of a colour of xterm's 256. */
export function rgbOf(colour: number): Rgb {
  const own = FIRST_16[colour];
  if (own !== undefined) return own;
  if (colour >= GREYS_BEGIN) {
    const grey = 8 + 10 * (colour - GREYS_BEGIN);
    return [grey, grey, grey];
  }
  const place = colour - CUBE_BEGIN;
  const step = (index: number): number => CUBE_STEPS[index % CUBE_STEPS.length] ?? 0;
  return [step(Math.floor(place / 36)), step(Math.floor(place / 6)), step(place)];
}

/** The colour of the first 16 that is nearest to one of the 256. */
export function nearestOf16(colour: number): number {
  if (colour < CUBE_BEGIN) return colour;
  const wanted = rgbOf(colour);
  const distances = FIRST_16.map((own) =>
    own.reduce((sum, part, index) => sum + (part - (wanted[index] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}
