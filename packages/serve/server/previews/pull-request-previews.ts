import type { Application } from '@tiphys/api';
import { manifestSourcesOf } from '@tiphys/applications';
import { type PullRequestRemarks, pullRequestRemarks, type RemarkHost } from '@tiphys/applicationsets';
import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf, formatDiagnosis, handlingOf } from '@tiphys/diagnosis';
import { type Credentials, httpRequest } from '@tiphys/git';
import { markdown, type Preview, summary } from '@tiphys/preview';
import { concerns, type Proposal, type PullRequestEvent, type WebhookEvent } from '@tiphys/webhooks';
import type { ServerContext } from '../context/server-context.ts';
import { previewRevisions } from './preview-revisions.ts';
import { type PullRequestSettings, pullRequestSettings } from './pull-request-settings.ts';

const notPreviewed = defineDiagnosis(
  'PullRequestNotPreviewed',
  'What a pull request changes could not be written to it, although the settings ask for it',
);

/** Pull requests that wait; of one the newest commit alone. */
const mostWaiting = 200;
/** How often a host is asked, and what is waited before the second time, in milliseconds. */
const attempts = 3;
const firstPause = 2_000;
const remedies = [
  'Permit the credentials of the repository to write comments and commit statuses',
  'Take the repository out of tiphys.preview.repositories of argocd-cm',
];

interface Waiting {
  readonly host: RemarkHost;
  readonly proposal: Proposal;
}

/** A repository as an application names it, with those that read it. */
interface Concerned {
  readonly repoURL: string;
  readonly applications: readonly Application[];
}

/**
 * Writes to pull requests what they change, as soon as a webhook that proved its secret tells of them and `tiphys.preview.pullRequests`
 * asks for it. One is previewed at a time, its newest commit alone.
 */
export class PullRequestPreviews {
  readonly #context: ServerContext;
  readonly #signal: AbortSignal;
  readonly #waiting = new Map<string, Waiting>();
  #working: Promise<void> | undefined;

  constructor(context: ServerContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  /** Takes up the pull requests of events whose sender is known; resolves when those that wait are done. */
  async take(events: readonly WebhookEvent[]): Promise<void> {
    for (const event of events) if (event.kind === 'pull-request') this.#queue(event);
    await this.#work();
  }

  #queue({ sender, proposal }: PullRequestEvent): void {
    if (!proposal || this.#settingsOf(proposal) === undefined) return;
    if (proposal.foreign) {
      this.#leaveForeign(proposal);
      return;
    }
    const key = `${proposal.urls[0]}#${proposal.number}`;
    if (this.#waiting.size >= mostWaiting && !this.#waiting.has(key))
      return void this.#context.log('error', 'too many pull requests wait to be previewed; one is left out', { key });
    this.#waiting.delete(key);
    this.#waiting.set(key, { host: sender, proposal });
  }

  /** Manifests, and plugins with them, would be rendered as people wrote them who may not push here. */
  #leaveForeign({ repository, number }: Proposal): void {
    this.#context.log('info', 'a pull request of a fork is not previewed', { repository, number });
  }

  #work(): Promise<void> {
    this.#working ??= this.#drain().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  async #drain(): Promise<void> {
    for (const [key, waiting] of this.#waiting) {
      this.#waiting.delete(key);
      if (this.#signal.aborted) return;
      try {
        await this.#preview(waiting);
      } catch (error) {
        if (this.#signal.aborted) return;
        await this.#tell(waiting, diagnosisOf(error));
      }
    }
  }

  /** The settings for the first of the repository's addresses that they are about. */
  #settingsOf(proposal: Proposal): (PullRequestSettings & Concerned) | undefined {
    const concerned = this.#concerned(proposal);
    if (!concerned) return undefined;
    const settings = pullRequestSettings(this.#context.plane.configMap('argocd-cm'), concerned.repoURL);
    return settings && { ...settings, ...concerned };
  }

  /** Undefined where no application reads the repository: then nothing of it is our matter. */
  #concerned({ urls }: Proposal): Concerned | undefined {
    const push = { kind: 'push', urls, revision: '', touchedHead: true, changedFiles: [] } as const;
    const reads = ({ repoURL }: { repoURL: string }) => concerns(push, { repoURL, targetRevision: 'HEAD', paths: [] });
    const applications = [...this.#context.applications.list()].filter(({ spec }) =>
      manifestSourcesOf(spec).some(reads),
    );
    const found = applications.flatMap(({ spec }) => manifestSourcesOf(spec).filter(reads));
    // the API is asked by HTTP: an address that says how goes before one of SSH
    const source = found.find(({ repoURL }) => /^https?:/i.test(repoURL)) ?? found[0];
    return source && { repoURL: source.repoURL, applications };
  }

  async #preview({ host, proposal }: Waiting): Promise<void> {
    const wanted = this.#settingsOf(proposal);
    if (!wanted) return;
    const { repoURL, applications } = wanted;
    const { base, number } = proposal;
    if (wanted.unknown.length > 0) await this.#tell({ host, proposal }, unknownWords(wanted.unknown));
    const credentials = await this.#credentials(wanted);
    const { clock } = this.#context;
    const remarks = pullRequestRemarks(
      { host, repoURL, repository: proposal.repository },
      { credentials, http: (request) => httpRequest({ ...request, clock }), signal: this.#signal, remedies },
    );
    const head = await this.#patiently(() => remarks.commit({ number, commit: proposal.head }));
    if (head === undefined) return this.#leaveForeign(proposal);
    const preview = await previewRevisions(this.#context, applications, { repo: repoURL, base, head }, this.#signal);
    await this.#write(remarks, { wanted, number, head, preview });
    this.#context.log('info', 'a pull request was previewed', {
      repository: proposal.repository,
      number,
      applications: preview.applications,
    });
  }

