import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type KustomizationCase, kustomizationCases, writeCase } from './kustomization-cases.ts';
import { findKustomize } from './kustomize-assets.ts';
import { buildByKustomize, buildHere, type KustomizePrinted } from './kustomize-rendering.ts';
import { randomKustomizations } from './random-kustomization.ts';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface KustomizeParityOptions {
  readonly seed: number;
  /** Multiplies the number of random cases. */
  readonly scale: number;
  /** Writes what the real kustomize printed for the own cases to test/; no random ones then. */
  readonly record: boolean;
}

const root = join(import.meta.dirname, '..', '..');
const goldenFile = join(root, 'test', 'kustomize-goldens.json.gz');

/** What kustomize printed, by feature and name of the case. */
export type KustomizeGoldens = Record<string, Record<string, KustomizePrinted>>;

export function readKustomizeGoldens(): KustomizeGoldens {
  return JSON.parse(gunzipSync(readFileSync(goldenFile)).toString()) as KustomizeGoldens;
}

export const ownCases = (): KustomizationCase[] => kustomizationCases(join(root, 'test', 'kustomizations'));

/** Builds by kustomize and by Tiphys: the cases of test/kustomizations and random ones. What differs is printed. */
export async function compareKustomize(options: KustomizeParityOptions): Promise<Counts> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const kustomize = await findKustomize();
  if (!kustomize) {
    counts.skipped++;
    console.log('kustomize is not here and can not be built without Go: skipped');
    return counts;
  }
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tiphys-kustomize-')));
  const goldens: KustomizeGoldens = {};
  try {
    const compare = async (one: KustomizationCase): Promise<KustomizePrinted> => {
      const args = [writeCase(folder, one), ...one.flags];
      const real = await buildByKustomize(kustomize, folder, args);
      const ours = await buildHere(folder, args);
      const words = difference(real, ours);
      if (words === undefined) counts.passed++;
      else {
        counts.failed++;
        console.log(`FAILED kustomization ${one.feature}/${one.name}\n${words}`);
      }
      return real;
    };
    for (const one of ownCases()) {
      const feature = goldens[one.feature] ?? {};
      goldens[one.feature] = feature;
      feature[one.name] = await compare(one);
    }
    if (options.record) writeFileSync(goldenFile, gzipSync(JSON.stringify(goldens, undefined, 1), { level: 9 }));
    else for (const one of randomKustomizations(options.seed, Math.round(150 * options.scale))) await compare(one);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return counts;
}

/** The first line in which two results differ; undefined if there is none. */
export function difference(real: KustomizePrinted, ours: KustomizePrinted): string | undefined {
  for (const part of ['out', 'error', 'code'] as const) {
    if (real[part] === ours[part]) continue;
    const wanted = String(real[part]).split('\n');
    const found = String(ours[part]).split('\n');
    const line = wanted.findIndex((text, i) => text !== found[i]);
    const at = line < 0 ? wanted.length : line;
    return `  ${part}, line ${at + 1}\n  kustomize: ${wanted[at] ?? '(end)'}\n  tiphys:    ${found[at] ?? '(end)'}`;
  }
  return undefined;
}
