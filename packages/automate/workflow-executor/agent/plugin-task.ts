import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goDuration } from '@tiphys/go';
import type { Template } from '../pod/template.ts';
import type { HttpClient } from './http-client.ts';
import type { NodeResult } from './node-result.ts';

/** An executor plugin: a container of the agent's pod that answers at an address. */
export interface Plugin {
  readonly address: string;
  readonly token: string;
  /** A plugin that does not know a method is not asked for it again. */
  missing: boolean;
}

const runFolder = '/var/run/argo';

/** The plugins that the variables of the pod name, with the tokens that `agent init` has made. */
export function pluginsOf(env: NodeJS.ProcessEnv): Plugin[] {
  const addresses = JSON.parse(env.ARGO_PLUGIN_ADDRESSES || '[]') as string[];
  const names = JSON.parse(env.ARGO_PLUGIN_NAMES || '[]') as string[];
  return addresses.map((address, index) => ({
    address,
    token: readFileSync(join(runFolder, names[index] ?? '', 'token'), 'utf8'),
    missing: false,
  }));
}

interface Surroundings {
  readonly workflow: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly plugins: readonly Plugin[];
  readonly http: HttpClient;
  readonly signal: AbortSignal;
}

/** Asks the plugins in their order until one takes the template. `again` is when it wants to be asked anew, in milliseconds; 0 for never. */
export async function runPlugin(
  template: Template,
  { workflow, plugins, http, signal }: Surroundings,
): Promise<{ result: NodeResult; again: number }> {
  for (const plugin of plugins) {
    if (plugin.missing) continue;
    const answer = await http.send({
      method: 'POST',
      url: `${plugin.address}/api/v1/template.execute`,
      headers: [
        ['content-type', 'application/json'],
        ['authorization', `Bearer ${plugin.token}`],
      ],
      body: JSON.stringify({ workflow: { metadata: workflow }, template }),
      insecure: false,
      signal,
    });
    if (answer.status === 404) {
      plugin.missing = true;
      continue;
    }
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text.slice(0, 1000)}`);
    const { node, requeue = '' } = JSON.parse(answer.text) as { node?: NodeResult; requeue?: string };
    if (node) return { result: node, again: node.phase === 'Succeeded' ? 0 : (goDuration(requeue) ?? 0) };
  }
  throw new Error('no plugin executed the template');
}
