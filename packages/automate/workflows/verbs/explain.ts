import { names } from '@tiphys/api';
import { type Diagnosis, deliveryNotices } from '@tiphys/diagnosis';
import { unpackNodes } from '../controller/persistence/nodes-codec.ts';
import type { Workflow } from '../model/types.ts';
import { explainNodes } from '../trouble/explain-nodes.ts';

/**
 * What is wrong with a workflow as it is stored, or what it waits for, and what keeps its notifications from being delivered; its
 * nodes may be packed.
 */
export const explainWorkflow = (stored: Workflow): Diagnosis[] => [
  ...explainNodes(unpackNodes(stored)),
  ...notificationNotices(stored),
];

const notificationNotices = ({ metadata: { namespace, name, annotations } }: Workflow): Diagnosis[] =>
  deliveryNotices({
    object: `argoproj.io/Workflow ${namespace}/${name}`,
    outbox: annotations?.[names.annotations.notificationOutbox],
    problems: annotations?.[names.annotations.notificationProblems],
  });
