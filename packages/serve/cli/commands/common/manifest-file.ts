import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { parseDocuments } from '@tiphys/yaml';
import type { Surroundings } from '../../terminal/command-context.ts';

const manifestFileUnreadable = defineDiagnosis(
  'ManifestFileUnreadable',
  'A file or an address of manifests that was given to the command line cannot be read, or holds something else',
);

/** Bytes of an answer from an address. */
const largest = 10 * 1024 * 1024;
/** Milliseconds that an address has to answer. */
const patience = 30_000;

/**
 * The objects of a kind in a file of YAML or JSON, at an http(s) address, or in the standard input (`-`), in their order; empty documents are left
 * out. Throws ManifestFileUnreadable where it cannot be read, has none, or has an object of another kind.
 */
export async function manifestsIn<T>(
  given: string,
  kind: string,
  { workdir, signal }: Pick<Surroundings, 'workdir' | 'signal'>,
): Promise<T[]> {
  const text = await textOf(given, workdir, signal);
  const objects = parseDocuments(text, { file: given }).documents.filter(({ value }) => value !== null);
  if (objects.length === 0)
    throw failure(manifestFileUnreadable, {
      message: `${named(given)} holds no ${kind}: it is empty`,
      place: { file: given },
      remedies: [`Write objects of kind ${kind} as YAML or JSON`],
    });
  for (const [index, { value }] of objects.entries()) {
    const found = (value as { kind?: unknown }).kind;
    // as upstream, a kind that is left out is the one that is wanted
    if (typeof value === 'object' && !Array.isArray(value) && (found === kind || found === undefined)) continue;
    throw failure(manifestFileUnreadable, {
      message: `Document ${index + 1} of ${named(given)} is ${typeof found === 'string' ? `a ${found}` : 'no object'}, and ${kind} is wanted`,
      place: { file: given },
      remedies: [`Leave only objects of kind ${kind} in it`, 'Or apply it with kubectl'],
    });
  }
  return objects.map(({ value }) => value as unknown as T);
}

const named = (given: string) => (given === '-' ? 'The standard input' : given);

async function textOf(given: string, workdir: string, signal: AbortSignal): Promise<string> {
  try {
    if (!/^https?:\/\//.test(given)) return readFileSync(given === '-' ? 0 : resolve(workdir, given), 'utf8');
    const answer = await fetch(given, { signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]) });
    if (!answer.ok) throw new Error(`the host answers ${answer.status} ${answer.statusText}`.trim());
    return await bounded(answer);
  } catch (error) {
    signal.throwIfAborted();
    const { message, cause } = error as Error;
    throw failure(
      manifestFileUnreadable,
      {
        message: `${named(given)} cannot be read: ${cause instanceof Error ? cause.message : message}`,
        place: { file: given },
        remedies: ['Name a file that is there, an address that answers without a login, or - for the standard input'],
      },
      { cause: error },
    );
  }
}

async function bounded(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > largest) throw new Error(`the answer has more than ${largest} bytes`);
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  return text + decoder.decode();
}
