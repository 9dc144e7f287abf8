import { parseDocuments, YamlError } from '@tiphys/yaml';
import type { Template, WorkflowSpec } from '../model/types.ts';
import { lintSpec, referencesOf } from './lint-spec.ts';
import { type Linted, lintedKinds, pathInObject, templatesOf, workflowSpecOf } from './linted.ts';
import { lintUnknownFields } from './unknown-fields.ts';

export interface LintedFile {
  readonly file: string;
  readonly text: string;
}

/** One finding as people read it: `file:line`, what is wrong, what to do. */
export interface LintProblem {
  readonly file: string;
  readonly line: number;
  readonly object: string;
  readonly message: string;
  readonly remedy: string;
}

/** A finding as two lines. */
export const toldProblem = ({ file, line, object, message, remedy }: LintProblem): string =>
  `${file}:${line}: ${object}: ${message}\n  → ${remedy}`;

/** What is known besides the files. */
export interface LintSurroundings {
  /** Templates of `WorkflowTemplate NAME` and `ClusterWorkflowTemplate NAME`, such as those of a cluster. */
  readonly known?: ReadonlyMap<string, readonly Template[]>;
  /** Workflows are to run now, with these arguments (`NAME=VALUE`) and from this template, if it is another one. */
  readonly submitted?: { readonly parameters: readonly string[]; readonly entrypoint?: string | undefined };
  /** Fields that there are not are let pass. */
  readonly isLenient?: boolean;
  /** Only objects of these kinds are looked at; the others are known to them. All if absent. */
  readonly kinds?: readonly string[];
}

/** Everything that is wrong with the workflows in some files, and how many there are. Templates may refer to each other over files. */
export function lintFiles(
  files: readonly LintedFile[],
  { known: others = new Map(), submitted, isLenient, kinds = lintedKinds }: LintSurroundings = {},
): { problems: LintProblem[]; count: number } {
  const { objects, problems } = objectsIn(files);
  const known = new Map(others);
  for (const { value } of objects)
    if (value.kind?.endsWith('WorkflowTemplate'))
      known.set(`${value.kind} ${value.metadata?.name}`, templatesOf(value));
  const context = {
    templates: (name: string, isCluster: boolean) =>
      known.get(`${isCluster ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate'} ${name}`),
  };
  const wanted = objects.filter(({ value }) => kinds.includes(value.kind ?? ''));
  for (const { file, value, lineOf } of wanted) {
    const submits = submitted !== undefined && value.kind === 'Workflow';
    const written = workflowSpecOf(value);
    const spec = submits ? withArguments(written, submitted) : written;
    const isTemplate = value.kind?.endsWith('WorkflowTemplate') ?? false;
    const object = `${value.kind} ${value.metadata?.name ?? value.metadata?.generateName ?? ''}`;
    const findings = [
      ...(isLenient ? [] : lintUnknownFields(value)),
      ...lintSpec(spec, context, { isTemplate, submits }).map((each) => ({
        ...each,
        path: pathInObject(value, each.path),
      })),
    ];
    for (const { path, message, remedy } of findings)
      problems.push({ file, line: lineOf(path), object, message, remedy });
  }
  return { problems, count: wanted.length };
}

interface Found {
  readonly file: string;
  readonly value: Linted;
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

function objectsIn(files: readonly LintedFile[]): { objects: Found[]; problems: LintProblem[] } {
  const objects: Found[] = [];
  const problems: LintProblem[] = [];
  for (const { file, text } of files) {
    try {
      for (const { value, lineOf } of parseDocuments(text, { file }).documents) {
        const object = value as Linted | null;
        if (object && lintedKinds.includes(object.kind ?? '')) objects.push({ file, value: object, lineOf });
      }
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      problems.push({ file, line: 1, object: '', message: error.message, remedy: 'Correct the YAML' });
    }
  }
  return { objects, problems };
}

/** The templates outside of some files that the calls in them refer to. Throws nothing: what cannot be read has none. */
export function referencedByFiles(files: readonly LintedFile[]): { name: string; isCluster: boolean }[] {
  const found = objectsIn(files).objects.flatMap(({ value }) => referencesOf(workflowSpecOf(value)));
  return found.filter(({ name }) => !name.includes('{{'));
}

/** The spec as it will run. The arguments stay in their places, so that what is wrong is found in the text. */
function withArguments(spec: WorkflowSpec, { parameters, entrypoint }: NonNullable<LintSurroundings['submitted']>) {
  const values = new Map(
    parameters.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  );
  const given = spec.arguments?.parameters ?? [];
  const own = given.map((each) => (values.has(each.name) ? { ...each, value: values.get(each.name) as string } : each));
  const names = new Set(given.map(({ name }) => name));
  const more = [...values].filter(([name]) => !names.has(name)).map(([name, value]) => ({ name, value }));
  return {
    ...spec,
    ...(entrypoint ? { entrypoint } : {}),
    arguments: { ...spec.arguments, parameters: [...own, ...more] },
  };
}
