import { loadInputs } from '../outputs/load-inputs.ts';
import type { PodContext } from '../pod/pod-context.ts';
import type { RoleOptions } from '../work/work.ts';

/** `artifact-plugin-init --plugin-name NAME`: brings the input artifacts of a plugin, whose driver runs beside it. */
export async function pluginInit({ args, signal }: RoleOptions, context: PodContext): Promise<void> {
  const plugin = args[args.indexOf('--plugin-name') + 1];
  if (!args.includes('--plugin-name') || !plugin) throw new Error('artifact-plugin-init wants --plugin-name NAME');
  await loadInputs(context, signal, plugin);
}
