import type { Application, Origin } from '../api/model.ts';
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
