import { readFile } from 'node:fs/promises';
import type { KubeObject } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import type { ArtifactLocation } from '../spec/sensor.ts';
import { sendRequest } from '../wire/http-request.ts';
import { ActionError, type TriggerContext } from './trigger.ts';

const fetchTimeout = 60_000;

/** The object that a `source` leads to. Where it names several, the first counts, in upstream's order. */
export async function fetchManifest(
  source: ArtifactLocation | undefined,
  context: TriggerContext,
): Promise<KubeObject> {
  const read = await fetchText(source, context);
  if (!read) {
    if (source?.resource) return source.resource;
    throw new ActionError('the source of the trigger has none of s3, inline, file, url, git, configmap, resource');
  }
  const { text, name } = read;
  const { documents } = parseDocuments(text, { file: name });
  const values = documents.map(({ value }) => value).filter((value) => value !== null && value !== undefined);
  if (values.length !== 1) throw new ActionError(`${name} holds ${values.length} objects, a trigger needs one`);
  return values[0] as unknown as KubeObject;
}

async function fetchText(
  source: ArtifactLocation | undefined,
  context: TriggerContext,
): Promise<{ text: string; name: string } | undefined> {
  const { s3, inline, file, url, git, configmap } = source ?? {};
  if (s3) {
    const { readS3Object } = await import('./s3-artifact.ts');
    return { text: await readS3Object(s3, context.keys), name: s3.bucket.key ?? '' };
  }
  if (inline !== undefined) return { text: inline, name: 'inline' };
  if (file?.path) return { text: await fromFile(file.path, context), name: file.path };
  if (url) return { text: await fromUrl(url), name: 'url' };
  if (git) {
    const { readGitFile } = await import('./git-artifact.ts');
    return { text: await readGitFile(git, context), name: git.filePath };
  }
  if (!configmap) return undefined;
  return { text: await context.keys.configMap(configmap), name: `${configmap.name ?? ''}/${configmap.key}` };
}

function fromFile(path: string, { actsAs }: TriggerContext): Promise<string> {
  if (actsAs !== undefined)
    throw new ActionError(
      'the source of the trigger is a file of the controller, which runs sensors for everybody; use configmap, git, s3 or url, or run sensors in pods of their own (TIPHYS_EVENTS_DEPLOYMENT=dedicated)',
    );
  return readFile(path, 'utf8');
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