  async #write(
    remarks: PullRequestRemarks,
    { wanted, number, head, preview }: { wanted: PullRequestSettings; number: number; head: string; preview: Preview },
  ): Promise<void> {
    const { namespace, plane } = this.#context;
    const installation = plane.configMap('argocd-cm').installationID || namespace;
    const context = `tiphys/${installation.replace(/[^\w.-]/g, '-')}`;
    const text = `${head}: ${markdown(preview, remarks.style)}`;
    const state = preview.items.some(({ problem }) => problem) ? 'failure' : 'success';
    // one that is refused does not keep the other from being written
    const refused: unknown[] = [];
    const write = (ask: () => Promise<void>) =>
      this.#patiently(ask).catch((error: unknown) => void refused.push(error));
    if (wanted.comment) await write(() => remarks.comment(number, `${context} preview`, text));
    const status = { state, context, description: summary(preview) } as const;
    if (wanted.status) await write(() => remarks.status({ number, commit: head }, status));
    if (refused.length > 0) throw new AggregateError(refused);
  }

  /** Those that belong to no project go first; else those of a project whose application reads the repository. */
  async #credentials({ repoURL, applications }: Concerned): Promise<Credentials> {
    const projects = new Set(['', ...applications.map(({ spec }) => spec.project || 'default')]);
    let found: Credentials = {};
    for (const project of projects) {
      found = await this.#context.backend.repositoryCredentials(repoURL, project);
      if (found.password || found.bearerToken) return found;
    }
    return found;
  }

  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ask();
      } catch (error) {
        if (attempt >= attempts || this.#signal.aborted || handlingOf(error) === 'stalled') throw error;
        await this.#context.clock.sleep(firstPause * attempt, this.#signal);
      }
    }
  }

  /** Where nobody may be watching the pull request: the log, and an event at the settings. */
  async #tell({ proposal }: Waiting, cause: Diagnosis): Promise<void> {
    const { log, events } = this.#context;
    const problem = diagnose(notPreviewed, {
      message: `Pull request ${proposal.number} of ${proposal.repository} has no preview: ${cause.message}`,
      place: { object: 'ConfigMap argocd-cm', field: 'tiphys.preview.pullRequests' },
      remedies: cause.remedies,
      causes: [cause],
    });
    log('error', formatDiagnosis(problem));
    await events.warn({ apiVersion: 'v1', kind: 'ConfigMap', name: 'argocd-cm' }, problem);
  }
}

function unknownWords(words: readonly string[]): Diagnosis {
  return diagnose(notPreviewed, {
    message: `tiphys.preview.pullRequests has ${words.map((word) => JSON.stringify(word)).join(', ')}`,
    remedies: ['Write comment, status, or both with a comma between'],
  });
}
