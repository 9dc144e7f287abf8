import type { Application, ApplicationSource, ApplicationSpec, services } from '@tiphys/api';
import { sourcesOf } from '@tiphys/applications';
import { formatDiagnosis } from '@tiphys/diagnosis';
import { projectOf } from '../../applications/applications.ts';
import { accessApplication } from '../../context/access.ts';
import type { ServerContext } from '../../context/server-context.ts';
import type { RenderedManifests } from '../../ports/backend.ts';
import { maskSecrets } from '../../resources/mask-secrets.ts';
import { rememberShown } from '../../resources/shown-manifests.ts';
import { receiveFiles, type UploadPart, uploadLimits } from '../../resources/uploaded-files.ts';
import type { ServiceHandlers } from '../../rpc/handlers.ts';
import { Code, RpcError } from '../../rpc/rpc-error.ts';
import { sensitiveAnnotations } from './resources.ts';

type Handlers = ServiceHandlers<typeof services.application>;

export function applicationManifests(
  context: ServerContext,
): Pick<
  Handlers,
  'getManifests' | 'getManifestsWithFiles' | 'revisionMetadata' | 'revisionChartDetails' | 'getOCIMetadata'
> {
  const { backend, plane } = context;
  return {
    async getManifests(request, call) {
      if (!request.name) throw new RpcError(Code.Unknown, 'invalid request: application name is missing');
      const { app } = await accessApplication(context, call, 'get', request);
      const revisions = wantedRevisions(app.spec, request);
      const rendered = await backend.render(app, {
        ...(revisions ? { revisions } : {}),
        noCache: request.noCache ?? false,
        signal: call.signal,
      });
      const { manifests, ...facts } = await response(context, app, rendered);
      rememberShown(context, app, manifests);
      return { ...facts, manifests: withoutDefaults(rendered, manifests) };
    },

    async getManifestsWithFiles(requests, call) {
      const limits = uploadLimits(plane.configMap('argocd-cmd-params-cm'));
      const { admitted, files } = await receiveFiles(requests as AsyncIterable<UploadPart>, limits, async (query) => {
        if (!query.name) throw new RpcError(Code.Unknown, 'invalid request: application name is missing');
        return accessApplication(context, call, 'get', query);
      });
      const rendered = await backend.render(admitted.app, { files, signal: call.signal });
      const { manifests, ...facts } = await response(context, admitted.app, rendered);
      return { ...facts, manifests: withoutDefaults(rendered, manifests) };
    },

    async revisionMetadata(request, call) {
      const { app } = await accessApplication(context, call, 'get', request);
      const source = sourceOfVersion(app, request.versionId, request.sourceIndex ?? 0);
      if (!/^[0-9a-f]{7,64}$/.test(request.revision ?? ''))
        throw new RpcError(Code.Unknown, `revision ${request.revision ?? ''} must be resolved`);
      const project = projectOf(app);
      const { revision = '' } = request;
      const { author, date, message, tags } = await backend.revision(source as never, project, revision, call.signal);
      const { info, problems } = await backend.signature(source as never, project, revision, call.signal);
      return {
        ...{ author, date, message, tags: [...tags], signatureInfo: info },
        ...(problems ? { sourceIntegrityResult: checksOf(problems) } : {}),
      };
    },

    async revisionChartDetails(request, call) {
      const { app } = await accessApplication(context, call, 'get', request);
      const source = sourceOfVersion(app, request.versionId, request.sourceIndex ?? 0);
      if (!source.chart) throw new RpcError(Code.Unknown, `no chart found for application: ${request.name ?? ''}`);
      const { description, home, maintainers } = await backend.chartDetails(
        source as never,
        app.spec.project || 'default',
        request.revision ?? '',
        call.signal,
      );
      return { description, home, maintainers: [...maintainers] };
    },

    async getOCIMetadata(request, call) {
      const { app } = await accessApplication(context, call, 'get', request);
      const source = sourceOfVersion(app, request.versionId, request.sourceIndex ?? 0);
      if (!source.repoURL.startsWith('oci://'))
        throw new RpcError(
          Code.Unknown,
          `failed to initialize oci client: ${source.repoURL} is no repository of a registry`,
        );
      const annotations = await backend.artifactAnnotations(
        source as never,
        app.spec.project || 'default',
        request.revision ?? '',
        call.signal,
      );
      const of = (name: string): string => annotations[`org.opencontainers.image.${name}`] ?? '';
      return {
        createdAt: of('created'),
        authors: of('authors'),
        docsUrl: of('documentation'),
        sourceUrl: of('source'),
        version: of('version'),
        description: of('description'),
      };
    },
  };
}

/** As Argo CD's JSON names it: its Go fields have no names of their own there. */
function checksOf(problems: readonly string[]): Record<string, unknown> {
  return { Checks: [{ Name: 'GIT/GPG', Problems: [...problems] }] };
}

/** The manifests as they may be shown: Secrets masked. */
async function response(context: ServerContext, app: Application, rendered: RenderedManifests) {
  for (const warning of rendered.warnings)
    context.log('warn', formatDiagnosis(warning), { application: app.metadata.name });
  const sensitive = await sensitiveAnnotations(context);
  return {
    manifests: rendered.objects.map(({ object }) => JSON.stringify(maskSecrets([object], sensitive)[0])),
    revision: rendered.revisions[0] ?? '',
    sourceType: rendered.sourceType,
    namespace: app.spec.destination.namespace ?? '',
    server: app.spec.destination.server ?? '',
    commands: [...(rendered.commands ?? [])],
  };
}

/** As the source has them: without the namespace that the destination gives. */
function withoutDefaults({ objects }: RenderedManifests, manifests: readonly string[]): string[] {
  return manifests.map((text, index) => {
    if (!objects[index]?.namespaceDefaulted) return text;
    const object = JSON.parse(text) as { metadata: { namespace?: string } };
    delete object.metadata.namespace;
    return JSON.stringify(object);
  });
}

/** The source at an index, of now or of an entry of the history; throws where there is none. */
function sourceOfVersion(app: Application, versionId: number | undefined, index: number): ApplicationSource {
  const refuse = (words: string) =>
    new RpcError(Code.Unknown, `error getting app source by source index and version ID: ${words}`);
  let sources = sourcesOf(app.spec);
  if (versionId !== undefined) {
    const past = app.status?.history?.find(({ id }) => id === versionId);
    if (!past)
      throw refuse(`error getting source by version ID: revision history not found for version ID ${versionId}`);
    sources = past.sources?.length ? past.sources : past.source ? [past.source] : [];
  }
  const found = sources[index];
  if (found) return found;
  const there = sources.length === 1 ? 'is only 1 source' : `are only ${sources.length} sources`;
  throw refuse(`source index ${index} not found because there ${there}`);
}

/** One revision a source, from a request that names them by position; undefined to take the spec's own. */
function wantedRevisions(
  spec: ApplicationSpec,
  request: { revision?: string | undefined; revisions?: string[] | undefined; sourcePositions?: number[] | undefined },
): string[] | undefined {
  if (!spec.sources?.length) return request.revision ? [request.revision] : undefined;
  if (!request.sourcePositions?.length) return undefined;
  const wanted = spec.sources.map((source) => source.targetRevision ?? '');
  for (const [index, position] of request.sourcePositions.entries()) {
    if (position <= 0 || position > wanted.length) throw new RpcError(Code.Unknown, 'source position is out of range');
    wanted[position - 1] = request.revisions?.[index] ?? '';
  }
  return wanted;
}
