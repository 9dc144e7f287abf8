/** An entry of `.gitmodules`. */
export interface GitModule {
  readonly path: string;
  readonly url: string;
  /** `none` leaves the folder empty, as `git submodule update` does. */
  readonly update: string;
}

/** The submodules that a `.gitmodules` file describes, by path. Reads git's configuration syntax; later lines win. */
export function parseGitModules(text: string): Map<string, GitModule> {
  const sections = new Map<string, { path?: string; url?: string; update?: string }>();
  let current: { path?: string; url?: string; update?: string } | undefined;
  for (const line of text.replace(/\\\r?\n/g, '').split(/\r?\n/)) {
    const header = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (header) {
      const name = (header[2] ?? '').replace(/\\(.)/g, '$1');
      current = undefined;
      if (header[1]?.toLowerCase() !== 'submodule') continue;
      current = sections.get(name) ?? {};
      sections.set(name, current);
      continue;
    }
    const setting = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=(.*)$/.exec(line);
    const key = setting?.[1]?.toLowerCase();
    if (current && (key === 'path' || key === 'url' || key === 'update')) current[key] = textOf(setting?.[2] ?? '');
  }
  const modules = new Map<string, GitModule>();
  for (const { path, url, update = '' } of sections.values())
    if (path !== undefined && url !== undefined) modules.set(path.replace(/(?<!\/)\/+$/, ''), { path, url, update });
  return modules;
}

/** Quotes may surround any part of a value; outside of them a comment ends it. */
function textOf(text: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };
  let value = '';
  let kept = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === '"') quoted = !quoted;
    else if (character === '\\') {
      at += 1;
      value += escapes[text[at] ?? ''] ?? text[at] ?? '';
      kept = value.length;
      continue;
    } else if (!quoted && (character === '#' || character === ';')) break;
    else if (quoted || value !== '' || !/\s/.test(character)) value += character;
    if (quoted || !/\s/.test(character)) kept = value.length;
  }
  return value.slice(0, kept);
}

/** The URL of a submodule as git reads it: one that begins with `./` or `../` is relative to the repository that holds it. */
export function submoduleUrl(parent: string, url: string): string {
  if (!/^\.\.?\//.test(url)) return url;
  let base = parent.replace(/(?<!\/)\/+$/, '');
  let rest = url;
  let glue = '/';
  while (/^\.\.?\//.test(rest)) {
    const up = rest.startsWith('../');
    rest = rest.replace(/^\.\.?\/+/, '');
    if (!up) continue;
    const slash = base.lastIndexOf('/');
    const colon = base.lastIndexOf(':');
    glue = slash >= 0 ? '/' : ':';
    base = base.slice(0, Math.max(0, slash >= 0 ? slash : colon));
  }
  return `${base}${glue}${rest.replace(/(?<!\/)\/+$/, '')}`;
}
