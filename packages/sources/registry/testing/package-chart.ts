import { writeArchive } from '../archive/write-archive.ts';

/** A packaged chart of these files, by their path inside the chart; a Chart.yaml is made if none is given. */
export function packageChart(
  name: string,
  version: string,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Buffer {
  const all: Record<string, string | Uint8Array> = {
    'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\n`,
    'templates/config.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-{{ .Chart.Name }}\ndata:\n  version: {{ .Chart.Version | quote }}\n`,
    ...files,
  };
  return writeArchive(
    Object.entries(all).map(([path, data]) => ({
      name: `${name}/${path}`,
      data: typeof data === 'string' ? Buffer.from(data) : data,
    })),
  );
}
