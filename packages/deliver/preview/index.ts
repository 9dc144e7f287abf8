export { changesOf, type KeyedChange } from './changes.ts';
export { markdown } from './markdown.ts';
export { patchOf, summary, title } from './words.ts';
export type { ChangedObject, Preview, PreviewedApplication } from './types.ts';
