import type { KubeObject } from '@tiphys/kubernetes';
import { isObject, type JsonObject, numberAt, objectsAt, textAt, valueAt } from '../model/fields.ts';
import type { Health } from '../model/model.ts';
import { conditionOf, health } from './conditions.ts';

export function podHealth(pod: KubeObject): Health {
  const containers = objectsAt(pod, 'status', 'containerStatuses');
  const policy = textAt(pod, 'spec', 'restartPolicy');
  const message = textAt(pod, 'status', 'message');
  if (policy === 'Always') {
    const stuck = containers.filter((container) => isTrouble(textAt(container, 'state', 'waiting', 'reason')));
    if (stuck.length > 0) {
      return health('Degraded', stuck.map((container) => textAt(container, 'state', 'waiting', 'message')).join(', '));
    }
  }
  switch (textAt(pod, 'status', 'phase')) {
    case 'Pending':
      return health('Progressing', message);
    case 'Succeeded':
      return health('Healthy', message);
    case 'Failed':
      return health(
        'Degraded',
        message || failureMessage([...objectsAt(pod, 'status', 'initContainerStatuses'), ...containers]),
      );
    case 'Running':
      return runningHealth(pod, policy, containers, message);
    default:
      return health('Unknown', message);
  }
}

/** Reasons of waiting containers that do not go away by waiting, as upstream tells them. */
function isTrouble(reason: string): boolean {
  return reason.startsWith('Err') || reason.endsWith('Error') || reason.endsWith('BackOff');
}

function runningHealth(pod: KubeObject, policy: string, containers: JsonObject[], message: string): Health {
  if (policy === 'OnFailure' || policy === 'Never') return health('Progressing', message);
  if (policy !== 'Always') return health('Unknown', message);
  if (conditionOf(pod, 'Ready')?.status === 'True') return health('Healthy', message);
  const terminated = containers.some((container) => isObject(valueAt(container, 'lastState', 'terminated')));
  return health(terminated ? 'Degraded' : 'Progressing', message);
}

function failureMessage(containers: JsonObject[]): string {
  for (const container of containers) {
    const terminated = valueAt(container, 'state', 'terminated');
    if (!isObject(terminated)) continue;
    const message = textAt(terminated, 'message');
    if (message) return message;
    if (textAt(terminated, 'reason') === 'OOMKilled') return 'OOMKilled';
    const code = numberAt(terminated, 'exitCode') ?? 0;
    if (code !== 0) return `container ${JSON.stringify(textAt(container, 'name'))} failed with exit code ${code}`;
  }
  return '';
}
