import type { Survival } from './survival.js';

/** Bytes that reach the disk at once. */
const PAGE_BYTES = 4096;

/** A page that changed since its last sync. */
interface ChangedPage {
  /** Its content after each change. */
  readonly versions: { readonly time: number; readonly bytes: Buffer }[];
  /** False after a failed sync: the system treats the page as written, and no later sync writes it (fsync(2), EIO). */
  isDirty: boolean;
}

/** A file whose pages and length reach the disk one by one, at any time until they are synced. */
export class MemoryFile {
  readonly kind = 'file';
  #bytes: Buffer;
  #length: number;
  /** Survives every power failure. */
  #safe: Buffer;
  #safeLength: number;
  readonly #pages = new Map<number, ChangedPage>();
  #lengths: { readonly time: number; readonly length: number }[] = [];

  /** A synced file. */
  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = bytes;
    this.#length = bytes.length;
    this.#safe = Buffer.from(bytes);
    this.#safeLength = bytes.length;
  }

  get length(): number {
    return this.#length;
  }

  read(position: number, bytes: number): Buffer {
    return Buffer.from(this.#bytes.subarray(position, Math.min(position + bytes, this.#length)));
  }

  write(bytes: Buffer, position: number, time: number): void {
    if (bytes.length === 0) return;
    const end = position + bytes.length;
    this.#bytes = grown(this.#bytes, end);
    bytes.copy(this.#bytes, position);
    if (end > this.#length) this.#setLength(end, time);
    this.#changed(position, end, time);
  }

  truncate(length: number, time: number): void {
    const before = this.#length;
    if (length === before) return;
    this.#bytes = grown(this.#bytes, length);
    this.#bytes.fill(0, length);
    this.#setLength(length, time);
    if (length < before) this.#changed(length, before, time);
  }

  sync(): void {
    this.#safe = grown(this.#safe, this.#length);
    for (const [page, { isDirty }] of this.#pages) {
      if (!isDirty) continue;
      this.#pageOf(this.#bytes, page).copy(this.#safe, page * PAGE_BYTES);
      this.#pages.delete(page);
    }
    this.#safe.fill(0, this.#length);
    this.#safeLength = this.#length;
    this.#lengths = [];
  }

  /** A sync that failed. */
  failSync(): void {
    for (const page of this.#pages.values()) page.isDirty = false;
  }

  copy(): MemoryFile {
    const copy = new MemoryFile(Buffer.from(this.#bytes.subarray(0, this.#length)));
    copy.#safe = Buffer.from(this.#safe);
    copy.#safeLength = this.#safeLength;
    copy.#lengths = [...this.#lengths];
    for (const [page, { versions, isDirty }] of this.#pages) {
      copy.#pages.set(page, { versions: [...versions], isDirty });
    }
    return copy;
  }

  /** The file after the power failure. */
  afterPowerLoss(survival: Survival): MemoryFile {
    const length = this.#lengthAfter(survival);
    const found = Buffer.alloc(length);
    this.#safe.copy(found, 0, 0, Math.min(this.#safeLength, length));
    for (const [page, { versions }] of this.#pages) {
      const chosen = versions[survival.choose(versions.map(({ time }) => time))];
      if (page * PAGE_BYTES < length) chosen?.bytes.copy(found, page * PAGE_BYTES);
    }
    return new MemoryFile(found);
  }

  #lengthAfter(survival: Survival): number {
    const chosen = survival.choose(this.#lengths.map(({ time }) => time));
    if (chosen < 0) return this.#safeLength;
    const { length = 0 } = this.#lengths[chosen] ?? {};
    const before = this.#lengths[chosen - 1]?.length ?? this.#safeLength;
    // A long write may reach the disk in parts.
    return survival.between(0, 3) > 0 ? length : survival.between(Math.min(before, length), length);
  }

  #setLength(length: number, time: number): void {
    this.#length = length;
    this.#lengths.push({ time, length });
  }

  #changed(from: number, to: number, time: number): void {
    for (let page = Math.floor(from / PAGE_BYTES); page * PAGE_BYTES < to; page += 1) {
      const changed = this.#pages.get(page) ?? { versions: [], isDirty: true };
      changed.isDirty = true;
      changed.versions.push({ time, bytes: this.#pageOf(this.#bytes, page) });
      this.#pages.set(page, changed);
    }
  }

  #pageOf(bytes: Buffer, page: number): Buffer {
    const copy = Buffer.alloc(PAGE_BYTES);
    bytes.copy(copy, 0, page * PAGE_BYTES, Math.min((page + 1) * PAGE_BYTES, this.#length));
    return copy;
  }
}

/** The same bytes, extended with zeros. */
function grown(bytes: Buffer, length: number): Buffer {
  if (bytes.length >= length) return bytes;
  const room = Buffer.alloc(Math.max(length, bytes.length * 2, PAGE_BYTES));
  bytes.copy(room);
  return room;
}
