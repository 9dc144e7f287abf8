import { container, named, pod, quiet } from './admission-steps.ts';
import type { Case } from './run-case.ts';
import { apps, core, merge, post } from './steps.ts';

const levels = (labels: Record<string, string>) =>
  merge('/api/v1/namespaces/{ns}', {
    metadata: {
      labels: Object.fromEntries(
        Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
      ),
    },
  });
const secure = {
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

export const podSecurityCases: readonly Case[] = [
  {
    name: 'pod-security-baseline',
    steps: [
      quiet(levels({ enforce: 'baseline' })),
      { ...post(`${core}/pods?dryRun=All`, pod('a', { hostNetwork: true })), until: 'violates' },
      post(`${core}/pods?dryRun=All`, pod('a', { hostPID: true, hostIPC: true })),
      post(`${core}/pods?dryRun=All`, pod('a', { volumes: [{ name: 'v', hostPath: { path: '/' } }] })),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', { containers: [{ ...container, securityContext: { privileged: true } }] }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          containers: [{ ...container, securityContext: { capabilities: { add: ['NET_ADMIN', 'SYS_TIME'] } } }],
        }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          containers: [
            {
              ...container,
              ports: [
                { containerPort: 80, hostPort: 80 },
                { containerPort: 81, hostPort: 81 },
              ],
            },
          ],
        }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', { containers: [{ ...container, livenessProbe: { httpGet: { port: 80, host: 'x.example' } } }] }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', { securityContext: { seLinuxOptions: { type: 'x', user: 'u', role: 'r' } } }),
      ),
      post(`${core}/pods?dryRun=All`, pod('a', { securityContext: { seccompProfile: { type: 'Unconfined' } } })),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }),
      ),
      post(`${core}/pods?dryRun=All`, pod('a', { securityContext: { appArmorProfile: { type: 'Unconfined' } } })),
      post(`${core}/pods?dryRun=All`, pod('a')),
    ],
  },
  {
    name: 'pod-security-restricted',
    steps: [
      quiet(levels({ enforce: 'restricted', warn: 'restricted', audit: 'restricted' })),
      { ...post(`${core}/pods?dryRun=All`, pod('a')), until: 'violates' },
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          initContainers: [{ ...container, name: 'i' }],
          containers: [{ ...container, securityContext: secure }],
        }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', { securityContext: { runAsUser: 0 }, containers: [{ ...container, securityContext: secure }] }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          volumes: [{ name: 'n', nfs: { server: 's', path: '/' } }],
          containers: [{ ...container, securityContext: secure }],
        }),
      ),
      post(
        `${core}/pods?dryRun=All`,
        pod('a', {
          securityContext: { runAsNonRoot: false },
          containers: [
            { ...container, securityContext: { ...secure, capabilities: { drop: ['ALL'], add: ['CHOWN'] } } },
          ],
        }),
      ),
      post(`${core}/pods?dryRun=All`, pod('a', { containers: [{ ...container, securityContext: secure }] })),
      post(`${apps}/deployments?dryRun=All`, {
        ...named('web'),
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } },
        },
      }),
    ],
  },
  {
    name: 'pod-security-namespaces',
    steps: [
      quiet(post(`${core}/pods`, pod('a', { hostNetwork: true }))),
      quiet(post(`${core}/pods`, pod('b', { hostNetwork: true }))),
      quiet(post(`${core}/pods`, pod('c'))),
      levels({ enforce: 'nope' }),
      levels({ 'enforce-version': 'v2' }),
      {
        ...levels({ enforce: 'baseline', 'enforce-version': 'v1.20' }),
        path: '/api/v1/namespaces/{ns}?dryRun=All',
        until: 'existing pods',
      },
      levels({ warn: 'restricted', 'warn-version': 'v1.24' }),
      { ...post(`${core}/pods?dryRun=All`, pod('d')), until: 'would violate' },
    ],
  },
];
