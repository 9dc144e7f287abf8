import { workflowNames } from '@tiphys/api';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { type SynchronizationSettings, synchronizationSettings } from '@tiphys/workflow-database';
import { parseDocuments } from '@tiphys/yaml';

type Json = Readonly<Record<string, unknown>>;

/** What the server reads of `workflow-controller-configmap`. */
export interface FlowSettings {
  readonly instanceId: string;
  readonly links: readonly object[];
  readonly columns: readonly object[];
  readonly navColor: string;
  readonly artifactRepository: Json;
  /** Names of artifact plugins that run beside the server. */
  readonly artifactDrivers: readonly string[];
  readonly workflowDefaults: Json;
  readonly sso: Json | undefined;
  readonly persistence: Json | undefined;
  readonly synchronization: SynchronizationSettings | undefined;
}

/** Reads the ConfigMap; without one everything has its default. Throws a diagnosis for a database that cannot be used as written. */
export async function readSettings(client: Client, namespace: string): Promise<FlowSettings> {
  return parseSettings(
    await client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: workflowNames.configMap }),
  );
}

/** Settings of the ConfigMap, or of none. Throws as `readSettings`. */
export function parseSettings(found: KubeObject | undefined): FlowSettings {
  const data = (found?.data ?? {}) as Readonly<Record<string, string>>;
  const values = new Map<string, unknown>();
  for (const [key, text] of Object.entries(data)) {
    const value = parseDocuments(text, { file: `${workflowNames.configMap}: ${key}` }).documents[0]?.value as unknown;
    if (key === 'config' && isObject(value)) for (const [name, inner] of Object.entries(value)) values.set(name, inner);
    else values.set(key, value);
  }
  const object = (key: string): Json | undefined => (isObject(values.get(key)) ? (values.get(key) as Json) : undefined);
  const list = (key: string): readonly object[] =>
    Array.isArray(values.get(key)) ? (values.get(key) as object[]) : [];
  const text = (key: string): string => String(values.get(key) ?? '');
  const persistence = object('persistence');
  const synchronization = object('synchronization');
  return {
    instanceId: text('instanceID'),
    links: list('links').filter(hasSafeProtocol),
    columns: list('columns'),
    navColor: text('navColor'),
    artifactRepository: object('artifactRepository') ?? {},
    artifactDrivers: list('artifactDrivers').map((driver) => String((driver as { name?: unknown }).name)),
    workflowDefaults: object('workflowDefaults') ?? {},
    sso: object('sso'),
    persistence,
    synchronization: synchronization && synchronizationSettings(synchronization),
  };
}

/** A link with another protocol could run a script in the page. */
function hasSafeProtocol(link: object): boolean {
  const { url } = link as { url?: unknown };
  return typeof url === 'string' && /^https?:\/\//i.test(url);
}

function isObject(value: unknown): value is object {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
