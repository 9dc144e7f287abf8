import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Client, type KubeObject, systemClock } from '@tiphys/kubernetes';
import type { WorkflowVerbs } from '@tiphys/workflows';
import type { Command } from 'commander';
import { Exit, type Surroundings } from '../../terminal/command-context.ts';
import { structured } from '../../terminal/output.ts';
import { printFamilyDiagnoses } from '../common/family-diagnoses.ts';
import { type Where, whereFlags } from '../common/kube-flags.ts';
import { type KubeCommand, onCluster as onClusterFor } from '../common/on-cluster.ts';
import { outputFlag } from '../common/output-flag.ts';
import { addArchiveCommands } from './archive.ts';
import { addAuth } from './auth.ts';
import { addChoice, type Choice, choosesSome, chosenWorkflows, type ListedWorkflow, nameOf } from './chosen.ts';
import { addCopy } from './copy.ts';
import { addCronCommands } from './cron.ts';
import { addExecutorPlugin } from './executor-plugin.ts';
import { textsOf } from './files.ts';
import { addFollowed, type Followed, followAll, ofCluster } from './follow.ts';
import { kindsFlag, strictFlag } from './lint-flags.ts';
import { addList } from './list.ts';
import { addLogs } from './logs.ts';
import { addSubmit } from './submit.ts';
import { addSyncCommands } from './sync.ts';
import { addDefinitionCommands } from './templates.ts';
import { addWorkflowVerbs } from './verbs.ts';

const apiVersion = 'argoproj.io/v1alpha1';

/** `tiphys workflows …`: straight on the cluster, as `argo` without a server. */
export function addWorkflowCommands(program: Command, surroundings: Surroundings): void {
  const workflows = program
    .command('workflows')
    .alias('wf')
    .description('Workflows: submit, list, get, stop, retry, lint, simulate, archive');
  const add = (name: string, description: string) => whereFlags(workflows.command(name).description(description));
  const { output } = surroundings;

  workflows
    .command('lint <files...>')
    .description(
      'Tell what is wrong with the workflows of files, of folders and of standard input (-), with file and line',
    )
    .addOption(kindsFlag())
    .addOption(strictFlag())
    .addOption(outputFlag(['pretty', 'simple', 'json', 'yaml']))
    .option('--offline', 'Has no effect: files alone are looked at; `template lint` and `cron lint` ask the cluster')
    .action(async (files: string[], { kinds, strict, output: form }: LintFlags) => {
      const { lintFiles } = await import('@tiphys/workflows');
      const { problems, count } = lintFiles(textsOf(surroundings, files), { isLenient: !strict, kinds });
      if (form === 'json' || form === 'yaml') output.out(structured(form, problems));
      else
        for (const { file, line, object, message, remedy } of problems)
          output.error(`${file}:${line}: ${object}: ${message}${form === 'simple' ? '' : `\n  → ${remedy}`}`);
      if (problems.length > 0) throw new Exit(1);
      if (form === 'pretty' || form === 'simple')
        output.out(`${count} ${count === 1 ? 'object is' : 'objects are'} fine`);
    });
  workflows
    .command('simulate <file>')
    .description('Run a workflow on a clock of its own, without a cluster, and print what happens when')
    .option('--fates <file>', 'YAML: what becomes of pods, by a part of the name of their node')
    .option('--seconds <number>', 'Stop after so many simulated seconds', '86400')
    .addOption(outputFlag(['timeline', 'json', 'yaml']))
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
  addSubmit(add, surroundings);
  addList(add, surroundings);
  add('get <names...>', 'Show workflows with their nodes; @latest is the one that was created last')
    .addOption(outputFlag(['tree', 'wide', 'short', 'name', 'json', 'yaml']))
    .option('--status <phase>', 'Only nodes in this phase, such as Failed')
    .option('--node-field-selector <selector>', 'Only these nodes, such as displayName=build')
    .action(async (names: string[], options: Where & Shown & { output: string }) => {
      const { describeWorkflow, explainWorkflow } = await import('@tiphys/workflows');
      const { output: form, status, nodeFieldSelector } = options;
      await onCluster(surroundings, options, async ({ client, namespace }) => {
        for (const [index, given] of names.entries()) {
          const name = await nameOf(client, namespace, given);
          const workflow = await client.get<ListedWorkflow>({ apiVersion, kind: 'Workflow', namespace, name });
          if (form === 'name') output.out(name);
          else if (form === 'json' || form === 'yaml') {
            if (index > 0 && form === 'yaml') output.out('---');
            output.out(structured(form, workflow));
          } else if (form === 'short') output.out(`${namespace}/${name}  ${workflow.status?.phase ?? 'Pending'}`);
          else {
            output.out(describeWorkflow(workflow as never, { status, nodeFieldSelector, isWide: form === 'wide' }));
            printFamilyDiagnoses(output, explainWorkflow(workflow as never));
          }
        }
      });
    });
  addRewrites(workflows, add, surroundings);
  addWorkflowVerbs(workflows, add, surroundings);
  addLogs(add, surroundings);
  addCronCommands(workflows, surroundings);
  const template = workflows.command('template').description('WorkflowTemplates');
  addDefinitionCommands(template, { kind: 'WorkflowTemplate', noun: 'template' }, surroundings);
  const clusterTemplate = workflows.command('cluster-template').description('ClusterWorkflowTemplates');
  addDefinitionCommands(clusterTemplate, { kind: 'ClusterWorkflowTemplate', noun: 'template' }, surroundings);
  addArchiveCommands(workflows, surroundings);
  addCopy(workflows, surroundings);
  addSyncCommands(workflows, surroundings);
  addExecutorPlugin(workflows, surroundings);
  addAuth(workflows, surroundings);
}

