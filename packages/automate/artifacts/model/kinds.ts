/** What a location may be of, in the order in which upstream looks. */
export const artifactKinds = [
  's3',
  'git',
  'http',
  'artifactory',
  'hdfs',
  'raw',
  'oss',
  'gcs',
  'azure',
  'plugin',
] as const;

export type ArtifactKind = (typeof artifactKinds)[number];
