import { defineDiagnosis } from '@tiphys/diagnosis';

export const kustomizationInvalid = defineDiagnosis(
  'KustomizationInvalid',
  'A kustomization, or a file that it names, can not be read or does not fit the resources.',
  'M4',
);
export const kustomizationPathMissing = defineDiagnosis(
  'KustomizationPathMissing',
  'A kustomization names a file or folder that does not exist.',
  'M4',
);
export const kustomizationMissing = defineDiagnosis(
  'KustomizationMissing',
  'A folder that is to be built, or that a kustomization names, has no kustomization.yaml.',
  'M4',
);
export const kustomizationEscapes = defineDiagnosis(
  'KustomizationEscapes',
  'A kustomization names a file outside of its own folder, or of the repository.',
  'M4',
);
export const kustomizationTooLarge = defineDiagnosis(
  'KustomizationTooLarge',
  'A kustomization reads more files or bytes, or is nested deeper, than is allowed.',
  'M15',
);
export const entryIdle = defineDiagnosis(
  'KustomizationEntryIdle',
  'An entry of a kustomization fits no resource, so that it changes nothing.',
  'M4',
);
export const patchPathUnrooted = defineDiagnosis(
  'KustomizationPatchPath',
  'A path of a JSON patch does not begin with a slash, so that it leads to another field than it says.',
  'M4',
);
export const programStopped = defineDiagnosis(
  'KustomizeProgramStopped',
  'A program that a kustomization runs (a function, a plugin, or a kustomize of another version) took too long or wrote too much.',
  'M15',
);
