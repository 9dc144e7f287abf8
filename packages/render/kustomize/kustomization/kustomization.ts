/** The fields of a Kustomization or Component. A field that is not written is absent. */
export interface Kustomization {
  kind?: string;
  apiVersion?: string;
  metadata?: { name?: string; namespace?: string };
  openapi?: ReadonlyMap<string, string>;
  namePrefix?: string;
  nameSuffix?: string;
  namespace?: string;
  commonLabels?: ReadonlyMap<string, string>;
  labels?: Label[];
  commonAnnotations?: ReadonlyMap<string, string>;
  patchesStrategicMerge?: string[];
  patchesJson6902?: Patch[];
  patches?: Patch[];
  images?: Image[];
  imageTags?: Image[];
  replacements?: ReplacementEntry[];
  replicas?: Replica[];
  vars?: Var[];
  sortOptions?: SortOptions;
  resources?: string[];
  components?: string[];
  crds?: string[];
  bases?: string[];
  configMapGenerator?: GeneratorArgs[];
  secretGenerator?: GeneratorArgs[];
  helmGlobals?: HelmGlobals;
  helmCharts?: HelmChart[];
  helmChartInflationGenerator?: HelmChartArgs[];
  generatorOptions?: GeneratorOptions;
  configurations?: string[];
  generators?: string[];
  transformers?: string[];
  validators?: string[];
  buildMetadata?: string[];
}

export interface FieldSpec {
  group?: string;
  version?: string;
  kind?: string;
  path?: string;
  create?: boolean;
}

export interface Label {
  pairs?: ReadonlyMap<string, string>;
  includeSelectors?: boolean;
  includeTemplates?: boolean;
  fields?: FieldSpec[];
}

export interface Selector {
  group?: string;
  version?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  annotationSelector?: string;
  labelSelector?: string;
}

export interface Patch {
  path?: string;
  patch?: string;
  target?: Selector;
  options?: { allowNameChange?: boolean; allowKindChange?: boolean };
}

export interface Image {
  name?: string;
  newName?: string;
  tagSuffix?: string;
  newTag?: string;
  digest?: string;
}

export interface Replica {
  name?: string;
  count?: number;
}

export interface FieldOptions {
  delimiter?: string;
  index?: number;
  encoding?: string;
  create?: boolean;
}

export interface Replacement {
  source?: {
    group?: string;
    version?: string;
    kind?: string;
    name?: string;
    namespace?: string;
    fieldPath?: string;
    options?: FieldOptions;
  };
  targets?: { select?: Selector; reject?: Selector[]; fieldPaths?: string[]; options?: FieldOptions }[];
  sourceValue?: string;
}

export interface ReplacementEntry extends Replacement {
  path?: string;
}

export interface Var {
  name?: string;
  objref?: {
    apiVersion?: string;
    group?: string;
    version?: string;
    kind?: string;
    name?: string;
    namespace?: string;
  };
  fieldref?: { fieldPath?: string };
}

export interface SortOptions {
  order?: string;
  legacySortOptions?: { orderFirst?: string[]; orderLast?: string[] };
}

export interface GeneratorOptions {
  labels?: ReadonlyMap<string, string>;
  annotations?: ReadonlyMap<string, string>;
  disableNameSuffixHash?: boolean;
  immutable?: boolean;
}

/** Of a ConfigMap; a Secret has a type too. */
export interface GeneratorArgs {
  namespace?: string;
  name?: string;
  behavior?: string;
  literals?: string[];
  files?: string[];
  envs?: string[];
  env?: string;
  options?: GeneratorOptions;
  type?: string;
}

export interface HelmGlobals {
  chartHome?: string;
  configHome?: string;
}

export interface HelmChart {
  name?: string;
  version?: string;
  repo?: string;
  releaseName?: string;
  namespace?: string;
  additionalValuesFiles?: string[];
  valuesFile?: string;
  valuesInline?: unknown;
  valuesMerge?: string;
  includeCRDs?: boolean;
  skipHooks?: boolean;
  apiVersions?: string[];
  kubeVersion?: string;
  nameTemplate?: string;
  skipTests?: boolean;
  debug?: boolean;
  devel?: boolean;
}

/** The older form of a chart. */
export interface HelmChartArgs {
  chartName?: string;
  chartVersion?: string;
  chartRepoUrl?: string;
  chartHome?: string;
  chartRepoName?: string;
  helmBin?: string;
  helmHome?: string;
  values?: string;
  valuesLocal?: unknown;
  valuesMerge?: string;
  releaseName?: string;
  releaseNamespace?: string;
  extraArgs?: string[];
}
