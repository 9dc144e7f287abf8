import type { ChangedObject, Preview, PreviewedApplication } from './types.ts';
import { heading, patchOf, remark, summary, title } from './words.ts';

/** What is said where a comment has no room for more. */
const cut = (left: number) => `\n\n${left} more, which have no room here: see \`tiphys preview\`.`;

export interface MarkdownStyle {
  /** Characters at most; what has no room is counted. */
  readonly most?: number;
  /** Whether objects are folded (`<details>`), which not every host understands. */
  readonly folds?: boolean;
}

/** A preview for a comment. Nothing that is rendered can leave its block, address people, or make other Markdown. */
export function markdown(
  preview: Preview,
  { most = Number.POSITIVE_INFINITY, folds = true }: MarkdownStyle = {},
): string {
  const notes = preview.notes?.length ? [preview.notes.map((note) => `- ${escaped(note)}`).join('\n')] : [];
  const parts = [...preview.items.flatMap((item) => partsOf(item, folds)), ...notes];
  let text = summary(preview);
  for (const [index, part] of parts.entries()) {
    if (text.length + part.length + 2 + cut(parts.length).length > most) return text + cut(parts.length - index);
    text += `\n\n${part}`;
  }
  return text;
}

function partsOf(item: PreviewedApplication, folds: boolean): string[] {
  const { objects } = item;
  const said = remark(item);
  const told = said ? [block(said)] : [];
  const [first, ...others] = [...told, ...objects.map(folds ? details : unfolded)];
  return [[`### ${heading(item)}`, ...(first === undefined ? [] : [first])].join('\n\n'), ...others];
}

function details(object: ChangedObject): string {
  const shown = block(patchOf(object).join('\n'), 'diff');
  return `<details><summary>${escaped(title(object))}</summary>\n\n${shown}\n\n</details>`;
}

function unfolded(object: ChangedObject): string {
  return `${escaped(title(object))}\n\n${block(patchOf(object).join('\n'), 'diff')}`;
}

function block(text: string, language = ''): string {
  const fence = fenceFor(text);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Longer than any in the text. */
function fenceFor(text: string): string {
  let length = 3;
  for (const [run] of text.matchAll(/`+/g)) length = Math.max(length, run.length + 1);
  return '`'.repeat(length);
}

/** Names of objects are whatever a file says. */
function escaped(text: string): string {
  return text.replace(/[\u0000-\u001f&<>"'@`*_[\]\\]/g, (character) => `&#${character.codePointAt(0)};`);
}
