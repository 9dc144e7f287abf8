import { createHash } from 'node:crypto';
import { failure } from '@tiphys/diagnosis';
import type { GitRepositories, GitTree } from '@tiphys/git';
import type { ChartSource, RemoteFile } from '@tiphys/kustomize';
import type { PublishedCharts } from '../charts/chart-source-loading.ts';
import { accessOf } from '../charts/chart-source-place.ts';
import type { RemoteFiles } from '../charts/remote-files.ts';
import { remoteBaseRefused } from '../request/diagnoses.ts';
import type { RenderRequest } from '../request/rendered.ts';

/** Settings may change without a commit: such a failure is not remembered. */
const notContent = { handling: 'retryable' } as const;

/** What kustomizations name outside of their repository: bases in others, charts of Helm repositories, files by HTTP. */
export class RemoteBases {
  readonly #git: GitRepositories;
  readonly #published: PublishedCharts;
  readonly #files: () => Promise<RemoteFiles>;
  readonly #request: RenderRequest;

  constructor(
    parts: {
      readonly git: GitRepositories;
      readonly published: PublishedCharts;
      readonly files: () => Promise<RemoteFiles>;
    },
    request: RenderRequest,
  ) {
    this.#git = parts.git;
    this.#published = parts.published;
    this.#files = parts.files;
    this.#request = request;
  }

  /** The commit of a remote base now; `base` is its address and ref as JSON. */
  async commit(base: string): Promise<string> {
    const [url = '', ref = ''] = JSON.parse(base) as string[];
    return (await this.#git.resolve(this.#repository(url), ref, this.#options)).commit;
  }

  /** The files of a remote base. */
  async tree(base: string, commit: string): Promise<GitTree> {
    const [url = ''] = JSON.parse(base) as string[];
    const { signal } = this.#request;
    return this.#git.open(this.#repository(url), commit, signal ? { signal } : {});
  }

  /** The version of a chart now; `chart` is its ChartSource as JSON. */
  async chartVersion(chart: string): Promise<string> {
    const wanted = JSON.parse(chart) as ChartSource;
    const { sources, place, version } = await this.#chart(wanted);
    return sources.revision(place, version, this.#options);
  }

  /** The package of a chart at a version that `chartVersion` gave. */
  async chartArchive(chart: string, version: string): Promise<Uint8Array> {
    const { sources, place } = await this.#chart(JSON.parse(chart) as ChartSource);
    return sources.archive(place, version, this.#options);
  }

  /** What an http(s) address answers now. */
  async file(url: string, maxBytes: number): Promise<{ readonly digest: string; readonly file: RemoteFile }> {
    const { repository } = this.#request;
    if (!this.#permitted(url, `the file ${url}`)) refuseInside(`The file ${url}`, url);
    const files = await this.#files();
    const answer = await files.answer(url, accessOf(repository), { ...this.#options, maxBytes });
    const { status, statusText, headers } = answer;
    const contentType = headers['content-type'];
    const body = new Uint8Array(answer.body);
    const digest = createHash('sha256').update(`${status} ${contentType}\n`).update(body).digest('hex');
    return { digest, file: { status, statusText, body, ...(contentType ? { contentType } : {}) } };
  }

  async #chart({ repo, name, version, devel }: ChartSource) {
    const repository = this.#chartRepository(repo);
    const { sources, chartPlace } = await this.#published.load();
    const url = repo.startsWith('oci://') ? repo : repository.url;
    const place = chartPlace({ source: { repoURL: url, chart: name }, repository });
    if (!place) throw new Error(`no place for the chart ${name} of ${repo}`);
    return { sources, place, version: version || (devel ? '>0.0.0-0' : '*') };
  }

  get #options() {
    const { maxAge, signal } = this.#request;
    return { ...(maxAge === undefined ? {} : { maxAge }), ...(signal ? { signal } : {}) };
  }

  /** With the credentials of the application's repository where they are of the same host. */
  #repository(url: string): RenderRequest['repository'] {
    const { repository } = this.#request;
    const registered = this.#permitted(url, `the repository of the remote base ${url}`);
    if (registered) return registered;
    const host = hostOf(url);
    if (host === hostOf(repository.url)) return { ...repository, url };
    refuseInside(`The remote base ${url}`, url);
    return { url };
  }

  /** A Helm repository gets only credentials that were registered for it. */
  #chartRepository(url: string): RenderRequest['repository'] {
    const registered = this.#permitted(url, `the Helm repository ${url}`);
    if (registered) return registered;
    refuseInside(`The Helm repository ${url}`, url.replace(/^oci:\/\//, ''));
    return { url };
  }

  #permitted(url: string, what: string): RenderRequest['repository'] | undefined {
    const { permitsRepository, dependencyRepository, application } = this.#request;
    if (permitsRepository && !permitsRepository(url)) {
      throw failure(
        remoteBaseRefused,
        {
          message: `The project ${application.project} does not permit ${what}`,
          place: { object: `AppProject ${application.project}`, field: 'spec.sourceRepos' },
          remedies: [{ text: 'Permit it in the project', paste: `sourceRepos: [${JSON.stringify(url)}]` }],
        },
        notContent,
      );
    }
    return dependencyRepository?.(url);
  }
}

function hostOf(url: string): string {
  const match = /^(?:[a-z+]+:\/\/)?(?:[^@/]*@)?(\[[^\]]*\]|[^/:]*)/i.exec(url);
  return (match?.[1] ?? '').toLowerCase();
}

/** A kustomization must not be a way to what only this process can reach. */
function refuseInside(what: string, url: string): void {
  const host = hostOf(url);
  const inside =
    url.startsWith('file:') ||
    host === '' ||
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    /^(?:127\.|10\.|0\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(host) ||
    host.startsWith('[') ||
    /^(?:0x)?[0-9a-f]+$/.test(host);
  if (!inside) return;
  throw failure(
    remoteBaseRefused,
    {
      message: `${what} is at an address inside of this network`,
      remedies: ['Register the repository, so that it may be read, or copy what is needed into the repository'],
    },
    notContent,
  );
}
