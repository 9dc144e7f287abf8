import type { Client, Clock, KubeObject } from '@tiphys/kubernetes';
import type { PluginHost } from '@tiphys/step-plugins';
import type { LoadBalancers } from '../aws/load-balancers.ts';

export interface StringMatch {
  exact?: string;
  prefix?: string;
  regex?: string;
}

export interface SetHeaderRoute {
  name?: string;
  match?: { headerName: string; headerValue: StringMatch }[];
}

export interface RouteMatch {
  method?: StringMatch;
  path?: StringMatch;
  headers?: Record<string, StringMatch>;
}

export interface SetMirrorRoute {
  name: string;
  match?: RouteMatch[];
  percentage?: number;
}

export interface WeightDestination {
  weight: number;
  serviceName?: string;
  podTemplateHash?: string;
}

export interface PingPong {
  pingService: string;
  pongService: string;
}

export interface IstioVirtualServiceRef {
  name: string;
  routes?: string[];
  tlsRoutes?: { port?: number; sniHosts?: string[] }[];
  tcpRoutes?: { port?: number }[];
}

export interface IstioRouting {
  virtualService?: IstioVirtualServiceRef;
  virtualServices?: IstioVirtualServiceRef[];
  destinationRule?: {
    name: string;
    canarySubsetName: string;
    stableSubsetName: string;
    additionalSubsetNames?: string[];
  };
}

export interface NginxRouting {
  annotationPrefix?: string;
  stableIngress?: string;
  stableIngresses?: string[];
  additionalIngressAnnotations?: Record<string, string>;
  canaryIngressAnnotations?: Record<string, string>;
}

export interface AlbRouting {
  ingress?: string;
  ingresses?: string[];
  servicePort: number;
  rootService?: string;
  annotationPrefix?: string;
  stickinessConfig?: { enabled: boolean; durationSeconds: number };
}

export interface AppMeshRouting {
  virtualService?: { name: string; routes?: string[] };
  virtualNodeGroup?: { canaryVirtualNodeRef: { name: string }; stableVirtualNodeRef: { name: string } };
}

/** `strategy.canary.trafficRouting`. */
export interface TrafficRouting {
  istio?: IstioRouting;
  nginx?: NginxRouting;
  alb?: AlbRouting;
  smi?: { rootService?: string; trafficSplitName?: string };
  ambassador?: { mappings: string[] };
  traefik?: { weightedTraefikServiceName: string };
  appMesh?: AppMeshRouting;
  apisix?: { route?: { name: string; rules?: string[] } };
  /** Configuration by the name of a traffic-router plugin. */
  plugins?: Record<string, unknown>;
  managedRoutes?: { name: string }[];
  /** 100 if absent. */
  maxTrafficWeight?: number;
}

export interface AwsResourceRef {
  name: string;
  arn: string;
  fullName: string;
}

export interface AlbStatus {
  loadBalancer?: AwsResourceRef;
  canaryTargetGroup?: AwsResourceRef;
  stableTargetGroup?: AwsResourceRef;
  ingress?: string;
}

/** What the routers read of a Rollout; the whole object is given to plugins. */
export interface RoutedRollout extends KubeObject {
  spec: {
    strategy: {
      canary?: {
        canaryService?: string;
        stableService?: string;
        pingPong?: PingPong;
        trafficRouting?: TrafficRouting;
        [key: string]: unknown;
      };
      [key: string]: unknown;
    };
    [key: string]: unknown;
  };
  status?: {
    alb?: AlbStatus;
    albs?: AlbStatus[];
    canary?: {
      stablePingPong?: 'ping' | 'pong' | '';
      weights?: {
        canary: WeightDestination;
        stable: WeightDestination;
        additional?: WeightDestination[];
        verified?: boolean;
      };
      [key: string]: unknown;
    };
    [key: string]: unknown;
  };
}

/** Versions and classes that flags of the controller set; the defaults are upstream's. */
export interface TrafficSettings {
  istioApiVersion: string;
  ambassadorApiVersion: string;
  smiApiVersion: string;
  appMeshApiVersion: string;
  traefikApiVersion: string;
  apisixApiVersion: string;
  nginxIngressClasses: readonly string[];
  albIngressClasses: readonly string[];
  /** Tag of a target group with the Service that it belongs to. */
  albTagKeyResourceId: string;
  targetGroupBindingApiVersion: string;
}

/** What a router needs of the controller for one pass over one Rollout. */
export interface RoutingContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly rollout: RoutedRollout;
  readonly settings: TrafficSettings;
  readonly plugins: PluginHost;
  readonly signal: AbortSignal;
  /** The ReplicaSets of the Rollout; Istio's subsets do not point at those whose pods are not there yet. */
  readonly replicaSets?: readonly KubeObject[];
  /** The Rollout is aborted or goes back to stable with a stable that scales with the weight: the canary may be short of pods. */
  readonly returnsToStable?: boolean;
  /** What AWS serves is read back from these; absent if it is not to be verified. */
  readonly loadBalancers?: LoadBalancers;
  /** A step sets a weight, or the update is at its end: only then load balancers are asked, which have limits of requests. */
  readonly verifiesWeights?: boolean;
  /** Takes what was found of the load balancers, for the Rollout's status. */
  readonly noteAlbs?: (albs: readonly AlbStatus[]) => void;
  /** Asks for another pass after so many milliseconds. */
  readonly requeueIn?: (delay: number) => void;
  /** Records a Kubernetes Event about the Rollout. */
  event(type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/**
 * One traffic router of a Rollout. Every method reads the live objects, writes only what differs, and throws a `DiagnosisError`
 * whose sentence is upstream's where upstream has one.
 */
export interface TrafficRouter {
  /** `Istio`, `Nginx`, `ALB`, `SMI`, `Ambassador`, `Traefik`, `AppMesh`, `Apisix`, or the plugin's own word. */
  readonly type: string;
  /** Tells the hashes of the canary's and stable's pods: subsets and virtual nodes select them. */
  updateHash(canaryHash: string, stableHash: string, additional?: readonly WeightDestination[]): Promise<void>;
  /** Sets the canary's weight, out of `maxTrafficWeight`; additional destinations take theirs from the stable's. */
  setWeight(weight: number, additional?: readonly WeightDestination[]): Promise<void>;
  /** No match removes the route. */
  setHeaderRoute(route: SetHeaderRoute): Promise<void>;
  setMirrorRoute(route: SetMirrorRoute): Promise<void>;
  /** Whether the router serves the weight; undefined if it cannot tell. */
  verifyWeight(weight: number, additional?: readonly WeightDestination[]): Promise<boolean | undefined>;
  /** Removes the routes of `managedRoutes`. */
  removeManagedRoutes(): Promise<void>;
}
