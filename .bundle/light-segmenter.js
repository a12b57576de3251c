/** Text whose characters are all segments of their own: printable ASCII, and the private-use characters that stand for rows on their way through Ink. */
const SIMPLE = /^[\x20-\x7e\ue000-\uf8ff]*$/;

/** `Intl.Segmenter` made when it is first needed: making one takes 30 ms, and drawing a frame needs none. */
export class LightSegmenter {
  #words;
  #segmenter;

  constructor(...words) {
    this.#words = words;
  }

  segment(text) {
    const isByCharacter = (this.#words[1]?.granularity ?? 'grapheme') === 'grapheme';
    if (isByCharacter && typeof text === 'string' && SIMPLE.test(text))
      return new SimpleSegments(text, () => this.#real(text));
    return this.#real(text);
  }

  #real(text) {
    // Spelt so that the bundler does not put this class in its place.
    const { Segmenter } = Intl;
    this.#segmenter ??= new Segmenter(...this.#words);
    return this.#segmenter.segment(text);
  }
}

class SimpleSegments {
  #text;
  #real;

  constructor(text, real) {
    this.#text = text;
    this.#real = real;
  }

  *[Symbol.iterator]() {
    const input = this.#text;
    for (let index = 0; index < input.length; index += 1) yield { segment: input.charAt(index), index, input };
  }

  containing(index) {
    return this.#real().containing(index);
  }
}
