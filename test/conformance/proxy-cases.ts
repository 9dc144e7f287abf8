import type { Case, Step } from './run-case.ts';
import { core, get, merge, post, put, quiet, together } from './steps.ts';

const containers = [{ name: 'main', image: 'i', ports: [{ containerPort: 80 }] }];
const pod = (name: string) => ({ metadata: { name }, spec: { automountServiceAccountToken: false, containers } });
const service = (name: string, ports: object[]) => post(`${core}/services`, { metadata: { name }, spec: { ports } });
const at = (path: string, more: Partial<Step> = {}) => get(path, {}, more);

/** What is said of proxied requests that lead nowhere, and of pods that are to move. */
export const proxyCases: readonly Case[] = [
  {
    name: 'proxy-refusals',
    steps: [
      ...quiet(
        post(`${core}/pods`, pod('new')),
        post(`${core}/pods`, pod('local')),
        post(`${core}/pods`, pod('link')),
        merge(`${core}/pods/local/status`, { status: { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] } }),
        merge(`${core}/pods/link/status`, { status: { podIP: '169.254.0.1', podIPs: [{ ip: '169.254.0.1' }] } }),
        service('alone', [{ name: 'http', port: 80 }]),
        service('empty', [{ name: 'http', port: 80 }]),
        service('free', [{ name: 'http', port: 80 }]),
        post(`${core}/endpoints`, { metadata: { name: 'empty' } }),
        post(`${core}/endpoints`, {
          metadata: { name: 'free' },
          subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'http', port: 80 }] }],
        }),
      ),
      together(
        ...['none', 'new', 'local', 'link', 'new:80', 'ftp:new:80', 'a:b:c:d', ':new', 'https:new:'].map((name) =>
          at(`${core}/pods/${name}/proxy/x`),
        ),
        ...['none', 'alone', 'alone:80', 'alone:81', 'empty', 'empty:http', 'empty:80', 'free:http', 'free:81'].map(
          (name) => at(`${core}/services/${name}/proxy/x`),
        ),
        ...['none:81', 'https:none:http', 'http:a:b:c', ':'].map((name) => at(`${core}/services/${name}/proxy/`)),
        at('/api/v1/nodes/none/proxy/healthz'),
        at('/api/v1/nodes/none:10250/proxy/'),
        at(`${core}/pods/none/proxy`, { method: 'POST' }),
        at(`${core}/pods/none/proxy/x`, { accept: 'text/html', asText: true }),
      ),
    ],
  },
  {
    name: 'pods-do-not-move',
    steps: [
      ...quiet(post(`${core}/pods`, pod('p'))),
      put(
        `${core}/pods/p`,
        { ...pod('p'), spec: { ...pod('p').spec, nodeName: 'n' } },
        { omit: ['details', 'message'] },
      ),
      merge(`${core}/pods/p`, { spec: { nodeName: 'n' } }),
      merge(`${core}/pods/p/status`, { spec: { nodeName: 'n' }, status: { phase: 'Running' } }),
      get(`${core}/pods`, { fieldSelector: 'spec.nodeName=n' }),
    ],
  },
];
