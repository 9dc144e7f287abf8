import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { helmCommand } from '../index.ts';

const workdir = join(import.meta.dirname, '../../../../test/charts/explained');

async function run(...flags: string[]): Promise<{ code: number; out: string; error: string }> {
  let [out, error] = ['', ''];
  const code = await helmCommand(['template', 'r', '.', '-f', 'value-sets/prod.yaml', ...flags], {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
    workdir,
    env: {},
  });
  return { code, out, error };
}

test('--explain tells for each leaf the template line, the values and who gave them, and why', async () => {
  const { out, code } = await run('--set', 'replicas=3', '--explain');
  assert.equal(code, 0);
  assert.equal(
    out,
    `# v1 PersistentVolumeClaim r-data  explained/charts/store/templates/claim.yaml
apiVersion                       v1                     claim.yaml:1
kind                             PersistentVolumeClaim  claim.yaml:2
metadata.name                    r-data                 claim.yaml:4  <- Release.Name
spec.accessModes[0]              ReadWriteOnce          claim.yaml:6
spec.storageClassName            fast                   claim.yaml:8  <- Values.store.global.storageClass (value-sets/prod.yaml:9)  if .Values.global.storageClass
spec.resources.requests.storage  20Gi                   claim.yaml:12  <- Values.store.size (value-sets/prod.yaml:11)

# apps/v1 Deployment r-explained  explained/templates/deployment.yaml
apiVersion                                                apps/v1                           deployment.yaml:1
kind                                                      Deployment                        deployment.yaml:2
metadata.name                                             r-explained                       deployment.yaml:4 > explained/templates/_names.tpl:2  <- Release.Name, Chart.Name  | printf
metadata.labels.app                                       r-explained                       deployment.yaml:6 > explained/templates/_names.tpl:2  <- Release.Name, Chart.Name  | printf
metadata.labels.chart                                     explained-1.2.3                   deployment.yaml:6 > explained/templates/_names.tpl:7  <- Chart.Name, Chart.Version  | printf | quote
spec.replicas                                             3                                 deployment.yaml:8  <- Values.replicas (--set replicas=3)
spec.selector.matchLabels.app                             r-explained                       deployment.yaml:10 > explained/templates/_names.tpl:2  <- Release.Name, Chart.Name  | printf
spec.template.metadata.labels.app                         r-explained                       deployment.yaml:13 > explained/templates/_names.tpl:2  <- Release.Name, Chart.Name  | printf
spec.template.metadata.annotations["checksum/secret"]     01ba4719c80b6fe911b091a7c05124b…  deployment.yaml:15
spec.template.spec.containers[0].name                     shop                              deployment.yaml:18
spec.template.spec.containers[0].image                    registry.example.com/shop:2.1     deployment.yaml:19  <- Values.image.repository (explained/values.yaml:3), Values.image.tag (value-sets/prod.yaml:2)
spec.template.spec.containers[0].resources.limits.cpu     100m                              deployment.yaml:22  <- Values.resources.limits.cpu (explained/values.yaml:8)  | toYaml  with .Values.resources
spec.template.spec.containers[0].resources.limits.memory  1Gi                               deployment.yaml:22  <- Values.resources.limits.memory (value-sets/prod.yaml:7)  | toYaml  with .Values.resources
spec.template.spec.containers[0].env[0].name              DATABASE                          deployment.yaml:27  range $name, $value := $env
spec.template.spec.containers[0].env[0].value             db.internal                       deployment.yaml:27  <- Values.database.host (explained/charts/db/values.yaml:3)  | quote  range $name, $value := $env
spec.template.spec.containers[0].env[1].name              LOG_LEVEL                         deployment.yaml:27  <- key of Values.settings.LOG_LEVEL (explained/values.yaml:11)  range $name, $value := $env
spec.template.spec.containers[0].env[1].value             info                              deployment.yaml:27  <- Values.settings.LOG_LEVEL (explained/values.yaml:11)  | quote  range $name, $value := $env

# networking.k8s.io/v1 Ingress shop-example-com  explained/templates/ingress.yaml
#   range .Values.hosts  explained/templates/ingress.yaml:1  <- Values.hosts (value-sets/prod.yaml:4)
apiVersion                     networking.k8s.io/v1  ingress.yaml:3
kind                           Ingress               ingress.yaml:4
metadata.name                  shop-example-com      ingress.yaml:6  <- Values.hosts.0 (value-sets/prod.yaml:4)  | replace
metadata.annotations.greeting  Welcome to r          ingress.yaml:8  <- Values.greeting (explained/values.yaml:12), Release.Name  | tpl
spec.rules[0].host             shop.example.com      ingress.yaml:11  <- Values.hosts.0 (value-sets/prod.yaml:4)
`,
  );
});

