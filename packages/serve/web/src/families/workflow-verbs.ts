import type { Workflow, WorkflowNode } from '../api/families.ts';
import type { WorkflowVerb } from '../api/flow.ts';

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
  const pods = (number: number) => (number === 1 ? '1 node' : `${number} nodes`);
  const isPod = ({ type }: WorkflowNode) => type === 'Pod';
  if (ended.has(phase)) {
    const failed = count((node) => isPod(node) && (node.phase === 'Failed' || node.phase === 'Error'));
    const kept = count((node) => isPod(node) && node.phase === 'Succeeded');
    const retry: VerbWords = {
      verb: 'retry',
      title: 'Retry',
      says: `The same workflow goes on: ${pods(failed)} that failed, and what comes after them, run again; ${pods(kept)} that succeeded ${kept === 1 ? 'is' : 'are'} kept as ${kept === 1 ? 'it is' : 'they are'}. Pods that failed are deleted with their logs${archived ? '; it comes back from the archive' : ''}.`,
    };
    const resubmit: VerbWords = {
      verb: 'resubmit',
      title: 'Resubmit',
      says: 'A new workflow with the same spec and parameters begins from its first step. This one stays as it is.',
    };
    return phase === 'Succeeded' ? [resubmit] : [retry, resubmit];
  }
  const running = count((node) => isPod(node) && (node.phase === 'Running' || node.phase === 'Pending'));
  const waiting = count(({ type, phase: own }) => type === 'Suspend' && own === 'Running');
  const verbs: VerbWords[] = [];
  if (suspended || waiting > 0)
    verbs.push({
      verb: 'resume',
      title: 'Resume',
      says: `${suspended ? 'New nodes are started again' : ''}${suspended && waiting > 0 ? '; ' : ''}${waiting > 0 ? `${pods(waiting)} that wait${waiting === 1 ? 's' : ''} for this go on` : ''}.`,
    });
  if (!suspended)
    verbs.push({
      verb: 'suspend',
      title: 'Suspend',
      says: `No new node is started until it is resumed. ${pods(running)} that run${running === 1 ? 's' : ''} now end${running === 1 ? 's' : ''} by ${running === 1 ? 'itself' : 'themselves'}.`,
    });
  verbs.push(
    {
      verb: 'stop',
      title: 'Stop',
      says: `${pods(running)} that run${running === 1 ? 's' : ''} are ended, and no new one is started; exit handlers and hooks still run. The workflow fails.`,
      danger: true,
    },
    {
      verb: 'terminate',
      title: 'Terminate',
      says: `${pods(running)} that run${running === 1 ? 's' : ''} are killed at once, and exit handlers do not run. The workflow fails.`,
      danger: true,
    },
  );
  return verbs;
}

/** What is to be resumed, stopped and so on in the words of a button of a suspended node. */
export function whyOf(node: WorkflowNode, nodes: readonly WorkflowNode[]): string {
  if (node.message) return node.message;
  const parents = nodes.filter(({ children }) => children.includes(node.id));
  if (node.phase === 'Pending') return 'Its pod has not begun: nothing says yet what it waits for.';
  if (node.phase === 'Omitted' || node.phase === 'Skipped') {
    const told = parents.map(({ name, phase }) => `${name} ${phase}`).join(', ');
    return told ? `It was not run after: ${told}.` : 'Its condition was false.';
  }
  if (node.type === 'Suspend' && node.phase === 'Running')
    return 'It waits until somebody resumes it, or for its duration.';
  const failed = nodes.filter(({ parent, phase }) => parent === node.id && (phase === 'Failed' || phase === 'Error'));
  if (failed.length > 0)
    return `Below it failed: ${failed
      .map(({ name }) => name)
      .slice(0, 5)
      .join(', ')}.`;
  return '';
}
