import type { ApplicationSource } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import type { GitTree } from '@tiphys/git';
import { applyMergePatch } from '@tiphys/kubernetes';
import { decodeText } from './request/decode-text.ts';
import { overridesInvalid } from './request/diagnoses.ts';
import { readDocuments } from './request/yaml-documents.ts';

const maxBytes = 1024 * 1024;

/**
 * The source with `.argocd-source.yaml` and then `.argocd-source-<application>.yaml` of its folder merged in (JSON merge
 * patch). They change options of tools only: repository, revision, path and chart stay.
 */
export async function applyOverrides(
  source: ApplicationSource,
  tree: GitTree,
  folder: string,
  application: string,
): Promise<ApplicationSource> {
  let merged: unknown = source;
  const names = ['.argocd-source.yaml', ...(application ? [`.argocd-source-${application}.yaml`] : [])];
  for (const name of names) {
    const path = folder === '' ? name : `${folder}/${name}`;
    const entry = await tree.resolve(path);
    if (entry?.kind !== 'file') continue;
    merged = applyMergePatch(merged, readOverride(await tree.read(path, { maxBytes }), path));
  }
  if (merged === source) return source;
  const { chart: _, path: __, targetRevision: ___, repoURL: ____, ...options } = merged as ApplicationSource;
  const { chart, path, targetRevision, repoURL } = source;
  return {
    ...options,
    repoURL,
    ...(chart === undefined ? {} : { chart }),
    ...(path === undefined ? {} : { path }),
    ...(targetRevision === undefined ? {} : { targetRevision }),
  };
}

function readOverride(bytes: Uint8Array, file: string): Record<string, unknown> {
  const [document] = readDocuments(decodeText(bytes, file), file, () => undefined);
  const value = document?.value ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw failure(overridesInvalid, {
    message: 'The overrides of the source are not a mapping',
    place: { file, line: document?.line ?? 1 },
    remedies: ['Write the fields of spec.source that are to be changed, such as helm or kustomize'],
  });
}
