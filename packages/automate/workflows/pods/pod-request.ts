import type { MachineSettings } from '../model/settings.ts';
import type { ArtifactRepository, Container, NodeStatus, Template, Volume, WorkflowSpec } from '../model/types.ts';
import type { Variables } from '../text/variables.ts';

/** All that the manifest of a node's pod rests on. */
export interface PodRequest {
  readonly podName: string;
  readonly nodeName: string;
  readonly nodeId: string;
  readonly namespace: string;
  readonly workflow: { readonly name: string; readonly uid: string };
  /** With all values put in. */
  readonly template: Template;
  /** What the user wants to run: one container, or those of a container set. */
  readonly mainContainers: readonly Container[];
  readonly spec: WorkflowSpec;
  readonly globals: Variables;
  readonly volumes: readonly Volume[];
  /** Volumes of claims that were made for the workflow. */
  readonly claims: readonly Volume[];
  readonly repository: ArtifactRepository | undefined;
  readonly settings: MachineSettings;
  readonly now: number;
  /** Milliseconds; for the pod's own deadline. */
  readonly workflowDeadline: number | undefined;
  /** When attempts of a retry must have ended; milliseconds. */
  readonly attemptsDeadline: number | undefined;
  /** When the template's `timeout` ends; milliseconds. */
  readonly timeoutDeadline: number | undefined;
  readonly isOnExit: boolean;
  readonly includeOutput: boolean;
  /** The steps or DAG around the node: its scheduling rules apply where the template has none. */
  readonly boundary: Template | undefined;
  /** Nodes on which attempts failed, if the retry strategy wants others. */
  readonly avoidHosts: readonly string[];
  readonly node: NodeStatus;
  /** The command of an image that does not say what to run. Throws if it is unknown. */
  imageCommand(image: string): { entrypoint?: string[]; cmd?: string[] };
}

/** A pod cannot be made as asked; the message is what its node shows. */
export class PodRequestError extends Error {
  override name = 'OperationError';
}

export const paths = {
  run: '/var/run/argo',
  inputs: '/argo/inputs/artifacts',
  mirror: '/mainctrfs',
  staging: '/argo/staging',
  script: '/argo/staging/script',
  secrets: '/argo/secret',
  config: '/argo/config',
} as const;

/** Environment variables and arguments above this size go by a ConfigMap, in bytes. */
export const largestText = 131_072;
