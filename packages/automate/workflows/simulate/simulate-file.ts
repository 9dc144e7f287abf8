import { parseDocuments } from '@tiphys/yaml';
import { lintFiles, toldProblem } from '../lint/lint-files.ts';
import type { Pod, Workflow, WorkflowTemplate } from '../model/types.ts';
import { readFates } from './read-fates.ts';
import { Simulation } from './simulation.ts';

export interface SimulateOptions {
  /** A Workflow, with the templates and ConfigMaps that it uses. */
  readonly text: string;
  readonly file: string;
  /** YAML: a part of a node's name → what becomes of its pods. */
  readonly fates?: string;
  /** Its name, for what is wrong with it; `fates` if absent. */
  readonly fatesFile?: string;
  readonly seconds: number;
}

/** No workflow that can be run is in a text. */
class NothingToSimulate extends Error {
  override name = 'VerbError';
}

/** Runs the first workflow of a text on a clock of its own, and tells what happens when. What is wrong with it is refused as by lint, with its line. */
export function simulateFile({ text, file, fates, fatesFile = 'fates', seconds }: SimulateOptions): {
  workflow: Workflow;
  timeline: string[];
} {
  const objects = parseDocuments(text, { file }).documents.map(
    ({ value }) => value as unknown as { kind?: string } | null,
  );
  const workflow = objects.find((object) => object?.kind === 'Workflow') as Workflow | undefined;
  if (!workflow) throw new NothingToSimulate(`${file} has no object of kind Workflow`);
  const { problems } = lintFiles([{ file, text }], { submitted: { parameters: [] } });
  if (problems.length > 0) throw new NothingToSimulate(problems.map(toldProblem).join('\n'));
  if (typeof (workflow.metadata ?? {}) !== 'object') throw new NothingToSimulate(`${file}: metadata must be a map`);
  const table = fates ? readFates(fates, fatesFile) : [];
  const simulation = new Simulation({
    workflow: { ...workflow, metadata: workflow.metadata ?? {} },
    templates: objects.filter((object) => object?.kind?.endsWith('WorkflowTemplate')) as unknown as WorkflowTemplate[],
    configMaps: objects.filter((object) => object?.kind === 'ConfigMap') as never,
    fate: (pod: Pod) => {
      const name = pod.metadata.annotations?.['workflows.argoproj.io/node-name'] ?? '';
      return table.find(([part]) => name.includes(part))?.[1];
    },
  }).run(seconds);
  const timeline = simulation.changes.map(
    ({ at, node, to, message }) =>
      `${at.toFixed(0).padStart(6)} s  ${to.padEnd(9)}  ${node || 'workflow'}${message ? `  (${message})` : ''}`,
  );
  return { workflow: simulation.workflow, timeline };
}
