import type { Client, KubeObject } from '@tiphys/kubernetes';
import { type ApiLife, apiVersionOf, type CustomLives, keyOf } from './api-life.ts';

interface DefinedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
}

/** What a CustomResourceDefinition says of itself, as far as upgrades ask. */
export interface Definition {
  readonly object: KubeObject;
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly versions: readonly DefinedVersion[];
  readonly storedVersions: readonly string[];
}

/** All CustomResourceDefinitions of a cluster. */
export async function definitionsOf(client: Client, signal?: AbortSignal): Promise<Definition[]> {
  const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  const found: Definition[] = [];
  let more: string | undefined;
  do {
    const page = await client.list(ref, {
      limit: 100,
      ...(more ? { continue: more } : {}),
      ...(signal ? { signal } : {}),
    });
    found.push(...page.items.map(read));
    more = page.metadata.continue;
  } while (more);
  return found;
}

function read(object: KubeObject): Definition {
  const { group, names, versions } = object.spec as {
    group: string;
    names: { kind: string; plural: string };
    versions: DefinedVersion[];
  };
  const { storedVersions = [] } = (object.status ?? {}) as { storedVersions?: string[] };
  const name = object.metadata.name ?? '';
  return { object, name, group, kind: names.kind, plural: names.plural, versions, storedVersions };
}

/**
 * Versions of custom resources that their definitions give up: `deprecated: true`, or served no more. The replacement is the version in which objects
 * are stored, if that is served and lives on, else the first one that does.
 */
export function customLives(definitions: readonly Definition[]): CustomLives {
  const lives = new Map<string, ApiLife>();
  for (const { name, group, kind, versions } of definitions) {
    const lasting = versions.filter(({ served, deprecated }) => served && !deprecated);
    const next = lasting.find(({ storage }) => storage) ?? lasting[0];
    for (const { name: version, served, deprecated, deprecationWarning } of versions) {
      if (served && !deprecated) continue;
      const api = { group, version, kind };
      lives.set(keyOf(api), {
        ...api,
        definition: {
          name,
          served,
          warning: deprecationWarning ?? `${apiVersionOf(api)} ${kind} is deprecated`,
        },
        ...(next ? { replacement: { group, version: next.name, kind } } : {}),
      });
    }
  }
  return lives;
}
