import { currentLanguage, t } from './texts.ts';

/** Sentences that the server writes into Events and the history, with what varies in them; the first that fits counts. */
export const toldTexts = [
  'Updated sync status: {from} -> {to}',
  'Updated health status: {from} -> {to}',
  'Sync operation to {revision} succeeded',
  'Sync operation to {revision} failed: {message}',
  'Partial sync operation to {revision} succeeded',
  'Partial sync operation to {revision} failed: {message}',
  'Initiated automated sync to {revision}',
  'Sync to {revision}: {count} of {total} objects to change',
  'Sync to {revision} succeeded: {message}',
  'Sync to {revision} ended {phase}: {message}',
  'The tracked revision is {revision}, and was {before}',
  'Sync status {from} → {to}',
  'Health {from} → {to}',
  'Revision {revision} is in quarantine: {message}',
  'Revision {revision} is out of quarantine',
  '{user} initiated partial sync locally',
  '{user} initiated sync locally',
  '{user} initiated partial sync to {revision}',
  '{user} initiated sync to {revision}',
  '{user} initiated rollback to {id}',
  '{user} terminated running operation',
  '{user} created application',
  '{user} updated application spec',
  '{user} deleted application',
  '{user} ran action {action} on resource {object}',
  '{user} patched resource {object}',
  '{user} deleted resource {object}',
  '{user} promoted {name} by commit {commit} to {branch}',
  'successfully synced (all tasks run)',
  'successfully synced (no more tasks)',
  'one or more objects failed to apply',
  'one or more objects failed to apply (dry run)',
  'one or more synchronization tasks are not valid',
  'Operation terminated',
  'This cluster has no {kinds}: the kind {kind} of {version} is not installed.',
  'The events run in another process, which has their ways: ask the one that has them, `tiphys up` without a role or with --role events.',
  'automated sync',
  'self-heal',
  'health gate',
  'controller',
  'repository',
  'none',
] as const;

/** Values that are sentences of the server themselves, or statuses. */
const nested: ReadonlySet<string> = new Set(['message', 'before', 'from', 'to', 'phase']);

/** A sentence of the server in the page's language; one that is none of those above stays as it came. */
export function told(text: string): string {
  return currentLanguage() === 'en' ? text : translated(text);
}

function translated(text: string): string {
  for (const template of toldTexts) {
    const values = valuesIn(text, template);
    if (!values) continue;
    const shown = Object.entries(values).map(([name, value]) => [
      name,
      nested.has(name) ? t(translated(value)) : value,
    ]);
    return t(template, Object.fromEntries(shown));
  }
  return text;
}

/** What stands in a text in the places of a template; undefined if the text is another one. Each place ends where what follows it comes first. */
function valuesIn(text: string, template: string): Record<string, string> | undefined {
  const parts = template.split(/\{(\w+)\}/);
  const last = parts.length - 1;
  if (!text.startsWith(parts[0] ?? '')) return undefined;
  const values: Record<string, string> = Object.create(null);
  let at = (parts[0] ?? '').length;
  for (let index = 1; index < last; index += 2) {
    const following = parts[index + 1] ?? '';
    const end = index + 1 === last && following === '' ? text.length : text.indexOf(following, at);
    if (end < 0) return undefined;
    values[parts[index] ?? ''] = text.slice(at, end);
    at = end + following.length;
  }
  return at === text.length ? values : undefined;
}
