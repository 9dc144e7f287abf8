import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ApplicationSource } from '@tiphys/api';
import { type Command, Option } from 'commander';
import { collect, pair } from '../../terminal/flag-values.ts';

/** A source while flags change it. */
type Draft = { -readonly [K in keyof ApplicationSource]: ApplicationSource[K] };
type Helm = NonNullable<ApplicationSource['helm']>;
type Kustomize = NonNullable<ApplicationSource['kustomize']>;

interface SourceFlag {
  /** As commander takes it. A name that ends in `<…>` takes a value. */
  readonly flags: string;
  readonly description: string;
  /** May be given several times; `set` gets all values. */
  readonly many?: boolean;
  set(source: Draft, value: never, workdir: string): void;
}

const helm = (source: Draft, changes: Helm) => {
  source.helm = { ...source.helm, ...changes };
};
const kustomize = (source: Draft, changes: Kustomize) => {
  source.kustomize = { ...source.kustomize, ...changes };
};
const jsonnet = (source: Draft, key: 'tlas' | 'extVars', texts: readonly string[], { code }: { code: boolean }) => {
  const given = texts.map(pair).map(([name, value]) => ({ name, value, ...(code ? { code } : {}) }));
  const before = source.directory?.jsonnet?.[key] ?? [];
  const kept = before.filter(({ name }) => !given.some((one) => one.name === name));
  source.directory = {
    ...source.directory,
    jsonnet: { ...source.directory?.jsonnet, [key]: [...kept, ...given] },
  };
};
const helmValue = (source: Draft, texts: readonly string[], extra: object) => {
  const given = texts.map(pair).map(([name, value]) => ({ name, value, ...extra }));
  const kept = (source.helm?.parameters ?? []).filter(({ name }) => !given.some((one) => one.name === name));
  helm(source, { parameters: [...kept, ...given] });
};
const text = (flags: string, description: string, set: (source: Draft, value: string) => void): SourceFlag => ({
  flags,
  description,
  set: set as SourceFlag['set'],
});
const toggle = (flags: string, description: string, set: (source: Draft) => void): SourceFlag => ({
  flags,
  description,
  set: set as SourceFlag['set'],
});
const texts = (flags: string, description: string, set: (source: Draft, values: string[]) => void): SourceFlag => ({
  flags,
  description: `${description} (repeatable)`,
  many: true,
  set: set as SourceFlag['set'],
});

