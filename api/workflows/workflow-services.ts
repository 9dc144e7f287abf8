import { ArtifactService } from '../generated/argocd/flow/artifact_pb.js';
import { ClusterWorkflowTemplateService } from '../generated/argocd/flow/cluster-workflow-template_pb.js';
import { CronWorkflowService } from '../generated/argocd/flow/cron-workflow_pb.js';
import { EventService } from '../generated/argocd/flow/event_pb.js';
import { EventSourceService } from '../generated/argocd/flow/eventsource_pb.js';
import { InfoService } from '../generated/argocd/flow/info_pb.js';
import { SensorService } from '../generated/argocd/flow/sensor_pb.js';
import { SyncService } from '../generated/argocd/flow/sync_pb.js';
import { WorkflowService } from '../generated/argocd/flow/workflow_pb.js';
import { ArchivedWorkflowService } from '../generated/argocd/flow/workflow-archive_pb.js';
import { WorkflowTemplateService } from '../generated/argocd/flow/workflow-template_pb.js';

/** The services of Argo Workflows' API. */
export const workflowServices = {
  archive: ArchivedWorkflowService,
  clusterTemplate: ClusterWorkflowTemplateService,
  cron: CronWorkflowService,
  event: EventService,
  eventSource: EventSourceService,
  info: InfoService,
  sensor: SensorService,
  sync: SyncService,
  template: WorkflowTemplateService,
  workflow: WorkflowService,
} as const;

export type WorkflowServices = typeof workflowServices;

/** What is spoken with artifact plugins, over unix sockets. */
export const artifactServices = { artifact: ArtifactService } as const;

export type ArtifactServices = typeof artifactServices;
