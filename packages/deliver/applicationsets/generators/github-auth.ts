import type { SecretRef } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { scmNotAllowed } from '../diagnoses/diagnoses.ts';
import { githubHeaders } from '../scm/github.ts';
import type { GeneratorContext } from './generator.ts';
import { authorization } from './host-access.ts';
import { readSecretRef } from './secret-ref.ts';

/** Headers for GitHub: of an App that a repo-creds Secret holds, of a token, or of nobody. */
export async function githubAuth(
  spec: {
    readonly appSecretName?: string;
    readonly tokenRef?: SecretRef;
    readonly owner: string;
    readonly repository?: string;
  },
  context: GeneratorContext,
  field: string,
): Promise<Record<string, string>> {
  if (!spec.appSecretName)
    return {
      ...githubHeaders,
      ...authorization({ bearer: await readSecretRef(spec.tokenRef, context, `${field}.tokenRef`) }),
    };
  const settings = context.sources.repositoryCredentials(spec.appSecretName);
  if (!settings?.githubAppPrivateKey)
    throw failure(scmNotAllowed, {
      message: settings
        ? `no github app found for ${spec.appSecretName}`
        : `error getting creds for ${spec.appSecretName}: not found`,
      place: {
        object: `Secret ${context.sources.controlNamespace}/${spec.appSecretName}`,
        field: `${field}.appSecretName`,
      },
      remedies: [
        'Name a Secret of the control plane with the label argocd.argoproj.io/secret-type: repo-creds and the keys of a GitHub App',
      ],
    });
  const token = await context.sources.githubAppToken({
    settings,
    owner: spec.owner,
    ...(spec.repository ? { repository: spec.repository } : {}),
    signal: context.signal,
  });
  return { ...githubHeaders, ...authorization({ bearer: token }) };
}
