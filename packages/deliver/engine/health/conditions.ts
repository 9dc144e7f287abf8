import type { KubeObject } from '@tiphys/kubernetes';
import { objectsAt, textAt } from '../model/fields.ts';
import type { Health, HealthCode } from '../model/model.ts';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export function conditionsOf(object: KubeObject): Condition[] {
  return objectsAt(object, 'status', 'conditions').map((entry) => ({
    type: textAt(entry, 'type'),
    status: textAt(entry, 'status'),
    reason: textAt(entry, 'reason'),
    message: textAt(entry, 'message'),
  }));
}

export function conditionOf(object: KubeObject, type: string): Condition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}

/** Health with the message left out where it is empty. */
export function health(status: HealthCode, message = ''): Health {
  return message ? { status, message } : { status };
}
