import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Condition, PodTemplate } from './common.ts';

export interface EventSource extends KubeObject {
  readonly spec: EventSourceSpec;
  status?: { conditions?: Condition[]; diagnoses?: Diagnosis[] };
}

export interface EventSourceSpec {
  readonly eventBusName?: string;
  readonly template?: PodTemplate;
  readonly service?: {
    readonly ports?: readonly unknown[];
    readonly clusterIP?: string;
    readonly metadata?: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
    };
  };
  readonly replicas?: number;
  /** By type, and then by name of the event. */
  readonly [type: string]: unknown;
}
