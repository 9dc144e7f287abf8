import { isEmpty } from '../../fmt/convert.ts';
import type { TraceRule } from '../../value/trace/call.ts';
import { Rope, type Traced, wholeOf } from '../../value/trace/rope.ts';
import { standIn } from '../../value/trace/source.ts';
import type { Value } from '../../value/value.ts';

/** What was chosen after others were found empty. A container keeps its own places. */
export function chosenOver(value: Value, traced: Traced, asked: readonly Traced[]): Traced {
  if (typeof value === 'object' && value !== null) return traced;
  const empty = asked.map(wholeOf);
  return traced instanceof Rope ? traced.map((source) => standIn(source, empty)) : standIn(traced, empty);
}

/** `default`: the value, or its default if it is empty. */
export const defaulted: TraceRule = ({ args, traces }) => {
  const [fallback, given] = args;
  if (args.length > 1 && given !== undefined && !isEmpty(given)) return traces[1];
  return chosenOver(fallback, traces[0], traces.slice(1));
};

/** `coalesce`: the first that is not empty. */
export const firstGiven: TraceRule = ({ args, traces }) => {
  const index = args.findIndex((arg) => !isEmpty(arg));
  return index < 0 ? undefined : chosenOver(args[index], traces[index], traces.slice(0, index));
};

/** `ternary`. */
export const either: TraceRule = (call) => call.traces[call.args[2] === true ? 0 : 1];
