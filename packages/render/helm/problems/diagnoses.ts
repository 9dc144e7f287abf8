import { defineDiagnosis } from '@tiphys/diagnosis';

export const chartInvalid = defineDiagnosis(
  'ChartInvalid',
  'A chart can not be loaded: a file of it is missing, malformed or not allowed.',
  'M1',
);
export const chartTooLarge = defineDiagnosis(
  'ChartTooLarge',
  'A chart has more files or bytes than is allowed.',
  'M15',
);
export const chartDependencyMissing = defineDiagnosis(
  'ChartDependencyMissing',
  'A chart lists a dependency that is not in its charts/ folder.',
  'M3',
);
export const valuesInvalid = defineDiagnosis(
  'HelmValuesInvalid',
  'A values file or a --set expression can not be read.',
  'M1',
);
export const valuesRefused = defineDiagnosis(
  'HelmValuesRefused',
  'The values do not meet the JSON schema of a chart.',
  'M2',
);
export const renderFailed = defineDiagnosis('HelmRenderFailed', 'A template of a chart failed.', 'M1');
export const manifestInvalid = defineDiagnosis(
  'HelmManifestInvalid',
  'A template printed text that is not YAML.',
  'M9',
);
export const kubeVersionRefused = defineDiagnosis(
  'ChartKubeVersionMismatch',
  'A chart does not support the version of the cluster.',
);
export const optionRefused = defineDiagnosis(
  'HelmOptionRefused',
  'An option of helm that is not supported, or is used wrongly.',
);
