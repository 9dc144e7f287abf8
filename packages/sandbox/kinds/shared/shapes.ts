import type { KubeObject, LabelSelector, ObjectMeta } from '@tiphys/kubernetes';

/** The parts of the built-in kinds that defaulting, validation and tables look at. Decoding has checked the types. */
export interface Container {
  name: string;
  image?: string;
  ports?: { name?: string; containerPort: number; hostPort?: number; protocol?: string }[];
  env?: { name: string; value?: string; valueFrom?: { fieldRef?: { apiVersion?: string; fieldPath?: string } } }[];
  resources?: { limits?: Record<string, string>; requests?: Record<string, string> };
  volumeMounts?: { name: string; mountPath?: string; readOnly?: boolean }[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { postStart?: { httpGet?: HttpGet }; preStop?: { httpGet?: HttpGet } };
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  imagePullPolicy?: string;
  restartPolicy?: string;
  resizePolicy?: { resourceName?: string; restartPolicy?: string }[];
  securityContext?: { procMount?: string };
}

export interface HttpGet {
  path?: string;
  port?: string | number;
  scheme?: string;
}

export interface Probe {
  exec?: object;
  httpGet?: HttpGet;
  tcpSocket?: object;
  grpc?: { service?: string | null };
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
}

export interface Volume {
  name: string;
  [source: string]: unknown;
}

export interface PodSpec {
  volumes?: Volume[];
  initContainers?: Container[];
  containers?: Container[];
  ephemeralContainers?: Container[];
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  dnsPolicy?: string;
  dnsConfig?: object;
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean;
  nodeName?: string;
  hostNetwork?: boolean;
  securityContext?: object;
  imagePullSecrets?: { name: string }[];
  schedulerName?: string;
  tolerations?: { key?: string; operator?: string; value?: string; effect?: string; tolerationSeconds?: number }[];
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
  enableServiceLinks?: boolean;
  schedulingGates?: { name: string }[];
  readinessGates?: { conditionType: string }[];
  topologySpreadConstraints?: object[];
}

export interface PodTemplate {
  metadata?: ObjectMeta;
  spec: PodSpec;
}

interface ServicePort {
  name?: string;
  protocol?: string;
  appProtocol?: string;
  port: number;
  targetPort?: string | number;
  nodePort?: number;
}

export interface ServiceSpec {
  ports?: ServicePort[];
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[];
  type?: string;
  externalIPs?: string[];
  sessionAffinity?: string;
  sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
  loadBalancerIP?: string;
  externalName?: string;
  externalTrafficPolicy?: string;
  internalTrafficPolicy?: string;
  healthCheckNodePort?: number;
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerClass?: string;
  loadBalancerSourceRanges?: string[];
  trafficDistribution?: string;
}

export interface Workload extends KubeObject {
  spec: {
    replicas?: number;
    selector?: LabelSelector;
    template: PodTemplate;
    [field: string]: unknown;
  };
}

export interface PodObject extends KubeObject {
  spec: PodSpec;
  status?: Record<string, unknown>;
}
