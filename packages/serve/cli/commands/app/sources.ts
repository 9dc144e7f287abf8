import type { Application, ApplicationSource, ApplicationSpec } from '@tiphys/api';
import { parseDocuments } from '@tiphys/yaml';
import type { Command } from 'commander';
import { type ApplicationName, parseApplicationName } from '../../client/application-api.ts';
import { Exit, type Surroundings, sessionOf } from '../../terminal/command-context.ts';
import { asking } from '../../terminal/confirm.ts';
import { editText } from '../../terminal/edit-text.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { collect } from '../../terminal/flag-values.ts';
import { structured } from '../../terminal/output.ts';
import { addSourceFlags, imageName, withSourceFlags } from '../common/source-flags.ts';
import { type SpecFlags, sourceAt } from './spec.ts';

interface UnsetFlags extends SpecFlags {
  readonly parameter?: string[];
  readonly values?: string[];
  readonly valuesLiteral?: boolean;
  readonly ignoreMissingValueFiles?: boolean;
  readonly passCredentials?: boolean;
  readonly nameprefix?: boolean;
  readonly namesuffix?: boolean;
  readonly kustomizeVersion?: boolean;
  readonly kustomizeNamespace?: boolean;
  readonly kustomizeImage?: string[];
  readonly kustomizeReplica?: string[];
  readonly ignoreMissingComponents?: boolean;
  readonly pluginEnv?: string[];
  readonly ref?: boolean;
}

/** `tiphys app unset`, `edit`, `add-source`, `remove-source`: the verbs of `argocd app` that change its sources, or its whole spec. */
export function addApplicationSourceCommands(app: Command, surroundings: Surroundings): void {
  const { output, workdir, env } = surroundings;
  const verb = (name: string, description: string) =>
    app
      .command(name)
      .description(description)
      .option('-N, --app-namespace <namespace>', 'Namespace of the Application');
  const named = (text: string, command: Command) =>
    parseApplicationName(text, command.opts<{ appNamespace?: string }>().appNamespace);
  const pathOf = (name: string, rest = '') => `/api/v1/applications/${encodeURIComponent(name)}${rest}`;
  const read = (command: Command, { name, appNamespace }: ApplicationName) =>
    sessionOf(command, surroundings).request<Application>('GET', pathOf(name), { query: { appNamespace } });
  const write = (command: Command, { name, appNamespace }: ApplicationName, spec: ApplicationSpec) =>
    sessionOf(command, surroundings).request('PUT', pathOf(name, '/spec'), {
      query: { appNamespace, project: spec.project },
      body: spec,
    });
  const refuse = (message: string): never => {
    output.error(message);
    throw new Exit(exitCodes.generic);
  };

  verb('unset <name>', 'Take parameters of a source back')
    .option('-p, --parameter <name>', 'Value of the chart (repeatable)', collect)
    .option('--values <file>', 'Values file (repeatable)', collect)
    .option('--values-literal', 'Values in the Application')
    .option('--ignore-missing-value-files', 'Values files that do not exist fail again')
    .option('--pass-credentials', 'Credentials stay with their host again')
    .option('--nameprefix', 'Prefix of names by Kustomize')
    .option('--namesuffix', 'Suffix of names by Kustomize')
    .option('--kustomize-version', 'Version of Kustomize')
    .option('--kustomize-namespace', 'Namespace by Kustomize')
    .option('--kustomize-image <image>', 'Image that Kustomize sets (repeatable)', collect)
    .option('--kustomize-replica <name>', 'Replicas that Kustomize sets (repeatable)', collect)
    .option('--ignore-missing-components', 'Components that do not exist fail again')
    .option('--plugin-env <name>', 'Variable of the plugin (repeatable)', collect)
    .option('--ref', 'Name by which other sources refer to this one')
    .option('--source-position <number>', 'Of several sources the one that is meant, counted from 1', Number)
    .option('--source-name <name>', 'The same, by its name')
    .action(async (text: string, flags: UnsetFlags, command: Command) => {
      const name = named(text, command);
      const { spec } = await read(command, name);
      const at = spec.sources?.length ? sourceAt(spec, flags) : undefined;
      const before = at === undefined ? spec.source : spec.sources?.[at];
      if (!before) return refuse(`Application '${name.name}' has no source`);
      const source = without(before, flags);
      const changed = at === undefined ? { source } : { sources: (spec.sources ?? []).with(at, source) };
      return void (await write(command, name, { ...spec, ...changed }));
    });

  verb('edit <name>', 'Edit the spec of an application in the editor of $EDITOR').action(
    async (text: string, _flags: object, command: Command) => {
      const name = named(text, command);
      const before = structured('yaml', (await read(command, name)).spec);
      const after = await editText(`${before}\n`, env);
      if (after.trim() === before.trim()) return output.out('Edit cancelled, no changes made');
      const edited = parseDocuments(after, { file: `application ${name.name}` }).documents[0]?.value;
      return void (await write(command, name, edited as unknown as ApplicationSpec));
    },
  );

  addSourceFlags(verb('add-source <name>', 'Add a source to an application of several'))
    .option('--source-name <name>', 'Name of the source')
    .action(async (text: string, flags: SpecFlags, command: Command) => {
      const name = named(text, command);
      const { spec } = await read(command, name);
      if (!spec.sources?.length)
        return refuse(`Cannot add source: application ${name.name} does not have spec.sources defined`);
      const source = withSourceFlags(undefined, flags as Readonly<Record<string, unknown>>, workdir);
      if (!source) return refuse('A source needs at least --repo with --path, --helm-chart or --ref');
      const added = { ...source, ...(flags.sourceName === undefined ? {} : { name: flags.sourceName }) };
      await write(command, name, { ...spec, sources: [...spec.sources, added] });
      return output.out(`Application '${name.name}' updated successfully`);
    });

  verb('remove-source <name>', 'Remove a source of an application of several')
    .option('--source-position <number>', 'Which one, counted from 1', Number)
    .option('--source-name <name>', 'The same, by its name')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action(async (text: string, flags: SpecFlags, command: Command) => {
      const name = named(text, command);
      const { spec } = await read(command, name);
      if (!spec.sources?.length) return refuse('Application does not have multiple sources configured');
      const at = sourceAt(spec, flags);
      if (spec.sources.length === 1) return refuse('Cannot remove the only source remaining in the app');
      await write(command, name, { ...spec, sources: spec.sources.toSpliced(at, 1) });
      return output.out(`Application '${name.name}' updated successfully`);
    });
}

