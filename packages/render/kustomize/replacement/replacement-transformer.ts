import { type Printable, YamlReader } from '@tiphys/yaml';
import { configured } from '../config/configured.ts';
import { decodeJson, sliceOf } from '../decode/go-json.ts';
import { GoError, goMessageOf, reworded, wrapped } from '../failure/go-error.ts';
import type { Replacement, ReplacementEntry } from '../kustomization/kustomization.ts';
import { replacementType } from '../kustomization/kustomization-types.ts';
import { jsonShape, type KustomizationFile } from '../kustomization/read-kustomization.ts';
import type { Loader } from '../load/loader.ts';
import type { Resource } from '../resource/resource.ts';
import type { Transformer } from '../transform/transformer.ts';
import { type PlacedReplacement, replace } from './replace.ts';

/** Copies values from fields to fields. Files of `path` are read here. */
export async function replacementTransformer(
  loader: Loader,
  kustomization: KustomizationFile,
  entries: readonly ReplacementEntry[],
): Promise<Transformer> {
  const name = 'ReplacementTransformer';
  return configured(name, { Replacements: entries.map(shown) }, async () => {
    const replacements: PlacedReplacement[] = [];
    for (const [i, entry] of entries.entries()) {
      const stamp = {
        origin: { file: kustomization.file, entry: `replacements[${i}]` },
        line: kustomization.lineOf(['replacements', i]),
      };
      const { path, ...inline } = entry;
      if (!path) {
        if (inline.targets?.length === 0) delete inline.targets;
        replacements.push({ replacement: inline, stamp });
        continue;
      }
      if (entry.source || entry.targets?.length) throw new GoError('cannot specify both path and inline replacement');
      const file = loader.display(path);
      const origin = { file, entry: stamp.origin.entry, kustomization: kustomization.file };
      for (const replacement of readReplacements(await loader.load(path), file))
        replacements.push({ replacement, stamp: { origin, line: 1 } });
    }
    return {
      name,
      transform: (map) => {
        for (const item of replacements) replaceIn(map.resources, item);
      },
    };
  });
}

function replaceIn(resources: readonly Resource[], item: PlacedReplacement): void {
  try {
    replace(resources, item);
  } catch (error) {
    const { origin, line } = item.stamp;
    throw reworded(error, goMessageOf(error), {
      place: { file: origin.file, line, ...(origin.entry ? { field: origin.entry } : {}) },
    });
  }
}

/** A target has `select` in any case. */
function shown(entry: ReplacementEntry): object {
  if (!entry.targets?.length) return entry;
  return { ...entry, targets: entry.targets.map((target) => ({ ...target, select: target.select ?? 'null' })) };
}

/** One replacement, or a list. */
function readReplacements(data: Uint8Array, file: string): Replacement[] {
  let value: Printable = null;
  try {
    const reader = new YamlReader(data, { file });
    for (const document of reader.documents()) {
      value = reader.decode(document, jsonShape);
      break;
    }
  } catch (error) {
    throw reworded(error, `error converting YAML to JSON: ${goMessageOf(error)}`, { place: { file } });
  }
  try {
    if (Array.isArray(value))
      return decodeJson<Replacement[]>(value, sliceOf(replacementType), { strict: false, lenientStrings: true });
    if (value instanceof Map)
      return [decodeJson<Replacement>(value, replacementType, { strict: false, lenientStrings: true })];
  } catch (error) {
    throw wrapped(error, 'error unmarshaling JSON: while decoding JSON', { place: { file } });
  }
  throw new GoError(`unsupported replacement type encountered within replacement path: ${goKind(value)}`, {
    place: { file },
    remedies: ['Write one replacement, or a list of them, in the file'],
  });
}

function goKind(value: Printable): string {
  if (value === null) return 'invalid';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'bool' : 'float64';
}
