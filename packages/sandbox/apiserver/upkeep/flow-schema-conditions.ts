import { type ServerContext, timestamp } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';

const GROUP = 'flowcontrol.apiserver.k8s.io';

interface Condition {
  type: string;
  status: string;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

interface FlowSchema extends KubeObject {
  spec?: { priorityLevelConfiguration?: { name?: string } };
  status?: { conditions?: Condition[] };
}

/** Keeps the condition `Dangling` of every FlowSchema true of the priority level that it names, now and after every change. */
export function tellDanglingSchemas(server: ServerContext): void {
  const { store } = server;
  const schemas = store.collection(`${GROUP}/flowschemas`);
  const levels = store.collection(`${GROUP}/prioritylevelconfigurations`);
  const reconcile = () => {
    for (const key of [...schemas.keys()]) {
      const item = schemas.get(key);
      const next = item && withCondition(item.object as FlowSchema, (name) => levels.get(name) !== undefined, server);
      if (next) store.put(schemas, key, next);
    }
  };
  for (const collection of [schemas, levels]) {
    const follow = () =>
      queueMicrotask(() => {
        reconcile();
        collection.onNextChange(follow);
      });
    collection.onNextChange(follow);
  }
  reconcile();
}

/** The schema as it should be; undefined where it is so. */
function withCondition(schema: FlowSchema, exists: (level: string) => boolean, server: ServerContext) {
  const { name = '' } = schema.spec?.priorityLevelConfiguration ?? {};
  const found = exists(name);
  const message = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(name)} ${found ? 'and it exists' : 'but there is no such object'}`;
  const conditions = schema.status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === 'Dangling');
  const status = found ? 'False' : 'True';
  if (before?.status === status && before.message === message) return undefined;
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : timestamp(server.clock);
  const condition = { type: 'Dangling', status, lastTransitionTime, reason: found ? 'Found' : 'NotFound', message };
  const rest = conditions.filter(({ type }) => type !== 'Dangling');
  return { ...schema, status: { ...schema.status, conditions: [...rest, condition] } };
}
