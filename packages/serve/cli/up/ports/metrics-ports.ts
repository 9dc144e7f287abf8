import { type Diagnosis, diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import type { Client } from '@tiphys/kubernetes';
import { type Metrics, type MetricsPort, openMetricsPort, selfSignedCertificate } from '@tiphys/metrics';
import { families } from '../families/families.ts';
import type { Progress } from '../progress.ts';
import type { Role } from '../role.ts';
import type { UpOptions } from '../up-options.ts';

const coreParts = ['controller', 'server', 'repositories'] as const;

/** What a process with a role does not do, it does not measure; anyone who renders measures repositories. */
const absent: ReadonlyMap<Role, (typeof coreParts)[number]> = new Map([
  ['controller', 'server'],
  ['server', 'controller'],
]);

interface MetricsPortsParts {
  readonly role: Role | undefined;
  readonly metrics: Metrics;
  readonly client: Client;
  readonly namespace: string;
  readonly progress: Progress;
}

type PortOptions = Pick<UpOptions, 'metricsPorts' | 'host' | 'port'>;

/**
 * Opens the ports of `--metrics-ports` that are of the role, all of them without one. One that is taken is a note: who starts
 * Tiphys on a laptop wants to deliver, and may have another program there. With `--port 0` they are free ones, as nobody knows
 * the main port either.
 */
export async function openMetricsPorts(options: PortOptions, parts: MetricsPortsParts): Promise<MetricsPort[]> {
  const { role, metrics, progress } = parts;
  const family = families[role ?? ''];
  const settings = await family?.metrics?.({ client: parts.client, namespace: parts.namespace });
  const tls = settings?.secure ? await selfSignedCertificate('localhost', Date.now()) : undefined;
  const wanted = family
    ? [
        {
          title: role ?? '',
          port: options.metricsPorts?.[0] ?? (options.port === 0 ? 0 : (settings?.port ?? family.metricsPort)),
          text: () => metrics.text('families'),
        },
      ]
    : coreParts
        .map((part, index) => ({
          title: part,
          port: options.metricsPorts?.[index] ?? (options.port === 0 ? 0 : 8082 + index),
          text: () => metrics.text(part),
        }))
        .filter(({ title }) => !role || absent.get(role) !== title);
  const health = controlPlaneHealth(parts);
  const opened: MetricsPort[] = [];
  if (family?.healthPort && options.port !== 0) {
    const port = { host: options.host, port: family.healthPort, flag: '--role', metrics: async () => '' };
    try {
      opened.push(await openMetricsPort({ ...port, health }));
    } catch (error) {
      progress.note(`The health of the ${role} is not served: ${formatDiagnosis(diagnosisOf(error))}`);
    }
  }
  if (settings?.enabled === false) return opened;
  for (const { title, port, text } of wanted) {
    try {
      opened.push(
        await openMetricsPort({
          host: options.host,
          port,
          flag: '--metrics-ports',
          metrics: text,
          health,
          tls,
          ...(settings ? { path: settings.path } : {}),
        }),
      );
    } catch (error) {
      progress.note(`Metrics of the ${title} are not served: ${formatDiagnosis(diagnosisOf(error))}`);
    }
  }
  return opened;
}

/** Whether the control plane's cluster answers; asked only for a full check. */
function controlPlaneHealth({
  client,
  namespace,
}: MetricsPortsParts): (full: boolean) => Promise<Diagnosis | undefined> {
  return async (full) => {
    if (!full) return undefined;
    try {
      await client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'argocd-cm' });
      return undefined;
    } catch (error) {
      return diagnosisOf(error);
    }
  };
}
