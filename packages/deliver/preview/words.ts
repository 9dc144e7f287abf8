import { type Printable, printYaml } from '@tiphys/yaml';
import { createTwoFilesPatch } from 'diff';
import type { ChangedObject, Preview, PreviewedApplication } from './types.ts';

/** `1 of 2 applications would change`, and how many cannot be rendered. */
export function summary({ applications, items }: Preview): string {
  const failed = items.filter(({ problem }) => problem).length;
  const changed = items.length - failed;
  const rest = failed > 0 ? `, ${failed} cannot be rendered` : '';
  return `${changed} of ${applications} application${applications === 1 ? '' : 's'} would change${rest}`;
}

/** `change apps/Deployment shop/web, OutOfSync now`. */
export function title({ action, group, kind, namespace, name, live }: ChangedObject): string {
  const expected = action === 'create' ? 'Missing' : 'Synced';
  const state = live && live !== expected ? `, ${live} now` : '';
  return `${action} ${group}/${kind} ${namespace}/${name}${state}`;
}

/** `shop/web, new`: an application with what becomes of it. */
export function heading({ namespace, name, action }: PreviewedApplication): string {
  return `${namespace}/${name}${action === 'create' ? ', new' : action === 'delete' ? ', no longer declared' : ''}`;
}

/** What is said of an application beside its objects; undefined if nothing is. */
export function remark({ problem, before, mended }: PreviewedApplication): string | undefined {
  if (problem) return `${problem.message}${before ? ' (as before)' : ''}`;
  return mended ? `It could not be rendered before: ${mended.message}` : undefined;
}

/** Lines of a unified diff without its heading. */
export function patchOf({ base, head }: Pick<ChangedObject, 'base' | 'head'>): string[] {
  const text = (object: unknown) => (object ? printYaml(object as Printable) : '');
  const patch = createTwoFilesPatch('base', 'head', text(base), text(head), '', '', { context: 3 });
  return patch.trimEnd().split('\n').slice(4);
}
