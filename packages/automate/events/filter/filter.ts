import type { CloudEvent } from '../event/cloud-event.ts';
import { dataOfNode, JsonSyntaxError, type Node, parseNode } from '../json/node.ts';
import type { Dependency, DependencyFilter } from '../spec/sensor.ts';
import { dataFilter } from './data-filter.ts';
import { exprFilter } from './expr-filter.ts';
import { dataOf, EventScriptError, runScript } from './lua.ts';
import { timeFilter } from './time-filter.ts';
import { failed, passed, refused, type Verdict } from './verdict.ts';

/** One filter of a dependency with what it said. */
export interface FilterVerdict extends Verdict {
  readonly kind: 'exprs' | 'data' | 'context' | 'time' | 'script';
}

/**
 * Whether an event passes the filters of a dependency. With `and` the first filter that refuses decides; with `or` one that
 * passes is enough. An error of any filter drops the event in both.
 */
export function filterEvent(dependency: Dependency, event: CloudEvent, now: () => number): Verdict {
  const { filters, filtersLogicalOperator } = dependency;
  if (!filters) return passed;
  const verdicts: FilterVerdict[] = [];
  for (const verdict of each(filters, event, now)) {
    verdicts.push(verdict);
    if (verdict.isError || (filtersLogicalOperator !== 'or' && !verdict.passes)) return told(verdict);
  }
  if (filtersLogicalOperator !== 'or' || verdicts.some(({ passes }) => passes)) return passed;
  return refused(verdicts.map((verdict) => told(verdict).reason).join('; ') || 'no filter is given');
}

function told({ kind, ...verdict }: FilterVerdict): Verdict {
  return verdict.isError ? verdict : { ...verdict, reason: `filter ${kind}: ${verdict.reason}` };
}

/** What each filter that is given says, in upstream's order, no further than somebody asks. */
function* each(filters: DependencyFilter, event: CloudEvent, now: () => number): Generator<FilterVerdict> {
  const { exprs, data, context, time, script } = filters;
  const payload = payloadOf(event);
  const over = (kind: FilterVerdict['kind'], check: (node: Node) => Verdict): FilterVerdict => {
    if (payload === undefined) return { kind, ...passed };
    return {
      kind,
      ...(typeof payload === 'string' ? failed(kind === 'exprs' ? 'expr' : kind, [payload]) : check(payload)),
    };
  };
  if (exprs) yield over('exprs', (node) => exprFilter(exprs, filters.exprLogicalOperator, node));
  if (data?.length === 0) yield { kind: 'data', ...passed };
  else if (data) yield over('data', (node) => dataFilter(data, filters.dataLogicalOperator, node));
  if (context) yield { kind: 'context', ...contextFilter(context, event) };
  if (time) yield { kind: 'time', ...timeFilter(time, event.time) };
  if (script) yield over('script', (node) => scriptFilter(script, node, now));
}

/** The payload as a tree; undefined if there is none; a text tells why it cannot be read. */
function payloadOf({ data }: CloudEvent): Node | string | undefined {
  if (data === undefined) return undefined;
  try {
    return parseNode(data);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return 'event data not valid JSON';
    throw error;
  }
}

function contextFilter(wanted: NonNullable<DependencyFilter['context']>, event: CloudEvent): Verdict {
  for (const name of ['type', 'subject', 'source', 'datacontenttype'] as const)
    if (wanted[name] && wanted[name] !== event[name])
      return refused(`${name} is ${JSON.stringify(event[name])}, wanted ${JSON.stringify(wanted[name])}`);
  return passed;
}

function scriptFilter(script: string, node: Node, now: () => number): Verdict {
  // null is a table without fields, as upstream
  if (node.kind !== 'object' && node.kind !== 'null') return failed('script', ['event data is not a JSON object']);
  try {
    const result = runScript(script, dataOfNode(node) ?? {}, now);
    if (result.type === 'boolean' && dataOf(result) === true) return passed;
    return refused(`it returned ${result.type === 'boolean' ? 'false' : `a ${result.type}`}, wanted true`);
  } catch (error) {
    if (error instanceof EventScriptError) return failed('script', [error.message]);
    throw error;
  }
}
