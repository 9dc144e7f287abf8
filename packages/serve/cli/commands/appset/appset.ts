import { setTimeout as pause } from 'node:timers/promises';
import type { ApplicationSet } from '@tiphys/api';
import { type Command, Option } from 'commander';
import { RequestError } from '../../client/api-session.ts';
import { ApplicationSetApi, type ApplicationSetName } from '../../client/application-set-api.ts';
import { Exit, type Surroundings, sessionOf } from '../../terminal/command-context.ts';
import { asking } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { structured } from '../../terminal/output.ts';
import { manifestsIn } from '../common/manifest-file.ts';
import { printApplicationSet, printApplicationSets, printParameters, printPreview } from './print.ts';

const format = (values: string[], fallback: string) =>
  new Option('-o, --output <format>', 'Output format').choices(values).default(fallback);
const collect = (value: string, before: string[] = []) => [...before, value];

/** `tiphys appset …`: the verbs, flags and exit codes of `argocd appset`; and what would change, and why. */
export function addApplicationSetCommands(program: Command, surroundings: Surroundings): void {
  const { output } = surroundings;
  const appset = program.command('appset').description('Manage ApplicationSets');
  const verb = (name: string, description: string) =>
    appset
      .command(name)
      .description(description)
      .option('-N, --appset-namespace <namespace>', 'Namespace of the ApplicationSet');
  const begin = (command: Command, text = ''): { api: ApplicationSetApi; name: ApplicationSetName } => ({
    api: new ApplicationSetApi(sessionOf(command, surroundings)),
    name: nameOf(text, command.opts<{ appsetNamespace?: string }>().appsetNamespace),
  });

  const setsIn = (file: string) => manifestsIn<ApplicationSet>(file, 'ApplicationSet', surroundings);

  verb('list', 'List ApplicationSets')
    .addOption(format(['wide', 'name', 'json', 'yaml'], 'wide'))
    .option('-p, --project <name>', 'Only of this project (repeatable)', collect)
    .option('-l, --selector <labels>', 'Only with these labels')
    .action(async (options, command) => {
      printApplicationSets(output, await begin(command).api.list(options), options.output);
    });

  verb('get <name>', 'Show an ApplicationSet, its Applications and the elements that they are made for')
    .addOption(format(['wide', 'json', 'yaml'], 'wide'))
    .option('--show-params', 'With the parameters that the template gives charts')
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      const set = await api.get(name);
      if (options.output !== 'wide') return output.out(structured(options.output, set));
      printApplicationSet(output, set, await api.elements(name));
      if (options.showParams) printParameters(output, set);
    });

  verb('create <file...>', 'Create ApplicationSets of files, of addresses, or of the standard input (-)')
    .option('--upsert', 'Change those that exist')
    .option('--dry-run', 'Only say what would be made')
    .option('--wait', 'Wait until the Applications of the sets are up to date')
    .addOption(format(['wide', 'json', 'yaml'], 'wide'))
    .action(async (files: string[], options, command) => {
      const { api } = begin(command);
      for (const set of (await Promise.all(files.map(setsIn))).flat()) {
        let made = await api.create(set, { upsert: options.upsert, dryRun: options.dryRun });
        if (options.wait && !options.dryRun)
          made = (await until(api, identityOf(made), (now) => now === undefined || isUpToDate(now))) ?? made;
        if (options.output !== 'wide') {
          output.out(structured(options.output, made));
          continue;
        }
        const { namespace, name } = made.metadata;
        const resources = made.status?.resources ?? [];
        output.out(`ApplicationSet '${namespace}/${name}' ${options.dryRun ? 'would be created' : 'created'}`);
        if (options.dryRun) for (const resource of resources) output.out(`  ${resource.name}`);
      }
    });

  verb('generate <file>', 'Print the Applications that an ApplicationSet of a file would make')
    .addOption(format(['wide', 'json', 'yaml'], 'wide'))
    .action(async (file: string, options, command) => {
      const { api } = begin(command);
      for (const set of await setsIn(file)) {
        const applications = await api.generate(set);
        if (options.output !== 'wide') output.out(structured(options.output, applications));
        else for (const { metadata } of applications) output.out(`${metadata.namespace}/${metadata.name}`);
      }
    });

  verb('preview <name>', 'Show per Application what would be created, changed and deleted')
    .option('-f, --file <file>', 'As if the set were the one of this file')
    .addOption(format(['wide', 'json', 'yaml'], 'wide'))
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      const [set] = options.file ? await setsIn(options.file) : [];
      const preview = await api.preview(name, set);
      if (options.output !== 'wide') output.out(structured(options.output, preview));
      else printPreview(output, preview);
      if (preview.failures.length > 0) throw new Exit(exitCodes.generic);
    });

  verb('confirm-deletions <name>', 'Agree to the deletions that wait because they are many').action(
    async (text, _options, command) => {
      const { api, name } = begin(command, text);
      await api.confirmDeletions(name);
      output.out(`deletions of ApplicationSet '${text}' confirmed`);
    },
  );

  verb('delete <name...>', 'Delete ApplicationSets')
    .option('-y, --yes', 'Do not ask')
    .option('--wait', 'Wait until they are gone')
    .hook('preAction', asking(surroundings))
    .action(async (texts: string[], options, command) => {
      for (const text of texts) {
        const { api, name } = begin(command, text);
        await api.delete(name);
        if (options.wait) await until(api, name, (now) => now === undefined);
        output.out(`applicationset '${text}' deleted`);
      }
    });

  /** Asks every second; resolves to the set as it was when the condition held, undefined once it is gone. */
  async function until(
    api: ApplicationSetApi,
    name: ApplicationSetName,
    holds: (set: ApplicationSet | undefined) => boolean,
  ): Promise<ApplicationSet | undefined> {
    for (;;) {
      const set = await found(api, name);
      if (holds(set)) return set;
      await pause(1_000, undefined, { signal: surroundings.signal });
    }
  }
}

/** Undefined for a set that is not there any more. */
async function found(api: ApplicationSetApi, name: ApplicationSetName): Promise<ApplicationSet | undefined> {
  try {
    return await api.get(name);
  } catch (error) {
    // as upstream the server says of what is gone that it is not permitted
    if (error instanceof RequestError && (error.status === 404 || error.status === 403)) return undefined;
    throw error;
  }
}

const identityOf = ({ metadata }: ApplicationSet): ApplicationSetName => ({
  name: metadata.name ?? '',
  appsetNamespace: metadata.namespace,
});

const isUpToDate = ({ status }: ApplicationSet): boolean =>
  (status?.conditions ?? []).some(({ type, status }) => type === 'ResourcesUpToDate' && status === 'True');

/** `name` or `namespace/name`. */
function nameOf(text: string, namespace?: string): ApplicationSetName {
  const [first = '', second] = text.split('/');
  return second === undefined ? { name: first, appsetNamespace: namespace } : { name: second, appsetNamespace: first };
}
