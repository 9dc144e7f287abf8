import { readAllApplications } from './application-list.ts';
import { request } from './client.ts';
import type { KubeEvent, Project } from './model.ts';

export interface CredentialTemplate {
  url: string;
  username?: string;
}

export interface CertificateEntry {
  serverName: string;
  certType: string;
  certSubType: string;
  certInfo?: string;
  certData?: string;
}

export interface GpgKey {
  keyID: string;
  fingerprint?: string;
  owner?: string;
  trust?: string;
  subType?: string;
}

export interface Account {
  name: string;
  enabled?: boolean;
  capabilities?: string[] | null;
  tokens?: { id: string; issuedAt?: string | number; expiresAt?: string | number }[] | null;
}

export interface UserInfo {
  loggedIn?: boolean;
  username?: string;
  iss?: string;
  groups?: string[] | null;
}

/** One question to a project, and the rule that decided it. */
export interface Ruling {
  question: string;
  allowed: boolean;
  /** Field of the project and the entry of it. */
  rule: string;
  remedy?: string;
}

const part = encodeURIComponent;
const items = async <T>(path: string, query: Record<string, string> = {}) =>
  (await request<{ items?: T[] | null }>('GET', path, { query })).items ?? [];

/** What the pages of settings ask of the API. */
export const settingsApi = {
  addRepository: (body: unknown) => request('POST', 'repositories', { body, query: { upsert: true } }),
  testRepository: (repo: string, body: unknown) => request('POST', `repositories/${part(repo)}/validate`, { body }),
  removeRepository: (repo: string, project: string | undefined) =>
    request('DELETE', `repositories/${part(repo)}`, { query: { appProject: project } }),
  writeRepositories: () => items<{ repo: string; project?: string; username?: string }>('write-repositories'),
  addWriteRepository: (body: unknown) => request('POST', 'write-repositories', { body, query: { upsert: true } }),
  removeWriteRepository: (repo: string, project: string | undefined) =>
    request('DELETE', `write-repositories/${part(repo)}`, { query: { appProject: project } }),
  templates: () => items<CredentialTemplate>('repocreds'),
  addTemplate: (body: unknown) => request('POST', 'repocreds', { body, query: { upsert: true } }),
  removeTemplate: (url: string) => request('DELETE', `repocreds/${part(url)}`),
  /** Names of the applications that a query of the list finds. */
  applications: async (query: Record<string, string>) =>
    (await readAllApplications(new URLSearchParams(query).toString())).map(
      ({ namespace, name }) => `${namespace}/${name}`,
    ),
  addCluster: (body: unknown) => request('POST', 'clusters', { body, query: { upsert: true } }),
  /** Changes the named fields alone: credentials stay. */
  changeCluster: (server: string, body: Record<string, unknown>) => {
    const fields = Object.keys(body)
      .map((field) => `updatedFields=${part(field)}`)
      .join('&');
    return request('PUT', `clusters/${part(server)}?id.type=url_escaped&${fields}`, { body: { server, ...body } });
  },
  removeCluster: (server: string) =>
    request('DELETE', `clusters/${part(server)}`, { query: { 'id.type': 'url_escaped' } }),
  rotateCluster: (server: string) =>
    request('POST', `clusters/${part(server)}/rotate-auth`, { query: { 'id.type': 'url_escaped' } }),
  invalidateCluster: (server: string) =>
    request('POST', `clusters/${part(server)}/invalidate-cache`, { query: { 'id.type': 'url_escaped' } }),
  certificates: () => items<CertificateEntry>('certificates'),
  addCertificates: (entries: readonly CertificateEntry[]) =>
    request('POST', 'certificates', { query: { upsert: true }, body: { items: entries } }),
  removeCertificate: ({ serverName, certType, certSubType }: CertificateEntry) =>
    request('DELETE', 'certificates', {
      query: { hostNamePattern: serverName, certType, certSubType: certType === 'ssh' ? certSubType : undefined },
    }),
  gpgKeys: () => items<GpgKey>('gpgkeys'),
  addGpgKey: (keyData: string) =>
    request<{ created?: { items?: GpgKey[] | null } | null; skipped?: string[] | null }>('POST', 'gpgkeys', {
      body: { keyData },
    }),
  removeGpgKey: (keyID: string) => request('DELETE', 'gpgkeys', { query: { keyID } }),
  accounts: () => items<Account>('account'),
  addToken: (name: string, body: { id?: string; expiresIn?: number }) =>
    request<{ token: string }>('POST', `account/${part(name)}/token`, { body: { name, ...body } }),
  removeToken: (name: string, id: string) => request('DELETE', `account/${part(name)}/token/${part(id)}`),
  changePassword: (body: { name: string; currentPassword: string; newPassword: string }) =>
    request('PUT', 'account/password', { body }),
  userInfo: () => request<UserInfo>('GET', 'session/userinfo'),
  canI: async (resource: string, action: string, object: string) =>
    (
      await request<{ value: string }>(
        'GET',
        `account/can-i/${part(resource)}/${part(action)}/${object.split('/').map(part).join('/')}`,
      )
    ).value === 'yes',
  project: (name: string) => request<Project>('GET', `projects/${part(name)}`),
  /** Links of the settings to a project. */
  projectLinks: (name: string) => items<{ title?: string; url?: string }>(`projects/${part(name)}/links`),
  projectEvents: (name: string) => items<KubeEvent>(`projects/${part(name)}/events`),
  addProject: (project: unknown) => request('POST', 'projects', { body: { project } }),
  changeProject: (project: Project) =>
    request<Project>('PUT', `projects/${part(project.metadata.name)}`, { body: { project } }),
  removeProject: (name: string) => request('DELETE', `projects/${part(name)}`),
  addRoleToken: (project: string, role: string, body: { id?: string; expiresIn?: number; description?: string }) =>
    request<{ token: string }>('POST', `projects/${part(project)}/roles/${part(role)}/token`, {
      body: { project, role, ...body },
    }),
  removeRoleToken: (project: string, role: string, iat: string | number) =>
    request('DELETE', `projects/${part(project)}/roles/${part(role)}/token/${iat}`),
  /** What a project says of a source, a destination and a kind, and by which rule. */
  rulings: async (project: string, query: Record<string, string>) =>
    (await request<{ items: Ruling[] }>('GET', `projects/${part(project)}/rulings`, { root: 'api/tiphys/v1', query }))
      .items,
  plugins: async () =>
    (await request<{ plugins?: { name: string }[] | null }>('GET', 'settings/plugins')).plugins ?? [],
};
