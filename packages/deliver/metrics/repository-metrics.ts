import type { RemoteRequest } from '@tiphys/git';
import type { RenderLoad } from '@tiphys/source';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

const durations = [0.1, 0.25, 0.5, 1, 2, 4, 10, 20];

/** What the repo server shows on port 8084, under Argo CD's names. */
export class RepositoryMetrics {
  readonly registry = new Registry();
  readonly #requests: Counter<'repo' | 'request_type'>;
  readonly #durations: Histogram<'repo' | 'request_type'>;
  readonly #failures: Record<RemoteRequest['kind'], Counter<'repo' | 'revision'>>;
  readonly #pending: Gauge<'repo'>;
  readonly #renders: Counter<'found'>;
  #load: () => readonly RenderLoad[] = () => [];

  constructor() {
    const registers = [this.registry];
    const counter = <T extends string>(name: string, help: string, labelNames: T[]) =>
      new Counter({ name: `argocd_${name}`, help, labelNames, registers });
    const histogram = <T extends string>(name: string, help: string, labelNames: T[], buckets = durations) =>
      new Histogram({ name: `argocd_${name}`, help, labelNames, buckets, registers });
    this.#requests = counter('git_request_total', 'Number of git requests performed by repo server', [
      'repo',
      'request_type',
    ]);
    this.#durations = histogram('git_request_duration_seconds', 'Git requests duration seconds.', [
      'repo',
      'request_type',
    ]);
    this.#failures = {
      fetch: counter('git_fetch_fail_total', 'Number of git fetch requests failures by repo server', [
        'repo',
        'revision',
      ]),
      'ls-remote': counter('git_lsremote_fail_total', 'Number of git ls-remote requests failures by repo server', [
        'repo',
        'revision',
      ]),
      push: counter('git_push_fail_total', 'Number of git push requests failures by commit server', [
        'repo',
        'revision',
      ]),
    };
    this.#pending = new Gauge({
      name: 'argocd_repo_pending_request_total',
      help: 'Number of pending requests requiring repository lock',
      labelNames: ['repo'],
      registers,
    });
    histogram(
      'repo_parallelism_wait_duration_seconds',
      'Time spent waiting for the repo-server manifest generation parallelism semaphore.',
      [],
      [...durations, 60, 120],
    );
    this.#renders = new Counter({
      name: 'tiphys_renders_total',
      help: 'Renders of sources by where they were found: rendered anew, or in memory, on disk or shared.',
      labelNames: ['found'],
      registers,
    });
    const shown = (name: string, help: string, states: (load: RenderLoad) => Readonly<Record<string, number>>) => {
      const all = () => this.#load();
      new Gauge({
        name,
        help,
        labelNames: ['project', 'state'],
        registers,
        collect(this: Gauge) {
          this.reset();
          for (const load of all())
            for (const [state, value] of Object.entries(states(load)))
              this.set({ project: load.project, state }, value);
        },
      });
    };
    shown(
      'tiphys_render_queue',
      'Renders of a project that run, run for long, or wait for a thread.',
      ({ running, slow, waiting }) => ({ running, slow, waiting }),
    );
    shown('tiphys_render_thread_seconds', 'Seconds of threads that rendered for a project.', ({ spent }) => ({
      ended: spent / 1000,
    }));
    counter('redis_request_total', 'Number of redis requests executed by the repo server.', [
      'initiator',
      'command',
      'failed',
    ]);
    histogram(
      'redis_request_duration_seconds',
      'Redis requests duration seconds.',
      ['initiator'],
      [0.1, 0.25, 0.5, 1, 2],
    );
    counter('oci_request_total', 'Number of OCI requests performed by repo server', ['repo', 'request_type']);
    histogram('oci_request_duration_seconds', 'OCI requests duration seconds.', ['repo', 'request_type']);
  }

  /** Counts a render of a source: `rendered`, or the cache that it was found in. */
  rendered = (found: string): void => {
    this.#renders.inc({ found });
  };

  /** Shows what the projects take of the threads that render. */
  followLoad = (load: () => readonly RenderLoad[]): void => {
    this.#load = load;
  };

  /** Counts a request from its beginning; the function that it returns is called once, at its end. */
  begin = ({ repository: repo, kind: request_type, revision }: RemoteRequest): ((failed: boolean) => void) => {
    const started = performance.now();
    this.#pending.inc({ repo });
    return (failed) => {
      this.#pending.dec({ repo });
      this.#requests.inc({ repo, request_type });
      this.#durations.observe({ repo, request_type }, (performance.now() - started) / 1000);
      if (failed) this.#failures[request_type].inc({ repo, revision });
    };
  };
}
