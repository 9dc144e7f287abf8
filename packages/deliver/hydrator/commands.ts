import type { ApplicationSource } from '@tiphys/api';

/** What a person would run in the dry commit to make the same manifests; nothing for plain files and plugins, as upstream. */
export function hydrationCommands(
  source: ApplicationSource,
  { sourceType, release, namespace }: { sourceType: string; release: string; namespace: string },
): string[] {
  const path = source.path || '.';
  if (sourceType === 'Helm') return [helmCommand(source, path, { release, namespace })];
  if (sourceType === 'Kustomize') return kustomizeCommands(source, path);
  return [];
}

function helmCommand(
  { helm = {} }: ApplicationSource,
  path: string,
  { release, namespace }: { release: string; namespace: string },
): string {
  const words = ['helm', 'template', path, '--name-template', release];
  if (helm.namespace || namespace) words.push('--namespace', helm.namespace || namespace);
  if (helm.kubeVersion) words.push('--kube-version', helm.kubeVersion);
  for (const { name = '', value = '', forceString } of helm.parameters ?? [])
    words.push(forceString ? '--set-string' : '--set', `${name}=${value}`);
  for (const { name = '', path: file = '' } of helm.fileParameters ?? []) words.push('--set-file', `${name}=${file}`);
  for (const file of helm.valueFiles ?? []) words.push('--values', file);
  if (helm.values || helm.valuesObject) words.push('--values', '<values of spec.sourceHydrator.drySource.helm>');
  for (const version of helm.apiVersions ?? []) words.push('--api-versions', version);
  if (!helm.skipCrds) words.push('--include-crds');
  if (helm.skipSchemaValidation) words.push('--skip-schema-validation');
  if (helm.skipTests) words.push('--skip-tests');
  return words.map(quoted).join(' ');
}

function kustomizeCommands({ kustomize = {} }: ApplicationSource, path: string): string[] {
  const edits: string[][] = [];
  if (kustomize.namePrefix) edits.push(['nameprefix', '--', kustomize.namePrefix]);
  if (kustomize.nameSuffix) edits.push(['namesuffix', '--', kustomize.nameSuffix]);
  if (kustomize.images?.length) edits.push(['image', ...kustomize.images]);
  if (kustomize.replicas?.length)
    edits.push(['replicas', ...kustomize.replicas.map(({ name, count }) => `${name}=${count}`)]);
  if (kustomize.namespace) edits.push(['namespace', '--', kustomize.namespace]);
  const added = (kind: string, values: Readonly<Record<string, string>> | undefined) =>
    Object.entries(values ?? {}).map(([key, value]) => [
      'kustomize',
      'edit',
      'add',
      kind,
      '--force',
      `${key}:${value}`,
    ]);
  const commands = [
    ...edits.map((words) => ['kustomize', 'edit', 'set', ...words]),
    ...added('label', kustomize.commonLabels),
    ...added('annotation', kustomize.commonAnnotations),
    ['kustomize', 'build', '.'],
  ];
  const patches = kustomize.patches?.length || kustomize.components?.length;
  return [
    ...(path === '.' ? [] : [`cd ${quoted(path)}`]),
    ...(patches
      ? ['# add the patches and components of spec.sourceHydrator.drySource.kustomize to kustomization.yaml']
      : []),
    ...commands.map((words) => words.map(quoted).join(' ')),
  ];
}

/** For a POSIX shell; line breaks would break out of the README's block. */
function quoted(word: string): string {
  const line = word.replace(/[\r\n]+/g, ' ').replaceAll('`', "'");
  return /^[\w@%+=:,./-]+$/.test(line) ? line : `'${line.replaceAll("'", "'\\''")}'`;
}
