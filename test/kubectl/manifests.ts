/** A Deployment and its Service, as people keep them in one file. */
export const shop = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  labels: {app: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
      - name: web
        image: nginx:1.27
        ports: [{containerPort: 80, name: http}]
---
apiVersion: v1
kind: Service
metadata: {name: shop}
spec:
  selector: {app: shop}
  ports: [{port: 80, targetPort: http}]
`;

/** A pod that runs a line of shell. */
export function pod(name: string, script: string, restartPolicy = 'Always'): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: { restartPolicy, containers: [{ name: 'main', image: 'busybox:1.36', command: ['sh', '-c', script] }] },
  });
}

export function job(name: string, script: string, backoffLimit = 0): string {
  return JSON.stringify({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      backoffLimit,
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'main', image: 'busybox:1.36', command: ['sh', '-c', script] }],
        },
      },
    },
  });
}

export function statefulSet(name: string, replicas: number): string {
  return `apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec:
  clusterIP: None
  selector: {app: ${name}}
  ports: [{port: 5432}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: ${name}}
spec:
  serviceName: ${name}
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
      - name: db
        image: postgres:17
`;
}
