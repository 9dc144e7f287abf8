import { type Application, names } from '@tiphys/api';
import { diagnosisOf } from '@tiphys/diagnosis';
import { type ApiUse, type CustomLives, type Release, usesInObjects, withChanges } from '@tiphys/upgrades';
import { rbacName } from '../applications/applications.ts';
import type { ServerContext } from '../context/server-context.ts';
import type { Call } from '../rpc/call.ts';

interface Asked {
  readonly target: Release;
  /** Versions that the cluster's definitions give up. */
  readonly custom: CustomLives;
}

interface Found {
  readonly uses: readonly ApiUse[];
  /** What could not be looked at. */
  readonly unseen: readonly string[];
}

/** Uses in what the applications of a cluster render to that the caller may get; with the change, its author, and newer charts. */
export async function usesOfApplications(
  context: ServerContext,
  call: Call,
  asked: Asked & {
    /** Of the cluster; the control plane's own if undefined. */
    readonly server: string | undefined;
  },
): Promise<Found> {
  const enforcer = await context.enforcer();
  const found: Found[] = [];
  for (const app of context.applications.list()) {
    if (!enforcer.allows(call.identity, 'applications', 'get', rbacName(app, context.namespace))) continue;
    // a destination that names no cluster is told where the application is
    const cluster = await context.clusters.find(app.spec.destination);
    if (cluster?.server !== (asked.server ?? names.defaults.inClusterServer)) continue;
    found.push(await usesOfApplication(context, app, asked, call.signal));
  }
  return { uses: found.flatMap(({ uses }) => uses), unseen: found.flatMap(({ unseen }) => unseen) };
}

async function usesOfApplication(
  { backend }: ServerContext,
  app: Application,
  { target, custom }: Asked,
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
  const uses = usesInObjects(rendered.objects, { application, target, custom });
  if (uses.length === 0) return { uses, unseen };
  const read = (file: string) => attempt(file, () => backend.sourceFile(app, rendered.revisions, file, signal));
  const changed = await withChanges(uses, target, read, custom);
  const newer = await attempt('newer charts', () =>
    withNewerChart(backend, app, { uses: changed, target, custom, signal }),
  );
  return { uses: newer ?? changed, unseen };
}

/** Tells of each use whether the newest version of the application's chart is without it. */
async function withNewerChart(
  backend: ServerContext['backend'],
  app: Application,
  { uses, target, custom, signal }: Asked & { readonly uses: readonly ApiUse[]; readonly signal: AbortSignal },
): Promise<readonly ApiUse[]> {
  const version = await backend.newestChart(app, signal);
  const { targetRevision } = app.spec.source ?? {};
  if (!version || version === targetRevision) return uses;
  const { objects } = await backend.render(app, { revisions: [version], signal });
  const identity = ({ object, api }: ApiUse) => JSON.stringify([object, api.group, api.version]);
  const left = new Set(usesInObjects(objects, { application: '', target, custom }).map(identity));
  return uses.map((use) => ({ ...use, newerChart: { version, mends: !left.has(identity(use)) } }));
}
