import type { Diagnosis } from '@tiphys/diagnosis';
import { unpackNodes } from '../controller/persistence/nodes-codec.ts';
import type { Workflow } from '../model/types.ts';
import { explainNodes } from '../trouble/explain-nodes.ts';

/** What is wrong with a workflow as it is stored, or what it waits for; its nodes may be packed. */
export const explainWorkflow = (stored: Workflow): Diagnosis[] => explainNodes(unpackNodes(stored));
