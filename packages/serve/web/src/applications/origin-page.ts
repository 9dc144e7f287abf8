import type { Application, Origin, WrittenPlace } from '../api/model.ts';
import { hostPages } from './git-host.ts';
import { shownSourcesOf } from './sync-request.ts';

/** A line of the file of an origin on the host of its repository; of several repositories nobody knows which one has it. */
export function originPage(
  application: Application,
  { file = '', revisions }: Pick<Origin, 'file' | 'revisions'>,
  line: number | undefined,
): string | undefined {
  const sources = shownSourcesOf(application);
  const [index = -1, ...others] = sources.flatMap(({ chart }, position) => (chart ? [] : [position]));
  if (others.length > 0) return undefined;
  return hostPages(sources[index]?.repoURL ?? '')?.file(revisions[index] ?? '', file, line);
}

/** The same of a line of which the source may be known; undefined for what no repository has. */
export function placePage(
  application: Application,
  revisions: readonly string[],
  { file, line, source, commit }: WrittenPlace,
): string | undefined {
  if (source === undefined)
    return commit === undefined ? undefined : originPage(application, { file, revisions: [...revisions] }, line);
  return hostPages(shownSourcesOf(application)[source]?.repoURL ?? '')?.file(revisions[source] ?? '', file, line);
}
