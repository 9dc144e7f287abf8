/** Files by path from the root; undefined takes one away. */
export type FileChanges = ReadonlyMap<string, string | undefined>;

/** Who makes a commit, and when, in milliseconds since the epoch; the zone is UTC. */
export interface Committer {
  readonly name: string;
  readonly email: string;
  readonly at: number;
}

/** A commit that `git fast-import` makes. */
export interface ImportedCommit {
  readonly ref: string;
  readonly message: string;
  readonly committer: Committer;
  /** Commit that it follows; absent begins a history. */
  readonly parent?: string;
  readonly files?: FileChanges;
  /** Notes by the commit that they are of. */
  readonly notes?: ReadonlyMap<string, string>;
}

/** What `git fast-import` reads to make one commit and to print its id. */
export function importStream({ ref, message, committer, parent, files, notes }: ImportedCommit): string {
  const lines = [
    `commit ${ref}`,
    'mark :1',
    `committer ${person(committer.name)} <${person(committer.email)}> ${Math.floor(committer.at / 1000)} +0000`,
    data(message),
  ];
  if (parent) lines.push(`from ${parent}`);
  for (const [path, content] of files ?? [])
    if (content === undefined) lines.push(`D ${quoted(path)}`);
    else lines.push(`M 100644 inline ${quoted(path)}`, data(content));
  for (const [commit, text] of notes ?? []) lines.push(`N inline ${commit}`, data(text));
  return `${[...lines, '', 'get-mark :1', 'done'].join('\n')}\n`;
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}

/** Names and addresses have no angle brackets and no line breaks in a commit. */
function person(text: string): string {
  return text.replace(/[<>\n\r\0]/g, '').trim();
}

/** A path as fast-import takes it: quoted, so that none of its characters is read as the end of it. */
function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
