import { printYaml } from '@tiphys/yaml';
import type { ApplicationApi, ApplicationName, Revisions } from '../../client/application-api.ts';
import type { Output } from '../../terminal/output.ts';

/** Prints desired or live manifests as YAML documents. */
export async function printManifests(
  output: Output,
  api: ApplicationApi,
  name: ApplicationName,
  { source, ...chosen }: Revisions & { readonly source: string },
): Promise<void> {
  const states =
    source === 'live'
      ? (await api.managedResources(name)).map((resource) => resource.liveState ?? '')
      : await api.manifests(name, chosen);
  printStates(output, states);
}

/** Objects as JSON texts, printed as YAML documents. */
export function printStates(output: Output, states: readonly string[]): void {
  for (const state of states)
    if (state && state !== 'null') output.out(`---\n${printYaml(JSON.parse(state)).trimEnd()}`);
}
