import { createHash } from 'node:crypto';
import type { Application } from '@tiphys/api';
import type { ServerContext } from '../context/server-context.ts';

const maxApplications = 1_000;
const maxManifests = 5_000;
const all = new WeakMap<ServerContext, Map<string, Set<string>>>();

/** Remembers what was rendered for an application and shown, at whatever revision: who brings it back has not made it up. */
export function rememberShown(context: ServerContext, app: Application, manifests: readonly string[]): void {
  const known = all.get(context) ?? new Map<string, Set<string>>();
  all.set(context, known);
  const key = keyOf(app);
  const digests = known.get(key) ?? new Set();
  known.delete(key);
  known.set(key, digests);
  for (const manifest of manifests) digests.add(digestOf(JSON.parse(manifest)));
  for (const digest of digests) {
    if (digests.size <= maxManifests) break;
    digests.delete(digest);
  }
  const [oldest] = known.keys();
  if (known.size > maxApplications && oldest !== undefined) known.delete(oldest);
}

/** Whether an object was shown as a manifest of the application. */
export function wasShown(context: ServerContext, app: Application, object: unknown): boolean {
  return all.get(context)?.get(keyOf(app))?.has(digestOf(object)) ?? false;
}

function keyOf({ metadata }: Application): string {
  return `${metadata.namespace}/${metadata.name} ${metadata.uid}`;
}

/** Equal for equal objects, in whatever order clients write their fields. */
function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('base64');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => [name, sorted(item)]),
  );
}
