import { type Application, names } from '@tiphys/api';
import { allSourcesOf } from '@tiphys/applications';
import { refreshAnnotation } from '@tiphys/applicationsets';
import { normalizeRepositoryUrl } from '@tiphys/git';
import { watchedPaths } from '@tiphys/glob';
import type { ServerMetrics } from '@tiphys/metrics';
import { type Announcement, concerns, readWebhook, type WebhookEvent } from '@tiphys/webhooks';
import { applicationSetKind } from '../applications/application-sets.ts';
import { concernsSet } from '../applications/concerns-set.ts';
import type { ServerContext } from '../context/server-context.ts';
import { BodyBudget } from '../http/body-budget.ts';
import type { ApplicationRef } from '../ports/backend.ts';
import { PullRequestPreviews } from '../previews/pull-request-previews.ts';
import { durationSeconds } from '../settings/duration.ts';
import { type HttpRequest, type HttpResponse, isGone } from '../transport/http-message.ts';
import { TokenBucket } from '../transport/token-bucket.ts';
import { webhookSecrets } from './webhook-secrets.ts';

/** Announcements whose look at a remote has not begun; more are refused. */
const queueLimit = 1_000;

/** Serves `/api/webhook`: who pushed to a repository tells it here, and the applications that read it are looked at now. */
export class WebhookEndpoint {
  readonly #context: ServerContext;
  readonly #metrics: ServerMetrics | undefined;
  readonly #budget: BodyBudget;
  /** Of senders for whom no secret is set: anybody can be one. */
  readonly #strangers: TokenBucket;
  readonly #previews: PullRequestPreviews;
  #waiting = 0;

  constructor(context: ServerContext, metrics: ServerMetrics | undefined, signal: AbortSignal) {
    this.#context = context;
    this.#metrics = metrics;
    this.#previews = new PullRequestPreviews(context, signal);
    this.#budget = new BodyBudget(64 * 1024 * 1024);
    this.#strangers = new TokenBucket({ perSecond: 20, burst: 100, clock: context.clock });
  }

  async serve(request: HttpRequest, response: HttpResponse): Promise<void> {
    const { plane, log } = this.#context;
    const limit = payloadLimit(plane.configMap('argocd-cm'));
    const header = (name: string) => {
      const value = request.headers[name];
      return (Array.isArray(value) ? value[0] : value) ?? '';
    };
    const method = request.method ?? 'GET';
    const body = () => this.#budget.read(request, limit * 1024 * 1024);
    const parsed = await readWebhook({ method, header }, webhookSecrets(plane), body);
    if (parsed.kind === 'refused') {
      log('info', 'a webhook was refused', { sender: parsed.sender, reason: parsed.reason });
      const tooLarge = `Webhook processing failed: payload must be valid JSON under ${limit} MB`;
      return answer(response, parsed.status, parsed.answer || tooLarge);
    }
    if (!parsed.secured && !this.#strangers.take())
      return answer(response, 429, 'Too many webhooks without a secret: set one in argocd-secret');
    if (this.#waiting >= queueLimit) return answer(response, 503, 'Queue is full, discarding webhook payload');
    this.#waiting += 1;
    this.#metrics?.webhooksInFlight(1);
    this.#announce(parsed.events)
      .catch((error: unknown) => log('error', 'a webhook could not be acted on', { error: String(error) }))
      .finally(() => {
        this.#waiting -= 1;
        this.#metrics?.webhooksInFlight(-1);
      });
    if (parsed.secured)
      this.#previews
        .take(parsed.events)
        .catch((error: unknown) => log('error', 'a pull request could not be previewed', { error: String(error) }));
    answer(response, 200, '');
  }

  async #announce(events: readonly WebhookEvent[]): Promise<void> {
    const { applications, backend, plane, log } = this.#context;
    const concerned = new Map<string, ApplicationRef>();
    const repositories = new Set<string>();
    for (const application of applications.list()) {
      const source = sourcesOfApplication(application).find((candidate) =>
        events.some((event) => concerns(event, candidate)),
      );
      if (!source) continue;
      const { name = '', namespace = '' } = application.metadata;
      concerned.set(`${namespace}/${name}`, { name, namespace });
      repositories.add(normalizeRepositoryUrl(source.repoURL));
    }
    await this.#refreshSets(events);
    // only addresses that applications have become labels: others come from anywhere
    for (const repository of repositories) this.#metrics?.webhook(repository);
    if (concerned.size === 0) return;
    log('info', 'a webhook announced a push', { applications: concerned.size });
    const elsewhere = await backend.pushed([...concerned.values()], jitterOf(plane.configMap('argocd-cm')));
    for (const ref of elsewhere)
      await this.#context.client.patch({ apiVersion: names.apiVersion, kind: 'Application', ...ref }, 'merge', {
        metadata: { annotations: { [names.annotations.refresh]: 'normal' } },
      });
  }

  /** Sets whose generators read what was announced are evaluated anew, wherever their controller is. */
  async #refreshSets(events: readonly WebhookEvent[]): Promise<void> {
    const { applicationSets, client, log } = this.#context;
    for (const set of applicationSets.list()) {
      if (!events.some((event) => concernsSet(event, set))) continue;
      const { namespace = '', name = '' } = set.metadata;
      log('info', 'a webhook concerns an ApplicationSet', { namespace, name });
      await client.patch({ ...applicationSetKind, namespace, name }, 'merge', {
        metadata: { annotations: { [refreshAnnotation]: 'true' } },
      });
    }
  }
}

function sourcesOfApplication({ metadata, spec }: Application): Announcement[] {
  const annotation = metadata.annotations?.[names.annotations.manifestGeneratePaths];
  return allSourcesOf(spec).map(({ repoURL, targetRevision, path, ...rest }) => ({
    repoURL,
    targetRevision,
    tagPrefix: (rest as { tagPrefix?: string }).tagPrefix,
    paths: watchedPaths(annotation, path),
  }));
}

/** MB; 50 if the setting is no positive number. */
function payloadLimit(settings: Readonly<Record<string, string>>): number {
  const limit = Number(settings['webhook.maxPayloadSizeMB'] || 50);
  return Number.isFinite(limit) && limit > 0 ? limit : 50;
}

/** How many milliseconds refreshes are spread over, and from which application on; none by default. */
function jitterOf(settings: Readonly<Record<string, string>>): { milliseconds: number; threshold: number } {
  return {
    milliseconds: (durationSeconds(settings['webhook.refresh.jitter']) ?? 0) * 1000,
    threshold: Number(settings['webhook.refresh.jitter.threshold'] || 10),
  };
}

function answer(response: HttpResponse, status: number, text: string): void {
  if (isGone(response)) return;
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(text && `${text}\n`);
}
