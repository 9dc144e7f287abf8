export const tables = {
  archive: 'argo_archived_workflows',
  labels: 'argo_archived_workflows_labels',
} as const;