/** Which nodes are shown. */
interface Shown {
  readonly status?: string;
  readonly nodeFieldSelector?: string;
}

interface LintFlags {
  readonly kinds: readonly string[];
  readonly strict: boolean;
  readonly output: string;
}

type Add = (name: string, description: string) => Command;

/** Verbs that change workflows that are there. */
function addRewrites(workflows: Command, add: Add, surroundings: Surroundings): void {
  const { output } = surroundings;
  const perform: Perform = (options, work) =>
    onCluster(surroundings, options, async ({ client, namespace }) => {
      const { WorkflowVerbs } = await import('@tiphys/workflows');
      await work(new WorkflowVerbs({ client, clock: systemClock, signal: surroundings.signal }), namespace, client);
    });
  const endings = [
    ['stop', 'Stop workflows; their exit handlers run'],
    ['terminate', 'End workflows at once; no exit handler runs'],
  ] as const;
  for (const [verb, description] of endings) {
    const command = addChoice(add(`${verb} [names...]`, description)).option('--dry-run', 'Only say which');
    if (verb === 'stop')
      command
        .option('--message <text>', 'Message of the nodes that were running')
        .option('--node-field-selector <selector>', 'Let these nodes that wait fail, such as displayName=approve');
    command.action((names: string[], options: Ending) =>
      perform(options, async (verbs, namespace, client) => {
        for (const name of await namesOf(client, namespace, names, { ...options, running: true })) {
          const { message, nodeFieldSelector: selector } = options;
          const change = { ...(message ? { message } : {}), ...(selector ? { selector } : {}) };
          if (!options.dryRun) await verbs[verb]({ namespace, name }, change);
          output.out(`${namespace}/${name}: ${verb}${options.dryRun ? ' (dry run)' : ''}`);
        }
      }),
    );
  }
  add('suspend <names...>', 'Begin nothing new in workflows').action((names: string[], options: Where) =>
    perform(options, async (verbs, namespace, client) => {
      for (const given of names) {
        const name = await nameOf(client, namespace, given);
        await verbs.suspend({ namespace, name });
        output.out(`${namespace}/${name}: suspend`);
      }
    }),
  );
  add('resume <names...>', 'Go on with workflows that were suspended or that wait')
    .option('--node-field-selector <selector>', 'Only these nodes that wait, such as displayName=approve')
    .action((names: string[], options: Where & { nodeFieldSelector?: string }) =>
      perform(options, async (verbs, namespace, client) => {
        for (const given of names) {
          const name = await nameOf(client, namespace, given);
          await verbs.resume({ namespace, name }, options.nodeFieldSelector);
          output.out(`${namespace}/${name}`);
        }
      }),
    );
  const collect = (value: string, all: string[]) => [...all, value];
  addFollowed(addChoice(add('retry [names...]', 'Run again what failed in finished workflows')))
    .option('-p, --parameter <name=value>', 'Argument instead of the one of before', collect, [])
    .option('--restart-successful', 'Also what succeeded, of the selected nodes')
    .option('--node-field-selector <selector>', 'Nodes, such as displayName=build')
    .action((names: string[], options: Again) =>
      perform(options, async (verbs, namespace, client) => {
        const { restartSuccessful, nodeFieldSelector, parameter: parameters } = options;
        const changed: KubeObject[] = [];
        for (const name of await namesOf(client, namespace, names, { ...options, completed: true })) {
          const change = { parameters, ...(restartSuccessful ? { restartSuccessful } : {}) };
          const nodes = nodeFieldSelector ? { nodeFieldSelector } : {};
          changed.push(await verbs.retry({ namespace, name }, { ...change, ...nodes }));
          output.out(`${namespace}/${name}`);
        }
        await followAll(changed, options, { source: ofCluster(client, surroundings), surroundings });
      }),
    );
  addFollowed(addChoice(add('resubmit [names...]', 'Run workflows like others, from the start')))
    .option('-p, --parameter <name=value>', 'Argument instead of the one of before', collect, [])
    .option('--priority <number>', 'Priority instead of the one of before')
    .option('--memoized', 'What ended well in the one that failed is not run again')
    .action((names: string[], options: Again) =>
      perform(options, async (verbs, namespace, client) => {
        const { memoized = false, parameter: parameters, priority } = options;
        const made: KubeObject[] = [];
        for (const name of await namesOf(client, namespace, names, { ...options, completed: true })) {
          const copy = await verbs.resubmission({ namespace, name }, { parameters, memoized });
          if (priority !== undefined) copy.spec.priority = Number(priority);
          made.push(await verbs.create(copy));
          output.out(`${namespace}/${made.at(-1)?.metadata.name}`);
        }
        await followAll(made, options, { source: ofCluster(client, surroundings), surroundings });
      }),
    );
  const node = workflows.command('node').description('Nodes that wait: set');
  for (const command of [
    add('set <name>', 'Answer nodes that wait'),
    whereFlags(node.command('set <name>').description('As `set`')),
  ])
    addNodeSet(command, surroundings, perform);
}

