import { type Application, names } from '@tiphys/api';
import { quarantineOf, releaseFromQuarantine } from '@tiphys/applications';
import { type Command, Option } from 'commander';
import { parseApplicationName } from '../../client/application-api.ts';
import { Exit, type Surroundings, sessionOf } from '../../terminal/command-context.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { collect, pair } from '../../terminal/flag-values.ts';
import { manifestsIn } from '../common/manifest-file.ts';
import { addSpecFlags, applicationOf, type SpecFlags, withSpecFlags } from './spec.ts';

/** `tiphys app create`, `set`, `patch`, `terminate-op`, `release`, `confirm-deletion`: the verbs of `argocd app` that change the Application. */
export function addApplicationWriteCommands(app: Command, surroundings: Surroundings): void {
  const { output, workdir } = surroundings;
  const verb = (name: string, description: string) =>
    app
      .command(name)
      .description(description)
      .option('-N, --app-namespace <namespace>', 'Namespace of the Application');
  const pathOf = (name: string, rest = '') => `/api/v1/applications/${encodeURIComponent(name)}${rest}`;
  const named = (text: string, command: Command) =>
    parseApplicationName(text, command.opts<{ appNamespace?: string }>().appNamespace);

  addSpecFlags(verb('create [name]', 'Create an application'))
    .option(
      '-f, --file <file>',
      'Applications in a file of YAML or JSON, at an address, or in the standard input (-); flags come on top',
    )
    .option('-l, --label <name=value>', 'Label (repeatable)', collect)
    .option('--annotations <name=value>', 'Annotation (repeatable)', collect)
    .addOption(new Option('--name <name>', 'The name, by its older way').hideHelp())
    .option('--set-finalizer', 'Deleting the application deletes its objects')
    .option('--upsert', 'Change it if it is there already')
    .option('--no-validate', 'Do not check repository and cluster first')
    .action(async (text: string | undefined, flags: CreateFlags, command: Command) => {
      const files = flags.file ? await manifestsIn<Application>(flags.file, 'Application', surroundings) : [undefined];
      const wanted = text ?? flags.name;
      if (wanted !== undefined && files.length > 1) {
        output.error(`${flags.file} has ${files.length} Applications, and one name is given: leave the name out`);
        throw new Exit(exitCodes.usage);
      }
      for (const given of files) await create(wanted ?? given?.metadata?.name, given, flags, command);
    });

  async function create(
    name: string | undefined,
    given: Application | undefined,
    flags: CreateFlags,
    command: Command,
  ): Promise<void> {
    if (!name) {
      output.error('Name the application, or give it with --file');
      throw new Exit(exitCodes.usage);
    }
    const parsed = named(name, command);
    const metadata = {
      ...(parsed.appNamespace ? { namespace: parsed.appNamespace } : {}),
      ...(flags.label ? { labels: Object.fromEntries(flags.label.map(pair)) } : {}),
      ...(flags.annotations ? { annotations: Object.fromEntries(flags.annotations.map(pair)) } : {}),
      ...(flags.setFinalizer ? { finalizers: ['resources-finalizer.argocd.argoproj.io'] } : {}),
    };
    const application = given
      ? {
          ...given,
          metadata: { ...given.metadata, ...metadata, name: parsed.name },
          spec: withSpecFlags(given.spec, flags, workdir),
        }
      : applicationOf(parsed.name, flags, { metadata, workdir });
    await sessionOf(command, surroundings).request('POST', '/api/v1/applications', {
      query: { upsert: flags.upsert ?? false, validate: flags.validate },
      body: application,
    });
    output.out(`application '${parsed.name}' ${flags.upsert ? 'updated' : 'created'}`);
  }

  addSpecFlags(verb('set <name>', 'Change what an application delivers'))
    .option('--no-validate', 'Do not check repository and cluster first')
    .action(async (text: string, flags: CreateFlags, command: Command) => {
      const { name, appNamespace } = named(text, command);
      const session = sessionOf(command, surroundings);
      const before = await session.request<Application>('GET', pathOf(name), { query: { appNamespace } });
      await session.request('PUT', pathOf(name, '/spec'), {
        query: { appNamespace, project: before.spec.project, validate: flags.validate },
        body: withSpecFlags(before.spec, flags, workdir),
      });
    });

  verb('patch <name>', 'Patch an application')
    .requiredOption('--patch <text>', 'Body of the patch')
    .option('--type <type>', 'json or merge', 'json')
    .action(async (text: string, flags: { patch: string; type: string }, command: Command) => {
      const { name, appNamespace } = named(text, command);
      await sessionOf(command, surroundings).request('PATCH', pathOf(name), {
        body: { name, appNamespace, patch: flags.patch, patchType: flags.type },
      });
      output.out(`application '${name}' patched`);
    });

  verb('terminate-op <name>', 'End the running operation').action(
    async (text: string, _flags: object, command: Command) => {
      const { name, appNamespace } = named(text, command);
      await sessionOf(command, surroundings).request('DELETE', pathOf(name, '/operation'), { query: { appNamespace } });
      output.out(`Application '${name}' operation terminating`);
    },
  );

  verb('release <name>', 'Let revisions out of quarantine, so that automated sync may deliver them again')
    .option('--revision <revision>', 'Only this one, or one of several sources, by its beginning; all if absent')
    .action(async (text: string, { revision }: { revision?: string }, command: Command) => {
      const { name, appNamespace } = named(text, command);
      const session = sessionOf(command, surroundings);
      const application = await session.request<Application>('GET', pathOf(name), { query: { appNamespace } });
      const entries = quarantineOf(application);
      const out = entries.filter(({ revisions }) => revisions.some((each) => each.startsWith(revision ?? '')));
      if (out.length === 0) {
        const held = entries.map(({ revisions }) => revisions.join(', ')).join('; ');
        output.error(
          held
            ? `Application '${name}' has no revision ${revision} in quarantine: there are ${held}`
            : `Application '${name}' has no revision in quarantine`,
        );
        throw new Exit(exitCodes.usage);
      }
      for (const { revisions } of out) releaseFromQuarantine(application, revisions);
      const left = application.metadata.annotations?.[names.annotations.quarantine] ?? null;
      const patch = { metadata: { annotations: { [names.annotations.quarantine]: left } } };
      await session.request('PATCH', pathOf(name), {
        body: { name, appNamespace, patch: JSON.stringify(patch), patchType: 'merge' },
      });
      for (const { revisions, reason } of out)
        output.out(`Revision ${revisions.join(', ')} is out of quarantine, where it was because of this: ${reason}`);
    });

  verb('confirm-deletion <name>', 'Confirm the deletion or pruning that waits for a person').action(
    async (text: string, _flags: object, command: Command) => {
      const { name, appNamespace } = named(text, command);
      const patch = { metadata: { annotations: { 'argocd.argoproj.io/deletion-approved': new Date().toISOString() } } };
      await sessionOf(command, surroundings).request('PATCH', pathOf(name), {
        body: { name, appNamespace, patch: JSON.stringify(patch), patchType: 'merge' },
      });
      output.out(`Application '${name}' updated successfully`);
    },
  );
}

interface CreateFlags extends SpecFlags {
  readonly file?: string;
  readonly name?: string;
  readonly label?: string[];
  readonly annotations?: string[];
  readonly setFinalizer?: boolean;
  readonly upsert?: boolean;
  readonly validate: boolean;
}
