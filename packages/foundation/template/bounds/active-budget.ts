import type { Budget } from './budget.ts';

/** The budget of the execution that runs now: functions are synchronous, so there is one at a time. */
let active: Budget | undefined;

/** Makes a budget the one that is charged; returns the one before, to be put back. */
export function activate(budget: Budget | undefined): Budget | undefined {
  const before = active;
  active = budget;
  return before;
}

/** Charges work inside a function: one step for each value that it visits. */
export function charge(steps = 1): void {
  active?.step(steps);
}

/** Charges a value that is copied or encoded. */
export function chargeCopy(values = 1): void {
  active?.copy(values);
}

/** Charges work of a tenth of a second or so inside a function, like the making of a key. */
export function chargeHeavy(): void {
  active?.step(10_000);
}

/** Charges a match of a regular expression before it is tried. */
export function chargeMatch(instructions: number, units: number): void {
  active?.match(instructions, units);
}

/** Refuses a text that has grown beyond the limit while it is made. */
export function limitText(units: number): void {
  active?.fits(units);
}

/** Refuses a list of that many elements before it is made. */
export function limitList(elements: number): void {
  active?.list(elements);
}
