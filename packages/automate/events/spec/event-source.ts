import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Condition, PodTemplate } from './common.ts';

/** A port of the Service of an EventSource. */
export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly targetPort?: number | string;
  readonly protocol?: string;
}

export interface EventSource extends KubeObject {
  readonly spec: EventSourceSpec;
  status?: { conditions?: Condition[]; diagnoses?: Diagnosis[] };
}

export interface EventSourceSpec {
  readonly eventBusName?: string;
  readonly template?: PodTemplate;
  readonly service?: {
    readonly ports?: readonly ServicePort[];
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
