import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { containerFolder } from '../pod/folders.ts';
import { say } from '../pod/say.ts';
import { type Artifact, mainContainers, savesLogs } from '../pod/template.ts';
import type { Problems, Work } from '../work/work.ts';
import { withPlace } from './artifact-place.ts';
import { storeFile } from './save-artifacts.ts';

/** Stores what the user's containers have printed, as artifacts `CONTAINER-logs`, where the template wants that. */
export async function captureLogs({ context }: Work, problems: Problems): Promise<Artifact[]> {
  if (!savesLogs(context.template)) return [];
  const saved: Artifact[] = [];
  for (const name of mainContainers(context.template)) {
    const path = join(containerFolder(context.folders, name), 'combined');
    if (!existsSync(path)) {
      // it was ended before its command began
      say(`the container ${name} has printed nothing`, 'warning');
      continue;
    }
    await problems.try(async () => {
      const artifact = withPlace<Artifact>(context, { name: `${name}-logs` }, `${name}.log`);
      await storeFile(context, artifact, { path, archive: { none: {} } });
      saved.push(artifact);
    });
  }
  return saved;
}
