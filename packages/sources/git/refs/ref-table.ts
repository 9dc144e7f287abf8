/** What a remote has, from one `ls-remote --symref`. */
export interface RefTable {
  /** Full name → object: a tag's is the tag object where the tag is annotated. */
  readonly refs: ReadonlyMap<string, string>;
  /** Annotated tags: full name → the commit that they stand for. */
  readonly peeled: ReadonlyMap<string, string>;
  /** Symbolic refs: `HEAD` → `refs/heads/main`. */
  readonly symbolic: ReadonlyMap<string, string>;
}

/** Reads the output of `git ls-remote --symref`. */
export function parseRefs(output: string): RefTable {
  const refs = new Map<string, string>();
  const peeled = new Map<string, string>();
  const symbolic = new Map<string, string>();
  for (const line of output.split('\n')) {
    const tab = line.indexOf('\t');
    if (tab < 0) continue;
    const [value, name] = [line.slice(0, tab), line.slice(tab + 1)];
    if (value.startsWith('ref: ')) symbolic.set(name, value.slice(5));
    else if (name.endsWith('^{}')) peeled.set(name.slice(0, -3), value);
    else refs.set(name, value);
  }
  return { refs, peeled, symbolic };
}

/** The commit that a full ref name stands for. */
export function commitOf(table: RefTable, ref: string): string | undefined {
  return table.peeled.get(ref) ?? table.refs.get(ref);
}

/** Short names of the refs below a prefix such as `refs/tags/`. */
export function shortNames(table: RefTable, prefix: string): string[] {
  return [...table.refs.keys()].filter((ref) => ref.startsWith(prefix)).map((ref) => ref.slice(prefix.length));
}

/** Full names whose commit is not the same in both. */
export function movedRefs(before: RefTable, after: RefTable): string[] {
  const names = new Set([...before.refs.keys(), ...after.refs.keys()]);
  return [...names].filter((name) => commitOf(before, name) !== commitOf(after, name));
}
