import { templateOf } from '../model/node-names.ts';
import type { Operation } from '../operation/operation.ts';
import { podNameOf } from './execute-template.ts';

/** Ends the daemons that belong to a template which has ended; '' means those of the workflow itself. */
export function stopDaemons(op: Operation, boundaryId: string): void {
  for (const node of op.nodesWithin(boundaryId)) {
    if (!node.daemoned) continue;
    op.actions.push({
      kind: 'terminate-pod',
      pod: podNameOf(op, node.name, { name: templateOf(node) }),
      isForced: false,
    });
    node.phase = 'Succeeded';
    node.finishedAt ??= op.timestamp;
    delete node.daemoned;
  }
}
