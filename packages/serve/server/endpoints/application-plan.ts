import type { Application, SyncOperation } from '@tiphys/api';
import { sourcesOf } from '@tiphys/applications';
import { refOf } from '../applications/applications.ts';
import { revisionsByPosition } from '../applications/revisions-by-position.ts';
import { accessApplication } from '../context/access.ts';
import type { ServerContext } from '../context/server-context.ts';
import { BodyBudget } from '../http/body-budget.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, postOwn } from './own-api.ts';

const path = /^\/api\/tiphys\/v1\/applications\/([a-z0-9.-]+)\/plan$/;
const largestBody = 1024 * 1024;
const budget = new BodyBudget(16 * 1024 * 1024);

/** What of a sync's request changes its plan. */
type PlanRequest = Pick<SyncOperation, 'prune' | 'dryRun' | 'resources'> & {
  strategy?: SyncOperation['syncStrategy'];
  syncOptions?: { items?: string[] };
  revision?: string;
  revisions?: string[];
  sourcePositions?: number[];
};

/**
 * `POST /api/tiphys/v1/applications/NAME/plan?appNamespace=…&project=…` with the body of a sync: what that sync would do to each
 * object, by the planner that the sync itself follows, in its order, and why it would be refused; of the last compared revision if
 * the body names none.
 * Needs `applications, get`. Undefined for other paths.
 */
export function serveApplicationPlan(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  const name = path.exec(asked.path)?.[1];
  if (name === undefined) return undefined;
  return postOwn(asked, '/application.ApplicationService/Get', async (call) => {
    const query = parseUrlQuery(asked.request.url);
    const appNamespace = query.get('appNamespace') ?? undefined;
    const project = query.get('project') ?? undefined;
    const { app } = await accessApplication(context, call, 'get', { name, appNamespace, project });
    return context.backend.plan(refOf(app), readSync(app, await budget.read(asked.request, largestBody)), call.signal);
  });
}

function readSync(app: Application, bytes: Buffer | undefined): SyncOperation {
  if (!bytes) throw invalidArgument(`The body has more than ${largestBody} bytes`);
  const { prune, dryRun, resources, strategy, syncOptions, ...named } = parse(bytes);
  const items = syncOptions?.items;
  if (items !== undefined && !(Array.isArray(items) && items.every((item) => typeof item === 'string')))
    throw invalidArgument('syncOptions.items is no list of options such as "Prune=false"');
  if (resources !== undefined && !Array.isArray(resources)) throw invalidArgument('resources is no list of objects');
  return {
    ...revisionsNamed(app, named),
    prune: prune === true,
    dryRun: dryRun === true,
    ...(items ? { syncOptions: items } : {}),
    ...(resources ? { resources } : {}),
    ...(strategy ? { syncStrategy: strategy } : {}),
  };
}

function revisionsNamed(
  app: Application,
  { revision, revisions, sourcePositions }: Pick<PlanRequest, 'revision' | 'revisions' | 'sourcePositions'>,
): Pick<SyncOperation, 'revision' | 'revisions'> {
  if (revision !== undefined && typeof revision !== 'string') throw invalidArgument('revision is no text');
  if (revisions !== undefined && !(Array.isArray(revisions) && revisions.every((item) => typeof item === 'string')))
    throw invalidArgument('revisions is no list of texts');
  if (sourcePositions !== undefined && !Array.isArray(sourcePositions))
    throw invalidArgument('sourcePositions is no list of numbers, from 1');
  if (!app.spec.sources?.length) return revision ? { revision } : {};
  if (!sourcePositions?.length) return {};
  const count = sourcesOf(app.spec).length;
  return { revisions: revisionsByPosition(count, { sourcePositions, revisions: revisions ?? [] }) };
}

function parse(bytes: Buffer): PlanRequest {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8') || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as PlanRequest;
  } catch {
    // told below
  }
  throw invalidArgument('The body is no JSON object of a sync, such as {"prune": true}');
}
