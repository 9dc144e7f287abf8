import type { ParsedTemplate, Tree } from '../parse/tree.ts';
import { isEmptyTree } from '../parse/tree.ts';

/** Templates that can call one another, as Go associates them. */
export class TemplateSet {
  #trees: Map<string, Tree>;
  /** Sets below that this one shares with its clones; nobody changes them. */
  #below: TemplateSet | undefined;

  constructor(trees: Map<string, Tree> = new Map(), below?: TemplateSet) {
    this.#trees = trees;
    this.#below = below;
  }

  /** Adds a parsed text with all that it defines. As in Go, an empty definition does not replace one with a body. */
  add(parsed: ParsedTemplate): void {
    for (const [name, tree] of parsed.trees) {
      if (isEmptyTree(tree.root) && this.lookup(name)) continue;
      this.#trees.set(name, tree);
    }
  }

  lookup(name: string): Tree | undefined {
    return this.#trees.get(name) ?? this.#below?.lookup(name);
  }

  names(): IterableIterator<string> {
    if (!this.#below) return this.#trees.keys();
    return new Set([...this.#below.names(), ...this.#trees.keys()]).keys();
  }

  /** A set to which templates can be added without changing this one. Costs nothing. */
  clone(): TemplateSet {
    if (this.#trees.size > 0) {
      this.#below = new TemplateSet(this.#trees, this.#below);
      this.#trees = new Map();
    }
    return new TemplateSet(new Map(), this.#below);
  }
}
