import { parseDocuments, YamlError } from '@tiphys/yaml';
import type { Template, WorkflowSpec } from '../model/types.ts';
import type { LintFinding } from './finding.ts';
import { lintSpec } from './lint-spec.ts';

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

interface Linted {
  readonly kind?: string;
  readonly metadata?: { name?: string; generateName?: string };
  readonly spec?: WorkflowSpec & { workflowSpec?: WorkflowSpec; schedules?: string[] };
}

const kinds = ['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow'];

/** Everything that is wrong with the workflows in some files, and how many there are. Templates may refer to each other over files. */
export function lintFiles(files: readonly LintedFile[]): { problems: LintProblem[]; count: number } {
  const problems: LintProblem[] = [];
  const objects: { file: string; value: Linted; lineOf: (path: readonly (string | number)[]) => number }[] = [];
  for (const { file, text } of files) {
    try {
      for (const { value, lineOf } of parseDocuments(text, { file }).documents) {
        const object = value as Linted | null;
        if (object && kinds.includes(object.kind ?? '')) objects.push({ file, value: object, lineOf });
      }
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      problems.push({ file, line: 1, object: '', message: error.message, remedy: 'Correct the YAML' });
    }
  }
  const known = new Map<string, readonly Template[]>();
  for (const { value } of objects)
    if (value.kind?.endsWith('WorkflowTemplate'))
      known.set(`${value.kind} ${value.metadata?.name}`, value.spec?.templates ?? []);
  const context = {
    templates: (name: string, isCluster: boolean) =>
      known.get(`${isCluster ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate'} ${name}`),
  };
  for (const { file, value, lineOf } of objects) {
    const isCron = value.kind === 'CronWorkflow';
    const spec = (isCron ? value.spec?.workflowSpec : value.spec) ?? {};
    const isTemplate = value.kind?.endsWith('WorkflowTemplate') ?? false;
    const object = `${value.kind} ${value.metadata?.name ?? value.metadata?.generateName ?? ''}`;
    for (const { path, message, remedy } of lintSpec(spec, context, { isTemplate }))
      problems.push({ file, line: lineOf(place(path, isCron)), object, message, remedy });
  }
  return { problems, count: objects.length };
}

function place(path: LintFinding['path'], isCron: boolean): (string | number)[] {
  return isCron ? ['spec', 'workflowSpec', ...path.slice(1)] : [...path];
}
