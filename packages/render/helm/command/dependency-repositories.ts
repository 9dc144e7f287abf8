import type { LockedDependency } from '../dependency/chart-lock.ts';
import { isSameUrl } from '../dependency/same-url.ts';
import { chartDependencyMissing } from '../problems/diagnoses.ts';
import { HelmError } from '../problems/helm-error.ts';
import type { RepositoriesFile } from './repositories-file.ts';

/** Two dependencies may be of one name, from two repositories. */
export function keyOf({ name, repository }: { readonly name: string; readonly repository: string }): string {
  return `${name} ${repository}`;
}

/**
 * The name under which the repository of each dependency was added, or its URL where it needs no name; aliases in the dependencies
 * become URLs. `onFolder` is told each `file://` one.
 */
export function repositoryNames(
  dependencies: { name: string; repository: string }[],
  file: RepositoriesFile,
  onFolder: (repository: string) => void,
): Map<string, string> {
  const names = new Map<string, string>();
  const missing: string[] = [];
  for (const dependency of dependencies) {
    const { repository } = dependency;
    if (repository === '') continue;
    if (/^(?:file|oci):\/\//.test(repository)) {
      if (repository.startsWith('file://')) onFolder(repository);
      names.set(keyOf(dependency), repository);
      continue;
    }
    const alias = /^(?:@|alias:)(.*)$/s.exec(repository)?.[1];
    const entry = file.entries.find((known) => known.name === alias || isSameUrl(known.url, repository));
    if (entry) {
      if (alias === entry.name) dependency.repository = entry.url;
      names.set(keyOf(dependency), entry.name);
    } else if (!/^(?:[A-Za-z][A-Za-z0-9+.-]*:|\/)/.test(repository)) missing.push(repository);
  }
  if (missing.length > 0) throw unknownRepositories(missing);
  return names;
}

/** Throws if a dependency comes from a repository that was not added. */
export function requireRepositories(
  dependencies: readonly LockedDependency[],
  { path, entries }: RepositoriesFile,
): void {
  const missing = dependencies
    .map(({ repository }) => repository)
    .filter((url) => url !== '' && !/^(?:file|oci):\/\//.test(url))
    .filter((url) => !entries.some((entry) => isSameUrl(entry.url, url.replace(/\/$/, ''))));
  if (missing.length === 0) return;
  throw new HelmError(
    chartDependencyMissing,
    `no repository definition for ${missing.join(', ')}. Please add the missing repos via 'helm repo add'`,
    {
      place: { file: path },
      evidence: { repositories: entries.map(({ url }) => url).join(', ') || 'none' },
      remedies: missing.map((url) => ({ text: 'Add the repository', paste: `helm repo add NAME ${url}` })),
    },
  );
}

function unknownRepositories(missing: readonly string[]): HelmError {
  const note = missing.some((name) => !name.includes('//') && !/^(?:@|alias:)/.test(name))
    ? `
Note that repositories must be URLs or aliases. For example, to refer to the "example"
repository, use "https://charts.example.com/" or "@example" instead of
"example". Don't forget to add the repo, too ('helm repo add').`
    : '';
  return new HelmError(
    chartDependencyMissing,
    `no repository definition for ${missing.join(', ')}. Please add them via 'helm repo add'${note}`,
    {
      message: `The repositories ${missing.join(', ')} were not added`,
      place: { file: 'Chart.yaml' },
      remedies: [{ text: 'Add each repository', paste: 'helm repo add NAME URL' }],
    },
  );
}
