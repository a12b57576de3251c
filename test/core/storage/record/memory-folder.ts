import type { MemoryFile } from './memory-file.js';
import type { Survival } from './survival.js';

/** An entry of a folder. */
export type MemoryNode = MemoryFile | MemoryFolder;

/** Names that changed in one step, as a rename changes two; undefined removes a name. */
type NameChange = ReadonlyMap<string, MemoryNode | undefined>;

/** A folder whose changes reach the disk one by one, in any order, until it is synced. */
export class MemoryFolder {
  readonly kind = 'folder';
  readonly #names: Map<string, MemoryNode>;
  #safe: ReadonlyMap<string, MemoryNode>;
  #changes: { readonly time: number; readonly names: NameChange }[] = [];

  /** A synced folder. */
  constructor(names: ReadonlyMap<string, MemoryNode> = new Map()) {
    this.#names = new Map(names);
    this.#safe = new Map(names);
  }

  get names(): ReadonlyMap<string, MemoryNode> {
    return this.#names;
  }

  change(names: NameChange, time: number): void {
    apply(this.#names, names);
    this.#changes.push({ time, names });
  }

  sync(): void {
    this.#safe = new Map(this.#names);
    this.#changes = [];
  }

  copy(): MemoryFolder {
    return new Copying().folder(this);
  }

  /** The folder and its content after the power failure. */
  afterPowerLoss(survival: Survival): MemoryFolder {
    return this.#afterPowerLoss(survival, new Map());
  }

  #afterPowerLoss(survival: Survival, found: Map<MemoryNode, MemoryNode>): MemoryFolder {
    const names = new Map(this.#safe);
    for (const change of this.#changes) if (survival.keeps(change.time)) apply(names, change.names);
    const after = (node: MemoryNode): MemoryNode => {
      const known = found.get(node);
      if (known !== undefined) return known;
      const result = node.kind === 'file' ? node.afterPowerLoss(survival) : node.#afterPowerLoss(survival, found);
      found.set(node, result);
      return result;
    };
    return new MemoryFolder(new Map([...names].map(([name, node]) => [name, after(node)])));
  }

  /** A copy of another folder with its unsynced changes, over copied nodes. */
  static like(other: MemoryFolder, copyOf: (node: MemoryNode) => MemoryNode): MemoryFolder {
    const copied = <Node extends MemoryNode | undefined>(names: ReadonlyMap<string, Node>) =>
      new Map([...names].map(([name, node]) => [name, node && copyOf(node)] as const));
    const folder = new MemoryFolder();
    for (const [name, node] of other.#names) folder.#names.set(name, copyOf(node));
    folder.#safe = new Map([...other.#safe].map(([name, node]) => [name, copyOf(node)]));
    folder.#changes = other.#changes.map(({ time, names }) => ({ time, names: copied(names) }));
    return folder;
  }
}

/** Copies a tree whose files may have several names. */
class Copying {
  readonly #copies = new Map<MemoryNode, MemoryNode>();

  folder(folder: MemoryFolder): MemoryFolder {
    return MemoryFolder.like(folder, (node) => this.#node(node));
  }

  #node(node: MemoryNode): MemoryNode {
    const known = this.#copies.get(node);
    if (known !== undefined) return known;
    const copy = node.kind === 'file' ? node.copy() : this.folder(node);
    this.#copies.set(node, copy);
    return copy;
  }
}

function apply(names: Map<string, MemoryNode>, change: NameChange): void {
  for (const [name, node] of change) {
    if (node === undefined) names.delete(name);
    else names.set(name, node);
  }
}
