import { formatNumber } from '../model/go-format.ts';
import { itemText, wholeItemText } from '../model/go-text.ts';
import type { Item, Sequence, TemplateCall } from '../model/types.ts';
import { OperationError } from '../operation/halt.ts';
import { substitute } from '../text/substitute.ts';
import { Layer, type Value, type Variables } from '../text/variables.ts';
import { whenHolds } from '../text/when.ts';

/** True for calls that are made once for each item. */
export function isLoop({ withItems, withParam, withSequence }: TemplateCall): boolean {
  return (withItems?.length ?? 0) > 0 || Boolean(withParam) || withSequence !== undefined;
}

/** The calls of a loop, one for each item, named `NAME(INDEX:ITEM)`; a call that is no loop gives itself. Throws an error. */
export function expand<T extends TemplateCall & { name?: string }>(call: T, variables: Variables): T[] {
  if (!isLoop(call)) return [call];
  const items = itemsOf(call);
  const { withItems, withParam, withSequence, ...single } = call;
  return items.map((item, index) => oneOf(single as unknown as T, { item, index, variables }));
}

function itemsOf(call: TemplateCall): Item[] {
  if (call.withItems?.length) return call.withItems;
  try {
    return call.withParam ? parseItems(call.withParam) : sequence(call.withSequence ?? {});
  } catch (error) {
    // a loop that does not run may have nothing to run over
    if (mayRun(call.when)) throw error;
    return [];
  }
}

function mayRun(when: string | undefined): boolean {
  try {
    return whenHolds(when ?? '');
  } catch {
    return true;
  }
}

function parseItems(text: string): Item[] {
  let items: unknown;
  let reason = 'it is not a list';
  try {
    items = JSON.parse(text);
  } catch (error) {
    reason = (error as Error).message;
  }
  if (items === null) return [];
  if (Array.isArray(items)) return items as Item[];
  throw new OperationError(`withParam value could not be parsed as a JSON list: ${text.trim()}: ${reason}`);
}

const longestSequence = 100_000;

function sequence({ start: from, end: to, count, format }: Sequence): Item[] {
  const start = from === undefined ? 0 : whole(from);
  let end: number;
  if (to !== undefined) end = whole(to);
  else if (count !== undefined) {
    const length = whole(count);
    if (length <= 0) return [];
    end = start + length - 1;
  } else throw new OperationError('neither end nor count was specified in withSequence');
  const length = Math.abs(end - start) + 1;
  if (length > longestSequence)
    throw new OperationError(`withSequence has ${length} items, more than ${longestSequence}`);
  const step = start <= end ? 1 : -1;
  return Array.from({ length }, (_, index) => formatNumber(format || '%d', start + index * step));
}

function whole(value: number | string): number {
  if (!/^[+-]?\d{1,15}$/.test(String(value)))
    throw new OperationError(`strconv.Atoi: parsing ${JSON.stringify(String(value))}: invalid syntax`);
  return Number(value);
}

interface Turn {
  readonly item: Item;
  readonly index: number;
  readonly variables: Variables;
}

function oneOf<T extends TemplateCall>(call: T, { item, index, variables }: Turn): T {
  const own = new Layer(variables);
  let description = itemText(item);
  own.set('item', wholeItemText(item));
  if (item !== null && typeof item === 'object' && !Array.isArray(item)) {
    const fields = Object.entries(item).map(([key, value]) => [key, itemText(value)] as const);
    for (const [key, value] of fields) own.set(`item.${key}`, value);
    description = fields
      .map(([key, value]) => `${key}:${value}`)
      .sort()
      .join(',');
  } else if (Array.isArray(item)) description = `[${item.map(itemText).join(' ')}]`;
  if (item === null)
    throw new OperationError(`withItems[${index}] expected string, number, list, or map. received: null`);
  const { name, template } = call;
  const hooks = call.hooks;
  const filled = substitute(
    { ...call, hooks: undefined },
    skipped(call, own) ? withoutNull(own) : own,
    skipped(call, own) ? 'keep' : 'refuse',
  );
  return JSON.parse(
    JSON.stringify({
      ...filled,
      name: `${name}(${index}:${description.replace(/[()]/g, '')})`,
      ...(template ? { template } : {}),
      ...(hooks ? { hooks } : {}),
    }),
  ) as T;
}

function skipped({ when }: TemplateCall, variables: Variables): boolean {
  if (!when || when.includes('{{')) return when !== undefined && variables.size < 0;
  return !mayRun(when);
}

function withoutNull(variables: Variables): Map<string, Value> {
  return new Map([...variables].filter(([, value]) => value !== null));
}

/** The number of an item in the name of its node. */
export function loopIndex(nodeName: string): number {
  const match = /^.*\((\d{1,9}):/s.exec(nodeName);
  return match ? Number(match[1]) : 0;
}
