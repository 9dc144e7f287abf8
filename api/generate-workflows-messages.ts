/**
 * Takes the facts of Argo Workflows' protobuf messages and services (names, numbers, types, routes, and how Go writes them as JSON)
 * from a checkout of its sources and a folder of Go modules, and writes `api/workflows/messages`. No prose is taken over.
 *
 * Run when the peer releases: `node api/generate-workflows-messages.ts CHECKOUT GO-MODULES`, then `npm run generate`.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [checkout, modules] = process.argv.slice(2);
if (!checkout || !modules)
  throw new Error('Give a checkout of Argo Workflows and a folder of Go modules, such as ~/go/pkg/mod');
const out = join(import.meta.dirname, 'workflows', 'messages');

/** Packages of messages: file that is written, folder of the Go sources. */
const packages: Readonly<Record<string, readonly [file: string, folder: string]>> = {
  'github.com.argoproj.argo_workflows.v4.pkg.apis.workflow.v1alpha1': [
    'flow/workflow-types.proto',
    join(checkout, 'pkg/apis/workflow/v1alpha1'),
  ],
  'github.com.argoproj.argo_events.pkg.apis.events.v1alpha1': [
    'flow/event-types.proto',
    join(
      modules,
      'github.com/argoproj',
      `argo-events@${versionOf('github.com/argoproj/argo-events')}`,
      'pkg/apis/events/v1alpha1',
    ),
  ],
  'k8s.io.api.core.v1': ['flow/core.proto', kubernetes('api', 'core/v1')],
  'k8s.io.api.policy.v1': ['flow/policy.proto', kubernetes('api', 'policy/v1')],
  'k8s.io.apimachinery.pkg.api.resource': ['flow/quantity.proto', kubernetes('apimachinery', 'pkg/api/resource')],
  'k8s.io.apimachinery.pkg.apis.meta.v1': ['flow/meta.proto', kubernetes('apimachinery', 'pkg/apis/meta/v1')],
  'k8s.io.apimachinery.pkg.runtime': ['flow/runtime.proto', kubernetes('apimachinery', 'pkg/runtime')],
  'k8s.io.apimachinery.pkg.util.intstr': ['flow/intstr.proto', kubernetes('apimachinery', 'pkg/util/intstr')],
};
const services = [
  'clusterworkflowtemplate/cluster-workflow-template',
  'cronworkflow/cron-workflow',
  'event/event',
  'eventsource/eventsource',
  'info/info',
  'sensor/sensor',
  'sync/sync',
  'workflow/workflow',
  'workflowarchive/workflow-archive',
  'workflowtemplate/workflow-template',
];

function versionOf(module: string): string {
  const line = readFileSync(join(checkout as string, 'go.mod'), 'utf8')
    .split('\n')
    .find((each) => each.trim().startsWith(`${module} `));
  return line?.trim().split(' ')[1] ?? '';
}

function kubernetes(module: string, folder: string): string {
  return join(modules as string, 'k8s.io', `${module}@${versionOf(`k8s.io/${module}`)}`, folder);
}

interface Tag {
  readonly inline: boolean;
  readonly always: boolean;
  readonly text: boolean;
  /** Go tells the zero value from none. */
  readonly pointer: boolean;
  readonly json: string;
}

/** How Go writes the fields of the messages of a folder, by `Message.field`. */
function tagsOf(folder: string): Map<string, Tag> {
  const tags = new Map<string, Tag>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.go') && !/generated|_test/.test(name))) {
    let struct = '';
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      struct = /^type (\w+) struct/.exec(line)?.[1] ?? struct;
      const json = /json:"([^"]*)"/.exec(line)?.[1];
      const name = /protobuf:"[^"]*name=(\w+)/.exec(line)?.[1];
      if (json === undefined || !name) continue;
      const [key = '', ...options] = json.split(',');
      const inline = options.includes('inline') || (key === '' && !json.includes('omitempty'));
      tags.set(`${struct}.${name}`, {
        inline,
        always: !inline && key !== '-' && !options.includes('omitempty') && !options.includes('omitzero'),
        text: /AnyString/.test(line),
        pointer: /^\s*\w+\s+\*/.test(line),
        json: key === '-' ? '' : key,
      });
    }
  }
  return tags;
}

const bare = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replace(/(^|\s)\/\/.*$/, '').trimEnd())
    .filter((line) => line.trim() !== '')
    .join('\n');

interface Found {
  readonly package: string;
  readonly body: string;
  readonly uses: readonly string[];
}

const messages = new Map<string, Found>();
const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The only field of these messages is their JSON. */
const whole: ReadonlySet<string> = new Set(['ParallelSteps.steps']);

