import { type Diagnosis, defineDiagnosis, diagnose, misspeltKey } from '@tiphys/diagnosis';
import { RE2JS, RE2JSException } from 're2js';
import { durationSeconds } from './duration.ts';

const serverSettingIgnored = defineDiagnosis(
  'ServerSettingIgnored',
  'A setting of the API and the page cannot be read, so that the default holds',
);

type Data = Readonly<Record<string, string>>;
/** What is wrong with a value; undefined if nothing. */
type Check = (value: string) => string | undefined;

const isSwitch: Check = (value) => (value === 'true' || value === 'false' ? undefined : 'wanted true or false');
const isAddress: Check = (value) =>
  /^https?:\/\/[^\s/]/.test(value) ? undefined : 'wanted an address with http:// or https://';
const isDuration: Check = (value) =>
  durationSeconds(value) === undefined ? 'wanted a duration such as 24h' : undefined;
const isNumber: Check = (value) => (Number(value) > 0 ? undefined : 'wanted a number above 0');
const isExpression: Check = (value) => {
  try {
    RE2JS.compile(value);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSException) return `wanted a regular expression (RE2): ${error.message}`;
    throw error;
  }
};
const areContentTypes: Check = (value) =>
  value.split(';').every((type) => /^\s*[\w.+-]+\/[\w.+-]+\s*$/.test(type))
    ? undefined
    : 'wanted content types with ; between them, such as application/json';
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value) ? undefined : `wanted ${values.join(' or ')}`;

const checks: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  'argocd-cm': {
    'admin.enabled': isSwitch,
    'exec.enabled': isSwitch,
    'oidc.tls.insecure.skip.verify': isSwitch,
    passwordPattern: isExpression,
    'server.rbac.disableApplicationFineGrainedRBACInheritance': isSwitch,
    'statusbadge.enabled': isSwitch,
    url: isAddress,
    'users.anonymous.enabled': isSwitch,
    'users.session.duration': isDuration,
    'webhook.maxPayloadSizeMB': isNumber,
    'webhook.refresh.jitter': isDuration,
  },
  'argocd-cmd-params-cm': {
    'server.api.content.types': areContentTypes,
    'server.disable.auth': isSwitch,
    'server.enable.proxy.extension': isSwitch,
    'server.insecure': isSwitch,
    'server.sync.replace.allowed': isSwitch,
  },
  'argocd-rbac-cm': { 'policy.matchMode': oneOf('glob', 'regex') },
};

/** Values of settings of the API that mean nothing, and keys that are misspelt: the default holds, and nobody would notice. */
export function oddSettings(configMap: (name: string) => Data): Diagnosis[] {
  return Object.entries(checks).flatMap(([name, known]) => {
    const data = configMap(name);
    return Object.entries(data).flatMap(([key, value]) => {
      const reason = value === '' ? undefined : reasonOf(known, data, { key, value });
      return reason === undefined ? [] : [ignored(name, key, reason)];
    });
  });
}

function reasonOf(
  known: Readonly<Record<string, Check>>,
  data: Data,
  { key, value }: { key: string; value: string },
): string | undefined {
  const check = Object.hasOwn(known, key) ? known[key] : checkOfAccount(key);
  if (check) {
    const wanted = check(value);
    return wanted && `found ${JSON.stringify(value.slice(0, 100))}, ${wanted}`;
  }
  return misspeltKey(key, { data, known: Object.keys(known) });
}

/** `accounts.NAME` and `accounts.NAME.enabled`. */
function checkOfAccount(key: string): Check | undefined {
  if (!key.startsWith('accounts.')) return undefined;
  if (key.endsWith('.enabled')) return isSwitch;
  return (value) => {
    const odd = value.split(',').find((item) => !['login', 'apiKey', ''].includes(item.trim()));
    return odd === undefined ? undefined : 'wanted login, apiKey or both with a comma';
  };
}

function ignored(name: string, key: string, reason: string): Diagnosis {
  return diagnose(serverSettingIgnored, {
    message: `${key} of ${name} is ignored: ${reason}`,
    place: { object: `ConfigMap ${name}`, field: `data["${key}"]` },
    remedies: [`Correct it: kubectl edit configmap ${name}`],
  });
}
