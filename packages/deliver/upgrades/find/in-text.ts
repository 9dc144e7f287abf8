import { type CustomLives, groupVersionOf, type Release, type Verdict, verdictOf } from '../knowledge/api-life.ts';

/** An object of a text that is written in a version that ends. */
export interface TextUse {
  readonly verdict: Verdict;
  /** 1-based line of its apiVersion. */
  readonly line: number;
  readonly name: string;
}

interface Head {
  readonly indent: number;
  apiVersion?: string;
  line: number;
  kind?: string;
  name: string;
}

const field = /^( *)(- )?(apiVersion|kind): +["']?([A-Za-z0-9./-]+)["']?\s*(?:#.*)?$/;
const flowObject = /\{ *apiVersion: *["']?([A-Za-z0-9./-]+)["']? *, *kind: *["']?([A-Za-z0-9]+)/;
const nameField = /^ +name: +["']?([^"'\s#]+)/;
const longestLine = 4096;

/**
 * Objects in manifests or templates that are written in a version that the release removes or deprecates. It reads lines, not
 * documents: a template is no YAML before it is rendered. References such as an HPA's scaleTargetRef count too, since they name
 * an API as well.
 */
export function usesInText(text: string, target: Release, custom?: CustomLives): TextUse[] {
  const uses: TextUse[] = [];
  const judge = { target, ...(custom ? { custom } : {}) };
  let heads: Head[] = [];
  const finish = () => {
    for (const head of heads) addUse(uses, head, judge);
    heads = [];
  };
  const readLine = (line: string, at: number) => {
    const [, flowVersion = '', flowKind = ''] = flowObject.exec(line) ?? [];
    if (flowVersion) addUse(uses, { indent: 0, apiVersion: flowVersion, kind: flowKind, line: at, name: '' }, judge);
    const [, spaces = '', dash = '', key, value = ''] = flowVersion ? [] : (field.exec(line) ?? []);
    const name = nameField.exec(line)?.[1];
    const last = heads.at(-1);
    if (key) note(heads, { indent: spaces.length + dash.length, starts: dash !== '' }, key, value, at);
    else if (name && last && !last.name) last.name = name;
  };
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('---')) finish();
    else if (line.length <= longestLine) readLine(line, index + 1);
  }
  finish();
  return uses.sort((a, b) => a.line - b.line);
}

function note(
  heads: Head[],
  { indent, starts }: { readonly indent: number; readonly starts: boolean },
  key: string,
  value: string,
  line: number,
): void {
  const open = starts ? undefined : heads.findLast((head) => head.indent === indent);
  const complete = key === 'kind' ? open?.kind : open?.apiVersion;
  const head = open && complete === undefined ? open : { indent, line, name: '' };
  if (head !== open) heads.push(head);
  if (key === 'kind') head.kind = value;
  else Object.assign(head, { apiVersion: value, line });
}

function addUse(
  uses: TextUse[],
  { apiVersion, kind, line, name }: Head,
  { target, custom }: { readonly target: Release; readonly custom?: CustomLives },
): void {
  if (!apiVersion || !kind) return;
  const verdict = verdictOf({ ...groupVersionOf(apiVersion), kind }, target, custom);
  if (verdict) uses.push({ verdict, line, name });
}
