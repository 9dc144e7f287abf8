import type { KubeObject } from '@tiphys/kubernetes';
import type { Command } from 'commander';
import { addCreateRunVerb } from './create-run-verb.ts';
import { documentsOf } from './documents-of.ts';
import { showObject } from './show-verbs.ts';
import { fail, type VerbCall, type VerbCommands } from './verb-command.ts';

interface CreateOptions {
  readonly filename: readonly string[];
  readonly watch?: boolean;
  readonly color: boolean;
}

/** `create`: Rollouts, Experiments, templates of analyses and AnalysisRuns, from files. */
export function addCreateVerb(rollouts: Command, verbs: VerbCommands): void {
  const create = verbs
    .add<CreateOptions>(rollouts, 'create', createAll)
    .description('Create a Rollout, Experiment, AnalysisTemplate, ClusterAnalysisTemplate or AnalysisRun')
    .option(
      '-f, --filename <file>',
      'File of it, or - for standard input; may be given again',
      (file, all: string[]) => [...all, file],
      [],
    )
    .option('-w, --watch', 'Show the Rollout or Experiment afterwards, as it changes')
    .option('--no-color', 'Without colours');
  addCreateRunVerb(create, verbs);
}

async function createAll(call: VerbCall<CreateOptions>): Promise<void> {
  const { createOfRollouts } = await import('@tiphys/rollouts');
  const { options, output, workdir } = call;
  const { filename: files, watch, color } = options;
  if (files.length === 0) return fail(call, 'a file is missing: create -f FILE');
  const wanted = files.flatMap((file) => documentsOf(workdir, file).map(({ value }) => ({ file, value })));
  if (watch && wanted.length !== 1) return fail(call, 'Cannot watch multiple resources');
  const created: KubeObject[] = [];
  for (const { file, value } of wanted) {
    const object = await createOfRollouts(call, value as KubeObject, file);
    created.push(object);
    output.out(`${object.kind.toLowerCase()}.argoproj.io/${object.metadata.name} created`);
  }
  const [first] = created;
  if (!watch || !first) return;
  if (first.kind !== 'Rollout' && first.kind !== 'Experiment')
    return fail(call, 'Can only watch resources of type Rollout or Experiment');
  const namespace = first.metadata.namespace ?? call.namespace;
  await showObject(first.kind, { ...call, namespace, args: [first.metadata.name ?? ''], options: { watch, color } });
}
