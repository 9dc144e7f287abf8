import type { Workflow, WorkflowNode } from '../api/families.ts';
import type { WorkflowVerb } from '../api/flow.ts';
import { t } from '../i18n/texts.ts';

export interface VerbWords {
  readonly verb: WorkflowVerb;
  readonly title: string;
  /** What will happen. */
  readonly says: string;
  readonly danger?: boolean;
}

const ended = new Set(['Succeeded', 'Failed', 'Error']);

/** What can be done with a workflow as it is, each with what will happen. */
export function verbsOf({ phase, nodes, suspended, archived }: Workflow): VerbWords[] {
  const count = (wanted: (node: WorkflowNode) => boolean) => nodes.filter(wanted).length;
  const pods = (number: number) => (number === 1 ? t('1 node') : t('{count} nodes', { count: number }));
  const isPod = ({ type }: WorkflowNode) => type === 'Pod';
  if (ended.has(phase)) {
    const failed = count((node) => isPod(node) && (node.phase === 'Failed' || node.phase === 'Error'));
    const kept = count((node) => isPod(node) && node.phase === 'Succeeded');
    const words = { failed: pods(failed), kept: pods(kept) };
    const retry: VerbWords = {
      verb: 'retry',
      title: t('Retry'),
      says: `${
        kept === 1
          ? t(
              'The same workflow goes on: {failed} that failed, and what comes after them, run again; {kept} that succeeded is kept as it is.',
              words,
            )
          : t(
              'The same workflow goes on: {failed} that failed, and what comes after them, run again; {kept} that succeeded are kept as they are.',
              words,
            )
      } ${
        archived
          ? t('Pods that failed are deleted with their logs; it comes back from the archive.')
          : t('Pods that failed are deleted with their logs.')
      }`,
    };
    const resubmit: VerbWords = {
      verb: 'resubmit',
      title: t('Resubmit'),
      says: t('A new workflow with the same spec and parameters begins from its first step. This one stays as it is.'),
    };
    return phase === 'Succeeded' ? [resubmit] : [retry, resubmit];
  }
  const running = count((node) => isPod(node) && (node.phase === 'Running' || node.phase === 'Pending'));
  const waiting = count(waitsForSomebody);
  const now = { nodes: pods(running) };
  const wait = { nodes: pods(waiting) };
  const resumed = [
    suspended ? t('New nodes are started again') : '',
    waiting === 1 ? t('{nodes} that waits for this go on', wait) : '',
    waiting > 1 ? t('{nodes} that wait for this go on', wait) : '',
  ];
  const verbs: VerbWords[] = [];
  if (suspended || waiting > 0)
    verbs.push({
      verb: 'resume',
      title: t('Resume'),
      says: t('{what}.', { what: resumed.filter(Boolean).join('; ') }),
    });
  if (!suspended)
    verbs.push({
      verb: 'suspend',
      title: t('Suspend'),
      says:
        running === 1
          ? t('No new node is started until it is resumed. {nodes} that runs now ends by itself.', now)
          : t('No new node is started until it is resumed. {nodes} that run now end by themselves.', now),
    });
  verbs.push(
    {
      verb: 'stop',
      title: t('Stop'),
      says:
        running === 1
          ? t(
              '{nodes} that runs are ended, and no new one is started; exit handlers and hooks still run. The workflow fails.',
              now,
            )
          : t(
              '{nodes} that run are ended, and no new one is started; exit handlers and hooks still run. The workflow fails.',
              now,
            ),
      danger: true,
    },
    {
      verb: 'terminate',
      title: t('Terminate'),
      says:
        running === 1
          ? t('{nodes} that runs are killed at once, and exit handlers do not run. The workflow fails.', now)
          : t('{nodes} that run are killed at once, and exit handlers do not run. The workflow fails.', now),
      danger: true,
    },
  );
  return verbs;
}

/** Whether a node waits until somebody resumes it, or for a duration. */
export const waitsForSomebody = ({ type, phase }: WorkflowNode): boolean => type === 'Suspend' && phase === 'Running';

/** Why a node is as it is; empty where nothing tells. */
export function whyOf(node: WorkflowNode, nodes: readonly WorkflowNode[]): string {
  if (node.message) return node.message;
  const parents = nodes.filter(({ children }) => children.includes(node.id));
  if (node.phase === 'Pending') return t('Its pod has not begun: nothing says yet what it waits for.');
  if (node.phase === 'Omitted' || node.phase === 'Skipped') {
    const told = parents.map(({ name, phase }) => `${name} ${phase}`).join(', ');
    return told ? t('It was not run after: {nodes}.', { nodes: told }) : t('Its condition was false.');
  }
  if (waitsForSomebody(node)) return t('It waits until somebody resumes it, or for its duration.');
  const failed = nodes.filter(({ parent, phase }) => parent === node.id && (phase === 'Failed' || phase === 'Error'));
  if (failed.length > 0)
    return t('Below it failed: {nodes}.', {
      nodes: failed
        .map(({ name }) => name)
        .slice(0, 5)
        .join(', '),
    });
  return '';
}
