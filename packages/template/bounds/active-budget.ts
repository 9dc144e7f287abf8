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

/** Refuses a text that has grown beyond the limit while it is made. */
export function limitText(units: number): void {
  active?.fits(units);
}

/** Refuses a list of that many elements before it is made. */
export function limitList(elements: number): void {
  active?.list(elements);
}
