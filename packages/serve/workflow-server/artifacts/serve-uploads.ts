import { randomUUID } from 'node:crypto';
import type { flow } from '@tiphys/api';
import { discard } from '@tiphys/inbound';
import {
  type Admit,
  Code,
  decodePart,
  type HttpRequest,
  type HttpResponse,
  httpStatusOf,
  isForeignOrigin,
  notFound,
  permissionDenied,
  RpcError,
  sendJson,
} from '@tiphys/server';
import { driverOf, withKey } from '@tiphys/workflows';
import { callIn, type FlowCall, mayDo } from '../common/caller.ts';
import { flowError } from '../common/failures.ts';
import type { ServerParts } from '../common/server-parts.ts';
import type { ArtifactPlace } from './artifact-place.ts';
import { openArtifact } from './open-artifact.ts';
import { readTemplate, repositoryOf, type StoredTemplate } from './repository-of.ts';
import { readUpload, UploadTooLarge } from './upload.ts';
import { uploadedKey } from './uploaded-key.ts';

const prefix = '/upload-artifacts/';
/** Bytes of one upload, if the environment says nothing. */
const usualMost = 1 << 30;

interface Wanted {
  readonly namespace: string;
  readonly template: string;
  readonly artifact: string;
}

/**
 * Takes files for artifacts among the arguments of a WorkflowTemplate, as upstream's server does: `POST
 * /upload-artifacts/NAMESPACE/TEMPLATE/ARTIFACT` with a form that has the field `file`. The answer has the key, which `submit` takes.
 */
export class UploadServer {
  readonly #parts: ServerParts;
  readonly #admit: Admit;
  readonly #most: number;

  constructor(parts: ServerParts, { admit }: { admit: Admit }) {
    this.#parts = parts;
    this.#admit = admit;
    const most = Number(parts.env.ARGO_SERVER_MAX_ARTIFACT_UPLOAD_BYTES || usualMost);
    this.#most = Number.isSafeInteger(most) && most > 0 ? most : usualMost;
  }

  /** False if the path is another one's. */
  async serve(path: string, request: HttpRequest, response: HttpResponse): Promise<boolean> {
    if (!path.startsWith(prefix)) return false;
    try {
      if (request.method !== 'POST') refuse(response, 405, 'Method not allowed');
      else sendJson(response, 200, await this.#take(path, request, response));
    } catch (error) {
      const refused = flowError(error);
      this.#parts.log('info', path, { error: error instanceof UploadTooLarge ? error.message : refused.message });
      if (error instanceof UploadTooLarge) refuse(response, 413, error.message);
      else refuse(response, httpStatusOf(refused.code), refused.message);
    }
    // what still comes of a body that was refused is not kept
    discard(request);
    return true;
  }

  async #take(path: string, request: HttpRequest, response: HttpResponse): Promise<object> {
    const { namespace, template: name, artifact } = wantedOf(path);
    const abort = new AbortController();
    response.on('close', () => abort.abort());
    const header = (field: string) => request.headers[field] as string | undefined;
    if (!request.headers.authorization && isForeignOrigin(request, {}))
      throw permissionDenied(`the upload comes from a page of ${request.headers.origin}, which is not this server`);
    const admitted = (await this.#admit({ path: prefix, header, signal: abort.signal })) as FlowCall;
    const call = await callIn(admitted, namespace);
    // nobody who may not use it has the server read a body
    if (
      !(await mayDo(call, 'get', { namespace, name, resource: 'workflowtemplates' })) ||
      !(await mayDo(call, 'create', { namespace }))
    )
      throw permissionDenied();
    const template = await readTemplate(call, { namespace, name }, this.#parts);
    const place = await this.#place(call, { namespace, template, artifact });
    return await readUpload(request, {
      most: this.#most,
      save: async (file, filename) => {
        const key = uploadedKey(namespace, randomUUID(), filename);
        const store = await openArtifact(
          call,
          namespace,
          { ...place, location: withKey(place.location, key) },
          this.#parts,
        );
        try {
          await store.write(file);
        } finally {
          await store.close();
        }
        return { name: artifact, key };
      },
    });
  }

  async #place(
    call: FlowCall,
    { namespace, template, artifact: name }: { namespace: string; template: StoredTemplate; artifact: string },
  ): Promise<ArtifactPlace> {
    const found = template.spec?.arguments?.artifacts?.find((each) => each.name === name);
    if (!found)
      throw notFound(
        `Artifact '${name}' not found in WorkflowTemplate ${namespace}/${template.metadata.name} arguments.artifacts`,
      );
    if (driverOf(found)) return { location: locationOf(found), name, isInstallations: false };
    const { location, isInstallations } = await repositoryOf(call, { namespace, template }, this.#parts);
    if (!location)
      throw new RpcError(
        Code.InvalidArgument,
        `Artifact '${name}' does not have a storage location configured: give it one (s3, gcs, azure, oss), or the installation an artifactRepository`,
      );
    return { location, name, isInstallations };
  }
}

function locationOf(artifact: flow.Artifact): flow.ArtifactLocation {
  const driver = driverOf(artifact) as keyof flow.ArtifactLocation;
  return { [driver]: artifact[driver] };
}

function wantedOf(path: string): Wanted {
  const [namespace = '', template = '', artifact = '', ...more] = path.slice(prefix.length).split('/').map(decodePart);
  if (!namespace || !template || !artifact || more.length > 0)
    throw new RpcError(
      Code.InvalidArgument,
      'Invalid path. Expected: /upload-artifacts/{namespace}/{workflowTemplateName}/{artifactName}',
    );
  return { namespace, template, artifact };
}

function refuse(response: HttpResponse, status: number, text: string): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(`${text}\n`);
}
