import { Code } from '@connectrpc/connect';
import type { Application } from '@tiphys/api';
import type { SourceBranch } from '@tiphys/applications';
import { placeOf, pullRequestRemarks, type RemarkHost, remarkHosts } from '@tiphys/applicationsets';
import { httpRequest } from '@tiphys/git';
import { markdown, type Preview, summary } from '@tiphys/preview';
import { rbacName, refOf } from '../applications/applications.ts';
import { accessApplication } from '../context/access.ts';
import type { ServerContext } from '../context/server-context.ts';
import { BodyBudget } from '../http/body-budget.ts';
import { type PlannedPromotion, planPromotion } from '../promotions/promotion.ts';
import type { PromotionRequest } from '../promotions/version-promotion.ts';
import type { Call } from '../rpc/call.ts';
import { failedPrecondition, invalidArgument, permissionDenied, RpcError } from '../rpc/rpc-error.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { type OwnRequest, postOwn } from './own-api.ts';

const path = /^\/api\/tiphys\/v1\/applications\/([a-z0-9.-]+)\/promote$/;
const largestBody = 64 * 1024;
const budget = new BodyBudget(4 * 1024 * 1024);

interface PromoteBody {
  /** `[NAMESPACE/]NAME` of the application that is to deliver the same. */
  readonly to: string;
  /** The digest of the promotion that was shown: without it nothing is committed. */
  readonly digest?: string;
  /** A new branch and a pull request, in place of a commit to the branch. */
  readonly pullRequest?: boolean;
  /** What runs at the repository's address, where that does not tell. */
  readonly host?: RemarkHost;
}

/**
 * `POST /api/tiphys/v1/applications/NAME/promote?appNamespace=…&project=…` with `{"to": "NAME"}`: what has to change in the sources of the other
 * application so that it delivers what this one does, and what that changes of all applications that track the branch. With `digest` of
 * such an answer it is committed, or with `pullRequest` pushed as a new branch and proposed. Needs `get` of both applications; to commit,
 * `update` of each application that changes. Undefined for other paths.
 */
export function servePromotion(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  const name = path.exec(asked.path)?.[1];
  if (name === undefined) return undefined;
  return postOwn(asked, '/application.ApplicationService/Get', async (call) => {
    const query = parseUrlQuery(asked.request.url);
    const appNamespace = query.get('appNamespace') ?? undefined;
    const { app: from } = await accessApplication(context, call, 'get', {
      name,
      appNamespace,
      project: query.get('project') ?? undefined,
    });
    const body = readBody(await budget.read(asked.request, largestBody));
    const [goal = '', namespace = appNamespace] = body.to.split('/').reverse();
    const { app: to } = await accessApplication(context, call, 'get', { name: goal, appNamespace: namespace }).catch(
      (error: unknown) => {
        // which of the two it is would tell what there is
        if (error instanceof RpcError && error.code === Code.PermissionDenied)
          throw permissionDenied(`The application ${body.to} is not found, or not permitted`);
        throw error;
      },
    );
    if (to.metadata.uid === from.metadata.uid) throw invalidArgument('to names the application itself');
    const may = await allowed(context, call, 'get');
    const maySee = (app: Application) => may(refOf(app));
    const request = { from, to, maySee, signal: call.signal };
    const planned = await planPromotion(context, request);
    const shown = await shownTo(context, call, planned);
    if (body.digest === undefined) return shown;
    const { commit, target } = planned;
    if (commit === undefined || !target) throw failedPrecondition('There is nothing to promote');
    if (body.digest !== planned.digest)
      throw failedPrecondition('What would be committed is not what was shown: look at it again');
    await mayChange(context, call, { to, preview: planned.preview });
    return {
      ...shown,
      ...(await publish(context, call, { planned: { ...planned, commit, target }, request, body })),
    };
  });
}

