import { readFile } from 'node:fs/promises';
import { type Diagnosis, failure } from '@tiphys/diagnosis';
import type { AzureIdentity } from '../repository/credentials.ts';
import { invalidCredentials } from '../repository/diagnoses.ts';
import type { AccessTokens, AccessTokensOptions } from './access-tokens.ts';
import { TokenService } from './token-service.ts';

/** The application that stands for Azure DevOps. */
const scope = '499b84ac-1321-427f-aa17-267ca6975798/.default';
const publicCloud = 'https://login.microsoftonline.com';

/** Bearer tokens for Azure DevOps. */
export class AzureTokens implements AccessTokens {
  readonly #service: TokenService;

  constructor(options: AccessTokensOptions, identity: AzureIdentity) {
    const from = options.credentials.from;
    const { endpoint, tenant, form } = identity.kind === 'workload' ? workload(from) : servicePrincipal(identity);
    this.#service = new TokenService({
      name: 'Microsoft Entra',
      url: `${endpoint.replace(/(?<!\/)\/+$/, '')}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
      credentials: options.credentials,
      clock: options.clock,
      timeout: options.timeout,
      remote: options.remote.display,
      form: async () => ({ grant_type: 'client_credentials', scope, ...(await form()) }),
      remedy:
        identity.kind === 'workload'
          ? 'Check the federated credential of the managed identity, and its access to the Azure DevOps organisation'
          : 'Correct tenant, client and secret of the service principal, and its access to the Azure DevOps organisation',
    });
  }

  async credentials(signal?: AbortSignal): Promise<{ bearerToken: string }> {
    return { bearerToken: await this.#service.token(signal) };
  }

  forget(): void {
    this.#service.forget();
  }

  notices(): Diagnosis[] {
    return this.#service.notices();
  }
}

interface Request {
  readonly endpoint: string;
  readonly tenant: string;
  readonly form: () => Promise<Record<string, string>>;
}

/** By the variables that Azure's admission webhook gives to pods. */
function workload(from: string | undefined): Request {
  const { AZURE_CLIENT_ID, AZURE_TENANT_ID, AZURE_FEDERATED_TOKEN_FILE, AZURE_AUTHORITY_HOST } = process.env;
  if (!AZURE_CLIENT_ID || !AZURE_TENANT_ID || !AZURE_FEDERATED_TOKEN_FILE)
    throw failure(invalidCredentials, {
      message:
        'useAzureWorkloadIdentity is set, but this process has no workload identity: AZURE_CLIENT_ID, AZURE_TENANT_ID or AZURE_FEDERATED_TOKEN_FILE is missing',
      place: { field: 'useAzureWorkloadIdentity', ...(from ? { object: `Secret ${from}` } : {}) },
      remedies: [
        'Label the pod azure.workload.identity/use: "true" and annotate its service account with the client id',
      ],
    });
  return {
    endpoint: AZURE_AUTHORITY_HOST || publicCloud,
    tenant: AZURE_TENANT_ID,
    // Kubernetes changes the token about every hour
    form: async () => ({
      client_id: AZURE_CLIENT_ID,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: (await readFile(AZURE_FEDERATED_TOKEN_FILE, 'utf8')).trim(),
    }),
  };
}

function servicePrincipal(identity: Extract<AzureIdentity, { kind: 'servicePrincipal' }>): Request {
  const { endpoint = publicCloud, tenantId, clientId, clientSecret } = identity;
  return {
    endpoint,
    tenant: tenantId,
    form: async () => ({ client_id: clientId, client_secret: clientSecret }),
  };
}