/** The source without what the flags name; a tool's section that is empty then goes too. */
function without(source: ApplicationSource, flags: UnsetFlags): ApplicationSource {
  const { ref, helm, kustomize, plugin, ...rest } = source;
  const drop = <T>(items: readonly T[] | undefined, isNamed: (item: T) => boolean) =>
    items?.filter((item) => !isNamed(item));
  return {
    ...rest,
    ...(ref === undefined || flags.ref ? {} : { ref }),
    ...section(
      'helm',
      helm && {
        ...helm,
        parameters: drop(helm.parameters, ({ name }) => flags.parameter?.includes(name ?? '') ?? false),
        valueFiles: drop(helm.valueFiles, (file) => flags.values?.includes(file) ?? false),
        values: flags.valuesLiteral ? undefined : helm.values,
        valuesObject: flags.valuesLiteral ? undefined : helm.valuesObject,
        ignoreMissingValueFiles: flags.ignoreMissingValueFiles ? undefined : helm.ignoreMissingValueFiles,
        passCredentials: flags.passCredentials ? undefined : helm.passCredentials,
      },
    ),
    ...section(
      'kustomize',
      kustomize && {
        ...kustomize,
        namePrefix: flags.nameprefix ? undefined : kustomize.namePrefix,
        nameSuffix: flags.namesuffix ? undefined : kustomize.nameSuffix,
        version: flags.kustomizeVersion ? undefined : kustomize.version,
        namespace: flags.kustomizeNamespace ? undefined : kustomize.namespace,
        ignoreMissingComponents: flags.ignoreMissingComponents ? undefined : kustomize.ignoreMissingComponents,
        images: drop(kustomize.images, (image) =>
          (flags.kustomizeImage ?? []).some((named) => imageName(named) === imageName(image)),
        ),
        replicas: drop(kustomize.replicas, ({ name }) => flags.kustomizeReplica?.includes(name) ?? false),
      },
    ),
    ...section(
      'plugin',
      plugin && {
        ...plugin,
        env: drop(plugin.env, ({ name }) => flags.pluginEnv?.includes(name) ?? false),
      },
    ),
  };
}

function section(key: string, value: object | undefined): object {
  const kept = Object.entries(value ?? {}).filter(
    ([, field]) => field !== undefined && !(Array.isArray(field) && field.length === 0),
  );
  return kept.length > 0 ? { [key]: Object.fromEntries(kept) } : {};
}
