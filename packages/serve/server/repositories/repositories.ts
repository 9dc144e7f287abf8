import { isDeepStrictEqual } from 'node:util';
import { names } from '@tiphys/api';
import type { AccessRequest } from '@tiphys/applications';
import { templateFit } from '@tiphys/git';
import { isAlreadyExists, type KubeObject } from '@tiphys/kubernetes';
import { Code, invalidArgument, notFound, RpcError } from '../rpc/rpc-error.ts';
import type { ControlPlane, Secret } from '../settings/control-plane.ts';
import { repositorySecretName } from '../settings/secret-name.ts';
import {
  credentialFields,
  fieldsOfSecret,
  type RepositoryJson,
  repositoryFields,
  secretData,
  withCredentials,
} from './repository-fields.ts';
import { sameRepository } from './same-repository.ts';

interface Stored {
  readonly json: RepositoryJson;
  readonly secret: Secret;
}

type StoredKind = 'repository' | 'credentials' | 'writeRepository' | 'writeCredentials';

const kinds = {
  repository: {
    type: names.secretTypes.repository,
    prefix: 'repo',
    fields: repositoryFields,
    url: 'repo',
    words: 'repository',
  },
  credentials: {
    type: names.secretTypes.repositoryCredentials,
    prefix: 'creds',
    fields: credentialFields,
    url: 'url',
    words: 'repository credentials',
  },
  writeRepository: {
    type: names.secretTypes.repositoryWrite,
    prefix: 'repo-write',
    fields: repositoryFields,
    url: 'repo',
    words: 'write repository',
  },
  writeCredentials: {
    type: names.secretTypes.repositoryCredentialsWrite,
    prefix: 'creds-write',
    fields: credentialFields,
    url: 'url',
    words: 'repository credentials',
  },
} as const;

/** What the API's `repositories` and `write-repositories` keep apart. */
export type Purpose = 'read' | 'write';

const kindOf = {
  read: { repository: 'repository', credentials: 'credentials' },
  write: { repository: 'writeRepository', credentials: 'writeCredentials' },
} as const;

