import type { ApplicationSet, ApplicationSetGenerator } from '@tiphys/api';
import { type Diagnosis, diagnose } from '@tiphys/diagnosis';
import { generatorEmpty } from '../diagnoses/diagnoses.ts';

/** How to find out why a generator found nothing. Pull requests are not among them: most of the time there is none. */
const remedies: Partial<Record<keyof ApplicationSetGenerator, string>> = {
  list: 'Add elements to the list',
  git: 'Compare the paths with the folders and files of this revision; they count from the root of the repository',
  clusters: 'Compare the selector with the labels of the Secrets of clusters (argocd cluster get NAME)',
  scmProvider: 'Compare the filters with the names, branches and labels of the repositories',
  matrix: 'See whether each of its two generators gives elements, for which they are combined',
  merge: 'See whether its first generator gives elements, to which those of the others are merged',
  plugin: 'See what the plugin answers to these parameters',
};

/** Of a set all of whose generators gave no element, so that it makes no Application. */
export function emptyNotices({ spec }: ApplicationSet): Diagnosis[] {
  return (spec.generators ?? []).flatMap((generator, index) => {
    const kind = (Object.keys(remedies) as (keyof ApplicationSetGenerator)[]).find((each) => generator[each]);
    if (kind === undefined) return [];
    return diagnose(generatorEmpty, {
      message: `The generator ${kind} gives no elements: the ApplicationSet makes no Application`,
      place: { field: `spec.generators[${index}].${kind}` },
      evidence: { ...(generator.git ? searched(generator.git) : {}) },
      remedies: [(generator.git && unclosed(generator.git)) ?? remedies[kind] ?? ''],
    });
  });
}

/** A path whose bracket never closes fits nothing. */
function unclosed({ directories = [], files = [] }: NonNullable<ApplicationSetGenerator['git']>): string | undefined {
  const odd = [...directories, ...files].find(({ path = '' }) => /\[[^\]]*$/.test(path))?.path;
  return odd === undefined
    ? undefined
    : `Close what ${JSON.stringify(odd)} opens: [a-z], or a backslash before a bracket that is meant`;
}

function searched(git: NonNullable<ApplicationSetGenerator['git']>): Record<string, string> {
  const paths = [...(git.directories ?? []), ...(git.files ?? [])].map(({ path = '', exclude }) =>
    exclude ? `not ${path}` : path,
  );
  return { repository: git.repoURL ?? '', revision: git.revision || 'HEAD', paths: paths.slice(0, 10).join(', ') };
}