/** The promotion without what the caller may not see; that there is more is said. */
async function shownTo(
  context: ServerContext,
  call: Call,
  { target: _, commit: __, parent: ___, ...planned }: PlannedPromotion,
) {
  const may = await allowed(context, call, 'get');
  const items = planned.preview.items.filter(may);
  return { ...planned, preview: { ...planned.preview, items }, hidden: planned.preview.items.length - items.length };
}

/** Throws unless the caller may change each application that the commit changes, seen or not. */
async function mayChange(context: ServerContext, call: Call, { to, preview }: { to: Application; preview: Preview }) {
  const may = await allowed(context, call, 'update');
  if (![...preview.items, refOf(to)].every(may)) throw permissionDenied();
}

async function allowed(context: ServerContext, call: Call, action: string) {
  const enforcer = await context.enforcer();
  const known = new Map(
    [...context.applications.list()].map((app) => [`${app.metadata.namespace}/${app.metadata.name}`, app]),
  );
  return ({ namespace, name }: { readonly namespace: string; readonly name: string }) => {
    const app = known.get(`${namespace}/${name}`);
    return (
      app !== undefined && enforcer.allows(call.identity, 'applications', action, rbacName(app, context.namespace))
    );
  };
}

interface Publishing {
  readonly planned: PlannedPromotion & { readonly commit: string; readonly target: SourceBranch };
  readonly request: PromotionRequest;
  readonly body: PromoteBody;
}

async function publish(context: ServerContext, call: Call, { planned, request, body }: Publishing) {
  const { target, digest, commit } = planned;
  const { from, to, signal } = request;
  const head = body.pullRequest ? `promote/${to.metadata.name}-${digest.slice(0, 10)}` : undefined;
  const isPushed = await target.publish(commit, head);
  // a branch that is named after this very change has it already: what is left is to propose it
  if (!isPushed && head === undefined) throw failedPrecondition('Others pushed to the branch: look at it again');
  if (isPushed)
    await context.events.record(
      to,
      'Promoted',
      call.identity?.subject,
      `promoted ${from.metadata.name} by commit ${commit.slice(0, 12)} to ${head ?? target.branch}`,
    );
  if (head === undefined) {
    await context.backend.pushed([refOf(planned.parent ?? to)], { milliseconds: 0, threshold: 0 });
    return { commit };
  }
  const place = placeOf(target.repoURL, body.host);
  if (!place)
    return {
      ...(isPushed ? { commit } : {}),
      head,
      problem: `The address does not tell what host this is: propose ${head} there, or name it by --host`,
    };
  const remarks = pullRequestRemarks(place, {
    credentials: await target.credentials(),
    http: (asked) => httpRequest({ ...asked, clock: context.clock }),
    signal,
    remedies: [
      `The branch ${head} is pushed: propose it at the host`,
      'Permit the write credentials to open pull requests',
    ],
  });
  const [title = '', ...rest] = planned.message.split('\n');
  const whole = markdown(planned.preview, remarks.style);
  const text = whole.length < remarks.style.most ? whole : `${rest.join('\n').trim()}\n\n${summary(planned.preview)}`;
  const pullRequest = await remarks.open({ title, body: text, head, base: target.branch });
  return { ...(isPushed ? { commit } : {}), head, pullRequest };
}

function readBody(bytes: Buffer | undefined): PromoteBody {
  if (!bytes) throw invalidArgument(`The body has more than ${largestBody} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8') || '{}');
  } catch {
    throw invalidArgument('The body is no JSON, such as {"to": "shop-prod"}');
  }
  const { to, digest, pullRequest, host } = (value ?? {}) as Record<string, unknown>;
  if (typeof to !== 'string' || to === '')
    throw invalidArgument('to is required: the application that is to deliver the same');
  if (host !== undefined && !remarkHosts.some((known) => known === host))
    throw invalidArgument(`host is none of ${remarkHosts.join(', ')}`);
  return {
    to,
    pullRequest: pullRequest === true,
    ...(typeof digest === 'string' ? { digest } : {}),
    ...(host === undefined ? {} : { host: host as RemarkHost }),
  };
}
