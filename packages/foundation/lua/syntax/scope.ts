import type { Capture, LocalVariable } from './tree.ts';

/** The variables of one function while it is read. */
export class FunctionScope {
  readonly parent: FunctionScope | undefined;
  readonly captures: Capture[] = [];
  variadic = false;
  slots = 0;
  #next = 0;
  #visible: LocalVariable[] = [];

  constructor(parent?: FunctionScope) {
    this.parent = parent;
  }

  /** Runs with a block's own variables; their slots are free again after it. */
  block<T>(read: () => T): T {
    const [visible, next] = [this.#visible.length, this.#next];
    try {
      return read();
    } finally {
      this.#visible.length = visible;
      this.#next = next;
    }
  }

  /** A new variable, not visible yet. */
  make(name: string): LocalVariable {
    return { name, slot: this.hide(1), captured: false };
  }

  show(variable: LocalVariable): void {
    this.#visible.push(variable);
  }

  declare(name: string): LocalVariable {
    const variable = this.make(name);
    this.show(variable);
    return variable;
  }

  /** Takes slots that no name reaches; the first one's number. */
  hide(count: number): number {
    const first = this.#next;
    this.#next += count;
    this.slots = Math.max(this.slots, this.#next);
    return first;
  }

  local(name: string): LocalVariable | undefined {
    return this.#visible.findLast((variable) => variable.name === name);
  }

  /** The place of a variable of an outer function among the captures; undefined if none has the name. */
  capture(name: string): number | undefined {
    const known = this.captures.findIndex((candidate) => candidate.name === name && this.#same(candidate));
    if (known >= 0) return known;
    const from = this.#outer(name);
    if (from === undefined) return undefined;
    if (typeof from !== 'number') from.captured = true;
    return this.captures.push({ name, from }) - 1;
  }

  #same(candidate: Capture): boolean {
    return candidate.from === this.#outer(candidate.name);
  }

  #outer(name: string): LocalVariable | number | undefined {
    return this.parent?.local(name) ?? this.parent?.capture(name);
  }
}
