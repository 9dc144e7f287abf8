import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemClock } from '@tiphys/kubernetes';
import type { WorkflowVerbs } from '@tiphys/workflows';
import type { Command } from 'commander';
import { Exit, type Surroundings } from '../../terminal/command-context.ts';
import { structured, table } from '../../terminal/output.ts';
import { printFamilyDiagnoses } from '../common/family-diagnoses.ts';
import type { Where } from '../common/kube-flags.ts';
import { type KubeCommand, onCluster as onClusterFor } from '../common/on-cluster.ts';
import { addCronCommands } from './cron.ts';
import { addWorkflowVerbs } from './verbs.ts';

const apiVersion = 'argoproj.io/v1alpha1';

/** `tiphys workflows …`: straight on the cluster, as `argo` without a server. */
export function addWorkflowCommands(program: Command, surroundings: Surroundings): void {
  const workflows = program
    .command('workflows')
    .alias('wf')
    .description('Workflows: submit, list, get, stop, retry, lint, simulate');
  const add = (name: string, description: string) =>
    workflows
      .command(name)
      .description(description)
      .option('-n, --namespace <name>', "Namespace; the context's if absent")
      .option('--kubeconfig <file>', 'Kubeconfig (KUBECONFIG)')
      .option('--context <name>', 'Context of the kubeconfig');
  const { output } = surroundings;
  const collect = (value: string, all: string[]) => [...all, value];

  workflows
    .command('lint <files...>')
    .description('Tell what is wrong with workflows, with file and line')
    .action(async (files: string[]) => {
      const { lintFiles } = await import('@tiphys/workflows');
      const { problems, count } = lintFiles(files.map((file) => ({ file, text: read(surroundings, file) })));
      for (const { file, line, object, message, remedy } of problems)
        output.error(`${file}:${line}: ${object}: ${message}\n  → ${remedy}`);
      if (problems.length > 0) throw new Exit(1);
      output.out(`${count} ${count === 1 ? 'object is' : 'objects are'} fine`);
    });
  workflows
    .command('simulate <file>')
    .description('Run a workflow on a clock of its own, without a cluster, and print what happens when')
    .option('--fates <file>', 'YAML: what becomes of pods, by a part of the name of their node')
    .option('--seconds <number>', 'Stop after so many simulated seconds', '86400')
    .option('-o, --output <format>', 'timeline, json or yaml', 'timeline')
    .action(async (file: string, options: { fates?: string; seconds: string; output: string }) => {
      const { simulateFile } = await import('@tiphys/workflows');
      const result = simulateFile({
        text: read(surroundings, file),
        file,
        ...(options.fates ? { fates: read(surroundings, options.fates), fatesFile: options.fates } : {}),
        seconds: Number(options.seconds),
      });
      if (options.output === 'timeline') for (const line of result.timeline) output.out(line);
      else output.out(structured(options.output === 'json' ? 'json' : 'yaml', result.workflow));
      if (result.workflow.status?.phase !== 'Succeeded') throw new Exit(1);
    });
  add('submit <file>', 'Create a workflow')
    .option('-p, --parameter <name=value>', 'Argument of the workflow', collect, [])
    .option('--name <name>', 'Name')
    .option('--generate-name <prefix>', 'Beginning of the name')
    .option('--entrypoint <template>', 'Template to begin with')
    .action(
      async (
        file: string,
        options: Where & { parameter: string[]; name?: string; generateName?: string; entrypoint?: string },
      ) => {
        const verbs = await import('@tiphys/workflows');
        await onCluster(surroundings, options, async ({ client, namespace }) => {
          for (const workflow of verbs.workflowsIn(read(surroundings, file), file)) {
            const { parameter: parameters, name, generateName, entrypoint } = options;
            const wanted = verbs.submitted(workflow, {
              name,
              generateName,
              entrypoint,
              parameters,
              namespace: options.namespace ?? workflow.metadata.namespace ?? namespace,
            });
            const { metadata } = await client.create(wanted);
            output.out(`${metadata.namespace}/${metadata.name} created`);
          }
        });
      },
    );
  add('list', 'List workflows')
    .option('-A, --all-namespaces', 'Of all namespaces')
    .action(async (options: Where & { allNamespaces?: boolean }) =>
      onCluster(surroundings, options, async ({ client, namespace }) => {
        const ref = { apiVersion, kind: 'Workflow', ...(options.allNamespaces ? {} : { namespace }) };
        const { items } = await client.list(ref);
        const rows = items.map(({ metadata, status }) => {
          const { phase = 'Pending', progress = '', message = '' } = (status ?? {}) as Record<string, string>;
          return [`${metadata.namespace}/${metadata.name}`, phase, progress, message];
        });
        output.out(table([['NAME', 'STATUS', 'PROGRESS', 'MESSAGE'], ...rows]));
      }),
    );
  add('get <name>', 'Show a workflow with its nodes')
    .option('-o, --output <format>', 'tree, json or yaml', 'tree')
    .action(async (name: string, options: Where & { output: string }) => {
      const { describeWorkflow, explainWorkflow } = await import('@tiphys/workflows');
      await onCluster(surroundings, options, async ({ client, namespace }) => {
        const workflow = await client.get({ apiVersion, kind: 'Workflow', namespace, name });
        if (options.output === 'tree') {
          output.out(describeWorkflow(workflow as never));
          printFamilyDiagnoses(output, explainWorkflow(workflow as never));
        } else output.out(structured(options.output === 'json' ? 'json' : 'yaml', workflow));
      });
    });
  addRewrites(add, surroundings);
  addWorkflowVerbs(workflows, add, surroundings);
  addCronCommands(workflows, surroundings);
}