/** Repositories and credential templates as Secrets with Argo CD's names, labels and keys. */
export class Repositories {
  readonly #plane: ControlPlane;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
  }

  async list(purpose: Purpose = 'read'): Promise<RepositoryJson[]> {
    return (await this.#stored(kindOf[purpose].repository)).map(({ json }) => json);
  }

  async templates(purpose: Purpose = 'read'): Promise<RepositoryJson[]> {
    return (await this.#stored(kindOf[purpose].credentials)).map(({ json }) => json);
  }

  /** The repository of the project; with `fallback` else the one of no project. */
  async find(
    url: string,
    project: string,
    fallback = false,
    purpose: Purpose = 'read',
  ): Promise<RepositoryJson | undefined> {
    return (await this.#findStored(kindOf[purpose].repository, url, project, fallback))?.json;
  }

  /** The repository with the credentials of the best template if it has none itself. */
  async access(url: string, project: string): Promise<AccessRequest> {
    return accessOf(withCredentials((await this.find(url, project, true)) ?? { repo: url }, await this.template(url)));
  }

  /** The template with the longest URL that the given one begins with. */
  async template(url: string, purpose: Purpose = 'read'): Promise<RepositoryJson | undefined> {
    const fitting = (await this.templates(purpose))
      .map((template) => ({ template, length: templateFit(String(template.url ?? ''), url) }))
      .filter(({ length }) => length > 0);
    return fitting.sort((a, b) => b.length - a.length)[0]?.template;
  }

  /** Stores a new one. If it is there already: nothing if it is the same, an update with `upsert`, else refused. */
  async create(kind: StoredKind, json: RepositoryJson, upsert: boolean): Promise<void> {
    const { type, prefix, fields, url, words } = kinds[kind];
    const project = String(json.project ?? '');
    const existing = await this.#findStored(kind, String(json[url]), project, false);
    if (existing) return await this.#replace(kind, existing, json, upsert, words);
    const secret: KubeObject = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: repositorySecretName(prefix, String(json[url]), project),
        namespace: this.#plane.namespace,
        labels: { [names.labels.secretType]: type },
        annotations: { [names.annotations.managedBy]: names.managedByValue },
      },
      data: secretData(undefined, json, fields),
    };
    try {
      await this.#plane.createSecret(secret);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      throw new RpcError(
        Code.InvalidArgument,
        `secret "${secret.metadata.name}" already exists and it is not a ${words} Secret of this URL; give it the label ${names.labels.secretType}=${type} or remove it`,
      );
    }
  }

  async #replace(
    kind: StoredKind,
    existing: Stored,
    json: RepositoryJson,
    upsert: boolean,
    words: string,
  ): Promise<void> {
    const before = words.endsWith('repository') ? { type: 'git', ...existing.json } : existing.json;
    const after = meaningful(words.endsWith('repository') ? { ...json, type: json.type || 'git' } : json);
    if (isDeepStrictEqual(before, after)) return;
    if (!upsert) {
      const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
        (key) => !isDeepStrictEqual(before[key], after[key]),
      );
      throw invalidArgument(
        `existing ${words} spec is different; use upsert flag to force update; difference in keys "${keys.map(goName).join(',')}"`,
      );
    }
    await this.#update(kind, existing, json);
  }

  async update(kind: StoredKind, json: RepositoryJson): Promise<void> {
    const { url, words } = kinds[kind];
    const existing = await this.#findStored(kind, String(json[url]), String(json.project ?? ''), false);
    if (!existing) throw notFound(`${words} '${String(json[url])}' not found`);
    await this.#update(kind, existing, json);
  }

  async #update(kind: StoredKind, { secret }: Stored, json: RepositoryJson): Promise<void> {
    await this.#plane.updateSecret({ ...secret, data: secretData(secret, json, kinds[kind].fields) });
  }

  /** Deletes what the API made; a Secret that somebody declared only loses its label, as Argo CD does. */
  async delete(kind: StoredKind, url: string, project: string): Promise<void> {
    const existing = await this.#findStored(kind, url, project, false);
    if (!existing) throw notFound(`${kinds[kind].words} '${url}' not found`);
    const { secret } = existing;
    if (secret.metadata.annotations?.[names.annotations.managedBy] === names.managedByValue) {
      await this.#plane.deleteSecret(secret.metadata.name as string);
      return;
    }
    const { [names.labels.secretType]: _type, ...labels } = secret.metadata.labels ?? {};
    await this.#plane.updateSecret({ ...secret, metadata: { ...secret.metadata, labels } });
  }

  async #findStored(kind: StoredKind, url: string, project: string, fallback: boolean): Promise<Stored | undefined> {
    const same = (await this.#stored(kind)).filter(({ json }) =>
      sameRepository(String(json[kinds[kind].url] ?? ''), url),
    );
    const own = same.find(({ json }) => (json.project ?? '') === project);
    return own ?? (fallback ? same.find(({ json }) => !json.project) : undefined);
  }

  async #stored(kind: StoredKind): Promise<Stored[]> {
    const { type, fields } = kinds[kind];
    return this.#plane.secretsOfType(type).map((secret) => ({ json: fieldsOfSecret(secret, fields), secret }));
  }
}

function meaningful(json: RepositoryJson): RepositoryJson {
  const { connectionState: _state, inheritedCreds: _inherited, ...fields } = json;
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== '' && value !== false && value !== 0),
  );
}

/** Argo CD names the fields of its Go struct: `Password`. */
function goName(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

export function accessOf(json: RepositoryJson): AccessRequest {
  const { repo, url, type, name, project, connectionState: _state, inheritedCreds: _inherited, ...settings } = json;
  return {
    url: String(repo ?? url ?? ''),
    ...(type ? { type: type as 'git' } : {}),
    ...(name ? { name: String(name) } : {}),
    ...(project ? { project: String(project) } : {}),
    settings: Object.fromEntries(
      Object.entries(settings).flatMap(([key, value]) =>
        value === undefined || value === '' || value === false || value === 0 ? [] : [[settingKey(key), String(value)]],
      ),
    ),
  };
}

/** The settings use the keys of the Secret. */
function settingKey(json: string): string {
  return repositoryFields.find(([name]) => name === json)?.[1] ?? json;
}

/** `PROJECT/URL`, or the URL of a repository without project. */
export function rbacObject({ repo, project }: { repo?: unknown; project?: unknown }): string {
  return project ? `${String(project)}/${String(repo ?? '')}` : String(repo ?? '');
}
