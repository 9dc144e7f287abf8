import type { Node, Origin } from '../tree/node.ts';

/** A field that an entry of a kustomization wrote, and not the file that the object is from. */
export interface WrittenField {
  /** As the API server names it: `spec.template.spec.containers[0].image`. */
  readonly path: string;
  /** `patches[0]`, or a field of the Application. */
  readonly entry: string;
  /** Of the kustomization, or of its patch; absent for what the Application itself gives. */
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** What a prefix or a suffix added to the text that was there; absent for who wrote all of it. */
  readonly added?: string;
}

/** More of them are in no object that a person has written. */
const most = 200;

/** What entries wrote below an object, the innermost kustomization first. */
export function writtenFields(root: Node): WrittenField[] {
  const found: WrittenField[] = [];
  const visit = (node: Node, path: string): void => {
    if (found.length >= most) return;
    if (node.kind === 'map')
      for (let i = 0; i + 1 < node.content.length; i += 2) {
        const key = node.content[i]?.value ?? '';
        const step = /[./]/.test(key) ? `[${key}]` : path ? `.${key}` : key;
        visit(node.content[i + 1] as Node, path + step);
      }
    else if (node.kind === 'list') for (const [i, item] of node.content.entries()) visit(item, `${path}[${i}]`);
    else found.push(...writersOf(node, path, root.origin));
  };
  visit(root, '');
  return found;
}

interface Text {
  readonly value: string;
  readonly origin: Origin | undefined;
  readonly line: number;
}

function writersOf(node: Node, path: string, whole: Origin | undefined): WrittenField[] {
  const found: WrittenField[] = [];
  let at: Text | undefined = node;
  while (at?.origin) {
    const { value, line }: Text = at;
    const { entry, file, before }: Origin = at.origin;
    const own = entry === whole?.entry && file === whole?.file;
    if (entry === undefined || own) break;
    const given = entry.startsWith('spec.');
    const added = before && value.replace(before.value, '');
    found.unshift({
      path,
      entry,
      ...(given ? {} : { file, ...(line > 0 ? { line } : {}) }),
      ...(added === undefined ? {} : { added }),
    });
    at = before;
  }
  return found;
}
