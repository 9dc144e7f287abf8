import type { ApplicationSource } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import type { GitTree } from '@tiphys/git';
import { severalSourceTypes } from './diagnoses.ts';
import type { RenderRequest, SourceType } from './rendered.ts';

const kustomizationNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Whether nothing in the source says which tool it is for. */
export function isOpen(source: ApplicationSource): boolean {
  return explicitType(source) === undefined;
}

/** The tool whose options the source has; undefined if it has none. Throws if it has those of several. */
function explicitType(source: ApplicationSource): SourceType | undefined {
  const types: SourceType[] = [];
  if (source.kustomize) types.push('Kustomize');
  if (source.helm) types.push('Helm');
  if (source.directory) types.push('Directory');
  if (source.plugin) types.push('Plugin');
  if (types.length > 1) {
    throw failure(severalSourceTypes, {
      message: `The source has options of several tools: ${types.join(', ')}`,
      place: { field: 'spec.source' },
      remedies: ['Keep the options of one tool'],
    });
  }
  return types[0];
}

/**
 * The tool of a folder, as Argo CD finds it: options first, then Chart.yaml, then a kustomization, else plain manifests. What a
 * tool that is switched off would render is plain manifests too.
 */
export async function detectType(
  source: ApplicationSource,
  tree: GitTree,
  folder: string,
  disabled: RenderRequest['disabledTools'] = new Set(),
): Promise<SourceType> {
  const explicit = explicitType(source);
  if (explicit === 'Helm' || explicit === 'Kustomize')
    return disabled.has(explicit === 'Helm' ? 'helm' : 'kustomize') ? 'Directory' : explicit;
  if (explicit) return explicit;
  const at = (name: string) => (folder === '' ? name : `${folder}/${name}`);
  const has = async (name: string) => {
    const kind = (await tree.entry(at(name)))?.kind;
    return kind === 'file' || kind === 'link';
  };
  // Upstream looks in order of name and the last one counts, so a kustomization beats a chart.
  if (!disabled.has('kustomize')) {
    for (const name of kustomizationNames) if (await has(name)) return 'Kustomize';
  }
  return !disabled.has('helm') && (await has('Chart.yaml')) ? 'Helm' : 'Directory';
}
