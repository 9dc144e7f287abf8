import type { Application } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { accessApplication } from '../context/access.ts';
import type { ServerContext } from '../context/server-context.ts';
import type { Call } from '../rpc/call.ts';
import { notFound } from '../rpc/rpc-error.ts';
import { sensitiveAnnotations } from '../services/application/resources.ts';
import { parseUrlQuery } from '../transport/url-query.ts';
import { toldFields } from './field-origins.ts';
import { type OwnRequest, serveOwn } from './own-api.ts';

const path = /^\/api\/tiphys\/v1\/applications\/([a-z0-9.-]+)\/origin$/;
/** Lines of one object that are told. */
const mostLines = 2000;

/**
 * `GET /api/tiphys/v1/applications/NAME/origin?group=…&kind=…&namespace=…&resourceName=…&appNamespace=…&project=…`: the file and line
 * that an object of the desired state comes from, its lines there, and the commit and author of each; `fields` of what a chart or a
 * kustomization wrote into it, with `writers` of their lines. No text is told of Secrets, nor of what has an annotation that
 * `resource.sensitive.mask.annotations` names. Needs `applications, get`. Undefined for other paths.
 */
export function serveApplicationOrigin(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  const name = path.exec(asked.path)?.[1];
  if (name === undefined) return undefined;
  return serveOwn(asked, '/application.ApplicationService/Get', async (call) => {
    const query = parseUrlQuery(asked.request.url);
    const of = (key: string) => query.get(key) ?? '';
    const appNamespace = query.get('appNamespace') ?? undefined;
    const project = query.get('project') ?? undefined;
    const { app } = await accessApplication(context, call, 'get', { name, appNamespace, project });
    const explain = { group: of('group'), kind: of('kind'), namespace: of('namespace'), name: of('resourceName') };
    const rendered = await context.backend.render(app, { explain, signal: call.signal });
    const { objects, revisions } = rendered;
    const wanted = [explain.group, explain.kind, explain.namespace, explain.name].join('/');
    const found = objects.findLast(({ object }) => keyOf(object) === wanted);
    if (!found) throw notFound(`the sources of ${name} make no ${of('kind')} ${of('resourceName')}`);
    const { object, origin } = found;
    if (!origin) return { revisions };
    const { written = [], ...place } = origin;
    const lines = await linesOf(context, call, { app, revisions, object, origin: place });
    const sensitive = await sensitiveAnnotations(context);
    const hidden =
      isSecret([`kind: ${object.kind}`], []) ||
      sensitive.some((key) => Object.hasOwn(object.metadata.annotations ?? {}, key));
    const question = { app, rendered, written, object, hidden, signal: call.signal };
    const { fields, commits } = await toldFields(context.backend, question);
    return {
      revisions,
      ...place,
      ...lines,
      ...(fields.length > 0 ? { fields, writers: commits } : {}),
    };
  });
}

function keyOf({ apiVersion, kind, metadata }: KubeObject): string {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  return [group, kind, metadata.namespace ?? '', metadata.name ?? ''].join('/');
}

interface Made {
  readonly app: Application;
  readonly revisions: readonly string[];
  readonly object: KubeObject;
  readonly origin: { readonly file: string; readonly line: number };
}

/** The lines of the object's document with their writers; nothing where the file is not in Git, or a template made the object from elsewhere in it. */
async function linesOf(context: ServerContext, { signal }: Call, { app, revisions, object, origin }: Made) {
  const file = await context.backend.sourceFile(app, revisions, origin.file, signal);
  if (!file) return {};
  const range = documentAround(file.text.split('\n'), origin.line);
  if (!range?.lines.some((line) => line.trim().replace(/["']/g, '') === `kind: ${object.kind}`)) return {};
  const { from, lines } = range;
  const shown = lines.slice(0, mostLines);
  const writers = await file.writers(from, from + shown.length - 1);
  const hidden = isSecret(lines, await sensitiveAnnotations(context));
  const commits = [...new Map([...writers.values()].map((writer) => [writer.commit, writer])).values()];
  const at = new Map(commits.map(({ commit }, index) => [commit, index]));
  return {
    commits,
    lines: shown.map((text, index) => {
      const writer = writers.get(from + index);
      return {
        number: from + index,
        ...(hidden ? {} : { text }),
        ...(writer ? { commit: at.get(writer.commit) } : {}),
      };
    }),
    left: lines.length - shown.length,
  };
}

/** Whether a document has what nobody is shown: a Secret, a list that may have one, or an annotation that the settings hide. */
function isSecret(lines: readonly string[], annotations: readonly string[]): boolean {
  return lines.some(
    (line) => /\bkind["']?\s*:\s*["']?(?:Secret|List)/.test(line) || annotations.some((key) => line.includes(key)),
  );
}

/** The YAML document that a line (1-based) is in, without empty lines at its ends. */
function documentAround(lines: readonly string[], line: number): { from: number; lines: string[] } | undefined {
  if (line < 1 || line > lines.length) return undefined;
  const separates = (text: string | undefined) => text !== undefined && /^---(\s|$)/.test(text);
  let first = line - 1;
  if (separates(lines[first])) first += 1;
  while (first > 0 && !separates(lines[first - 1])) first -= 1;
  let last = first;
  while (last < lines.length && !separates(lines[last])) last += 1;
  while (last > first && lines[last - 1]?.trim() === '') last -= 1;
  while (first < last && lines[first]?.trim() === '') first += 1;
  return first === last ? undefined : { from: first + 1, lines: lines.slice(first, last) };
}
