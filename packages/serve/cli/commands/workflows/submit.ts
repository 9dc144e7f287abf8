import { openAsBlob } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type KubeObject, systemClock } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';
import { structured } from '../../terminal/output.ts';
import type { Where } from '../common/kube-flags.ts';
import { type KubeCommand, onCluster } from '../common/on-cluster.ts';
import { textsOf } from './files.ts';
import { flowServer, pathOf } from './flow-server.ts';
import { type Followed, followAll, ofCluster } from './follow.ts';
import { strictFlag } from './lint-flags.ts';
import { refuseMistakes } from './refuse-mistakes.ts';

interface Submit extends Where, Followed {
  readonly from?: string;
  readonly parameter: string[];
  readonly parameterFile?: string;
  readonly artifact: string[];
  readonly name?: string;
  readonly generateName?: string;
  readonly entrypoint?: string;
  readonly serviceaccount?: string;
  readonly labels?: string;
  readonly priority?: string;
  readonly scheduledTime?: string;
  readonly strict: boolean;
  readonly dryRun?: boolean;
  readonly serverDryRun?: boolean;
  readonly output?: 'name' | 'json' | 'yaml';
}

const collect = (value: string, all: string[]) => [...all, value];

/** Kinds of which a workflow can be made, by what people call them. */
const sources: ReadonlyMap<string, string> = new Map([
  ...['workflowtemplate', 'workflowtemplates', 'wftmpl'].map((word) => [word, 'WorkflowTemplate'] as const),
  ...['clusterworkflowtemplate', 'clusterworkflowtemplates', 'clusterwftmpl', 'cwft'].map(
    (word) => [word, 'ClusterWorkflowTemplate'] as const,
  ),
  ...['cronworkflow', 'cronworkflows', 'cronwf', 'cwf'].map((word) => [word, 'CronWorkflow'] as const),
]);

/** `tiphys workflows submit`. */
export function addSubmit(add: (name: string, description: string) => Command, surroundings: Surroundings): void {
  add('submit [files...]', 'Create workflows of files, of standard input (-), or of what is there (--from)')
    .option('--from <kind/name>', 'WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow to make one of')
    .option('-p, --parameter <name=value>', 'Argument of the workflow', collect, [])
    .option('-f, --parameter-file <file>', 'YAML or JSON with arguments by their names')
    .option(
      '--artifact <name=file>',
      'File for an artifact among the arguments of a WorkflowTemplate; it goes through the server',
      collect,
      [],
    )
    .option('--name <name>', 'Name')
    .option('--generate-name <prefix>', 'Beginning of the name')
    .option('--entrypoint <template>', 'Template to begin with')
    .option('--serviceaccount <name>', 'ServiceAccount of the pods')
    .option('-l, --labels <name=value,...>', 'Labels of the workflow')
    .option('--priority <number>', 'Which workflow begins first where not all may run')
    .option('--scheduled-time <time>', 'What workflow.scheduledTime says, as RFC 3339')
    .addOption(strictFlag())
    .option('--dry-run', 'Only print what would be created')
    .option('--server-dry-run', 'The API server only says whether it would take it')
    .addOption(new Option('-o, --output <format>', 'What to print').choices(['name', 'json', 'yaml']))
    .option('-w, --wait', 'Wait for the end; fails if the workflow does not succeed')
    .option('--watch', 'Show it until its end')
    .option('--status <phase>', 'With --watch: only nodes in this phase')
    .option('--node-field-selector <selector>', 'With --watch: only these nodes, such as displayName=build')
    .option('--log', 'Print what its pods write until its end')
    .action(async (files: string[], options: Submit, command: Command) => {
      await onCluster(surroundings, { ...options, purpose: 'workflows' }, async (cluster) => {
        const created: KubeObject[] = [];
        for (const object of await createdBy(files, options, { cluster, command, surroundings })) {
          created.push(object);
          print(object, options, surroundings);
        }
        if (!options.dryRun && !options.serverDryRun)
          await followAll(created, options, { source: ofCluster(cluster.client, surroundings), surroundings });
      });
    });
}

interface Doing {
  readonly cluster: KubeCommand;
  readonly command: Command;
  readonly surroundings: Surroundings;
}

async function createdBy(files: readonly string[], options: Submit, doing: Doing): Promise<KubeObject[]> {
  const { submitted, VerbError, workflowsIn, WorkflowVerbs } = await import('@tiphys/workflows');
  const { cluster, surroundings } = doing;
  const wanted = optionsOf(options, surroundings);
  if (options.from && files.length > 0) throw new VerbError('--from and files cannot both be given');
  if (!options.from && files.length === 0) throw new VerbError('Name files, or with --from what to make a workflow of');
  if (options.artifact.length > 0) return [await throughServer(options, wanted, doing)];
  const verbs = new WorkflowVerbs({ client: cluster.client, clock: systemClock, signal: surroundings.signal });
  const create = async (object: Parameters<typeof submitted>[0]): Promise<KubeObject> => {
    const namespace = options.namespace ?? object.metadata.namespace ?? cluster.namespace;
    const workflow = submitted(object, { ...wanted, namespace }) as unknown as KubeObject;
    if (options.dryRun) return workflow;
    return await cluster.client.create(workflow, options.serverDryRun ? { dryRun: true } : {});
  };
  if (options.from) {
    const { kind, name } = sourceOf(options.from);
    return [await create(await verbs.from(kind, { namespace: cluster.namespace, name }))];
  }
  const texts = textsOf(surroundings, files);
  await refuseMistakes(surroundings, texts, { ...cluster, strict: options.strict, submitted: wanted });
  const objects: KubeObject[] = [];
  for (const { text, file } of texts) for (const one of workflowsIn(text, file)) objects.push(await create(one));
  if (objects.length === 0) throw new VerbError(`${files.join(', ')}: no Workflow is in there`);
  return objects;
}

