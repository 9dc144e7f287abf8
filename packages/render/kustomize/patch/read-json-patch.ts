import { type Printable, YamlReader } from '@tiphys/yaml';
import { checkJson } from '../decode/check-json.ts';
import { GoError, goMessageOf, reworded } from '../failure/go-error.ts';
import { jsonShape } from '../kustomization/read-kustomization.ts';
import type { Origin } from '../tree/node.ts';
import type { JsonPatchOperation } from './json-patch.ts';

/**
 * Reads a JSON patch: JSON if it begins with `[`, else the first document of YAML. A text without content is a patch
 * without operations. Throws GoError for all else.
 */
export function readJsonPatch(text: string, origin: Origin, line: number): JsonPatchOperation[] {
  if (text.startsWith('[')) checkJson(text);
  const { value, lines } = readPatchValue(text, origin);
  if (value === null) return [];
  if (!Array.isArray(value))
    throw new GoError(`json: cannot unmarshal ${jsonType(value)} into Go value of type jsonpatch.Patch`);
  return value.map((item: Printable, i) => {
    if (item === null) return { fields: new Map(), origin, line };
    if (!(item instanceof Map))
      throw new GoError(`json: cannot unmarshal ${jsonType(item)} into Go value of type jsonpatch.Operation`);
    // Lines inside a kustomization count from the entry.
    const at = origin.kustomization === undefined ? line : (lines[i] ?? line);
    return { fields: item as ReadonlyMap<string, Printable>, origin, line: at };
  });
}

/** The value of the first document, with the lines of its items. */
export function readPatchValue(text: string, origin: Origin): { value: Printable; lines: readonly number[] } {
  const reader = new YamlReader(text, { file: origin.file });
  try {
    for (const document of reader.documents()) {
      const { root } = document;
      const lines = root.kind === 'sequence' ? root.items.map((item) => item.line) : [];
      return { value: reader.decode(document, jsonShape), lines };
    }
  } catch (error) {
    throw reworded(error, goMessageOf(error));
  }
  return { value: null, lines: [] };
}

function jsonType(value: Printable): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' || typeof value === 'bigint') return 'number';
  return Array.isArray(value) ? 'array' : 'object';
}
