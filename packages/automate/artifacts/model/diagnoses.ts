import { defineDiagnosis } from '@tiphys/diagnosis';

export const artifactMissing = defineDiagnosis('ArtifactMissing', 'There is no artifact where it is said to be');
export const storeRefuses = defineDiagnosis(
  'ArtifactStoreRefuses',
  'The store of artifacts does not take the credentials',
  'W2',
);
export const storeFailed = defineDiagnosis(
  'ArtifactStoreFailed',
  'The store of artifacts can not be reached, or answers with an error',
);
export const artifactInvalid = defineDiagnosis(
  'ArtifactLocationInvalid',
  'The location of an artifact lacks a field or has one that can not be used',
);
export const artifactUnsupported = defineDiagnosis(
  'ArtifactOperationUnsupported',
  'The kind of store can not do what is asked of it',
);
export const archiveRefused = defineDiagnosis(
  'ArtifactArchiveRefused',
  'An archive of an artifact can not be read, or holds an entry that leads out of its folder',
);
