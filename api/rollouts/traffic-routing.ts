/** `spec.strategy.canary.trafficRouting`: several routers may be set at once. */
export interface TrafficRouting {
  istio?: IstioTrafficRouting;
  nginx?: NginxTrafficRouting;
  alb?: AlbTrafficRouting;
  smi?: { rootService?: string; trafficSplitName?: string };
  ambassador?: { mappings: string[] };
  appMesh?: AppMeshTrafficRouting;
  traefik?: { weightedTraefikServiceName: string };
  apisix?: { route?: { name: string; rules?: string[] } };
  /** In order of precedence. */
  managedRoutes?: { name: string }[];
  /** Configuration by name of the plugin. */
  plugins?: Record<string, unknown>;
  /** 100 if absent. */
  maxTrafficWeight?: number;
}

export interface IstioTrafficRouting {
  virtualService?: IstioVirtualService;
  virtualServices?: IstioVirtualService[];
  destinationRule?: {
    name: string;
    canarySubsetName: string;
    stableSubsetName: string;
    additionalSubsetNames?: string[];
  };
}

export interface IstioVirtualService {
  name: string;
  routes?: string[];
  tlsRoutes?: { port?: number; sniHosts?: string[] }[];
  tcpRoutes?: { port?: number }[];
}

export interface NginxTrafficRouting {
  annotationPrefix?: string;
  stableIngress?: string;
  stableIngresses?: string[];
  additionalIngressAnnotations?: Record<string, string>;
  canaryIngressAnnotations?: Record<string, string>;
}

export interface AlbTrafficRouting {
  ingress?: string;
  ingresses?: string[];
  servicePort: number;
  rootService?: string;
  annotationPrefix?: string;
  stickinessConfig?: { enabled: boolean; durationSeconds: number };
}

export interface AppMeshTrafficRouting {
  virtualService?: { name: string; routes?: string[] };
  virtualNodeGroup?: {
    canaryVirtualNodeRef?: { name: string };
    stableVirtualNodeRef?: { name: string };
  };
}
