import { answerDelivery, type SelfUpdate, StateStore, words } from '@tiphys/self-management';
import { accessApplication } from '../context/access.ts';
import type { ServerContext } from '../context/server-context.ts';
import type { Call } from '../rpc/call.ts';
import { type OwnRequest, postOwn, serveOwn } from './own-api.ts';

const base = '/api/tiphys/v1/self-management';
const answers = new Map([
  [`${base}/accept`, 'accept'],
  [`${base}/take-back`, 'take-back'],
] as const);

/**
 * - `GET /api/tiphys/v1/self-management`: where the last delivery of Tiphys by Tiphys stands; `{}` if there was none. Needs `applications,
 *   get` of the Application that delivers it.
 * - `POST …/accept`, `POST …/take-back`: what a person says to it. Needs `applications, sync`.
 * Undefined for other paths.
 */
export function serveSelfManagement(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  const store = new StateStore(context.client, context.namespace);
  if (asked.path === base)
    return serveOwn(asked, '/application.ApplicationService/Get', async (call) => {
      const state = await store.read();
      if (!state) return {};
      await permit(context, call, state, 'get');
      return shown(state);
    });
  const answer = answers.get(asked.path as `${typeof base}/accept`);
  if (!answer) return undefined;
  return postOwn(asked, '/application.ApplicationService/Sync', async (call) => {
    const state = await store.read();
    if (state) await permit(context, call, state, 'sync');
    return shown(await answerDelivery(store, answer));
  });
}

async function permit(context: ServerContext, call: Call, { application }: SelfUpdate, action: 'get' | 'sync') {
  const [appNamespace = '', name = ''] = application.split('/');
  await accessApplication(context, call, action, { name, appNamespace, project: undefined });
}

function shown(state: SelfUpdate) {
  const { since: _since, report: _report, ...rest } = state;
  return { ...rest, words: words(state) };
}
