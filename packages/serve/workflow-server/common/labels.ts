import { workflowNames } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Claims } from './caller.ts';

const { labels } = workflowNames;
const prefix = 'workflows.argoproj.io';

type Action = 'Update' | 'Suspend' | 'Stop' | 'Terminate' | 'Resume' | 'Retry';

/** Who made the object, as labels; what it says of that itself does not count. */
export function labelCreator(object: KubeObject, claims: Claims | undefined): void {
  setLabels(object, {
    [labels.creator]: claims?.subject,
    [labels.creatorEmail]: emailOf(claims),
    [labels.creatorUsername]: claims?.preferredUsername,
    [`${prefix}/action`]: undefined,
  });
}

/** Who did something with the object last, as labels. */
export function labelActor(object: KubeObject, claims: Claims | undefined, action: Action): void {
  setLabels(object, { ...actorLabels(claims), [`${prefix}/action`]: claims ? action : undefined });
}

/** The same labels for a patch. */
export function actorPatch(claims: Claims | undefined, action: Action): Record<string, string> | undefined {
  if (!claims) return undefined;
  const all = { ...actorLabels(claims), [`${prefix}/action`]: action };
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value ? [[name, labelValue(value)]] : [])));
}

function actorLabels(claims: Claims | undefined): Record<string, string | undefined> {
  return {
    [`${prefix}/actor`]: claims?.subject,
    [`${prefix}/actor-email`]: emailOf(claims),
    [`${prefix}/actor-preferred-username`]: claims?.preferredUsername,
  };
}

/** What nodes that were resumed say of it, as Go prints a map. */
export function resumedBy(claims: Claims | undefined): string {
  if (!claims) return '';
  const told = [
    ['Email', claims.email],
    ['PreferredUsername', claims.preferredUsername],
    ['User', claims.subject],
  ].flatMap(([name, value]) => (value ? [`${name}:${value}`] : []));
  return `Resumed by: map[${told.join(' ')}]`;
}

/** Marks an object as that of the controller with this id, or of the one without. */
export function labelInstance(object: KubeObject, instanceId: string): void {
  setLabels(object, { [labels.instance]: instanceId || undefined });
}

/** A label selector for objects of this controller alone. */
export function instanceSelector(selector: string | undefined, instanceId: string): string {
  const own = instanceId ? `${labels.instance}=${instanceId}` : `!${labels.instance}`;
  return selector ? `${selector},${own}` : own;
}

export function isOfInstance({ metadata }: KubeObject, instanceId: string): boolean {
  return (metadata.labels?.[labels.instance] ?? '') === instanceId;
}

function setLabels(object: KubeObject, wanted: Readonly<Record<string, string | undefined>>): void {
  const given: Record<string, string> = { ...object.metadata.labels };
  for (const [name, value] of Object.entries(wanted)) {
    if (value) given[name] = labelValue(value);
    else delete given[name];
  }
  object.metadata.labels = given;
}

function emailOf(claims: Claims | undefined): string | undefined {
  return claims?.email?.replace('@', '.at.');
}

/** The last 63 characters of a text that a label may have. */
function labelValue(text: string): string {
  const plain = text.replace(/[^-_.a-zA-Z0-9]/g, '-').slice(-63);
  let start = 0;
  let end = plain.length;
  const isEdge = (letter: string | undefined) => letter !== undefined && /[-_.]/.test(letter);
  while (isEdge(plain[start])) start += 1;
  while (end > start && isEdge(plain[end - 1])) end -= 1;
  return plain.slice(start, end);
}
