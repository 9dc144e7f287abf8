type Awaitable<T> = T | Promise<T>;

export interface Found {
  readonly kind: 'file' | 'folder';
  /** The real path, links followed. */
  readonly path: string;
  readonly executable?: boolean;
}

/** A virtual file system. Paths are absolute, with `/`. */
export interface FileTree {
  /** What a path leads to, links followed; undefined if there is nothing or a link leads out. */
  find(path: string): Awaitable<Found | undefined>;
  /** Bytes of a file at a real path. */
  read(path: string): Awaitable<Uint8Array>;
  /** Paths of all files below a folder, from it; for charts, and for programs that are run. */
  list?(folder: string): Awaitable<readonly string[]>;
  /** What the symbolic link at a path says; undefined for what is none. */
  link?(path: string): Awaitable<string | undefined>;
  /** The folder of this machine that a folder is, for programs that are run in it. */
  local?(folder: string): string | undefined;
}

/** Files that are in memory already, by path; a leading `/` may be left out. */
export function memoryTree(files: Readonly<Record<string, string | Uint8Array>>): FileTree {
  const contents = new Map<string, string | Uint8Array>();
  const folders = new Set<string>(['/']);
  for (const [name, data] of Object.entries(files)) {
    const path = cleanPath(`/${name}`);
    contents.set(path, data);
    for (let parent = parentOf(path); !folders.has(parent); parent = parentOf(parent)) folders.add(parent);
  }
  return {
    find(path) {
      if (contents.has(path)) return { kind: 'file', path };
      return folders.has(path) ? { kind: 'folder', path } : undefined;
    },
    read(path) {
      const data = contents.get(path);
      if (data === undefined) throw new Error(`open ${path}: no such file or directory`);
      return typeof data === 'string' ? Buffer.from(data) : data;
    },
    list(folder) {
      const prefix = folder === '/' ? '/' : `${folder}/`;
      return [...contents.keys()].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
    },
  };
}

/** A clean absolute path: no `.`, `..` or double slashes. */
export function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Go's filepath.Join of an absolute folder and a path that counts from it. */
export function joinPath(folder: string, path: string): string {
  return cleanPath(`${folder}/${path}`);
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

export function isInside(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}
