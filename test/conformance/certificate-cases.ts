import type { Case, Step } from './run-case.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** Requests of jane in team, of root in system:masters, and of a node with names: base64 of PEM. */
const JANE =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIYU1JR0FBZ0VBTUI0eERUQUxCZ05WQkFvTUJIUmxZVzB4RFRBTEJnTlZCQU1NQkdwaGJtVXdXVEFUQmdjcQpoa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVNNcmlNNmFGMXF6VmJMMTIrYlZmNTJ3OFc1VTN5ZmpmNE8zNFdkCmtTSWhDUlFmTTNuWkpQWFpTWTRGa2xvdG1hRHRPZXdmeWhnRkpqeWRvaXNabnNaM29BQXdDZ1lJS29aSXpqMEUKQXdJRFNRQXdSZ0loQUpOKy8yaG40NndDcTFhSWI5Q1FxTTM1WGVWblByUWtDRExTWEkyVTVNbHZBaUVBcmsvaApJb0dXNWFXTUdYc1pxRkVnMmN0Mjl4VnQzK3hteEFFVDZEVCtQaWM9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';
const ROOT =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIak1JR0tBZ0VBTUNneEZ6QVZCZ05WQkFvTURuTjVjM1JsYlRwdFlYTjBaWEp6TVEwd0N3WURWUVFEREFSeQpiMjkwTUZrd0V3WUhLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFaks0ak9taGRhczFXeTlkdm0xWCtkc1BGCnVWTjhuNDMrRHQrRm5aRWlJUWtVSHpONTJTVDEyVW1PQlpKYUxabWc3VG5zSDhvWUJTWThuYUlyR1o3R2Q2QUEKTUFvR0NDcUdTTTQ5QkFNQ0EwZ0FNRVVDSVFDR0lWMmxJdldEK2tTS1NxbGMxVTFsYjVYS1pYUGJOWU96K05PRwpMU1FzZ1FJZ2FRRGN3Y3R2dDYyK24zd2hKQkRkTkVSd3JrSW00MVduSFJ6U3BKOEM5ZWc9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';
const NODE =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQkd6Q0J3Z0lCQURBdk1SVXdFd1lEVlFRS0RBeHplWE4wWlcwNmJtOWtaWE14RmpBVUJnTlZCQU1NRFhONQpjM1JsYlRwdWIyUmxPbUV3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVNNcmlNNmFGMXF6VmJMCjEyK2JWZjUydzhXNVUzeWZqZjRPMzRXZGtTSWhDUlFmTTNuWkpQWFpTWTRGa2xvdG1hRHRPZXdmeWhnRkpqeWQKb2lzWm5zWjNvREV3THdZSktvWklodmNOQVFrT01TSXdJREFlQmdOVkhSRUVGekFWZ2cxaExtVjRZVzF3YkdVdQpZMjl0aHdRS0FBQUJNQW9HQ0NxR1NNNDlCQU1DQTBnQU1FVUNJUUN0VG1oeUR3ZVhJdlMxTDRxWG1yNVhOdmw1CllIWGU2ZC9uemw0dklSeVh1d0lnRi93NnpzV0EyeWJZTEV3SHFBWnNYVFZmcnI2TnNkNFVnM0UrWUtMaHE4VT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==';

const request = (name: string, spec: object) => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec: { request: JANE, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'], ...spec },
});
const attempt = (spec: object): Step => ({
  method: 'POST',
  path: `${REQUESTS}?dryRun=All`,
  body: request('attempt', spec),
});
const decide = (name: string, conditions: readonly object[], subresource = 'approval'): Step => ({
  method: 'PATCH',
  path: `${REQUESTS}/${name}/${subresource}`,
  contentType: 'application/merge-patch+json',
  body: { status: { conditions } },
});
const approved = { type: 'Approved', status: 'True', reason: 'Test', message: 'approved' };

/** CertificateSigningRequests, as far as kube-apiserver has a word in them. */
export const certificateCases: readonly Case[] = [
  {
    name: 'certificates-invalid',
    steps: [
      attempt({ request: 'YQ==' }),
      attempt({ request: '' }),
      attempt({ usages: [] }),
      attempt({ usages: ['client auth', 'client auth', 'flying'] }),
      attempt({ signerName: '' }),
      attempt({ signerName: 'plain' }),
      attempt({ signerName: 'a/b/c' }),
      attempt({ signerName: 'Under_score.com/x' }),
      attempt({ signerName: 'example/x' }),
      attempt({ signerName: 'example.com/X_' }),
      attempt({ signerName: 'kubernetes.io/legacy-unknown' }),
      attempt({ expirationSeconds: 60 }),
      attempt({ request: ROOT }),
      attempt({ request: NODE, signerName: 'example.com/own' }),
    ],
  },
  {
    name: 'certificates-decided',
    steps: [
      { method: 'POST', path: REQUESTS, body: request('one', { username: 'forged', groups: ['forged'] }) },
      decide('one', [{ ...approved, status: 'False' }]),
      decide('one', [approved], 'status'),
      decide('one', [approved]),
      decide('one', []),
      decide('one', [{ ...approved }, { ...approved, type: 'Denied' }]),
      decide('one', [{ ...approved, type: 'Failed' }, approved], 'status'),
      {
        method: 'PATCH',
        path: `${REQUESTS}/one/status`,
        contentType: 'application/merge-patch+json',
        body: { status: { certificate: 'bm9uZQ==' } },
      },
      {
        method: 'PATCH',
        path: `${REQUESTS}/one`,
        contentType: 'application/merge-patch+json',
        body: { spec: { usages: ['signing'] } },
      },
      { method: 'GET', path: `${REQUESTS}?fieldSelector=spec.signerName=kubernetes.io/kube-apiserver-client` },
      { method: 'DELETE', path: `${REQUESTS}/one` },
    ],
  },
];
