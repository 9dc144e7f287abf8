/** A person with a time, as a commit names them. */
export interface Signature {
  readonly name: string;
  readonly email: string;
  /** ISO 8601, UTC. */
  readonly date: string;
}

export interface CommitInfo {
  readonly commit: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
  /** Short names of the tags that stand for this commit. */
  readonly tags: readonly string[];
  /** `unverified`: signed, but no key was given to check it with. */
  readonly signature: 'unsigned' | 'unverified';
  /** What it is signed with; absent if it is not. */
  readonly signedWith?: 'gpg' | 'ssh' | 'x509';
}

/** Reads a raw commit object. */
export function parseCommit(commit: string, content: Buffer, tags: readonly string[]): CommitInfo {
  const text = content.toString('utf8');
  const end = text.indexOf('\n\n');
  const headers = (end < 0 ? text : text.slice(0, end)).split('\n');
  const value = (name: string) => headers.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
  const signed = headers.find((line) => line.startsWith('gpgsig'));
  return {
    commit,
    tree: value('tree'),
    parents: headers.filter((line) => line.startsWith('parent ')).map((line) => line.slice(7)),
    author: parseSignature(value('author')),
    committer: parseSignature(value('committer')),
    message: end < 0 ? '' : text.slice(end + 2),
    tags,
    signature: signed ? 'unverified' : 'unsigned',
    ...(signed ? { signedWith: signed.includes('SSH') ? 'ssh' : signed.includes('PGP') ? 'gpg' : 'x509' } : {}),
  };
}

function parseSignature(text: string): Signature {
  const match = /^(.*?) ?<([^>]*)> ?(-?\d+)?/.exec(text);
  const seconds = Number(match?.[3] ?? 0);
  const valid = Number.isFinite(seconds) && Math.abs(seconds) < 8.64e12;
  return { name: match?.[1] ?? '', email: match?.[2] ?? '', date: new Date(valid ? seconds * 1000 : 0).toISOString() };
}
