import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goDuration } from '@tiphys/go';
import { foldersBelow } from '../pod/folders.ts';
import type { Template } from '../pod/template.ts';
import type { HttpClient } from './http-client.ts';
import type { NodeResult } from './node-result.ts';

/** An executor plugin: a container of the agent's pod that answers at an address. */
export interface Plugin {
  readonly name: string;
  readonly address: string;
  readonly token: string;
  /** A plugin that does not know a method is not asked for it again. */
  missing: boolean;
}

/** The plugins that the variables of the pod name, with the tokens that `agent init` has made. */
export function pluginsOf(env: NodeJS.ProcessEnv): Plugin[] {
  const addresses = JSON.parse(env.ARGO_PLUGIN_ADDRESSES || '[]') as string[];
  const { run } = foldersBelow(env.CONTAINER_ROOT ?? '');
  const names = JSON.parse(env.ARGO_PLUGIN_NAMES || '[]') as string[];
  return addresses.map((address, index) => ({
    name: names[index] ?? '',
    address,
    token: readFileSync(join(run, names[index] ?? '', 'token'), 'utf8'),
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
    const { node, requeue = '' } = replyOf(plugin, answer.text);
    if (node) return { result: node, again: node.phase === 'Succeeded' ? 0 : (goDuration(requeue) ?? 0) };
  }
  const asked = Object.keys(template.plugin ?? {}).join(', ');
  if (plugins.length > 0)
    throw new Error(
      `no plugin executed the template: none of ${plugins.map(({ name }) => name).join(', ')} takes ${asked}`,
    );
  throw new Error(
    `no plugin executed the template: its agent has none for ${asked}. Set ARGO_EXECUTOR_PLUGINS=true for the workflow controller, and label the ConfigMap of the plugin workflows.argoproj.io/configmap-type=ExecutorPlugin`,
  );
}

const phases = new Set<unknown>(['Pending', 'Running', 'Succeeded', 'Skipped', 'Failed', 'Error', 'Omitted', '']);

/** What a plugin answers, checked: a node's status is made of it. Throws what names the plugin and the field. */
function replyOf({ address }: Plugin, text: string): { node?: NodeResult; requeue?: string } {
  const refuse = (reason: string) => new Error(`the plugin at ${address} answered with ${reason}`);
  // upstream's plugins answer so to a template that is another one's
  if (text.trim() === 'null') return {};
  const reply = fieldsOf(text);
  if (!reply) throw refuse('no JSON object');
  const { node, requeue } = reply as { node?: unknown; requeue?: unknown };
  if (requeue !== undefined && requeue !== null && typeof requeue !== 'string')
    throw refuse('a requeue that is no duration');
  const again = requeue ? { requeue } : {};
  if (node === undefined || node === null) return again;
  if (!isObject(node)) throw refuse('a node that is no object');
  const { phase, message, progress, outputs } = node;
  if (phase !== undefined && !phases.has(phase)) throw refuse('a node.phase that is none');
  for (const [name, value] of Object.entries({ message, progress }))
    if (value !== undefined && typeof value !== 'string') throw refuse(`a node.${name} that is no text`);
  if (outputs !== undefined && outputs !== null && !isObject(outputs)) throw refuse('node.outputs that are no object');
  return { node: node as NodeResult, ...again };
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
