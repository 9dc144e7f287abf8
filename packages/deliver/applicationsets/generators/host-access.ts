import { failure } from '@tiphys/diagnosis';
import { generatorInvalid, scmNotAllowed } from '../diagnoses/diagnoses.ts';
import type { ApiAccess } from '../scm/host-api.ts';
import type { GeneratorContext } from './generator.ts';

export interface HostRequest {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly insecure?: boolean | undefined;
  /** PEM of an authority that the generator names. */
  readonly ca?: string | undefined;
}

/** How the API of a host is reached, with the proxy and the authorities of the settings. */
export function accessTo(
  { base, headers, insecure, ca }: HostRequest,
  { sources, signal }: GeneratorContext,
): ApiAccess {
  const { scmRootCa, scmProxy, scmNoProxy } = sources.settings();
  const authorities = [ca, scmRootCa].filter(Boolean).join('\n');
  return {
    base,
    headers,
    credentials: {
      ...(insecure ? { insecure: true } : {}),
      ...(authorities ? { ca: authorities } : {}),
      ...(scmProxy ? { proxy: scmProxy } : {}),
      ...(scmNoProxy ? { noProxy: scmNoProxy } : {}),
    },
    http: (request) => sources.http(request),
    signal,
  };
}

/** Throws unless the settings permit the host that a generator names; addresses that it leaves out are always permitted. */
export function permitHost(api: string | undefined, { sources }: GeneratorContext, field: string): void {
  const { enableScmProviders, allowedScmProviders } = sources.settings();
  if (!enableScmProviders)
    throw failure(scmNotAllowed, {
      message: 'scm providers are disabled',
      place: { field },
      remedies: ['Set applicationsetcontroller.enable.scm.providers: "true" in argocd-cmd-params-cm'],
    });
  if (api && !URL.canParse(api))
    throw failure(generatorInvalid, {
      message: `The API address ${JSON.stringify(api)} is no URL`,
      place: { field: `${field}.api` },
      remedies: ['Write it with its scheme, such as https://git.example.com'],
    });
  if (!api || allowedScmProviders.length === 0 || allowedScmProviders.includes(api)) return;
  throw failure(scmNotAllowed, {
    message: `scm provider not allowed: scm provider "${api}" not allowed, must use one of the following: ${allowedScmProviders.join(', ')}`,
    place: { field: `${field}.api` },
    remedies: ['Use one of these, or add it to applicationsetcontroller.allowed.scm.providers in argocd-cmd-params-cm'],
  });
}

/** Headers of basic authentication, of a bearer token, or of neither. */
export function authorization(auth: { user?: string; password?: string; bearer?: string }): Record<string, string> {
  if (auth.bearer) return { authorization: `Bearer ${auth.bearer}` };
  if (auth.user === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${auth.user}:${auth.password ?? ''}`).toString('base64')}` };
}
