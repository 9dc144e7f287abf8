import { join } from 'node:path';
import { isMissing, loadArtifact, openStore } from '@tiphys/artifacts';
import { hasLocationOrKey, pluginOf } from '@tiphys/workflows';
import type { PodContext } from '../pod/pod-context.ts';
import { say } from '../pod/say.ts';
import { type Artifact, isOnVolume } from '../pod/template.ts';
import { messageOf } from '../pod/termination-log.ts';
import { accessOf, placeOf } from './artifact-place.ts';

/**
 * Brings input artifacts to where the main container finds them: those of a plugin, or all that are of none. Those that are optional may be
 * missing.
 */
export async function loadInputs(context: PodContext, signal: AbortSignal, plugin?: string): Promise<void> {
  for (const artifact of context.template.inputs?.artifacts ?? [])
    if ((hasLocationOrKey(artifact) ? pluginOf(artifact, context.template.archiveLocation) : undefined) === plugin)
      await loadInput(context, artifact, signal);
}

async function loadInput(context: PodContext, artifact: Artifact, signal: AbortSignal): Promise<void> {
  const { name, path = '', optional } = artifact;
  if (!hasLocationOrKey(artifact)) {
    if (optional) return say(`the optional artifact ${name} was not supplied`);
    throw new Error(`required artifact '${name}' not supplied`);
  }
  if (!path) throw new Error(`Artifact '${name}' did not specify a path`);
  try {
    await load(context, artifact, { path: targetOf(context, { name, path }), signal });
    say(`loaded the artifact ${name}`);
  } catch (error) {
    if (optional && isMissing(error)) return say(`the optional artifact ${name} was not found`);
    throw new Error(`artifact ${name} failed to load: ${messageOf(error)}`, { cause: error });
  }
}

async function load(
  context: PodContext,
  artifact: Artifact,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<void> {
  const { archive, mode, recurseMode } = artifact;
  const store = await openStore(placeOf(context, artifact).location, accessOf(context, signal));
  try {
    await loadArtifact({
      store,
      path,
      signal,
      ...(archive ? { archive } : {}),
      ...(mode === undefined ? {} : { mode: Number(mode) }),
      ...(recurseMode ? { recurseMode } : {}),
    });
  } finally {
    await store.close();
  }
}

/** An artifact on a volume of the user's goes there; each other one has a volume of its own. */
function targetOf({ folders, template }: PodContext, { name, path }: { name: string; path: string }): string {
  return isOnVolume(template, path) ? join(folders.mirror, path) : join(folders.inputs, name);
}
