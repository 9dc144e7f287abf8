/** Where a name's value is: its slot, and the slot that says whether it is an element of a range over interfaces. */
export interface Variable {
  readonly name: string;
  readonly slot: number;
  readonly rangeSlot: number | undefined;
}

/** Variables that are visible at a point of a template, resolved to slots when the template is compiled. */
export class Scope {
  #visible: Variable[] = [{ name: '$', slot: 0, rangeSlot: undefined }];
  #slots = 1;
  /** Slot that tells what kind of element dot is inside a range; undefined where dot is a plain value. */
  dotRangeSlot: number | undefined;

  /** The number of slots that a frame needs. */
  get slots(): number {
    return this.#slots;
  }

  mark(): number {
    return this.#visible.length;
  }

  pop(mark: number): void {
    this.#visible.length = mark;
  }

  /** A slot without a name. */
  reserve(): number {
    return this.#slots++;
  }

  declare(name: string): number {
    const slot = this.#slots++;
    this.#visible.push({ name, slot, rangeSlot: undefined });
    return slot;
  }

  /** Says that the innermost variable of the name holds elements of the range with the slot. */
  bindRange(name: string, rangeSlot: number): void {
    const index = this.#visible.findLastIndex((variable) => variable.name === name);
    const variable = this.#visible[index];
    if (variable) this.#visible[index] = { ...variable, rangeSlot };
  }

  /** The innermost variable of the name. */
  resolve(name: string): Variable | undefined {
    for (let i = this.#visible.length - 1; i >= 0; i--) {
      const variable = this.#visible[i];
      if (variable?.name === name) return variable;
    }
    return undefined;
  }
}
