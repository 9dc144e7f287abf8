import type { ListNode } from './node.ts';

/** One template of a parsed text. */
export interface Tree {
  readonly name: string;
  /** Name of the text that it was parsed from; what error messages give as the template's name. */
  readonly parseName: string;
  /** The whole text. */
  readonly text: string;
  readonly root: ListNode;
}

/** A parsed text: the template of its own name and all that it defines. A pure function of the text: cache it. */
export interface ParsedTemplate {
  readonly name: string;
  readonly trees: ReadonlyMap<string, Tree>;
}

/** True if the body has nothing but white space and comments. */
export function isEmptyTree(list: ListNode): boolean {
  return list.nodes.every((node) => node.type === 'text' && /^[\s\u0085\u180e]*$/u.test(node.text));
}
