/** One spelling of a repository URL, as Argo CD compares them: lower case, no `.git`, ssh without its scheme. */
export function normalizeUrl(raw: string): string {
  let text = raw.trim().toLowerCase();
  if (/^(ssh:\/\/)?[^/:]*@[^@]+$/.test(text) && !text.startsWith('ssh://')) text = `ssh://${text.replace(':', '/')}`;
  return text.replace(/\.git$/, '').replace(/^ssh:\/\//, '');
}

/** Whether two URLs name the same repository. */
export function sameRepository(a: string, b: string): boolean {
  return normalizeUrl(a) === normalizeUrl(b);
}
