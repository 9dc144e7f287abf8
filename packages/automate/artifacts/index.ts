export { type ArtifactKind, artifactKinds } from './model/kinds.ts';
export { type ArtifactAccess, type ArtifactStore, isMissing, type WriteOptions } from './model/store.ts';
export { kindOf, openStore } from './open-store.ts';
export { type LoadOptions, loadArtifact } from './transfer/load-artifact.ts';
export { archiveSuffix, type SavedArtifact, type SaveOptions, saveArtifact } from './transfer/save-artifact.ts';
export { unpack } from './transfer/unpack.ts';
