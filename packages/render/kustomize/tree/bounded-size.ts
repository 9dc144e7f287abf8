import { GoError } from '../failure/go-error.ts';
import type { Node } from './node.ts';

const maxNodes = 1_000_000;
const maxText = 64 * 1024 * 1024;

/** Throws for a tree that grew beyond all reason: what copies a part into itself doubles it every time. */
export function refuseHuge(root: Node): void {
  let count = 0;
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    count += 1 + node.content.length;
    if (count > maxNodes) throw tooLarge(`the resource has more than ${maxNodes} fields and items`);
    for (const part of node.content) if (part.content.length > 0) stack.push(part);
  }
}

/** Throws for a text that was put into itself again and again. */
export function refuseLongText(text: string): void {
  if (text.length > maxText) throw tooLarge(`a text of the resource has more than ${maxText} characters`);
}

function tooLarge(message: string): GoError {
  const error = new GoError(message, {
    remedies: ['Look for patches and replacements that copy a part of a resource into itself'],
  });
  error.marks.add('limit');
  return error;
}