interface Ending extends Where, Choice {
  readonly dryRun?: boolean;
  readonly message?: string;
  readonly nodeFieldSelector?: string;
}

interface Again extends Where, Choice, Followed {
  readonly parameter: string[];
  readonly restartSuccessful?: boolean;
  readonly nodeFieldSelector?: string;
  readonly memoized?: boolean;
  readonly priority?: string;
}

/** The named workflows, or those that flags choose. */
async function namesOf(client: Client, namespace: string, names: readonly string[], choice: Choice): Promise<string[]> {
  const { completed: _completed, running: _running, ...own } = choice;
  const named = await Promise.all(names.map((name) => nameOf(client, namespace, name)));
  if (!choosesSome(own)) {
    if (named.length > 0) return named;
    const { VerbError } = await import('@tiphys/workflows');
    throw new VerbError('Name workflows, or choose them with --selector, --status or other flags');
  }
  const chosen = await chosenWorkflows(client, namespace, choice);
  return [...named, ...chosen.map(({ metadata }) => metadata.name ?? '')];
}

type Perform = (
  options: Where,
  work: (verbs: WorkflowVerbs, namespace: string, client: Client) => Promise<unknown>,
) => Promise<void>;

function addNodeSet(command: Command, { output }: Surroundings, perform: Perform): void {
  command
    .option('--node-field-selector <selector>', 'Nodes, such as displayName=approve')
    .option('--phase <phase>', 'Succeeded or Failed')
    .option('-m, --message <text>', 'Message')
    .option('-p, --output-parameter <name=value>', 'Output', (value: string, all: string[]) => [...all, value], [])
    .action(
      (
        given: string,
        options: Where & {
          nodeFieldSelector?: string;
          phase?: 'Succeeded' | 'Failed';
          message?: string;
          outputParameter: string[];
        },
      ) =>
        perform(options, async (verbs, namespace, client) => {
          const name = await nameOf(client, namespace, given);
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
