import type { ParsedTemplate, Tree } from './parse/tree.ts';
import { isEmptyTree } from './parse/tree.ts';

/** Templates that can call one another, as Go associates them. */
export class TemplateSet {
  #trees: Map<string, Tree>;
  #shared: boolean;

  constructor(trees: Map<string, Tree> = new Map(), shared = false) {
    this.#trees = trees;
    this.#shared = shared;
  }

  /** Adds a parsed text with all that it defines. As in Go, an empty definition does not replace one with a body. */
  add(parsed: ParsedTemplate): void {
    if (this.#shared) this.#trees = new Map(this.#trees);
    this.#shared = false;
    for (const [name, tree] of parsed.trees) {
      const old = this.#trees.get(name);
      if (old && isEmptyTree(tree.root)) continue;
      this.#trees.set(name, tree);
    }
  }

  lookup(name: string): Tree | undefined {
    return this.#trees.get(name);
  }

  names(): IterableIterator<string> {
    return this.#trees.keys();
  }

  /** A set to which templates can be added without changing this one. Costs nothing until then. */
  clone(): TemplateSet {
    this.#shared = true;
    return new TemplateSet(this.#trees, true);
  }
}
