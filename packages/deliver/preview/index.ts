export { changesOf, type KeyedChange } from './changes.ts';
export { inParallel } from './in-parallel.ts';
export { markdown } from './markdown.ts';
export type { ChangedObject, Preview, PreviewedApplication } from './types.ts';
export { heading, patchOf, remark, summary, title } from './words.ts';
