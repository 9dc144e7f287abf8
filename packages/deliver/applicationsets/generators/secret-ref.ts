import type { ConfigMapKeyRef, SecretRef } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { scmNotAllowed } from '../diagnoses/diagnoses.ts';
import { prefixed } from '../diagnoses/prefixed.ts';
import { secretValue } from './clusters.ts';
import type { GeneratorContext } from './generator.ts';

const typeLabel = 'argocd.argoproj.io/secret-type';
const scmType = 'scm-creds';

/** Upstream's words for a token that cannot be read, by the kind of host. */
const words: Readonly<Record<string, string>> = {
  github: 'error fetching Github token',
  gitlab: 'error fetching Gitlab token',
  gitea: 'error fetching Gitea token',
  azureDevOps: 'error fetching Azure Devops access token',
  bitbucket: 'error fetching Bitbucket cloud appPassword',
};

/**
 * The value that a reference of a generator names, in the namespace of the set; empty without a reference. In strict mode only Secrets
 * that are labelled as credentials of Git hosts are read.
 */
export function readSecretRef(ref: SecretRef | undefined, context: GeneratorContext, field: string): Promise<string> {
  if (!ref) return Promise.resolve('');
  const host = /\.scmProvider\.([A-Za-z]+)\./.exec(field)?.[1] ?? '';
  return prefixed(words[host] ?? 'error fetching Secret token', () => readSecret(ref, context, field));
}

async function readSecret(ref: SecretRef, { set, sources }: GeneratorContext, field: string): Promise<string> {
  const namespace = set.metadata.namespace ?? '';
  const place = { object: `Secret ${namespace}/${ref.secretName}`, field };
  const secret = await sources.secret(namespace, ref.secretName);
  if (!secret)
    throw failure(scmNotAllowed, {
      message: `error fetching secret ${namespace}/${ref.secretName}: secrets "${ref.secretName}" not found`,
      place,
      remedies: ['Create the Secret in the namespace of the ApplicationSet'],
    });
  if (sources.settings().tokenRefStrictMode && secret.metadata.labels?.[typeLabel] !== scmType)
    throw failure(scmNotAllowed, {
      message: `secret ${namespace}/${ref.secretName} is not a valid SCM creds secret: secret must have label "${typeLabel}"="${scmType}"`,
      place,
      remedies: [
        {
          text: 'Label the Secret',
          paste: `kubectl -n ${namespace} label secret ${ref.secretName} ${typeLabel}=${scmType}`,
        },
      ],
    });
  const value = secretValue(secret, ref.key);
  if (value !== undefined) return value;
  throw failure(scmNotAllowed, {
    message: `key "${ref.key}" in secret ${namespace}/${ref.secretName} not found`,
    place,
    evidence: { keys: Object.keys((secret.data ?? {}) as object).join(', ') },
    remedies: ['Correct the key'],
  });
}

/** The text of a key of a ConfigMap in the namespace of the set; undefined without a reference. */
export async function readConfigMapRef(
  ref: ConfigMapKeyRef | undefined,
  { set, sources }: GeneratorContext,
  field: string,
): Promise<string | undefined> {
  if (!ref) return undefined;
  const namespace = set.metadata.namespace ?? '';
  const configMap = await sources.configMap(namespace, ref.configMapName);
  const text = ((configMap?.data ?? {}) as Record<string, string>)[ref.key];
  if (text !== undefined) return text;
  throw failure(scmNotAllowed, {
    message: configMap
      ? `key ${ref.key} not found in ConfigMap ${ref.configMapName}`
      : `error fetching CA certificates from ConfigMap: configmaps "${ref.configMapName}" not found`,
    place: { object: `ConfigMap ${namespace}/${ref.configMapName}`, field },
    remedies: ['Correct the reference, or create the ConfigMap'],
  });
}
