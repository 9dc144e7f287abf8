import type { PluginGenerator } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { generatorFailed, generatorInvalid } from '../diagnoses/diagnoses.ts';
import { flattenToText } from '../params/flatten.ts';
import { isRecord, newParams } from '../params/params.ts';
import { secretValue } from './clusters.ts';
import type { Generator } from './generator.ts';
import type { GeneratorSources } from './sources.ts';
import { addValues } from './values.ts';

const defaultRequeue = 30 * 60_000;
const defaultTimeout = 30;
const maxAnswer = 16 * 1024 * 1024;

/** A service of the user's own that answers with elements: `POST BASE/api/v1/getparams.execute`. */
export const pluginGenerator: Generator<PluginGenerator> = {
  async generate(spec, { set, dialect, sources, signal }, field) {
    const service = await readService(spec.configMapRef.name, sources, `${field}.plugin`);
    const parameters = spec.input?.parameters ?? {};
    const answer = await ask(
      service,
      { applicationSetName: set.metadata.name ?? '', input: { parameters } },
      sources,
      signal,
    );
    const elements = answer.map((object, index) => {
      const params = newParams(dialect.goTemplate ? object : flattenToText(object));
      params.generator = { input: { parameters } };
      return {
        params: addValues(params, spec.values, dialect),
        origin: { field: `${field}.plugin`, generator: 'plugin', element: `parameters[${index}]` },
      };
    });
    return { elements, gaps: [] };
  },
  requeueAfter: ({ requeueAfterSeconds }) =>
    requeueAfterSeconds === undefined ? defaultRequeue : requeueAfterSeconds * 1000 || undefined,
};

interface Service {
  readonly baseUrl: string;
  readonly token: string;
  readonly timeout: number;
}

async function readService(name: string, sources: GeneratorSources, field: string): Promise<Service> {
  const namespace = sources.controlNamespace;
  const place = { object: `ConfigMap ${namespace}/${name}`, field };
  const invalid = (message: string, remedy: string) =>
    failure(generatorInvalid, { message, place, remedies: [remedy] });
  const configMap = await sources.configMap(namespace, name);
  if (!configMap)
    throw invalid(`error fetching ConfigMap: configmaps "${name}" not found`, 'Create it with baseUrl and token');
  const { baseUrl = '', token = '', requestTimeout } = (configMap.data ?? {}) as Record<string, string>;
  if (baseUrl === '')
    throw invalid(
      'error fetching ConfigMap: baseUrl not found in ConfigMap',
      'Set data.baseUrl to the address of the plugin',
    );
  if (token === '')
    throw invalid('error fetching ConfigMap: token not found in ConfigMap', 'Set data.token to $SECRET:KEY');
  if (!token.startsWith('$'))
    throw invalid(
      "token is empty, or does not reference a secret key starting with '$'",
      'Set data.token to $SECRET:KEY',
    );
  const timeout = requestTimeout === undefined ? defaultTimeout : Number(requestTimeout);
  if (!Number.isInteger(timeout) || timeout < 0)
    throw invalid(
      `error set requestTimeout : "${requestTimeout}" is no number of seconds`,
      'Set data.requestTimeout to seconds',
    );
  const colon = token.indexOf(':');
  const secretName = colon < 0 ? 'argocd-secret' : token.slice(1, colon);
  const key = colon < 0 ? token.slice(1) : token.slice(colon + 1);
  const secret = await sources.secret(namespace, secretName);
  if (!secret)
    throw invalid(
      `error fetching secret ${namespace}/${secretName}: secrets "${secretName}" not found`,
      'Create the Secret',
    );
  const value = secretValue(secret, key.trim());
  if (value === undefined)
    throw invalid(`config referenced '$${key}', but key does not exist in secret`, 'Add the key to the Secret');
  return { baseUrl, token: value.trim(), timeout: (timeout || defaultTimeout) * 1000 };
}

async function ask(
  { baseUrl, token, timeout }: Service,
  body: unknown,
  sources: GeneratorSources,
  signal: AbortSignal | undefined,
): Promise<Record<string, unknown>[]> {
  const url = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/api/v1/getparams.execute`;
  const failed = (message: string, evidence: Record<string, string | number> = {}) =>
    failure(
      generatorFailed,
      {
        message,
        place: { remote: url },
        evidence,
        remedies: ['Look at the log of the plugin; the set is evaluated again by itself'],
      },
      { handling: 'retryable' },
    );
  let answer: Awaited<ReturnType<GeneratorSources['http']>>;
  try {
    answer = await sources.http({
      url,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
      credentials: {},
      body: JSON.stringify(body),
      timeout,
      maxBody: maxAnswer,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    throw failed(`error listing params: the plugin gave no answer: ${(error as Error).message}`);
  }
  if (answer.status < 200 || answer.status > 299)
    throw failed(`error listing params: API error with status code ${answer.status}`, {
      status: answer.status,
      answer: answer.body.slice(0, 200),
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(answer.body);
  } catch {
    throw failed('error listing params: the answer of the plugin is no JSON', { bytes: answer.bytes.length });
  }
  const output = isRecord(parsed) ? parsed.output : undefined;
  const parameters = isRecord(output) ? output.parameters : undefined;
  if (parameters === undefined || parameters === null)
    throw failed('error listing params: the answer has no output.parameters');
  if (!Array.isArray(parameters) || !parameters.every(isRecord))
    throw failed('error listing params: output.parameters of the answer is no list of objects');
  return parameters;
}
