import { templateFit } from '@tiphys/git';
import type { Informer, KubeObject } from '@tiphys/kubernetes';
import { normalizeRepoUrl } from './repository-url.ts';

/** A repository as it is to be reached: what its Secret holds, credentials filled in from the longest matching template. */
export interface RepositoryAccess {
  readonly url: string;
  readonly type: 'git' | 'helm' | 'oci';
  readonly name?: string;
  readonly project?: string;
  /** The Secrets' fields by their Argo CD names: username, password, sshPrivateKey, insecure, … */
  readonly settings: Readonly<Record<string, string>>;
  /** Name of the Secret or template that the credentials come from, for evidence. */
  readonly credentialFrom?: string;
  /** Names of other templates that fit as well, because they have the same URL. */
  readonly rivals?: readonly string[];
}

const credentialFields = [
  'username',
  'password',
  'bearerToken',
  'sshPrivateKey',
  'tlsClientCertData',
  'tlsClientCertKey',
  'githubAppID',
  'githubAppInstallationID',
  'githubAppPrivateKey',
  'githubAppEnterpriseBaseUrl',
  'gcpServiceAccountKey',
  'useAzureWorkloadIdentity',
  'azureServicePrincipalClientId',
  'azureServicePrincipalClientID',
  'azureServicePrincipalTenantId',
  'azureServicePrincipalTenantID',
  'azureServicePrincipalClientSecret',
  'azureActiveDirectoryEndpoint',
];

/** What templates lend besides credentials. */
const lentFields = ['insecure', 'proxy', 'noProxy', 'type', 'enableOCI', 'insecureOCIForceHttp', 'forceHttpBasicAuth'];

type Secrets = Pick<Informer<KubeObject>, 'list'>;

/** Answers with which credentials a repository is read, from Secrets labelled `repository` and `repo-creds`. */
export class RepositoryDirectory {
  readonly #repositories: Secrets;
  readonly #templates: Secrets;

  constructor(repositories: Secrets, templates: Secrets) {
    this.#repositories = repositories;
    this.#templates = templates;
  }

