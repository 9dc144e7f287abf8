/** Where a name's value is: its slot, and the slot that says whether it is an element of a range over interfaces. */
export interface Variable {
  readonly name: string;
  readonly slot: number;
  readonly rangeSlot: number | undefined;
}

/** A point of a template: the innermost variable that is visible there, and those outside of it. */
interface Visible extends Variable {
  readonly outer: Visible | undefined;
}

/** A point of a template, to come back to. */
export interface ScopePoint {
  readonly visible: Visible | undefined;
  readonly dotRangeSlot: number | undefined;
}

/** Variables that are visible at a point of a template, resolved to slots when the template is compiled. */
export class Scope {
  #visible: Visible | undefined = { name: '$', slot: 0, rangeSlot: undefined, outer: undefined };
  #slots = 1;
  /** Slot that tells what kind of element dot is inside a range; undefined where dot is a plain value. */
  dotRangeSlot: number | undefined;

  /** The number of slots that a frame needs, for what has been compiled so far. */
  get slots(): number {
    return this.#slots;
  }

  mark(): ScopePoint {
    return { visible: this.#visible, dotRangeSlot: this.dotRangeSlot };
  }

  /** Forgets what was declared since the mark. */
  pop(mark: ScopePoint): void {
    this.#visible = mark.visible;
  }

  /** Compiles something at a point that has been left. */
  at<T>(point: ScopePoint, compile: () => T): T {
    const left = this.mark();
    this.#visible = point.visible;
    this.dotRangeSlot = point.dotRangeSlot;
    const result = compile();
    this.#visible = left.visible;
    this.dotRangeSlot = left.dotRangeSlot;
    return result;
  }

  /** A slot without a name. */
  reserve(): number {
    return this.#slots++;
  }

  declare(name: string): number {
    const slot = this.#slots++;
    this.#visible = { name, slot, rangeSlot: undefined, outer: this.#visible };
    return slot;
  }

  /** Says that the innermost variable of the name holds elements of the range with the slot. */
  bindRange(name: string, rangeSlot: number): void {
    const variable = this.resolve(name);
    if (variable) this.#visible = { name, slot: variable.slot, rangeSlot, outer: this.#visible };
  }

  /** The innermost variable of the name. */
  resolve(name: string): Variable | undefined {
    let variable = this.#visible;
    while (variable && variable.name !== name) variable = variable.outer;
    return variable;
  }
}
