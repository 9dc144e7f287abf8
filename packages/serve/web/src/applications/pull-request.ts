import { t } from '../i18n/texts.ts';

/**
 * The ref of the pull request that a text names as people write it, `#7`, or `!7` of GitLab, on the host of the repository; other
 * texts are revisions as they are. Throws for a host that has no refs of pull requests.
 */
export function revisionNamed(text: string, repository: string): string {
  const [, mark, number] = /^([#!])(\d{1,10})$/.exec(text) ?? [];
  if (number === undefined) return text;
  const address = repository.toLowerCase();
  if (mark === '!' || address.includes('gitlab')) return `refs/merge-requests/${number}/head`;
  if (address.includes('bitbucket.org'))
    throw new Error(t('Bitbucket Cloud has no refs of pull requests: name the branch of {text}', { text }));
  // Bitbucket Server and Azure DevOps, by the forms of their addresses
  if (/\/scm\/|:7999\//.test(address)) return `refs/pull-requests/${number}/from`;
  if (/\/_git\/|ssh\.dev\.azure\.com/.test(address)) return `refs/pull/${number}/merge`;
  return `refs/pull/${number}/head`;
}
