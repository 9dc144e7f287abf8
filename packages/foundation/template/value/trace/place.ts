import type { Tree } from '../../parse/tree.ts';
import type { Source } from './source.ts';

/** Where a template wrote something. */
export interface Place {
  readonly tree: Tree;
  /** Offset in the text of the tree, in UTF-16 units. */
  readonly at: number;
  /** The action that executed the template; undefined for the outermost. */
  readonly caller: Place | undefined;
  /** What had to hold inside the template for this to be written. */
  readonly because: Condition | undefined;
  /** The template is itself a value (`tpl`). */
  readonly isInline: boolean;
}

/** A branch that was taken. */
export interface Condition {
  readonly kind: 'if' | 'with' | 'range' | 'else';
  readonly tree: Tree;
  /** Offset of the pipeline. */
  readonly at: number;
  /** The pipeline as Go prints it: `.Values.ingress.enabled`. */
  readonly expression: () => string;
  /** What the pipeline's value was made of. */
  readonly source: Source | undefined;
  readonly outer: Condition | undefined;
}
