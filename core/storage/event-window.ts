/** The events of one span that moves back in time, until they are as many as are looked for. An event may count for several. */
export class EventWindow {
  readonly #count: number;
  readonly #spanMicros: number;
  /** A ring: each event counts for one at least, so that there are never more before the count is reached. */
  readonly #receivedAt: Float64Array;
  readonly #weights: Float64Array;
  /** Of the newest event. */
  #first = 0;
  #length = 0;
  #events = 0;

  constructor(count: number, spanMicros: number) {
    this.#count = count;
    this.#spanMicros = spanMicros;
    this.#receivedAt = new Float64Array(count);
    this.#weights = new Float64Array(count);
  }

  /** Takes the next event, which was not received after the one before; answers whether `count` were received within one span that begins with it. */
  add(receivedAtMicros: number, weight: number): boolean {
    while (this.#length > 0 && (this.#receivedAt[this.#first] ?? 0) - receivedAtMicros > this.#spanMicros) this.#drop();
    this.#events += weight;
    if (this.#events >= this.#count) return true;
    const place = (this.#first + this.#length) % this.#count;
    this.#receivedAt[place] = receivedAtMicros;
    this.#weights[place] = weight;
    this.#length += 1;
    return false;
  }

  #drop(): void {
    this.#events -= this.#weights[this.#first] ?? 0;
    this.#first = (this.#first + 1) % this.#count;
    this.#length -= 1;
  }
}
