import { readFile } from 'node:fs/promises';
import type { KubeObject } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import type { ArtifactLocation } from '../spec/sensor.ts';
import { sendRequest } from '../wire/http-request.ts';
import { ActionError, type TriggerContext } from './trigger.ts';

const fetchTimeout = 60_000;

/** The object that a `source` leads to. */
export async function fetchManifest(
  source: ArtifactLocation | undefined,
  context: TriggerContext,
): Promise<KubeObject> {
  if (source?.resource) return source.resource;
  const { text, name } = await fetchText(source, context);
  const { documents } = parseDocuments(text, { file: name });
  const values = documents.map(({ value }) => value).filter((value) => value !== null && value !== undefined);
  if (values.length !== 1) throw new ActionError(`${name} holds ${values.length} objects, a trigger needs one`);
  return values[0] as unknown as KubeObject;
}

async function fetchText(
  source: ArtifactLocation | undefined,
  context: TriggerContext,
): Promise<{ text: string; name: string }> {
  if (source?.inline !== undefined) return { text: source.inline, name: 'inline' };
  if (source?.file?.path) {
    if (context.actsAs !== undefined)
      throw new ActionError(
        'the source of the trigger is a file of the controller, which runs sensors for everybody; use configmap, git, s3 or url, or run sensors in pods of their own (TIPHYS_EVENTS_DEPLOYMENT=dedicated)',
      );
    return { text: await readFile(source.file.path, 'utf8'), name: source.file.path };
  }
  if (source?.configmap) {
    const { name = '', key } = source.configmap;
    return { text: await context.keys.configMap(source.configmap), name: `${name}/${key}` };
  }
  if (source?.url) return { text: await fromUrl(source.url), name: 'url' };
  if (source?.git) {
    const { readGitFile } = await import('./git-artifact.ts');
    return { text: await readGitFile(source.git, context), name: source.git.filePath };
  }
  if (source?.s3) {
    const { readS3Object } = await import('./s3-artifact.ts');
    return { text: await readS3Object(source.s3, context.keys), name: source.s3.bucket.key ?? '' };
  }
  throw new ActionError('the source of the trigger has none of resource, inline, file, configmap, url, git, s3');
}

async function fromUrl({ path, verifyCert }: NonNullable<ArtifactLocation['url']>): Promise<string> {
  const { status, body } = await sendRequest({
    url: path,
    method: 'GET',
    headers: [],
    timeout: fetchTimeout,
    tls: { rejectUnauthorized: verifyCert === true },
    signal: AbortSignal.timeout(fetchTimeout),
  });
  if (status !== 200) throw new ActionError(`the URL of the source was answered ${status}`);
  return body;
}