type Add = (name: string, description: string) => Command;

/** Verbs that change workflows that are there. */
function addRewrites(add: Add, surroundings: Surroundings): void {
  const { output } = surroundings;
  const perform = (options: Where, work: (verbs: WorkflowVerbs, namespace: string) => Promise<unknown>) =>
    onCluster(surroundings, options, async ({ client, namespace }) => {
      const { WorkflowVerbs } = await import('@tiphys/workflows');
      await work(new WorkflowVerbs({ client, clock: systemClock, signal: surroundings.signal }), namespace);
    });
  const endings = [
    ['stop', 'Stop a workflow; its exit handlers run'],
    ['terminate', 'End a workflow at once; no exit handler runs'],
    ['suspend', 'Begin nothing new in a workflow'],
  ] as const;
  for (const [verb, description] of endings)
    add(`${verb} <names...>`, description).action((names: string[], options: Where) =>
      perform(options, async (verbs, namespace) => {
        for (const name of names) {
          await verbs[verb]({ namespace, name });
          output.out(`${namespace}/${name}: ${verb}`);
        }
      }),
    );
  add('resume <name>', 'Go on with a workflow that was suspended or that waits')
    .option('--node-field-selector <selector>', 'Only these nodes that wait, such as displayName=approve')
    .action((name: string, options: Where & { nodeFieldSelector?: string }) =>
      perform(options, async (verbs, namespace) => {
        await verbs.resume({ namespace, name }, options.nodeFieldSelector);
        output.out(`${namespace}/${name}`);
      }),
    );
  add('retry <name>', 'Run again what failed in a finished workflow')
    .option('--restart-successful', 'Also what succeeded, of the selected nodes')
    .option('--node-field-selector <selector>', 'Nodes, such as displayName=build')
    .action((name: string, options: Where & { restartSuccessful?: boolean; nodeFieldSelector?: string }) =>
      perform(options, async (verbs, namespace) => {
        const { restartSuccessful, nodeFieldSelector } = options;
        await verbs.retry(
          { namespace, name },
          { ...(restartSuccessful ? { restartSuccessful } : {}), ...(nodeFieldSelector ? { nodeFieldSelector } : {}) },
        );
        output.out(`${namespace}/${name}`);
      }),
    );
  add('resubmit <name>', 'Run a workflow like another one, from the start')
    .option('--memoized', 'What ended well in the one that failed is not run again')
    .action((name: string, options: Where & { memoized?: boolean }) =>
      perform(options, async (verbs, namespace) => {
        const copy = await verbs.resubmission({ namespace, name }, { memoized: options.memoized === true });
        output.out(`${namespace}/${(await verbs.create(copy)).metadata.name}`);
      }),
    );
  add('set <name>', 'Answer nodes that wait')
    .option('--node-field-selector <selector>', 'Nodes, such as displayName=approve')
    .option('--phase <phase>', 'Succeeded or Failed')
    .option('--message <text>', 'Message')
    .option('--output-parameter <name=value>', 'Output', (value: string, all: string[]) => [...all, value], [])
    .action(
      (
        name: string,
        options: Where & {
          nodeFieldSelector?: string;
          phase?: 'Succeeded' | 'Failed';
          message?: string;
          outputParameter: string[];
        },
      ) =>
        perform(options, async (verbs, namespace) => {
          const { nodeFieldSelector: selector, phase, message, outputParameter } = options;
          const outputs = Object.fromEntries(
            outputParameter.map((text) => [text.split('=')[0] ?? '', text.slice(text.indexOf('=') + 1)]),
          );
          await verbs.setNodes(
            { namespace, name },
            {
              outputs,
              ...(selector ? { selector } : {}),
              ...(phase ? { phase } : {}),
              ...(message ? { message } : {}),
            },
          );
          output.out(`${namespace}/${name}`);
        }),
    );
}

function read({ workdir }: Surroundings, file: string): string {
  return readFileSync(resolve(workdir, file), 'utf8');
}

function onCluster(
  surroundings: Surroundings,
  where: Where,
  work: (cluster: KubeCommand) => Promise<void>,
): Promise<void> {
  return onClusterFor(surroundings, { ...where, purpose: 'workflows' }, work);
}
