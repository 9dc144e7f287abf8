import type { FamilyOptions, Runtime } from '@tiphys/controller';
import { withoutPlugins } from './no-plugins.ts';
import { startRollouts } from './start-rollouts.ts';

export interface RolloutsFamilyOptions extends FamilyOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts the family as the process is set up. `ARGO_ROLLOUTS_INSTANCE_ID` is the label value of its objects among several
 * controllers.
 */
export function startRolloutsFamily(options: RolloutsFamilyOptions): Promise<Runtime> {
  return startRollouts({
    ...options,
    plugins: withoutPlugins,
    instanceId: options.env.ARGO_ROLLOUTS_INSTANCE_ID || undefined,
  });
}
