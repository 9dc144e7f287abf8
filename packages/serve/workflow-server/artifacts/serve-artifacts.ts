import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ArtifactStore, isMissing } from '@tiphys/artifacts';
import {
  Code,
  decodePart,
  type HttpRequest,
  type HttpResponse,
  httpStatusOf,
  notFound,
  permissionDenied,
  RpcError,
} from '@tiphys/server';
import type { Admission } from '../common/admission.ts';
import { callIn, type FlowCall, mayDo } from '../common/caller.ts';
import { flowError } from '../common/failures.ts';
import { LiveWorkflows, type StoredWorkflow } from '../common/live-workflows.ts';
import type { ServerParts } from '../common/server-parts.ts';
import { type ArtifactPlace, artifactPlace, type WantedArtifact } from './artifact-place.ts';
import { directoryPage } from './directory-page.ts';
import { namesBelow, openArtifact } from './open-artifact.ts';

type Wanted = WantedArtifact &
  ({ readonly namespace: string; readonly workflow: string } | { readonly uid: string; readonly namespace?: string });

/** What a path of upstream's artifact server asks for; undefined for another path. Throws InvalidArgument for one with parts that are none. */
export function wantedArtifact(path: string): Wanted | undefined {
  const [, first = '', ...parts] = path.split('/').map(decodePart);
  const [a = '', b = '', c = '', d = '', direction, name = '', ...file] = parts;
  const isInput = first.startsWith('input-');
  if (/^(input-)?artifacts$/.test(first) && d) return { namespace: a, workflow: b, node: c, name: d, isInput };
  if (/^(input-)?artifacts-by-uid$/.test(first) && c) return { uid: a, node: b, name: c, isInput };
  if (first !== 'artifact-files') return /^(input-)?artifacts(-by-uid)?$/.test(first) ? badPath() : undefined;
  if (!name || (direction !== 'inputs' && direction !== 'outputs')) return badPath();
  const below = posix.normalize(file.join('/')).replace(/^(\.?\/)+|(?<!\/)\/+$/g, '');
  if (below.split('/').includes('..')) return badPath();
  const rest = { node: d, name, isInput: direction === 'inputs', ...(below && below !== '.' ? { file: below } : {}) };
  if (b === 'workflows') return { namespace: a, workflow: c, ...rest };
  return b === 'archived-workflows' ? { namespace: a, uid: c, ...rest } : badPath();
}

function badPath(): never {
  throw new RpcError(Code.InvalidArgument, 'Bad Request');
}

/** Gives out artifacts of workflows, for who may get the workflow. */
export class ArtifactServer {
  readonly #parts: ServerParts;
  readonly #admission: Pick<Admission, 'admit'>;
  readonly #live: LiveWorkflows;

  constructor(parts: ServerParts, admission: Pick<Admission, 'admit'>) {
    this.#parts = parts;
    this.#admission = admission;
    this.#live = new LiveWorkflows(parts);
  }

  /** False if the path is another one's. */
  async serve(path: string, request: HttpRequest, response: HttpResponse): Promise<boolean> {
    try {
      const wanted = wantedArtifact(path);
      if (!wanted) return false;
      const abort = new AbortController();
      response.on('close', () => abort.abort());
      const header = (name: string) => request.headers[name] as string | undefined;
      const admitted = (await this.#admission.admit({ path: '/artifacts', header, signal: abort.signal })) as FlowCall;
      const call = await callIn(admitted, wanted.namespace ?? '');
      const workflow = await this.#workflow(call, wanted);
      const place = artifactPlace(workflow, wanted, this.#parts.settings.artifactRepository);
      this.#refuseUnlisted(place);
      await this.#answer(call, { path, request, response, place, namespace: workflow.metadata.namespace ?? '' });
    } catch (error) {
      const refused = isMissing(error)
        ? new RpcError(Code.NotFound, (error as Error).message, { cause: error })
        : flowError(error);
      this.#parts.log('info', path, { error: refused.message });
      if (response.headersSent) response.end();
      else this.#end(response, httpStatusOf(refused.code), `${refused.message}\n`);
    }
    return true;
  }

  /** Workflows name their plugins: the server asks those alone that its administrator runs beside it. */
  #refuseUnlisted({ location: { plugin } }: ArtifactPlace): void {
    if (!plugin || this.#parts.settings.artifactDrivers.includes(plugin.name ?? '')) return;
    throw new RpcError(
      Code.Unimplemented,
      `the artifact driver ${plugin.name} is none of the server's: list it in artifactDrivers of workflow-controller-configmap, and run it beside the server`,
    );
  }

  async #workflow(call: FlowCall, wanted: Wanted): Promise<StoredWorkflow> {
    if ('workflow' in wanted)
      return this.#live.whole(await this.#live.get(call, { namespace: wanted.namespace, name: wanted.workflow }));
    const found = (await this.#parts.archive?.find({ uid: wanted.uid })) as StoredWorkflow | undefined;
    if (!found) throw notFound('workflow not yet archived');
    const { namespace = '', name = '' } = found.metadata;
    if (wanted.namespace && wanted.namespace !== namespace) badPath();
    if (!(await mayDo(call, 'get', { namespace, name }))) throw permissionDenied();
    return this.#live.whole(found);
  }

  async #answer(call: FlowCall, options: Answer): Promise<void> {
    const store = await openArtifact(call, options.namespace, options.place, this.#parts);
    try {
      await this.#give(store, options);
    } finally {
      await store.close();
    }
  }

  async #give(store: ArtifactStore, { path, place, request, response }: Answer): Promise<void> {
    const isFiles = path.startsWith('/artifact-files/');
    if (isFiles && path.endsWith('/')) {
      const names = await namesBelow(store);
      if (names.includes('index.html')) return this.#redirect(response, `${path}index.html`);
      return this.#end(response, 200, directoryPage(names), 'text/html; charset=utf-8');
    }
    if (isFiles && (await namesBelow(store)).length > 0)
      return this.#redirect(response, `${request.url?.split('?')[0]}/`);
    return await this.#send(response, posix.basename(place.name), await store.read());
  }

  async #send(response: HttpResponse, name: string, content: Readable): Promise<void> {
    this.#secure(response);
    response.setHeader('Content-Disposition', `filename="${name.replace(/[^\w.-]/g, '_')}"`);
    response.setHeader('Content-Type', types[posix.extname(name)] ?? 'application/octet-stream');
    await pipeline(content, response as never);
  }

  #redirect(response: HttpResponse, to: string): void {
    response.statusCode = 307;
    response.setHeader('Location', to);
    response.end();
  }

  #end(response: HttpResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
    this.#secure(response);
    response.statusCode = status;
    response.setHeader('Content-Type', type);
    response.end(text);
  }

  /** What a workflow wrote must not run as a script of this server. */
  #secure(response: HttpResponse): void {
    const { env } = this.#parts;
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('X-Frame-Options', env.ARGO_ARTIFACT_X_FRAME_OPTIONS || 'SAMEORIGIN');
    response.setHeader(
      'Content-Security-Policy',
      env.ARGO_ARTIFACT_CONTENT_SECURITY_POLICY ||
        "sandbox allow-same-origin; base-uri 'none'; default-src 'none'; img-src 'self'; style-src 'self' 'unsafe-inline'",
    );
  }
}

interface Answer {
  readonly path: string;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly place: ArtifactPlace;
  /** Of the workflow and its Secrets. */
  readonly namespace: string;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.htm': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.log': 'text/plain; charset=utf-8',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'text/xml; charset=utf-8',
};
