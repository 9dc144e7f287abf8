import type { Template } from '../model/types.ts';

export type Path = readonly (string | number)[];

/** One thing that is wrong, and where in the object. */
export interface LintFinding {
  readonly path: Path;
  readonly message: string;
  readonly remedy: string;
  /** The same in upstream's words, where people or programs know them. */
  readonly told?: string;
}

export interface LintContext {
  /** Templates of a WorkflowTemplate or ClusterWorkflowTemplate; undefined if it is not known here. */
  templates(name: string, isCluster: boolean): readonly Template[] | undefined;
}

export function finding(path: Path, message: string, remedy: string): LintFinding {
  return { path, message, remedy };
}

/** Texts with `{{` in a value, with where they are. */
export function* textsOf(value: unknown, at: Path): Generator<{ text: string; at: Path }> {
  if (typeof value === 'string') {
    if (value.includes('{{')) yield { text: value, at };
  } else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* textsOf(item, [...at, index]);
  else if (value !== null && typeof value === 'object')
    for (const [key, field] of Object.entries(value)) yield* textsOf(field, [...at, key]);
}
