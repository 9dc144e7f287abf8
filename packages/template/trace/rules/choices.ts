import { isEmpty } from '../../sprig/convert.ts';
import type { TraceRule } from '../call.ts';

/** `default`: the value, or its default if it is empty. */
export const defaulted: TraceRule = (call) => {
  const [, given] = call.args;
  return call.traces[call.args.length < 2 || given === undefined || isEmpty(given) ? 0 : 1];
};

/** `coalesce`: the first that is not empty. */
export const firstGiven: TraceRule = (call) => call.traces[call.args.findIndex((arg) => !isEmpty(arg))];

/** `ternary`. */
export const either: TraceRule = (call) => call.traces[call.args[2] === true ? 0 : 1];
