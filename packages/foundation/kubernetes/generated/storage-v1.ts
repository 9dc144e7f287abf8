/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.api.storage.v1 as JSON has it. */

import type * as coreV1 from './core-v1.ts';
import type * as metaV1 from './meta-v1.ts';

export interface CSIDriver {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: CSIDriverSpec;
}

export interface CSIDriverList {
  apiVersion?: string;
  items?: CSIDriver[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface CSIDriverSpec {
  attachRequired?: boolean;
  fsGroupPolicy?: string;
  nodeAllocatableUpdatePeriodSeconds?: number;
  podInfoOnMount?: boolean;
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  storageCapacity?: boolean;
  tokenRequests?: TokenRequest[];
  volumeLifecycleModes?: string[];
}

export interface CSINode {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: CSINodeSpec;
}

export interface CSINodeDriver {
  allocatable?: VolumeNodeResources;
  name?: string;
  nodeID?: string;
  topologyKeys?: string[];
}

export interface CSINodeList {
  apiVersion?: string;
  items?: CSINode[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface CSINodeSpec {
  drivers?: CSINodeDriver[];
}

export interface CSIStorageCapacity {
  apiVersion?: string;
  capacity?: string;
  kind?: string;
  maximumVolumeSize?: string;
  metadata?: metaV1.ObjectMeta;
  nodeTopology?: metaV1.LabelSelector;
  storageClassName?: string;
}

export interface CSIStorageCapacityList {
  apiVersion?: string;
  items?: CSIStorageCapacity[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface StorageClass {
  allowVolumeExpansion?: boolean;
  allowedTopologies?: coreV1.TopologySelectorTerm[];
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  mountOptions?: string[];
  parameters?: Record<string, string>;
  provisioner?: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
}

export interface StorageClassList {
  apiVersion?: string;
  items?: StorageClass[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface TokenRequest {
  audience?: string;
  expirationSeconds?: number;
}

export interface VolumeAttachment {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus;
}

export interface VolumeAttachmentList {
  apiVersion?: string;
  items?: VolumeAttachment[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface VolumeAttachmentSource {
  inlineVolumeSpec?: coreV1.PersistentVolumeSpec;
  persistentVolumeName?: string;
}

export interface VolumeAttachmentSpec {
  attacher?: string;
  nodeName?: string;
  source?: VolumeAttachmentSource;
}

export interface VolumeAttachmentStatus {
  attachError?: VolumeError;
  attached?: boolean;
  attachmentMetadata?: Record<string, string>;
  detachError?: VolumeError;
}

export interface VolumeAttributesClass {
  apiVersion?: string;
  driverName?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  parameters?: Record<string, string>;
}

export interface VolumeAttributesClassList {
  apiVersion?: string;
  items?: VolumeAttributesClass[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface VolumeError {
  errorCode?: number;
  message?: string;
  time?: string;
}

export interface VolumeNodeResources {
  count?: number;
}
