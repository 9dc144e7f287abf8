import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { writePrivate } from '@tiphys/files';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import type { Command } from 'commander';
import { type BackupScope, backedUp, exported, type ImportStep, isOfBackup, planImport } from '../client/backup.ts';
import type { Surroundings } from '../terminal/command-context.ts';
import { structured } from '../terminal/output.ts';
import { onCluster } from './common/on-cluster.ts';

interface Options extends BackupScope {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly out: string;
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly stopOperation?: boolean;
  readonly verbose?: boolean;
}

const initialSecret = 'argocd-initial-admin-secret';
const noInitialPassword = defineDiagnosis(
  'InitialPasswordMissing',
  'The password that was made at the first start is not in the namespace any more, or never was',
);

const words = {
  create: 'created',
  update: 'updated',
  prune: 'pruned',
  keep: 'needs pruning',
  unchanged: 'unchanged',
} as const;

/** `tiphys admin export|import|initial-password`: the backup of an installation and its first password, in the format and with the flags of `argocd admin`. */
export function addAdminCommands(program: Command, surroundings: Surroundings): void {
  const admin = program.command('admin').description('Backup, restore and the first password, on the cluster itself');
  const commands = [
    admin
      .command('export')
      .description('Write settings, credentials, projects, applications and ApplicationSets as YAML')
      .option('-o, --out <file>', 'File instead of the standard output', '-')
      .action((options: Options) => exportAll(options, surroundings)),
    admin
      .command('import <source>')
      .description('Restore what was exported, from a file or - for the standard input')
      .option('--dry-run', 'Print what would be done')
      .option('--prune', 'Delete what is not in the backup')
      .option('--stop-operation', 'End running operations')
      .option('--verbose', 'Print what is unchanged too')
      .action((source: string, options: Options) => importAll(source, options, surroundings)),
  ];
  addClusterFlags(
    admin.command('initial-password').description('Print the password of admin that was made at the first start'),
  ).action((options: Options) => printInitialPassword(options, surroundings));
  const list = (text: string) => text.split(',').filter(Boolean);
  for (const command of commands)
    addClusterFlags(command)
      .option('--application-namespaces <globs>', 'Further namespaces of applications', list)
      .option('--applicationset-namespaces <globs>', 'Further namespaces of ApplicationSets', list);
}

function addClusterFlags(command: Command): Command {
  return command
    .option('-n, --namespace <name>', 'Namespace of the control plane')
    .option('--kubeconfig <file>', 'Kubeconfig of the cluster')
    .option('--context <name>', 'Context of the kubeconfig');
}

async function printInitialPassword(options: Options, surroundings: Surroundings): Promise<void> {
  await onCluster(surroundings, where(options, 'initial password'), async ({ client, namespace }) => {
    const secret = await client.find({ apiVersion: 'v1', kind: 'Secret', namespace, name: initialSecret });
    const { password } = (secret?.data ?? {}) as { password?: string };
    if (!password)
      throw failure(noInitialPassword, {
        message: secret
          ? `Secret ${namespace}/${initialSecret} has no key password`
          : `There is no Secret ${initialSecret} in namespace ${namespace}`,
        remedies: [
          'Name the namespace of the control plane with -n',
          'It is deleted by people once they have set their own; where that is lost, a server makes a new one at its start if admin.password is not in argocd-secret',
        ],
      });
    surroundings.output.out(Buffer.from(password, 'base64').toString('utf8'));
    surroundings.output.error(
      ' This password must be only used for first time login. We strongly recommend you update the password using `tiphys account update-password`.',
    );
  });
}

const where = ({ namespace, kubeconfig, context }: Options, purpose: string) => ({
  ...(namespace ? { namespace } : {}),
  ...(kubeconfig ? { kubeconfig } : {}),
  ...(context ? { context } : {}),
  purpose,
});

async function exportAll(options: Options, surroundings: Surroundings): Promise<void> {
  await onCluster(surroundings, where(options, 'export'), async ({ client, namespace }) => {
    const objects = await backedUp(client, namespace, options);
    const text = objects.map((object) => `${structured('yaml', exported(object, namespace))}\n---\n`).join('');
    // it holds credentials: the owner alone may read the file
    if (options.out === '-') surroundings.output.out(text.trimEnd());
    else writePrivate(resolve(surroundings.workdir, options.out), text);
  });
}

async function importAll(source: string, options: Options, surroundings: Surroundings): Promise<void> {
  const { workdir, output } = surroundings;
  const text = source === '-' ? await readAll(process.stdin) : await readFile(resolve(workdir, source), 'utf8');
  const objects = parseDocuments(text, { file: source }).documents.flatMap(({ value }) =>
    value && typeof value === 'object' ? [value as unknown as KubeObject] : [],
  );
  for (const object of objects.filter((each) => !isOfBackup(each)))
    output.error(`${object.kind} ${object.metadata?.name} is no part of a backup of Argo CD, and is left out`);
  await onCluster(surroundings, where(options, 'import'), async ({ client, namespace }) => {
    const { prune = false, stopOperation = false } = options;
    const existing = await backedUp(client, namespace, options);
    const steps = planImport(objects.filter(isOfBackup), existing, { namespace, prune, stopOperation });
    for (const step of steps) {
      if (!options.dryRun) await perform(client, step);
      if (step.action === 'unchanged' && !options.verbose) continue;
      const { apiVersion, kind, metadata } = step.object;
      const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
      const note = options.dryRun ? ' (dry run)' : '';
      output.out(
        `${group}/${kind} ${metadata.name} in namespace ${metadata.namespace ?? namespace} ${words[step.action]}${note}`,
      );
    }
  });
}

async function perform(client: Client, { action, object }: ImportStep): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const ref = {
    apiVersion,
    kind,
    name: metadata.name ?? '',
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  };
  if (action === 'create') await client.create(object, { fieldManager: 'tiphys-admin' });
  if (action === 'update') await client.update(object, { fieldManager: 'tiphys-admin' });
  if (action !== 'prune') return;
  // the backup decides what is there, and not what is delivered: nothing of the application is deleted with it
  if (kind === 'Application' && metadata.finalizers?.length)
    await client.patch(ref, 'merge', { metadata: { finalizers: null } }, { fieldManager: 'tiphys-admin' });
  await client.delete(ref);
}
