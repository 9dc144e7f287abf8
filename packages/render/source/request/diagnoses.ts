import { defineDiagnosis } from '@tiphys/diagnosis';

export const severalSourceTypes = defineDiagnosis('SeveralSourceTypes', 'A source has options of more than one tool');
export const pathInvalid = defineDiagnosis(
  'PathInvalid',
  'The path of a source is absolute, leaves the repository or is no folder',
);
export const pathMissing = defineDiagnosis(
  'PathMissing',
  'The path of a source is not in the repository at this revision',
  'R10',
);
export const manifestInvalid = defineDiagnosis(
  'ManifestInvalid',
  'A file is not valid YAML or JSON, or not what a manifest has to be',
  'M9',
);
export const tooManyObjects = defineDiagnosis(
  'TooManyObjects',
  'A file expands to too much: aliases, nesting, or number of objects',
  'M9',
);
export const manifestsTooBig = defineDiagnosis(
  'ManifestsTooBig',
  'The files of a source together exceed the limit of bytes',
  'M15',
);
export const overridesInvalid = defineDiagnosis(
  'SourceOverridesInvalid',
  'A .argocd-source file in the repository cannot be used',
  'M9',
);
export const duplicateKeys = defineDiagnosis(
  'DuplicateKeys',
  'A mapping of a manifest has the same key twice; the last one counts',
);
export const sourceEmpty = defineDiagnosis(
  'SourceEmpty',
  'The folder of a source holds no manifest that is read, so that nothing is delivered',
);
export const linkDangling = defineDiagnosis('LinkDangling', 'A symbolic link leads to nothing, and is left out');
export const valueFileOutside = defineDiagnosis(
  'ValueFileOutside',
  'A values file or file parameter lies outside of the repository',
);
export const valueFilesGlobEmpty = defineDiagnosis(
  'ValueFilesGlobEmpty',
  'A glob of values files matches no file: one may be added later',
);
export const valueFileMissing = defineDiagnosis(
  'ValueFileMissing',
  'A values file or file parameter is not in the repository',
);
export const chartWarning = defineDiagnosis('ChartWarning', 'Helm warns of something in a chart or its values');
export const renderTooCostly = defineDiagnosis(
  'RenderTooCostly',
  'A template takes too long, or prints too much',
  'M15',
);
export const renderWaits = defineDiagnosis(
  'RenderWaits',
  'A render waits for its turn among those of other applications and projects',
);
export const dependencyMissing = defineDiagnosis(
  'SourceDependencyMissing',
  'A chart in Git lists a dependency that it does not hold',
  'M3',
);
export const chartNotInstallable = defineDiagnosis(
  'ChartNotInstallable',
  'A chart is a library: it renders nothing by itself',
);
export const artifactInvalid = defineDiagnosis(
  'SourceArtifactInvalid',
  'A package or an OCI artifact does not hold manifests in a way that can be used',
);
export const chartRevisionMissing = defineDiagnosis(
  'ChartRevisionMissing',
  'A chart of a Helm repository or a registry is named without a version',
);
export const dependencyNotPermitted = defineDiagnosis(
  'DependencyNotPermitted',
  'A chart depends on a repository that the project does not permit, and that can not be read without credentials',
  'M3',
);
export const kustomizeOptionInvalid = defineDiagnosis(
  'KustomizeOptionInvalid',
  'An option of Kustomize, of an application or of the settings, can not be used.',
  'M4',
);
export const remoteBaseRefused = defineDiagnosis(
  'RemoteBaseRefused',
  'A kustomization names a remote base that the project does not permit, or at an address inside of this network.',
  'M4',
);
export const referenceUnusable = defineDiagnosis(
  'SourceReferenceUnusable',
  'A values file names another source of the application by a ref that is not there or can not be read',
);
export const remoteFileRefused = defineDiagnosis(
  'RemoteFileRefused',
  'A values file or a values schema at a URL can not be had',
);
export const pluginFilesTooMany = defineDiagnosis(
  'PluginFilesTooMany',
  'The files of a repository are too many bytes for a config-management plugin',
  'M15',
);
export const pluginCredentialsRefused = defineDiagnosis(
  'PluginCredentialsRefused',
  'A config-management plugin wants the credentials of a repository, of a kind that plugins cannot be given',
);
export const pluginSkipped = defineDiagnosis(
  'PluginSkipped',
  'A config-management plugin could not be asked whether a source is its own, so another one was taken',
);
export const kustomizeBinaryFailed = defineDiagnosis(
  'KustomizeBinaryFailed',
  'A kustomize of another version, which the settings register, can not be run or refuses the kustomization.',
  'M4',
);
export const jsonnetFailed = defineDiagnosis(
  'JsonnetFailed',
  'A Jsonnet program can not be read, or fails when it runs',
  'M6',
);

export const releaseNameInvalid = defineDiagnosis(
  'ReleaseNameInvalid',
  'A chart cannot be rendered under the name of its release.',
  'M1',
);
