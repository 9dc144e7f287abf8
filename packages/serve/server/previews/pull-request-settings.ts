import { compileGlob } from '@tiphys/glob';

/** Keys of argocd-cm. */
const keys = { what: 'tiphys.preview.pullRequests', where: 'tiphys.preview.repositories' } as const;
const kinds = ['comment', 'status'] as const;

export interface PullRequestSettings {
  readonly comment: boolean;
  readonly status: boolean;
  /** Words of the setting that mean nothing. */
  readonly unknown: readonly string[];
}

/** What is written to the pull requests of a repository: nothing unless it is asked for. */
export function pullRequestSettings(
  data: Readonly<Record<string, string>>,
  repoURL: string,
): PullRequestSettings | undefined {
  const wanted = listOf(data[keys.what]);
  const patterns = listOf(data[keys.where] || '*');
  if (wanted.length === 0 || !patterns.some((pattern) => compileGlob(pattern)(repoURL))) return undefined;
  return {
    comment: wanted.includes('comment'),
    status: wanted.includes('status'),
    unknown: wanted.filter((word) => !kinds.some((kind) => kind === word)),
  };
}

function listOf(text = ''): string[] {
  return text
    .split(/[\s,]+/)
    .map((word) => word.trim())
    .filter(Boolean);
}
