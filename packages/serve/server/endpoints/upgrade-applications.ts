import type { Application } from '@tiphys/api';
import { diagnosisOf } from '@tiphys/diagnosis';
import { type ApiUse, type Release, usesInObjects, withChanges } from '@tiphys/upgrades';
import { rbacName } from '../applications/applications.ts';
import type { ServerContext } from '../context/server-context.ts';
import type { Call } from '../rpc/call.ts';

interface Found {
  readonly uses: readonly ApiUse[];
  /** What could not be looked at. */
  readonly unseen: readonly string[];
}

/** Uses in what the applications of a cluster render to that the caller may get; with the change, its author, and newer charts. */
export async function usesOfApplications(
  context: ServerContext,
  call: Call,
  target: Release,
  server: string | null,
): Promise<Found> {
  const enforcer = await context.enforcer();
  const found: Found[] = [];
  for (const app of context.applications.list()) {
    if (!enforcer.allows(call.identity, 'applications', 'get', rbacName(app, context.namespace))) continue;
    if (server && app.spec.destination.server !== server) continue;
    found.push(await usesOfApplication(context, app, target, call.signal));
  }
  return { uses: found.flatMap(({ uses }) => uses), unseen: found.flatMap(({ unseen }) => unseen) };
}

async function usesOfApplication(
  { backend }: ServerContext,
  app: Application,
  target: Release,
  signal: AbortSignal,
): Promise<Found> {
  const application = `${app.metadata.namespace}/${app.metadata.name}`;
  const unseen: string[] = [];
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      unseen.push(`${what} of ${application}: ${diagnosisOf(error).message}`);
      return undefined;
    }
  };
  const rendered = await attempt('manifests', () => backend.render(app, { signal }));
  if (!rendered) return { uses: [], unseen };
  const uses = usesInObjects(rendered.objects, { application, target });
  if (uses.length === 0) return { uses, unseen };
  const read = (file: string) => attempt(file, () => backend.sourceFile(app, rendered.revisions, file, signal));
  const changed = await withChanges(uses, target, read);
  const newer = await attempt('newer charts', () => withNewerChart(backend, app, { uses: changed, target, signal }));
  return { uses: newer ?? changed, unseen };
}

/** Tells of each use whether the newest version of the application's chart is without it. */
async function withNewerChart(
  backend: ServerContext['backend'],
  app: Application,
  {
    uses,
    target,
    signal,
  }: { readonly uses: readonly ApiUse[]; readonly target: Release; readonly signal: AbortSignal },
): Promise<readonly ApiUse[]> {
  const version = await backend.newestChart(app, signal);
  const { targetRevision } = app.spec.source ?? {};
  if (!version || version === targetRevision) return uses;
  const { objects } = await backend.render(app, { revisions: [version], signal });
  const identity = ({ object, api }: ApiUse) => JSON.stringify([object, api.group, api.version]);
  const left = new Set(usesInObjects(objects, { application: '', target }).map(identity));
  return uses.map((use) => ({ ...use, newerChart: { version, mends: !left.has(identity(use)) } }));
}