  /**
   * Upstream rules: the Secret of the same URL and project wins over the one without project; a repository without
   * credentials of its own takes those of the template whose URL is the longest prefix.
   */
  access(url: string, project: string): RepositoryAccess {
    const wanted = normalizeRepoUrl(url);
    const candidates = [...this.#repositories.list()]
      .map(settingsOf)
      .filter(({ settings }) => normalizeRepoUrl(settings.url ?? '') === wanted);
    const own =
      candidates.find(({ settings }) => settings.project === project) ??
      candidates.find(({ settings }) => !settings.project) ??
      // A repository that is scoped to another project lends its type but never its credentials.
      undefined;
    const hasOwn = own && credentialFields.some((field) => own.settings[field]);
    const template = hasOwn ? undefined : this.#template(url);
    const settings = { ...(template ? onlyCredentials(template.settings) : {}), ...own?.settings };
    const type = settings.type;
    const from = hasOwn ? own.secret : template?.secret;
    return {
      url,
      type: type === 'helm' || type === 'oci' ? type : 'git',
      ...(settings.name ? { name: settings.name } : {}),
      ...(settings.project ? { project: settings.project } : {}),
      settings,
      ...(from ? { credentialFrom: from } : {}),
      ...(template?.rivals.length ? { rivals: template.rivals } : {}),
    };
  }

  /**
   * How the repository of a chart's dependency is reached, by upstream's rules: what is registered under its URL or, for `@name`,
   * its name; else the template that its URL begins with; else, for a registry, any that is registered above or below it. What the
   * project does not permit lends nothing.
   */
  dependency(repository: string, project: string, permits: (url: string) => boolean): RepositoryAccess | undefined {
    const registered = [...this.#repositories.list()]
      .map(settingsOf)
      .filter(({ settings }) => settings.url && (!settings.project || settings.project === project))
      .filter(({ settings }) => permits(settings.url ?? ''))
      // One of the project's own goes first.
      .sort((a, b) => Number(Boolean(b.settings.project)) - Number(Boolean(a.settings.project)));
    const name = /^(?:@|alias:)(.*)$/s.exec(repository)?.[1];
    const wanted = bare(repository);
    const isRegistry = repository.startsWith('oci://');
    const own = registered.find(({ settings }) =>
      name === undefined ? bare(settings.url) === wanted : settings.name === name,
    );
    if (own) return this.access(own.settings.url ?? '', project);
    if (name !== undefined) return undefined;
    const template = this.#template(repository) ?? this.#template(wanted);
    if (template && permits(template.settings.url ?? ''))
      return {
        url: repository,
        type: 'helm',
        settings: onlyCredentials(template.settings),
        credentialFrom: template.secret,
      };
    const near = isRegistry
      ? registered.find(({ settings }) => {
          const known = bare(settings.url);
          const registry = settings.enableOCI === 'true' || settings.type === 'oci';
          return registry && (wanted.startsWith(known) || known.startsWith(wanted));
        })
      : undefined;
    return near && this.access(near.settings.url ?? '', project);
  }

  /** Hosts of the repositories that belong to no project: administrators alone register those. */
  registeredHosts(): ReadonlySet<string> {
    const urls = [...this.#repositories.list()]
      .map(({ data = {} }) => data as Record<string, string>)
      .filter((data) => !data.project)
      .map((data) => decoded(data.url));
    return new Set(urls.flatMap((url) => hostOf(url) ?? []));
  }

  /** URLs of the repositories that belong to the project. */
  scopedTo(project: string): string[] {
    return [...this.#repositories.list()]
      .map(({ data = {} }) => data as Record<string, string>)
      .filter((data) => decoded(data.project) === project)
      .map((data) => decoded(data.url));
  }

  /**
   * An access as the caller describes it, with the credentials of a matching template where it brings none. Credentials that a Secret
   * registers are told as that Secret's: what is found with them is told to applications too.
   */
  complete(access: {
    url: string;
    type?: 'git' | 'helm' | 'oci';
    settings: Readonly<Record<string, string>>;
    project?: string;
  }): RepositoryAccess {
    const bringsOwn = credentialFields.some((field) => access.settings[field]);
    const known = this.access(access.url, access.project ?? '');
    if (bringsOwn) {
      const isRegistered = credentialFields.every(
        (field) => (access.settings[field] ?? '') === (known.settings[field] ?? ''),
      );
      const from = isRegistered && known.credentialFrom ? { credentialFrom: known.credentialFrom } : {};
      return { ...access, type: access.type ?? 'git', ...from };
    }
    return {
      ...known,
      ...access,
      type: access.type ?? known.type,
      settings: { ...known.settings, ...access.settings },
    };
  }

  /** Of several with the same URL the one whose name comes first, so that it is the same one each time. */
  #template(url: string): { secret: string; settings: Record<string, string>; rivals: readonly string[] } | undefined {
    const fits = [...this.#templates.list()]
      .map(settingsOf)
      .map((candidate) => ({ ...candidate, length: templateFit(candidate.settings.url ?? '', url) }))
      .filter(({ length }) => length > 0)
      .sort((one, other) => other.length - one.length || (one.secret < other.secret ? -1 : 1));
    const [best, ...others] = fits;
    if (!best) return undefined;
    const rivals = others.filter(({ length }) => length === best.length).map(({ secret }) => secret);
    return { secret: best.secret, settings: best.settings, rivals };
  }
}

/** Registries are registered with and without their scheme, and dependencies written with and without a slash at the end, as Helm has it. */
function bare(url: string | undefined): string {
  return normalizeRepoUrl((url ?? '').replace(/^oci:\/\//, '').replace(/(?<!\/)\/+$/, ''));
}

/** Of a URL, of `user@host:path`, and of a registry without scheme. */
function hostOf(url: string): string | undefined {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `ssh://${url.replace(/^([^/:]+):(?!\d+(?:\/|$))/, '$1/')}`;
  return URL.canParse(text) ? new URL(text).hostname.replace(/^\[|\]$/g, '').toLowerCase() || undefined : undefined;
}

function decoded(text: string | undefined): string {
  return Buffer.from(text ?? '', 'base64').toString('utf8');
}

function onlyCredentials(settings: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).filter(([key]) => credentialFields.includes(key) || lentFields.includes(key)),
  );
}

function settingsOf(secret: KubeObject): { secret: string; settings: Record<string, string> } {
  const data = (secret.data ?? {}) as Record<string, string>;
  return {
    secret: secret.metadata.name ?? '',
    settings: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
    ),
  };
}
