import type { Client, KubeObject } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import { type Command, Option } from 'commander';
import { Exit, type Surroundings } from '../../terminal/command-context.ts';
import { structured, table } from '../../terminal/output.ts';
import { type Where, whereFlags } from '../common/kube-flags.ts';
import { onCluster } from '../common/on-cluster.ts';
import { textsOf } from './files.ts';
import { strictFlag } from './lint-flags.ts';
import { refuseMistakes } from './refuse-mistakes.ts';

const apiVersion = 'argoproj.io/v1alpha1';

interface Kind {
  readonly kind: 'WorkflowTemplate' | 'ClusterWorkflowTemplate' | 'CronWorkflow';
  readonly noun: string;
}

interface Format extends Where {
  readonly output?: 'name' | 'wide' | 'json' | 'yaml';
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly all?: boolean;
}

interface Write extends Format {
  readonly strict: boolean;
  readonly schedule?: string;
}

type Run = (where: Where, work: (client: Client, namespace: string) => Promise<void>) => Promise<void>;

/** `list`, `get`, `create`, `update`, `delete` and `lint` of one kind of definitions of workflows. */
export function addDefinitionCommands(group: Command, { kind, noun }: Kind, surroundings: Surroundings): void {
  const { output } = surroundings;
  const isCluster = kind === 'ClusterWorkflowTemplate';
  const add = (name: string, description: string) => whereFlags(group.command(name).description(description));
  const run: Run = (where, work) =>
    onCluster(surroundings, { ...where, purpose: 'workflows' }, ({ client, namespace }) => work(client, namespace));
  const refOf = (namespace: string) => ({ apiVersion, kind, ...(isCluster ? {} : { namespace }) });
  const format = () => new Option('-o, --output <format>', 'What to print').choices(['name', 'wide', 'json', 'yaml']);
  const said = ({ metadata }: KubeObject) => (isCluster ? '' : `${metadata.namespace}/`) + metadata.name;

  add('list', `List ${noun}s`)
    .option('-A, --all-namespaces', 'Of all namespaces')
    .option('-l, --selector <selector>', 'Those with these labels')
    .addOption(format())
    .action((options: Format) =>
      run(options, async (client, namespace) => {
        const { items } = await client.list(
          options.allNamespaces ? { apiVersion, kind } : refOf(namespace),
          options.selector ? { labelSelector: options.selector } : {},
        );
        if (options.output === 'json' || options.output === 'yaml') output.out(structured(options.output, items));
        else if (options.output === 'name') for (const { metadata } of items) output.out(metadata.name ?? '');
        else output.out(table([titleOf(kind), ...items.map((item) => [said(item), ...cellsOf(item)])]));
      }),
    );
  add('get <names...>', `Show ${noun}s`)
    .addOption(format())
    .action((names: string[], options: Format) =>
      run(options, async (client, namespace) => {
        for (const [index, name] of names.entries()) {
          if (index > 0 && options.output !== 'name') output.out('---');
          const { metadata, ...rest } = await client.get({ ...refOf(namespace), name });
          const { managedFields: _fields, ...kept } = metadata as KubeObject['metadata'] & { managedFields?: unknown };
          if (options.output === 'name') output.out(metadata.name ?? '');
          else output.out(structured(options.output === 'json' ? 'json' : 'yaml', { ...rest, metadata: kept }));
        }
      }),
    );
  const writes = (verb: 'create' | 'update') => {
    const description = `${verb === 'create' ? 'Create' : 'Replace'} the ${noun}s of files, once nothing is wrong`;
    const command = add(`${verb} <files...>`, description).addOption(strictFlag()).addOption(format());
    if (kind !== 'CronWorkflow' || verb !== 'create') return command;
    return command.option('--schedule <expression>', 'This one in place of those of the files');
  };
  for (const verb of ['create', 'update'] as const)
    writes(verb).action((files: string[], options: Write) =>
      run(options, async (client, namespace) => {
        const texts = textsOf(surroundings, files);
        const objects = texts.flatMap(({ text, file }) => objectsIn(text, file, kind));
        if (objects.length === 0) {
          output.error(`error: ${files.join(', ')}: no ${kind} is in there`);
          throw new Exit(1);
        }
        await refuseMistakes(surroundings, texts, { client, namespace, strict: options.strict });
        for (const object of objects) {
          const place = isCluster ? {} : { namespace: options.namespace ?? object.metadata.namespace ?? namespace };
          const spec = options.schedule ? { spec: { ...(object.spec as object), schedules: [options.schedule] } } : {};
          const wanted = { ...object, ...spec, apiVersion, metadata: { ...object.metadata, ...place } };
          const written = verb === 'create' ? await client.create(wanted) : await replaced(client, wanted);
          if (options.output === 'json' || options.output === 'yaml') output.out(structured(options.output, written));
          else output.out(options.output === 'name' ? (written.metadata.name ?? '') : `${said(written)} ${verb}d`);
        }
      }),
    );
  add('delete [names...]', `Delete ${noun}s`)
    .option('--all', isCluster ? 'All' : 'All of the namespace')
    .option('-l, --selector <selector>', 'Those with these labels')
    .action((names: string[], options: Format) =>
      run(options, async (client, namespace) => {
        const { VerbError } = await import('@tiphys/workflows');
        if (names.length === 0 && !options.all && !options.selector)
          throw new VerbError(`Name ${noun}s, or choose them with --selector or --all`);
        const chosen =
          options.all || options.selector ? await client.list(refOf(namespace), selected(options)) : undefined;
        for (const name of [...names, ...(chosen?.items ?? []).map(({ metadata }) => metadata.name ?? '')]) {
          await client.delete({ ...refOf(namespace), name });
          output.out(`${isCluster ? '' : `${namespace}/`}${name} deleted`);
        }
      }),
    );
  add('lint <files...>', `Tell what is wrong with ${noun}s, with file and line; templates of the cluster are known`)
    .addOption(strictFlag())
    .action((files: string[], options: Where & { strict: boolean }) =>
      run(options, async (client, namespace) => {
        const texts = textsOf(surroundings, files);
        await refuseMistakes(surroundings, texts, { client, namespace, strict: options.strict });
        output.out(`${texts.flatMap(({ text, file }) => objectsIn(text, file, kind)).length} ${noun}(s) fine`);
      }),
    );
  if (kind === 'CronWorkflow')
    for (const verb of ['suspend', 'resume'] as const)
      add(`${verb} <names...>`, verb === 'suspend' ? 'Begin nothing more' : 'Go on').action(
        (names: string[], options: Where) =>
          run(options, async (client, namespace) => {
            for (const name of names) {
              await client.patch({ ...refOf(namespace), name }, 'merge', { spec: { suspend: verb === 'suspend' } });
              output.out(`${namespace}/${name} ${verb === 'suspend' ? 'suspended' : 'resumed'}`);
            }
          }),
      );
}

