import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { stepsOf } from './field-owners.ts';

/**
 * Which of the lines of a document (from 0) says the field that a JSON pointer of the desired object names; undefined where none does: what a
 * tool has added is not in the file.
 */
export function lineOf(lines: readonly string[], pointer: string, desired: unknown): number | undefined {
  const counter = new LineCounter();
  const document = parseDocument(lines.join('\n'), { lineCounter: counter });
  if (document.errors.length > 0) return undefined;
  let node: unknown = document.contents;
  let value = desired;
  let offset: number | undefined;
  for (const step of stepsOf(pointer)) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
      if (!pair || !isNode(pair.key)) return undefined;
      offset = pair.key.range?.[0];
      node = pair.value;
      value = (value as Record<string, unknown> | undefined)?.[step];
    } else if (isSeq(node)) {
      // the places of items are those of the file only where nothing was added
      if (!Array.isArray(value) || value.length !== node.items.length) return undefined;
      const item: unknown = node.items[Number(step)];
      if (!isNode(item)) return undefined;
      offset = item.range?.[0];
      node = item;
      value = value[Number(step)];
    } else return undefined;
  }
  return offset === undefined ? undefined : counter.linePos(offset).line - 1;
}
