import type { Application, AppProject } from '@tiphys/api';
import { compileGlob } from '@tiphys/glob';

/**
 * Labels of Events about an application: those of the application, and of its project where it has none of that name, whose
 * keys match a glob of `resource.includeEventLabelKeys` and none of `resource.excludeEventLabelKeys`. Undefined for none.
 */
export function eventLabels(
  application: Pick<Application, 'metadata'>,
  project: AppProject | undefined,
  settings: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  const included = matcher(settings['resource.includeEventLabelKeys']);
  const excluded = matcher(settings['resource.excludeEventLabelKeys']);
  const labels = Object.entries({ ...project?.metadata.labels, ...application.metadata.labels }).filter(
    ([key]) => included(key) && !excluded(key),
  );
  return labels.length === 0 ? undefined : Object.fromEntries(labels);
}

function matcher(list: string | undefined): (key: string) => boolean {
  const globs = (list ?? '')
    .split(',')
    .map((glob) => glob.trim())
    .filter(Boolean)
    .map((glob) => compileGlob(glob));
  return (key) => globs.some((matches) => matches(key));
}
