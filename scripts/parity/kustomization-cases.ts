import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface CaseFile {
  readonly path: string;
  readonly data: Buffer;
  /** A symbolic link to what `data` names. */
  readonly link: boolean;
}

/** A kustomization with its files; see test/kustomizations/README.md. */
export interface KustomizationCase {
  readonly feature: string;
  readonly name: string;
  readonly files: readonly CaseFile[];
  /** The folder that is built. */
  readonly path: string;
  readonly flags: readonly string[];
}

/** All cases of the `.cases` files of a folder, in order. */
export function kustomizationCases(folder: string): KustomizationCase[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.cases'))
    .sort()
    .flatMap((name) => readCases(name.replace(/\.cases$/, ''), readFileSync(join(folder, name), 'utf8')));
}

function readCases(feature: string, text: string): KustomizationCase[] {
  const cases: KustomizationCase[] = [];
  const known = new Map<string, Buffer>();
  for (const part of text.split(/^=== case /m).slice(1)) {
    const [head = '', ...sections] = part.split(/^--- file /m);
    const [, name = '', path = '', flags = ''] = /^(\S+)(?: path=(\S+))?(?: flags=(.*))?$/m.exec(head) ?? [];
    // Cases stand one line apart.
    const files = sections.map((section, i) => {
      const file = readFile(i === sections.length - 1 ? section.replace(/\n\n$/, '\n') : section, known);
      known.set(`${name}/${file.path}`, file.data);
      return file;
    });
    cases.push({ feature, name, files, path, flags: flags === '' ? [] : flags.split(' ') });
  }
  return cases;
}

function readFile(section: string, known: ReadonlyMap<string, Buffer>): CaseFile {
  const end = section.indexOf('\n');
  const [path = '', ...attributes] = section.slice(0, end).split(' ');
  const text = section.slice(end + 1);
  const from = attributes.find((attribute) => attribute.startsWith('from='))?.slice(5);
  const bare = attributes.some((attribute) => attribute === 'noeol' || attribute === 'link');
  const data =
    from !== undefined
      ? known.get(from)
      : attributes.includes('base64')
        ? Buffer.from(text, 'base64')
        : Buffer.from(bare ? text.replace(/\n$/, '') : text);
  if (!data) throw new Error(`${path}: there is no ${from} before it`);
  return { path: decodeURIComponent(path), data, link: attributes.includes('link') };
}

/** Writes the files of a case into a folder of its own; gives the path that is built. */
export function writeCase(folder: string, { files, path }: KustomizationCase): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of files) {
    const target = join(folder, file.path);
    mkdirSync(dirname(target), { recursive: true });
    if (file.link) symlinkSync(file.data.toString(), target);
    else writeFileSync(target, file.data);
  }
  return path === '' ? '.' : path;
}
