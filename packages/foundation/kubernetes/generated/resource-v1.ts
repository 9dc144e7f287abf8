/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.api.resource.v1 as JSON has it. */

import type * as coreV1 from './core-v1.ts';
import type * as metaV1 from './meta-v1.ts';

export interface AllocatedDeviceStatus {
  conditions?: metaV1.Condition[];
  data?: unknown;
  device?: string;
  driver?: string;
  networkData?: NetworkDeviceData;
  pool?: string;
  shareID?: string;
}

export interface AllocationResult {
  allocationTimestamp?: string;
  devices?: DeviceAllocationResult;
  nodeSelector?: coreV1.NodeSelector;
}

export interface CELDeviceSelector {
  expression?: string;
}

export interface CapacityRequestPolicy {
  default?: string;
  validRange?: CapacityRequestPolicyRange;
  validValues?: string[];
}

export interface CapacityRequestPolicyRange {
  max?: string;
  min?: string;
  step?: string;
}

export interface CapacityRequirements {
  requests?: Record<string, string>;
}

export interface Counter {
  value?: string;
}

export interface CounterSet {
  counters?: Record<string, Counter>;
  name?: string;
}

export interface Device {
  allNodes?: boolean;
  allowMultipleAllocations?: boolean;
  attributes?: Record<string, DeviceAttribute>;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  bindsToNode?: boolean;
  capacity?: Record<string, DeviceCapacity>;
  consumesCounters?: DeviceCounterConsumption[];
  name?: string;
  nodeName?: string;
  nodeSelector?: coreV1.NodeSelector;
  taints?: DeviceTaint[];
}

export interface DeviceAllocationConfiguration {
  opaque?: OpaqueDeviceConfiguration;
  requests?: string[];
  source?: string;
}

export interface DeviceAllocationResult {
  config?: DeviceAllocationConfiguration[];
  results?: DeviceRequestAllocationResult[];
}

export interface DeviceAttribute {
  bool?: boolean;
  int?: number;
  string?: string;
  version?: string;
}

export interface DeviceCapacity {
  requestPolicy?: CapacityRequestPolicy;
  value?: string;
}

export interface DeviceClaim {
  config?: DeviceClaimConfiguration[];
  constraints?: DeviceConstraint[];
  requests?: DeviceRequest[];
}

export interface DeviceClaimConfiguration {
  opaque?: OpaqueDeviceConfiguration;
  requests?: string[];
}

export interface DeviceClass {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: DeviceClassSpec;
}

export interface DeviceClassConfiguration {
  opaque?: OpaqueDeviceConfiguration;
}

export interface DeviceClassList {
  apiVersion?: string;
  items?: DeviceClass[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface DeviceClassSpec {
  config?: DeviceClassConfiguration[];
  extendedResourceName?: string;
  selectors?: DeviceSelector[];
}

export interface DeviceConstraint {
  distinctAttribute?: string;
  matchAttribute?: string;
  requests?: string[];
}

export interface DeviceCounterConsumption {
  counterSet?: string;
  counters?: Record<string, Counter>;
}

export interface DeviceRequest {
  exactly?: ExactDeviceRequest;
  firstAvailable?: DeviceSubRequest[];
  name?: string;
}

export interface DeviceRequestAllocationResult {
  adminAccess?: boolean;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  consumedCapacity?: Record<string, string>;
  device?: string;
  driver?: string;
  pool?: string;
  request?: string;
  shareID?: string;
  tolerations?: DeviceToleration[];
}

export interface DeviceSelector {
  cel?: CELDeviceSelector;
}

export interface DeviceSubRequest {
  allocationMode?: string;
  capacity?: CapacityRequirements;
  count?: number;
  deviceClassName?: string;
  name?: string;
  selectors?: DeviceSelector[];
  tolerations?: DeviceToleration[];
}

export interface DeviceTaint {
  effect?: string;
  key?: string;
  timeAdded?: string;
  value?: string;
}

export interface DeviceToleration {
  effect?: string;
  key?: string;
  operator?: string;
  tolerationSeconds?: number;
  value?: string;
}

export interface ExactDeviceRequest {
  adminAccess?: boolean;
  allocationMode?: string;
  capacity?: CapacityRequirements;
  count?: number;
  deviceClassName?: string;
  selectors?: DeviceSelector[];
  tolerations?: DeviceToleration[];
}

export interface NetworkDeviceData {
  hardwareAddress?: string;
  interfaceName?: string;
  ips?: string[];
}

export interface OpaqueDeviceConfiguration {
  driver?: string;
  parameters?: unknown;
}

export interface ResourceClaim {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: ResourceClaimSpec;
  status?: ResourceClaimStatus;
}

export interface ResourceClaimConsumerReference {
  apiGroup?: string;
  name?: string;
  resource?: string;
  uid?: string;
}

export interface ResourceClaimList {
  apiVersion?: string;
  items?: ResourceClaim[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface ResourceClaimSpec {
  devices?: DeviceClaim;
}

export interface ResourceClaimStatus {
  allocation?: AllocationResult;
  devices?: AllocatedDeviceStatus[];
  reservedFor?: ResourceClaimConsumerReference[];
}

export interface ResourceClaimTemplate {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: ResourceClaimTemplateSpec;
}

export interface ResourceClaimTemplateList {
  apiVersion?: string;
  items?: ResourceClaimTemplate[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface ResourceClaimTemplateSpec {
  metadata?: metaV1.ObjectMeta;
  spec?: ResourceClaimSpec;
}

export interface ResourcePool {
  generation?: number;
  name?: string;
  resourceSliceCount?: number;
}

export interface ResourceSlice {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: ResourceSliceSpec;
}

export interface ResourceSliceList {
  apiVersion?: string;
  items?: ResourceSlice[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface ResourceSliceSpec {
  allNodes?: boolean;
  devices?: Device[];
  driver?: string;
  nodeName?: string;
  nodeSelector?: coreV1.NodeSelector;
  perDeviceNodeSelection?: boolean;
  pool?: ResourcePool;
  sharedCounters?: CounterSet[];
}
