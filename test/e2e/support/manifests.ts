/** A ConfigMap with one key. */
export function configMap(name: string, value: string, annotations: Readonly<Record<string, string>> = {}): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  annotations: ${JSON.stringify(annotations)}\ndata:\n  value: "${value}"\n`;
}

/** A Deployment whose pods the simulated nodes run. */
export function deployment(
  name: string,
  options: {
    replicas?: number;
    image?: string;
    annotations?: Readonly<Record<string, string>>;
    podAnnotations?: Readonly<Record<string, string>>;
  } = {},
): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  annotations: ${JSON.stringify(options.annotations ?? {})}
spec:
  replicas: ${options.replicas ?? 1}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata:
      labels: {app: ${name}}
      annotations: ${JSON.stringify(options.podAnnotations ?? {})}
    spec:
      containers:
      - name: main
        image: ${options.image ?? 'registry.example/app:1'}
`;
}