/** The flags of `argocd app create|set|add-source` that concern one source. */
const sourceFlags: readonly SourceFlag[] = [
  text('--repo <url>', 'Repository URL', (source, value) => {
    source.repoURL = value;
  }),
  text('--path <dir>', 'Folder in the repository', (source, value) => {
    source.path = value;
  }),
  text('--revision <revision>', 'Branch, tag, commit or chart version', (source, value) => {
    source.targetRevision = value;
  }),
  text(
    '--tag-prefix <text>',
    'Prefix of the tags that the revision, a range of versions, is looked for in',
    (source, value) => {
      source.tagPrefix = value;
    },
  ),
  text('--ref <name>', 'Name by which other sources refer to this one', (source, value) => {
    source.ref = value;
  }),
  text('--helm-chart <name>', 'Chart of a Helm repository', (source, value) => {
    source.chart = value;
  }),
  texts('--values <file>', 'Values file of the chart', (source, valueFiles) => helm(source, { valueFiles })),
  {
    flags: '--values-literal-file <file>',
    description: 'File whose text becomes the values of the chart',
    set: (source, value: string, workdir) => {
      const { valuesObject: _, ...rest } = source.helm ?? {};
      source.helm = { ...rest, values: readFileSync(resolve(workdir, value), 'utf8') };
    },
  },
  toggle('--ignore-missing-value-files', 'Values files that do not exist are skipped', (source) =>
    helm(source, { ignoreMissingValueFiles: true }),
  ),
  texts('--helm-set <name=value>', 'Value of the chart', (source, values) => helmValue(source, values, {})),
  texts('-p, --parameter <name=value>', 'The same, by its other name', (source, values) =>
    helmValue(source, values, {}),
  ),
  texts('--helm-set-string <name=value>', 'Value of the chart that is a text', (source, values) =>
    helmValue(source, values, { forceString: true }),
  ),
  texts(
    '--helm-set-file <name=path>',
    'Value of the chart that is the text of a file in the repository',
    (source, values) => {
      const given = values.map(pair).map(([name, path]) => ({ name, path }));
      const kept = (source.helm?.fileParameters ?? []).filter(({ name }) => !given.some((one) => one.name === name));
      helm(source, { fileParameters: [...kept, ...given] });
    },
  ),
  text('--release-name <name>', 'Name of the Helm release', (source, releaseName) => helm(source, { releaseName })),
  text('--helm-version <version>', 'Version of Helm', (source, version) => helm(source, { version })),
  toggle('--helm-pass-credentials', 'Send the credentials of the repository to other hosts of its index', (source) =>
    helm(source, { passCredentials: true }),
  ),
  toggle('--helm-skip-crds', 'Leave the folder crds of the chart out', (source) => helm(source, { skipCrds: true })),
  toggle('--helm-skip-schema-validation', 'Do not check the values against the schema', (source) =>
    helm(source, { skipSchemaValidation: true }),
  ),
  toggle('--helm-skip-tests', 'Leave the tests of the chart out', (source) => helm(source, { skipTests: true })),
  text('--helm-namespace <namespace>', 'Namespace of the release', (source, namespace) => helm(source, { namespace })),
  text('--helm-kube-version <version>', 'Version of Kubernetes that templates see', (source, kubeVersion) =>
    helm(source, { kubeVersion }),
  ),
  texts('--helm-api-versions <group/version/kind>', 'Kind that templates see as served', (source, apiVersions) =>
    helm(source, { apiVersions }),
  ),
  text('--nameprefix <text>', 'Prefix of names by Kustomize', (source, namePrefix) =>
    kustomize(source, { namePrefix }),
  ),
  text('--namesuffix <text>', 'Suffix of names by Kustomize', (source, nameSuffix) =>
    kustomize(source, { nameSuffix }),
  ),
  text('--kustomize-version <version>', 'Version of Kustomize', (source, version) => kustomize(source, { version })),
  text('--kustomize-namespace <namespace>', 'Namespace by Kustomize', (source, namespace) =>
    kustomize(source, { namespace }),
  ),
  texts('--kustomize-image <image>', 'Image that Kustomize sets', (source, given) =>
    kustomize(source, { images: withImages(source.kustomize?.images ?? [], given) }),
  ),
  texts('--kustomize-replica <name=count>', 'Replicas that Kustomize sets', (source, values) => {
    const given = values.map(pair).map(([name, count]) => ({ name, count: Number(count) }));
    const kept = (source.kustomize?.replicas ?? []).filter(({ name }) => !given.some((one) => one.name === name));
    kustomize(source, { replicas: [...kept, ...given] });
  }),
  texts('--kustomize-common-label <name=value>', 'Label of all objects by Kustomize', (source, values) =>
    kustomize(source, { commonLabels: Object.fromEntries(values.map(pair)) }),
  ),
  texts('--kustomize-common-annotation <name=value>', 'Annotation of all objects by Kustomize', (source, values) =>
    kustomize(source, { commonAnnotations: Object.fromEntries(values.map(pair)) }),
  ),
  toggle('--kustomize-force-common-label', 'Common labels win over those of the objects', (source) =>
    kustomize(source, { forceCommonLabels: true }),
  ),
  toggle('--kustomize-force-common-annotation', 'Common annotations win over those of the objects', (source) =>
    kustomize(source, { forceCommonAnnotations: true }),
  ),
  toggle('--kustomize-label-without-selector', 'Common labels are not put into selectors', (source) =>
    kustomize(source, { labelWithoutSelector: true }),
  ),
  toggle('--kustomize-label-include-templates', 'Common labels are put into templates', (source) =>
    kustomize(source, { labelIncludeTemplates: true }),
  ),
  toggle('--ignore-missing-components', 'Components that do not exist are skipped', (source) =>
    kustomize(source, { ignoreMissingComponents: true }),
  ),
  text(
    '--kustomize-kube-version <version>',
    'Version of Kubernetes that charts of Kustomize see',
    (source, kubeVersion) => kustomize(source, { kubeVersion }),
  ),
  texts(
    '--kustomize-api-versions <group/version/kind>',
    'Kind that charts of Kustomize see as served',
    (source, apiVersions) => kustomize(source, { apiVersions }),
  ),
  toggle('--directory-recurse', 'Read the folders below the path too', (source) => {
    source.directory = { ...source.directory, recurse: true };
  }),
  text('--directory-exclude <glob>', 'Files that are left out', (source, exclude) => {
    source.directory = { ...source.directory, exclude };
  }),
  text('--directory-include <glob>', 'Files that are read', (source, include) => {
    source.directory = { ...source.directory, include };
  }),
  texts('--jsonnet-tla-str <name=value>', 'Top-level argument of Jsonnet', (source, values) =>
    jsonnet(source, 'tlas', values, { code: false }),
  ),
  texts('--jsonnet-tla-code <name=value>', 'Top-level argument of Jsonnet that is code', (source, values) =>
    jsonnet(source, 'tlas', values, { code: true }),
  ),
  texts('--jsonnet-ext-var-str <name=value>', 'External variable of Jsonnet', (source, values) =>
    jsonnet(source, 'extVars', values, { code: false }),
  ),
  texts('--jsonnet-ext-var-code <name=value>', 'External variable of Jsonnet that is code', (source, values) =>
    jsonnet(source, 'extVars', values, { code: true }),
  ),
  texts('--jsonnet-libs <dir>', 'Folder of the repository with libraries of Jsonnet', (source, libs) => {
    source.directory = { ...source.directory, jsonnet: { ...source.directory?.jsonnet, libs } };
  }),
  text('--config-management-plugin <name>', 'Config-management plugin', (source, name) => {
    source.plugin = { ...source.plugin, name };
  }),
  text('--plugin <name>', 'The same, by a shorter name', (source, name) => {
    source.plugin = { ...source.plugin, name };
  }),
  texts('--plugin-env <name=value>', 'Variable of the plugin', (source, values) => {
    const given = values.map(pair).map(([name, value]) => ({ name, value }));
    const kept = (source.plugin?.env ?? []).filter(({ name }) => !given.some((one) => one.name === name));
    source.plugin = { ...source.plugin, env: [...kept, ...given] };
  }),
];

export function addSourceFlags(command: Command): Command {
  for (const { flags, description, many } of sourceFlags) {
    const option = new Option(flags, description);
    command.addOption(many ? option.argParser(collect) : option);
  }
  return command;
}

/** The source with what the flags of a command say; what they do not name stays. Undefined if they name nothing. */
export function withSourceFlags(
  source: ApplicationSource | undefined,
  given: Readonly<Record<string, unknown>>,
  workdir: string,
): ApplicationSource | undefined {
  const draft: Draft = structuredClone(source) ?? { repoURL: '' };
  let changed = false;
  for (const { flags, set } of sourceFlags) {
    const value = given[new Option(flags).attributeName()];
    if (value === undefined) continue;
    set(draft, value as never, workdir);
    changed = true;
  }
  return changed ? draft : undefined;
}

/** `name`, `name=new:tag` and `name:tag` are about the image of that name. */
export function imageName(image: string): string {
  return (image.split('=')[0] as string).replace(/[:@][^/]*$/, '');
}

function withImages(before: readonly string[], given: readonly string[]): string[] {
  return [...before.filter((image) => !given.some((one) => imageName(one) === imageName(image))), ...given];
}
