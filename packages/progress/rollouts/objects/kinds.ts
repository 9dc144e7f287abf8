import type { AnalysisRun } from '@tiphys/analysis';
import type { KubeObject } from '@tiphys/kubernetes';

export interface Service extends KubeObject {
  spec: {
    selector?: Record<string, string>;
    ports?: readonly { name?: string; port?: number; targetPort?: number | string }[];
    [key: string]: unknown;
  };
}

export interface Pod extends KubeObject {
  spec?: { nodeName?: string; [key: string]: unknown };
  status?: {
    phase?: string;
    conditions?: { type: string; status: string; lastTransitionTime?: string; reason?: string; message?: string }[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  };
}

export interface ContainerStatus {
  name: string;
  image?: string;
  ready?: boolean;
  restartCount?: number;
  state?: {
    waiting?: { reason?: string; message?: string };
    terminated?: { reason?: string; message?: string; exitCode?: number };
    running?: Record<string, unknown>;
  };
  /** How it ended before its last start. */
  lastState?: { terminated?: { reason?: string; message?: string; exitCode?: number } };
}

/** The analyses that a Rollout's status names. */
export interface CurrentRuns {
  step?: AnalysisRun;
  background?: AnalysisRun;
  prePromotion?: AnalysisRun;
  postPromotion?: AnalysisRun;
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  return (
    object.metadata.ownerReferences?.some(({ controller, uid }) => controller && uid === owner.metadata.uid) ?? false
  );
}

export function ownedBy(owner: KubeObject): NonNullable<KubeObject['metadata']['ownerReferences']> {
  return [
    {
      apiVersion: owner.apiVersion,
      kind: owner.kind,
      name: owner.metadata.name ?? '',
      uid: owner.metadata.uid ?? '',
      controller: true,
      blockOwnerDeletion: true,
    },
  ];
}
