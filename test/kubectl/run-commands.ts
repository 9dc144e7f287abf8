import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CommandCase, Step } from './command-cases.ts';
import { type KubectlSession, startSession } from './kubectl.ts';

/** What was recorded of a real cluster. */
export const recordedFile = join(import.meta.dirname, 'recorded.json.gz');

/** What a command line printed, with what differs from run to run made the same. */
export interface Printed {
  readonly run: string;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a case's command lines in a namespace of their own, on the cluster of the tier. */
export async function runCommands(commands: CommandCase): Promise<Printed[]> {
  const session = await startSession(`commands-${commands.name}`);
  const printed: Printed[] = [];
  try {
    for (const given of commands.steps) {
      const step: Step = typeof given === 'string' ? { run: given } : given;
      const filled = (text: string) =>
        text.replaceAll('NAMESPACE', session.namespace).replaceAll('FOLDER', session.folder);
      for (const [name, text] of Object.entries(step.files ?? {})) {
        const file = join(session.folder, name);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, filled(text));
      }
      const attempt = () =>
        session.attempt(words(step.run).map(filled), {
          input: filled(step.input ?? ''),
          env: { ...step.env, ...(step.editor === undefined ? {} : { KUBE_EDITOR: editorOf(session, step.editor) }) },
        });
      let answer = await attempt();
      // what kubectl writes there are whole seconds, and it asks for a new one
      while (answer.stderr.includes('triggered within the past second')) answer = await attempt();
      const { code, stdout, stderr } = answer;
      if (!step.quiet)
        printed.push({ run: step.run, code, stdout: normal(stdout, session), stderr: normal(stderr, session) });
      else if (code !== 0) throw new Error(`kubectl ${step.run} ended with ${code}: ${stderr}`);
    }
  } finally {
    await session.close();
  }
  return printed;
}

/** Words of a command line; single quotes hold what is between them together. */
function words(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));
}

function editorOf({ folder }: KubectlSession, script: string): string {
  const file = join(folder, 'editor.sh');
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  return file;
}

function normal(text: string, { namespace, folder }: KubectlSession): string {
  return (
    text
      .replaceAll(namespace, '<namespace>')
      .replaceAll(folder, '<folder>')
      .replace(/\/tmp\/kubectl-edit-\d+\.\w+/g, '<file>')
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '<time>')
      .replace(/(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>')
      .replace(/(resourceVersion"?: )"\d+"/g, '$1"<revision>"')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, '<time>')
      .replace(/^[WEI]\d{4} [\d:.]+ +\d+ /gm, '<log> ')
      // told if the time of a `wait` is over while kubectl asks for its watch
      .replace(/^<log> reflector\.go.*context deadline exceeded.*\n/gm, '')
      .replace(/(TargetPort: +)\d+/g, '$1<port>')
      .replace(/(Resource Version: +)\d+/g, '$1<revision>')
      .replace(/(resource version to be \d+, was) \d+/g, '$1 <revision>')
      .replace(/(resourceVersion\\":)\\"\d+/g, '$1<revision>')
      .replace(/https:\/\/127\.0\.0\.1:\d+/g, '<server>')
      .replace(/127\.0\.0\.1:\d+/g, '<server>')
      // a kube-apiserver that listens on the loopback names no endpoints of its own
      .replace(/^(Endpoints: +)<server>$/gm, '$1<none>')
      .replace(/\b10\.244\.\d+\.\d+\b/g, '<pod address>')
      .replace(/containerd:\/\/[0-9a-f]{64}/g, 'containerd://<hash>')
      .replace(/\b10\.96\.\d+\.\d+\b/g, '<address>')
      .replace(/\b(\d+):3[0-2]\d{3}\//g, '$1:<port>/')
      .replace(/(nodePort"?: )\d+/g, '$1<port>')
      .replace(/(NodePort: +\S+ {2})\d+/g, '$1<port>')
      // the administrator's name
      .replace(/\b(kubernetes-)?admin$/gm, '<admin>')
      .replace(/(?<=kube-apiserver-client|\/own)( +)(kubernetes-)?admin(?= )/g, '$1<admin>')
      .replace(/^(UID| *uid:) +<admin>\n/gm, '')
      .replace(/kube-api-access-\w{5}/g, 'kube-api-access-<random>')
      .replace(/\b(shop|web|gen)-(?=\w*\d)[a-z0-9]{5,10}(-[a-z0-9]{5})?\b/g, '$1-<random>')
      .replace(/(pod-template-hash"?[=:] *"?)[a-z0-9]{6,10}/g, '$1<hash>')
      .replace(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g, '<certificate>')
      .replace(/(?<=\s)(\d+(y|d|h|m|s))+(?=\s|$)/g, '<age>')
      .replace(/<invalid>/g, '<age>')
      // differences in the words of Go's own structs
      .replace(/\n@@ [\s\S]*$/, '\n')
      .replace(/\n{2,}/g, '\n')
      .replace(/patch: Invalid value: "\{.*?\}":/gs, 'patch: Invalid value: "…":')
      .replaceAll('<certificate>\\r\\n', '<certificate>\\n')
      // columns are as wide as their widest cell
      .replace(/ {2,}/g, '  ')
      .replace(/-{5,}/g, '-----')
      .replace(/[ \t]+$/gm, '')
  );
}