function optionsOf(options: Submit, surroundings: Surroundings) {
  const { name, generateName, entrypoint, serviceaccount, priority, scheduledTime } = options;
  if (priority !== undefined && !/^-?\d{1,9}$/.test(priority))
    throw new InvalidArgumentError(`--priority ${priority} is no whole number`);
  const labels = (options.labels ?? '').split(',').filter(Boolean);
  const pair = (text: string) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)] as const;
  const wrong = labels.find((text) => !/^[^=]+=/.test(text));
  if (wrong) throw new InvalidArgumentError(`--labels: "${wrong}" is not NAME=VALUE`);
  return {
    name,
    generateName,
    entrypoint,
    ...(serviceaccount ? { serviceAccount: serviceaccount } : {}),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
    ...(labels.length > 0 ? { labels: Object.fromEntries(labels.map(pair)) } : {}),
    ...(scheduledTime ? { annotations: { 'workflows.argoproj.io/scheduled-time': scheduledTime } } : {}),
    // as upstream: the file's are added behind those of the command line
    parameters: [...options.parameter, ...parametersOf(options, surroundings)],
  };
}

/** Arguments of `--parameter-file` that the command line does not give. */
function parametersOf({ parameterFile, parameter }: Submit, surroundings: Surroundings): string[] {
  if (!parameterFile) return [];
  const [text] = textsOf(surroundings, [parameterFile]);
  const value: unknown = text && parseDocuments(text.text, text).documents[0]?.value;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError(`${parameterFile}: wanted are arguments by their names, such as "tone: loud"`);
  const given = new Set(parameter.map((each) => each.split('=')[0]));
  const plain = (each: unknown) => (typeof each === 'object' ? JSON.stringify(each) : String(each));
  return Object.entries(value).flatMap(([name, each]) => (given.has(name) ? [] : [`${name}=${plain(each)}`]));
}

function sourceOf(from: string): { kind: string; name: string } {
  const [word = '', name = '', ...more] = from.split('/');
  const kind = sources.get(word.toLowerCase());
  if (kind && name && more.length === 0) return { kind, name };
  throw new InvalidArgumentError(
    `--from ${from}: write KIND/NAME, with the kind workflowtemplate, clusterworkflowtemplate or cronworkflow`,
  );
}

/** Files are put where the artifacts of the template are kept, which the server alone knows how to reach. */
async function throughServer(
  options: Submit,
  { annotations, serviceAccount, labels, entrypoint, ...wanted }: ReturnType<typeof optionsOf>,
  { cluster: { namespace }, command, surroundings }: Doing,
): Promise<KubeObject> {
  const { kind, name } = sourceOf(options.from ?? '');
  if (kind !== 'WorkflowTemplate') throw new InvalidArgumentError('--artifact is for --from workflowtemplate/NAME');
  const { signal, workdir } = surroundings;
  const server = flowServer(command, surroundings);
  const artifacts: string[] = [];
  for (const text of options.dryRun ? [] : options.artifact) {
    const at = text.indexOf('=');
    if (at < 1) throw new InvalidArgumentError(`--artifact ${text} is not NAME=FILE`);
    const path = resolve(workdir, text.slice(at + 1));
    const body = new FormData();
    body.set('file', await openAsBlob(path), basename(path));
    const place = `/upload-artifacts/${pathOf(namespace, name, text.slice(0, at))}`;
    const { key } = await server.request<{ key: string }>('POST', place, { body, signal });
    artifacts.push(`${text.slice(0, at)}=${key}`);
  }
  const joined = (values: Readonly<Record<string, string>> | undefined) =>
    Object.entries(values ?? {})
      .map((pair) => pair.join('='))
      .join(',');
  const submitOptions = {
    ...wanted,
    entryPoint: entrypoint,
    serviceAccount,
    labels: joined(labels),
    annotations: joined(annotations),
    artifacts,
    dryRun: options.dryRun === true,
    serverDryRun: options.serverDryRun === true,
  };
  const body = { namespace, resourceKind: kind, resourceName: name, submitOptions };
  return await server.request('POST', `/api/v1/workflows/${pathOf(namespace)}/submit`, { body, signal });
}

function print(object: KubeObject, options: Submit, { output }: Surroundings): void {
  const { name, generateName, namespace } = object.metadata;
  if (options.output === 'name') output.out(name ?? `${generateName}…`);
  else if (options.output || options.dryRun) output.out(structured(options.output ?? 'yaml', object));
  else
    output.out(`${namespace}/${name ?? `${generateName}…`} created${options.serverDryRun ? ' (server dry run)' : ''}`);
}
