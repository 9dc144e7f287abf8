import { keyString, type ObjectKey } from '@tiphys/kubernetes';
import { annotation, annotationNames } from '../model/annotations.ts';
import { isHook } from '../model/hooks.ts';
import type { ComparedResource, Health } from '../model/model.ts';
import { isWorse } from './health.ts';

/**
 * Health of the application: the worst of its objects. Hooks, objects that ask to be left out, missing ones (being
 * OutOfSync says that), child applications that are Missing or Unknown, and the application itself do not count.
 * With objects desired and none alive it is Missing. The diagnosis is that of the object that decides.
 */
export function aggregateHealth(resources: readonly ComparedResource[], self?: ObjectKey): Health {
  let worst: Health = { status: 'Healthy' };
  let any = false;
  let alive = false;
  for (const { key, live, health, hook } of resources) {
    if (hook || (live && isHook(live))) continue;
    any = true;
    if (!live) continue;
    alive = true;
    if (annotation(live, annotationNames.ignoreHealthcheck) === 'true') continue;
    if (self && keyString(self) === keyString(key)) continue;
    if (!health) continue;
    const child = key.group === 'argoproj.io' && key.kind === 'Application';
    if (child && (health.status === 'Missing' || health.status === 'Unknown')) continue;
    if (isWorse(worst.status, health.status)) worst = health;
  }
  if (any && !alive && isWorse(worst.status, 'Missing')) return { status: 'Missing' };
  return worst;
}
