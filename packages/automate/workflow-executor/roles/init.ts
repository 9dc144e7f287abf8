import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadInputs } from '../outputs/load-inputs.ts';
import type { PodContext } from '../pod/pod-context.ts';
import { openFolder } from '../pod/watch-file.ts';
import type { RoleOptions } from '../work/work.ts';

/** Where Tiphys' image has the program that runs in users' containers. */
const wrapper = '/usr/local/bin/argoexec';

/** `init`: gives the pod's other containers the wrapper, the template, the script and the input artifacts. */
export async function init({ signal }: RoleOptions, context: PodContext): Promise<void> {
  const { folders, template } = context;
  openFolder(folders.run);
  if (!folders.root) copyFileSync(wrapper, join(folders.run, 'argoexec'));
  writeOnce(join(folders.run, 'template'), JSON.stringify(template), 0o444);
  if (template.script) writeOnce(folders.script, template.script.source ?? '', 0o755);
  await loadInputs(context, signal);
}

/** A container that is started again finds its own files. */
function writeOnce(file: string, text: string, mode: number): void {
  if (!existsSync(file)) writeFileSync(file, text, { mode });
}
