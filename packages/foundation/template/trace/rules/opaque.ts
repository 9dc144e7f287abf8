import type { TraceRule } from '../../value/trace/call.ts';
import { wholeOf } from '../../value/trace/rope.ts';
import { unite } from '../../value/trace/source.ts';

/** The rule of functions without one: the whole of the result is made of all arguments. */
export const opaque: TraceRule = (call) => call.all()?.through(call.name);

/** Functions that look at the type, size or keys of their arguments and not into what these contain. */
export const shallow: TraceRule = (call) => unite(call.traces.map(wholeOf))?.through(call.name);
