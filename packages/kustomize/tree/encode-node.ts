import { printYaml } from '@tiphys/yaml';
import { GoError } from '../go-error.ts';
import type { Node } from './node.ts';
import { toValue } from './to-value.ts';

/** The text of a tree as messages show it. */
export function encodeNode(node: Node): string {
  try {
    return printYaml(toValue(node));
  } catch (error) {
    if (error instanceof GoError) return node.value;
    throw error;
  }
}
