import { invalid } from './failures.ts';
import type { ArtifactAccess } from './store.ts';

/** The settings of one store, as the workflow has them. */
export type Settings = Readonly<Record<string, unknown>>;

export interface SecretReference {
  readonly name: string;
  readonly key: string;
}

/** A text of the settings; empty where there is none. */
export function text(settings: Settings, field: string): string {
  const value = settings[field];
  return typeof value === 'string' ? value : '';
}

/** A text that must be there. */
export function needed(kind: string, settings: Settings, field: string): string {
  const value = text(settings, field);
  if (value === '')
    throw invalid(
      `${kind}.${field}`,
      `The location of the artifact has no ${field}`,
      `Set ${kind}.${field}, or name a repository that has it: artifactRepositoryRef`,
    );
  return value;
}

/** The value of the Secret's key that a field names, without the line break at its end; undefined where it names none. */
export async function secretOf(access: ArtifactAccess, settings: Settings, field: string): Promise<string | undefined> {
  const { name, key } = (settings[field] ?? {}) as Partial<SecretReference>;
  if (!name || !key) return undefined;
  return (await access.secret({ name, key })).replace(/\r?\n$/, '');
}

/** Throws where a location wants the identity of this process and may not have it. */
export function checkAmbient(kind: string, { ambient }: ArtifactAccess): void {
  if (ambient) return;
  throw invalid(
    `${kind}.useSDKCreds`,
    'The store wants the identity of the process that reads it, which is not given to stores that workflows name',
    `Name Secrets with the credentials, name the same store in artifactRepository of workflow-controller-configmap, or list it in TIPHYS_WORKFLOWS_SDK_CREDS of the workflow server`,
  );
}
