import { printYaml } from '@tiphys/yaml';
import type { ApplicationApi, ApplicationName } from '../client/application-api.ts';
import type { Output } from '../terminal/output.ts';

/** Prints desired or live manifests as YAML documents. */
export async function printManifests(
  output: Output,
  api: ApplicationApi,
  name: ApplicationName,
  { revision, source }: { revision?: string; source: string },
): Promise<void> {
  const states =
    source === 'live'
      ? (await api.managedResources(name)).map((resource) => resource.liveState ?? '')
      : await api.manifests(name, revision);
  for (const state of states)
    if (state && state !== 'null') output.out(`---\n${printYaml(JSON.parse(state)).trimEnd()}`);
}
