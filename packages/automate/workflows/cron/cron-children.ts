import { workflowNames } from '@tiphys/api';
import { keyOf } from '@tiphys/controller';
import type { Informer } from '@tiphys/kubernetes';
import { isCompletedWorkflow } from '../model/phases.ts';
import type { Workflow } from '../model/types.ts';

const { labels } = workflowNames;

/** Workflows of CronWorkflows, by the CronWorkflow that their label names; those of backfills are left out. */
export class CronChildren {
  readonly #byCron = new Map<string, Map<string, Workflow>>();

  /** `changed`: told of the CronWorkflow one of whose workflows came, went, began to end or ended: of nothing else it decides anything. */
  constructor(workflows: Pick<Informer<Workflow>, 'list' | 'subscribe'>, changed: (cron: string) => void) {
    for (const workflow of workflows.list()) this.#put(workflow);
    workflows.subscribe(({ type, object, old }) => {
      const before = old && cronOf(old);
      const cron = type === 'deleted' ? undefined : cronOf(object);
      if (before !== undefined && before !== cron) this.#remove(before, old as Workflow);
      if (cron !== undefined) this.#put(object);
      const isSame = before === cron && old !== undefined && stageOf(old) === stageOf(object);
      for (const each of new Set([before, cron])) if (each !== undefined && !isSame) changed(each);
    });
  }

  of(cron: string): Workflow[] {
    return [...(this.#byCron.get(cron)?.values() ?? [])];
  }

  #put(workflow: Workflow): void {
    const cron = cronOf(workflow);
    if (cron === undefined) return;
    const known = this.#byCron.get(cron) ?? new Map<string, Workflow>();
    this.#byCron.set(cron, known.set(keyOf(workflow as never), workflow));
  }

  #remove(cron: string, workflow: Workflow): void {
    const known = this.#byCron.get(cron);
    known?.delete(keyOf(workflow as never));
    if (known?.size === 0) this.#byCron.delete(cron);
  }
}

function cronOf({ metadata }: Workflow): string | undefined {
  const name = metadata.labels?.[labels.cronWorkflow];
  if (!name || metadata.labels?.[labels.backfill] !== undefined) return undefined;
  return `${metadata.namespace ?? ''}/${name}`;
}

/** What a CronWorkflow acts on. */
const stageOf = ({ metadata, status }: Workflow) =>
  `${metadata.uid} ${metadata.deletionTimestamp !== undefined} ${isCompletedWorkflow(status?.phase) ? status?.phase : ''}`;
