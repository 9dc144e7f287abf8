import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import type { Client } from '@tiphys/kubernetes';
import { type Metrics, type MetricsPort, openMetricsPort } from '@tiphys/metrics';
import type { Progress } from './progress.ts';
import type { Role } from './role.ts';
import type { UpOptions } from './up-options.ts';

const parts = ['controller', 'server', 'repositories'] as const;

/** What a process with a role does not do, it does not measure; whoever renders measures repositories. */
const absent: Readonly<Record<Role, (typeof parts)[number]>> = { controller: 'server', server: 'controller' };

/**
 * Opens the ports of `--metrics-ports` that are of the role, all of them without one. One that is taken is a note: who starts
 * Tiphys on a laptop wants to deliver, and may have another program there. With `--port 0` they are free ones, as nobody knows
 * the main port either.
 */
export async function openMetricsPorts(
  options: Pick<UpOptions, 'metricsPorts' | 'host' | 'port'>,
  {
    role,
    metrics,
    client,
    namespace,
    progress,
  }: { role: Role | undefined; metrics: Metrics; client: Client; namespace: string; progress: Progress },
): Promise<MetricsPort[]> {
  const health = async (full: boolean) => {
    if (!full) return undefined;
    try {
      await client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'argocd-cm' });
      return undefined;
    } catch (error) {
      return diagnosisOf(error);
    }
  };
  const opened: MetricsPort[] = [];
  for (const [index, part] of parts.entries()) {
    if (role && absent[role] === part) continue;
    const port = options.metricsPorts?.[index] ?? (options.port === 0 ? 0 : 8082 + index);
    try {
      const text = () => metrics.text(part);
      opened.push(await openMetricsPort({ host: options.host, port, flag: '--metrics-ports', metrics: text, health }));
    } catch (error) {
      progress.note(`Metrics of the ${part} are not served: ${formatDiagnosis(diagnosisOf(error))}`);
    }
  }
  return opened;
}