function selected({ selector }: Format): { labelSelector?: string } {
  return selector ? { labelSelector: selector } : {};
}

function objectsIn(text: string, file: string, kind: Kind['kind']): KubeObject[] {
  return parseDocuments(text, { file })
    .documents.map(({ value }) => value as unknown as KubeObject | null)
    .filter((object) => object?.kind === kind) as KubeObject[];
}

/** As upstream: what is there is replaced, whatever its revision is by now. */
async function replaced(client: Client, object: KubeObject): Promise<KubeObject> {
  const { name = '', namespace } = object.metadata;
  const ref = { apiVersion, kind: object.kind, name, ...(namespace ? { namespace } : {}) };
  const { resourceVersion } = (await client.get(ref)).metadata;
  return await client.update({ ...object, metadata: { ...object.metadata, resourceVersion } } as KubeObject);
}

function titleOf(kind: Kind['kind']): string[] {
  return kind === 'CronWorkflow' ? ['NAME', 'SCHEDULES', 'SUSPENDED', 'LAST RUN', 'CONDITIONS'] : ['NAME'];
}

interface Cron extends KubeObject {
  readonly spec?: { readonly schedules?: readonly string[]; readonly suspend?: boolean };
  readonly status?: {
    readonly lastScheduledTime?: string;
    readonly conditions?: readonly { readonly type: string; readonly message?: string }[];
  };
}

function cellsOf(object: KubeObject): string[] {
  if (object.kind !== 'CronWorkflow') return [];
  const { spec, status } = object as Cron;
  const told = (status?.conditions ?? []).map(({ type, message = '' }) => `${type}: ${message}`).join('; ');
  const times = (spec?.schedules ?? []).join(', ');
  return [times, String(spec?.suspend === true), status?.lastScheduledTime ?? 'never', told];
}
