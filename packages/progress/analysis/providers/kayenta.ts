import { timestamp } from '@tiphys/controller';
import { requireDuration } from '../decisions/duration.ts';
import { badAnswer, misconfiguredProvider } from '../model/failures.ts';
import type { AnalysisPhase, KayentaMetric, KayentaScope, Measurement, Metric } from '../model/types.ts';
import { ask, parseJson } from './http.ts';
import type { ProviderContext, TaskProvider } from './provider.ts';

const resumeDelay = 15_000;
const timeout = 15_000;

/** Starts a canary judgement of Kayenta and asks for its score until it is complete. */
export const kayenta: TaskProvider = {
  kind: 'task',
  run,
  resume,
  terminate: async (_metric, _context, measurement) => measurement,
};

async function run(metric: Metric, context: ProviderContext): Promise<Measurement> {
  const kayenta = metric.provider.kayenta as KayentaMetric;
  const now = context.clock.now();
  const config = await configId(kayenta, context);
  const accounts = new URLSearchParams({
    application: kayenta.application,
    metricsAccountName: kayenta.metricsAccountName,
    configurationAccountName: kayenta.configurationAccountName,
    storageAccountName: kayenta.storageAccountName,
  });
  const startedAt = context.run.status?.startedAt;
  const start = kayenta.lookback && startedAt ? Date.parse(startedAt) : now - requireDuration(metric.interval ?? '');
  const answer = await ask({
    url: `${kayenta.address}/canary/${encodeURIComponent(config)}?${accounts}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      scopes: Object.fromEntries(kayenta.scopes.map((scope) => [scope.name, scopeRequest(scope, start, now)])),
      thresholds: kayenta.threshold,
    }),
    timeout,
    signal: context.signal,
  });
  if (answer.status !== 200) throw badAnswer('Invalid Response');
  const { canaryExecutionId } = parseJson(answer.text) as { canaryExecutionId?: string };
  if (!canaryExecutionId) throw badAnswer('Invalid canaryExecutionId');
  return {
    phase: 'Running',
    startedAt: timestamp(now),
    metadata: { canaryExecutionId },
    resumeAt: timestamp(now + resumeDelay),
  };
}

async function configId(kayenta: KayentaMetric, { signal }: ProviderContext): Promise<string> {
  const parameters = new URLSearchParams({
    application: kayenta.application,
    // upstream names the storage account here
    configurationAccountName: kayenta.storageAccountName,
  });
  const answer = await ask({ url: `${kayenta.address}/canaryConfig?${parameters}`, timeout, signal });
  if (answer.status !== 200) throw badAnswer(`Invalid Response: HTTP ${answer.status}`);
  const configs = parseJson(answer.text) as { id: string; name: string }[];
  const found = configs.find(({ name }) => name === kayenta.canaryConfigName);
  if (!found) throw misconfiguredProvider('Canary config not found');
  return found.id;
}

function scopeRequest({ controlScope, experimentScope }: KayentaMetric['scopes'][number], start: number, end: number) {
  for (const field of ['start', 'end'] as const) {
    if (!controlScope[field] !== !experimentScope[field])
      throw misconfiguredProvider(`controlScope.${field} and experimentScope.${field} must both be set or be empty`);
  }
  const request = ({ scope, region, step, ...times }: KayentaScope) => ({
    scope,
    location: region,
    step,
    start: times.start || timestamp(start),
    end: times.end || timestamp(end),
  });
  return { controlScope: request(controlScope), experimentScope: request(experimentScope) };
}

interface Judgement {
  complete?: boolean;
  result?: { judgeResult?: { score?: { score?: number } } };
}

async function resume(metric: Metric, context: ProviderContext, measurement: Measurement): Promise<Measurement> {
  const { address, threshold } = metric.provider.kayenta as KayentaMetric;
  const id = measurement.metadata?.canaryExecutionId ?? '';
  const answer = await ask({ url: `${address}/canary/${encodeURIComponent(id)}`, timeout, signal: context.signal });
  if (answer.status !== 200) throw badAnswer('Invalid Response');
  const judgement = parseJson(answer.text) as Judgement;
  const now = context.clock.now();
  if (judgement.complete === undefined) throw badAnswer('Missing Complete Status');
  if (!judgement.complete) return { ...measurement, phase: 'Running', resumeAt: timestamp(now + resumeDelay) };
  const score = judgement.result?.judgeResult?.score?.score;
  if (typeof score !== 'number') throw badAnswer('Missing Score');
  const whole = Math.trunc(score);
  return { ...measurement, value: String(whole), phase: verdict(whole, threshold), finishedAt: timestamp(now) };
}

function verdict(score: number, { pass, marginal }: KayentaMetric['threshold']): AnalysisPhase {
  if (score >= pass) return 'Successful';
  return score >= marginal ? 'Inconclusive' : 'Failed';
}
