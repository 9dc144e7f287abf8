import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type * from './generated/kinds.ts';
export * as names from './names.ts';

const crdFiles = ['applications.yaml', 'appprojects.yaml', 'applicationsets.yaml'] as const;

/** The CustomResourceDefinitions as YAML, one document each, to be applied server-side (they are too big for client-side apply). */
export function customResourceDefinitions(): { file: string; text: string }[] {
  return crdFiles.map((file) => ({ file, text: readFileSync(join(import.meta.dirname, 'crds', file), 'utf8') }));
}
