export { type BuildRequest, type Built, buildKustomization } from './build.ts';
export { KustomizeError } from './kustomize-error.ts';
export { type FileTree, type Found, memoryTree } from './load/file-tree.ts';
export type { Remotes, RemoteTree } from './load/loader.ts';
export { localTree } from './load/local-tree.ts';
export type { PathRead } from './load/observed-tree.ts';
export { cloneUrl, type RepoSpec } from './load/repo-spec.ts';