test('--explain marks what is generated, and only that', async () => {
  const { out } = await run('--set', 'generatePassword=true', '--explain', '-s', 'templates/secret.yaml');
  assert.equal(
    out.replace(/[A-Za-z0-9+/]{22,}(?:==|…)/g, (text) => '*'.repeat(text.length)),
    `# v1 Secret r-explained  explained/templates/secret.yaml
#   if .Values.generatePassword  explained/templates/secret.yaml:8  <- Values.generatePassword (--set generatePassword=true)
#   not .Values.password  explained/templates/secret.yaml:1  <- Values.password (explained/values.yaml:13)
apiVersion     v1                                secret.yaml:9
kind           Secret                            secret.yaml:10
metadata.name  r-explained                       secret.yaml:12 > explained/templates/_names.tpl:2  <- Release.Name, Chart.Name  | printf
data.password  ************************          secret.yaml:15  GENERATED by randAlphaNum (explained/templates/secret.yaml:14)  | b64enc
data.url       ********************************  secret.yaml:16  <- Values.database.host (explained/charts/db/values.yaml:3)  GENERATED by randAlphaNum (explained/templates/secret.yaml:14)  | printf | b64enc
data.user      c2hvcA==                          secret.yaml:17
`,
  );
});

test('--explain names the empty value for which a default stands in', async () => {
  const { out } = await run('--set', 'image.tag=', '--explain', '-s', 'templates/deployment.yaml');
  assert.equal(
    out.split('\n').find((line) => line.includes('].image ')),
    'spec.template.spec.containers[0].image                    registry.example.com/shop:2.0     deployment.yaml:19  <- Values.image.repository (explained/values.yaml:3), Chart.AppVersion, default for Values.image.tag (--set image.tag=)',
  );
});

test('--explain -o json holds all that is known of a leaf', async () => {
  const { out } = await run('--explain', '-o', 'json', '--show-only', 'templates/deployment.yaml');
  const objects = JSON.parse(out) as { kind: string; leaves: { path: string }[] }[];
  assert.deepEqual(
    objects.map(({ kind }) => kind),
    ['Deployment'],
  );
  assert.deepEqual(
    objects[0]?.leaves.find(({ path }) => path === 'spec.template.spec.containers[0].resources.limits.memory'),
    {
      path: 'spec.template.spec.containers[0].resources.limits.memory',
      value: '1Gi',
      template: 'explained/templates/deployment.yaml',
      line: 22,
      includedAt: [],
      origins: [{ path: 'Values.resources.limits.memory', setBy: [{ source: 'value-sets/prod.yaml', line: 7 }] }],
      functions: ['toYaml'],
      generatedBy: [],
      keyOrigins: [
        {
          path: 'Values.resources.limits',
          isKey: true,
          setBy: [
            { source: 'value-sets/prod.yaml', line: 7 },
            { source: 'explained/values.yaml', line: 8 },
          ],
        },
        {
          path: 'Values.resources.limits.memory',
          isKey: true,
          setBy: [{ source: 'value-sets/prod.yaml', line: 7 }],
        },
      ],
      conditions: [
        {
          condition: 'with .Values.resources',
          template: 'explained/templates/deployment.yaml',
          line: 20,
          origins: [
            {
              path: 'Values.resources',
              setBy: [
                { source: 'value-sets/prod.yaml', line: 7 },
                { source: 'explained/values.yaml', line: 8 },
              ],
            },
          ],
        },
      ],
      choice: [],
    },
  );
});

test('what --explain cannot do is refused', async () => {
  assert.match((await run('-o', 'json')).error, /unknown flag: --output/);
  assert.match((await run('--explain', '-o', 'xml')).error, /must be text or json/);
  assert.match(
    (await run('--explain', '-s', 'templates/none.yaml')).error,
    /could not find template templates\/none\.yaml/,
  );
});
