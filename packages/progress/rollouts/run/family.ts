import { join } from 'node:path';
import { rolloutNames } from '@tiphys/api';
import { dataOf, type FamilyOptions, type Runtime } from '@tiphys/controller';
import type { Client } from '@tiphys/kubernetes';
import { ProcessPluginHost, parsePlugins } from '@tiphys/step-plugins';
import { parseDocuments } from '@tiphys/yaml';
import { startRollouts } from './start-rollouts.ts';

export interface RolloutsFamilyOptions extends FamilyOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of the process for what may be lost: programs of plugins. */
  readonly scratch: string;
}

/**
 * Starts the family as the process is set up. `ARGO_ROLLOUTS_INSTANCE_ID` is the label value of its objects among several
 * controllers. Plugins are those of ConfigMap `argo-rollouts-config` as it is at the start.
 */
export async function startRolloutsFamily(options: RolloutsFamilyOptions): Promise<Runtime> {
  const { env, namespace, signal, scratch } = options;
  const client = options.client.as({ component: 'rollouts', purpose: 'settings' });
  const settings = await client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: rolloutNames.configMap });
  const plugins = new ProcessPluginHost({
    plugins: parsePlugins(
      dataOf(settings),
      (text) => parseDocuments(text, { file: rolloutNames.configMap }).documents[0]?.value,
    ),
    folder: join(scratch, 'plugin-bin'),
    environment: env,
    signal,
    headersOf: (secrets) => headersOf(client, namespace, secrets),
  });
  await plugins.prepare();
  const runtime = await startRollouts({
    ...options,
    plugins,
    instanceId: env.ARGO_ROLLOUTS_INSTANCE_ID || undefined,
  });
  return {
    close: async () => {
      await runtime.close();
      await plugins.close();
    },
  };
}

/** The keys of Secrets, as headers of a download. */
async function headersOf(
  client: Client,
  namespace: string,
  secrets: readonly string[],
): Promise<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const name of secrets) {
    const secret = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace, name });
    for (const [key, value] of Object.entries((secret.data ?? {}) as Record<string, string>))
      headers[key] = Buffer.from(value, 'base64').toString('utf8');
  }
  return headers;
}
