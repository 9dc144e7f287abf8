import {
  embedded,
  type GoType,
  goAny,
  goBool,
  goInt,
  goInt64,
  goString,
  mapOf,
  namedString,
  sliceOf,
  struct,
} from '../decode/go-json.ts';

const strings = sliceOf(goString);
const stringMap = mapOf(goString);

const gvk = { group: goString, version: goString, kind: goString };
const resourceId = embedded('ResId', { ...embedded('Gvk', gvk), name: goString, namespace: goString });

export const fieldSpecType = struct('FieldSpec', { ...embedded('Gvk', gvk), path: goString, create: goBool });

const labelType = struct('Label', {
  pairs: stringMap,
  includeSelectors: goBool,
  includeTemplates: goBool,
  fields: sliceOf(fieldSpecType),
});

export const selectorType = struct('Selector', {
  ...resourceId,
  annotationSelector: goString,
  labelSelector: goString,
});

export const patchOptionsType = struct('PatchArgs', { allowNameChange: goBool, allowKindChange: goBool });

const patchType = struct('Patch', {
  path: goString,
  patch: goString,
  target: selectorType,
  options: patchOptionsType,
});

export const imageType = struct('Image', {
  name: goString,
  newName: goString,
  tagSuffix: goString,
  newTag: goString,
  digest: goString,
});

export const replicaType = struct('Replica', { name: goString, count: goInt64 });

const fieldOptionsType = struct('FieldOptions', {
  delimiter: goString,
  index: goInt,
  encoding: goString,
  create: goBool,
});

const replacementFields = {
  source: struct('SourceSelector', { ...resourceId, fieldPath: goString, options: fieldOptionsType }),
  targets: sliceOf(
    struct('TargetSelector', {
      select: selectorType,
      reject: sliceOf(selectorType, '[]*types.Selector'),
      fieldPaths: strings,
      options: fieldOptionsType,
    }),
    '[]*types.TargetSelector',
  ),
  sourceValue: goString,
};

export const replacementType = struct('Replacement', replacementFields);
export const replacementEntryType = struct('ReplacementField', {
  ...embedded('Replacement', replacementFields),
  path: goString,
});

const varType = struct('Var', {
  name: goString,
  objref: struct('Target', { ...embedded('Gvk', gvk), apiVersion: goString, name: goString, namespace: goString }),
  fieldref: struct('FieldSelector', { fieldPath: goString }),
});

export const sortOptionsType = struct('SortOptions', {
  order: namedString('SortOrder'),
  legacySortOptions: struct('LegacySortOptions', { orderFirst: strings, orderLast: strings }),
});

const generatorOptionsType = struct('GeneratorOptions', {
  labels: stringMap,
  annotations: stringMap,
  disableNameSuffixHash: goBool,
  immutable: goBool,
});

const generatorFields = embedded('GeneratorArgs', {
  namespace: goString,
  name: goString,
  behavior: goString,
  ...embedded('KvPairSources', { literals: strings, files: strings, envs: strings, env: goString }),
  options: generatorOptionsType,
});

export const configMapArgsType = struct('ConfigMapArgs', generatorFields);
export const secretArgsType = struct('SecretArgs', { ...generatorFields, type: goString });

const helmGlobalsFields = { chartHome: goString, configHome: goString };
const helmChartFields = {
  name: goString,
  version: goString,
  repo: goString,
  releaseName: goString,
  namespace: goString,
  additionalValuesFiles: strings,
  valuesFile: goString,
  valuesInline: mapOf(goAny),
  valuesMerge: goString,
  includeCRDs: goBool,
  skipHooks: goBool,
  apiVersions: strings,
  kubeVersion: goString,
  nameTemplate: goString,
  skipTests: goBool,
  debug: goBool,
  devel: goBool,
};

export const helmChartWithGlobalsType = struct('HelmChart', { ...helmGlobalsFields, ...helmChartFields });

const helmChartArgsType = struct('HelmChartArgs', {
  chartName: goString,
  chartVersion: goString,
  chartRepoUrl: goString,
  chartHome: goString,
  chartRepoName: goString,
  helmBin: goString,
  helmHome: goString,
  values: goString,
  valuesLocal: mapOf(goAny),
  valuesMerge: goString,
  releaseName: goString,
  releaseNamespace: goString,
  extraArgs: strings,
});

export const kustomizationType: GoType = struct('Kustomization', {
  ...embedded('TypeMeta', { kind: goString, apiVersion: goString }),
  metadata: struct('ObjectMeta', {
    name: goString,
    namespace: goString,
    labels: stringMap,
    annotations: stringMap,
  }),
  openapi: stringMap,
  namePrefix: goString,
  nameSuffix: goString,
  namespace: goString,
  commonLabels: stringMap,
  labels: sliceOf(labelType),
  commonAnnotations: stringMap,
  patchesStrategicMerge: sliceOf(namedString('PatchStrategicMerge')),
  patchesJson6902: sliceOf(patchType),
  patches: sliceOf(patchType),
  images: sliceOf(imageType),
  imageTags: sliceOf(imageType),
  replacements: sliceOf(replacementEntryType),
  replicas: sliceOf(replicaType),
  vars: sliceOf(varType),
  sortOptions: sortOptionsType,
  resources: strings,
  components: strings,
  crds: strings,
  bases: strings,
  configMapGenerator: sliceOf(configMapArgsType),
  secretGenerator: sliceOf(secretArgsType),
  helmGlobals: struct('HelmGlobals', helmGlobalsFields),
  helmCharts: sliceOf(struct('HelmChart', helmChartFields)),
  helmChartInflationGenerator: sliceOf(helmChartArgsType),
  generatorOptions: generatorOptionsType,
  configurations: strings,
  generators: strings,
  transformers: strings,
  validators: strings,
  buildMetadata: strings,
});