for (const [name, [, folder]] of Object.entries(packages)) {
  const tags = tagsOf(folder);
  const text = bare(readFileSync(join(folder, 'generated.proto'), 'utf8'));
  for (const [, message = '', body = ''] of text.matchAll(/^message (\w+) \{\n?([^}]*)\}/gm)) {
    const uses: string[] = [];
    const lines = body.split('\n').flatMap((line) => {
      const match =
        /^\s*(optional |repeated |required )?(map<(\w+), ?([\w.]+)>|[\w.]+) (\w+) += (\d+)(?: \[.*\])?;$/.exec(line);
      if (!match && line.trim()) throw new Error(`${name}.${message} has a line that is no field: ${line}`);
      if (!match) return [];
      const [, label, type = '', mapKey, mapValue, field = '', number] = match;
      const plain = (mapValue ?? type).replace(/^\./, '');
      const isScalar = /^(string|bytes|bool|u?int(32|64)|double|float|fixed\d+|sfixed\d+)$/.test(plain);
      const full = isScalar ? plain : plain.includes('.') ? plain : `${name}.${plain}`;
      if (!isScalar) uses.push(full);
      const shown = isScalar ? plain : `.${full}`;
      const tag = tags.get(`${message}.${field}`);
      const options = [
        tag?.inline ? '(tiphys.wire.inline) = true' : '',
        tag?.always ? '(tiphys.wire.always) = true' : '',
        tag?.text ? '(tiphys.wire.text) = true' : '',
        whole.has(`${message}.${field}`) ? '(tiphys.wire.whole) = true' : '',
        tag?.pointer && isScalar && !mapKey && label !== 'repeated ' ? 'features.field_presence = EXPLICIT' : '',
        tag?.json && tag.json !== camel(field) ? `json_name = "${tag.json}"` : '',
      ].filter(Boolean);
      const kind = mapKey ? `map<${mapKey}, ${shown}>` : label === 'repeated ' ? `repeated ${shown}` : shown;
      return [`  ${kind} ${field} = ${number}${options.length > 0 ? ` [${options.join(', ')}]` : ''};`];
    });
    messages.set(`${name}.${message}`, { package: name, body: `message ${message} {\n${lines.join('\n')}\n}\n`, uses });
  }
}

/** Zero values are as good as none but for pointers. */
const goFeatures = ['field_presence = IMPLICIT', 'repeated_field_encoding = EXPANDED', 'utf8_validation = NONE']
  .map((feature) => `option features.${feature};`)
  .join('\n');
const files = new Map<string, string>();
const wanted: string[] = [];
const typeName = /\b((?:github\.com|k8s\.io)\.[\w.]+)/g;
for (const service of services) {
  const text = bare(readFileSync(join(checkout, 'pkg/apiclient', `${service}.proto`), 'utf8'));
  const own = text
    .split('\n')
    .filter((line) => !/^(import|option|syntax)/.test(line))
    .join('\n');
  const used = [...own.matchAll(typeName)].map(([, name]) => name as string);
  wanted.push(...used);
  files.set(
    `flow/${service.split('/')[1]}.proto`,
    `syntax = "proto3";\n\n${importsOf(used, ['google/api/annotations.proto'])}\n${own}\n`,
  );
}

const reached = new Set<string>();
while (wanted.length > 0) {
  const name = wanted.pop() as string;
  if (reached.has(name)) continue;
  reached.add(name);
  const found = messages.get(name);
  if (!found) throw new Error(`${name} is not in the packages that are known`);
  wanted.push(...found.uses);
}

function importsOf(used: readonly string[], more: readonly string[]): string {
  const names = new Set(used.map((name) => packages[name.slice(0, name.lastIndexOf('.'))]?.[0] ?? ''));
  return [...new Set([...names, ...more])]
    .filter(Boolean)
    .sort()
    .map((file) => `import "${file}";`)
    .join('\n');
}

for (const [name, [file]] of Object.entries(packages)) {
  const own = [...reached].filter((each) => messages.get(each)?.package === name).sort();
  if (own.length === 0) continue;
  const found = own.map((each) => messages.get(each) as Found);
  const used = found.flatMap(({ uses }) => uses).filter((each) => messages.get(each)?.package !== name);
  files.set(
    file,
    `edition = "2023";\n\npackage ${name};\n\n${importsOf(used, ['wire.proto'])}\n\n${goFeatures}\n\n${found.map(({ body }) => body).join('\n')}`,
  );
}

mkdirSync(join(out, 'flow'), { recursive: true });
for (const [file, text] of files) writeFileSync(join(out, file), text);
