import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { parseDocuments } from '@tiphys/yaml';

const unreadable = defineDiagnosis('RolloutsFileUnreadable', 'A file with objects of Rollouts cannot be read');

/** The documents of a YAML or JSON file, or of standard input (`-`), that are not empty. Throws a diagnosis for a file that cannot be read. */
export function documentsOf(workdir: string, file: string) {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : resolve(workdir, file), 'utf8');
  } catch (error) {
    throw failure(unreadable, {
      message: `${file} cannot be read: ${(error as Error).message}`,
      place: { file },
      remedies: /^https?:/.test(file)
        ? [`read the address first: curl -L ${file} | … -f -`]
        : ['name a file that is there and that may be read'],
    });
  }
  return parseDocuments(text, { file }).documents.filter(({ value }) => value !== null);
}
