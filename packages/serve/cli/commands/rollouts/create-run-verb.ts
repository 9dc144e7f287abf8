import { rolloutNames } from '@tiphys/api';
import { isNotFound, type KubeObject } from '@tiphys/kubernetes';
import type { Command } from 'commander';
import { documentsOf } from './documents-of.ts';
import { fail, type VerbCall, type VerbCommands } from './verb-command.ts';

interface RunOptions {
  readonly argument: readonly string[];
  readonly from?: string;
  readonly fromFile?: string;
  readonly generateName?: string;
  readonly global?: boolean;
  readonly instanceId?: string;
  readonly name?: string;
}

/** `create analysisrun`: a run of a template of the cluster or of a file. */
export function addCreateRunVerb(create: Command, verbs: VerbCommands): void {
  verbs
    .add<RunOptions>(create, 'analysisrun', createRun)
    .aliases(['ar'])
    .description('Create an AnalysisRun of an AnalysisTemplate or a ClusterAnalysisTemplate')
    .option('-a, --argument <name=value>', 'Value of an argument; may be given again', collected, [])
    .option('--from <name>', 'Template of the cluster')
    .option('--from-file <file>', 'Template of a file')
    .option('--generate-name <prefix>', 'Name, to which the server adds; NAME- of the template if absent')
    .option('--global', 'A ClusterAnalysisTemplate')
    .option('--instance-id <id>', 'Instance of the controller that the run is for')
    .option('--name <name>', 'Name');
}

const collected = (value: string, all: string[]): string[] => [...all, value];

async function createRun(call: VerbCall<RunOptions>): Promise<void> {
  const { runOfTemplate } = await import('@tiphys/rollouts');
  const { client, namespace, output, options } = call;
  if ((options.from ? 1 : 0) + (options.fromFile ? 1 : 0) !== 1)
    return fail(call, 'one of --from or --from-file must be specified');
  const args = options.argument.map((text) => {
    const at = text.indexOf('=');
    return at < 0
      ? fail(call, 'arguments must be in the form NAME=VALUE')
      : { name: text.slice(0, at), value: text.slice(at + 1) };
  });
  const { name, generateName, instanceId } = options;
  const template = await templateOf(call);
  const run = runOfTemplate(template, { namespace, args, name, generateName, instanceId });
  const { metadata } = await client.create(run);
  output.out(`analysisrun.argoproj.io/${metadata.name} created`);
}

async function templateOf(call: VerbCall<RunOptions>): Promise<KubeObject> {
  const { client, namespace, workdir, options } = call;
  const { from: name = '', fromFile: file, global } = options;
  if (file !== undefined) {
    const [first] = documentsOf(workdir, file);
    return (first?.value ?? {}) as unknown as KubeObject;
  }
  const kind = global ? 'ClusterAnalysisTemplate' : 'AnalysisTemplate';
  const { apiVersion } = rolloutNames;
  try {
    return await client.get({ apiVersion, kind, ...(global ? {} : { namespace }), name });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return fail(call, `${kind.toLowerCase()}s.argoproj.io ${JSON.stringify(name)} not found`);
  }
}
