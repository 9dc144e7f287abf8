import { indentJson } from '@tiphys/template';
import { GoError } from '../failure/go-error.ts';
import type { Stamp } from '../resource/resource.ts';
import { lookup } from '../tree/fields.ts';
import { formatJson } from '../tree/format-json.ts';
import type { Node, NodeKind } from '../tree/node.ts';
import { toValue } from '../tree/to-value.ts';
import { copyValue } from './copy-value.ts';
import { matchPath } from './match-path.ts';
import { readStructuredText } from './structured-text.ts';
import { encodeWithComments, readComments } from './text-comments.ts';

export interface TextTarget {
  readonly root: Node;
  readonly parts: readonly string[];
  readonly value: Node;
  readonly create: NodeKind | undefined;
  readonly stamp: Stamp;
}

/**
 * Sets fields inside a text that is JSON or YAML itself, such as a file in a ConfigMap, if the path leads into one. False if
 * it does not, or if nothing can be set there.
 */
export function setInStructuredText({ root, parts, value, create, stamp }: TextTarget): boolean {
  const found = textOnPath(root, parts);
  if (!found) return false;
  const { scalar, rest } = found;
  try {
    const tree = readStructuredText(scalar.value);
    const isJson = /^[{[]/.test(scalar.value.trim());
    const comments = isJson ? [] : readComments(scalar.value, tree);
    const fields = matchPath(tree, rest, create);
    if (fields.length === 0) return false;
    for (const field of fields) copyValue(field, value.copy(), stamp);
    if (!comments) throw new TextRefused(scalar, parts);
    scalar.value = isJson ? json(tree, scalar.value) : encodeWithComments(tree, comments).trim();
  } catch (error) {
    if (error instanceof GoError && !(error instanceof TextRefused)) return false;
    throw error;
  }
  scalar.origin = stamp.origin;
  scalar.line = stamp.line;
  return true;
}

/** What is deliberately not done: a text that would lose something is not written. */
class TextRefused extends GoError {
  constructor(scalar: Node, parts: readonly string[]) {
    super(
      `replacement of ${parts.join('.')}: the YAML text that is changed has anchors, or comments at places that are not supported`,
      {
        ...(scalar.origin ? { place: { file: scalar.origin.file, line: scalar.line } } : {}),
        remedies: ['Write the text without anchors, with comments above or behind keys only, or as JSON'],
      },
    );
  }
}

/** The first scalar on a path that goes on below it and that reads as YAML. */
function textOnPath(root: Node, parts: readonly string[]): { scalar: Node; rest: readonly string[] } | undefined {
  for (let i = 1; i < parts.length; i++) {
    let node: Node | undefined;
    try {
      node = lookup(root, ...parts.slice(0, i));
      if (node?.kind !== 'scalar') continue;
      readStructuredText(node.value);
    } catch (error) {
      if (!(error instanceof GoError)) throw error;
      continue;
    }
    return { scalar: node, rest: parts.slice(i) };
  }
  return undefined;
}

/** In one line, or indented if the text was. */
function json(root: Node, before: string): string {
  const text = formatJson(toValue(root));
  return before.includes('\n') && before.includes('  ') ? indentJson(text) : text;
}
