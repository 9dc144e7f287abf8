import { diagnose, type Finding, type Place, type Remedy } from '@tiphys/diagnosis';
import { ApiError, reasonOfCode } from './api-error.ts';
import * as kinds from './diagnoses.ts';
import { correctionsOf } from './refusal/field-corrections.ts';
import { forbidden } from './refusal/forbidden-refusal.ts';
import type { Asked, Explain, Explained, Status } from './refusal/refusal.ts';
import { conversionFailure, webhookDenial, webhookFailure, webhookPatchFailure } from './refusal/webhook-refusal.ts';

/** Name of the evidence that says how long a server asked to be left alone. */
export const retryAfterEvidence = 'Retry-After';

/** The error of an answer that is not a success: each known refusal of Kubernetes by its cause, with what to do. */
export function statusError(code: number, body: unknown, asked: Asked, retryAfterSeconds?: number): ApiError {
  const status: Status = isStatus(body) ? body : {};
  const message = status.message ?? (typeof body === 'string' ? body.trim().slice(0, 500) : '');
  // a webhook chooses the code of its refusal
  const explained = webhookDenial(message) ?? explanations[code]?.(status, message, asked) ?? unexpected(code, message);
  const { kind, handling, field, ...finding } = explained;
  const place: Place = {
    ...(asked.object ? { object: asked.object } : {}),
    ...(field ? { field: field.replace(/^\./, '') } : {}),
    remote: asked.server,
  };
  const retry = retryAfterSeconds ?? status.details?.retryAfterSeconds;
  const diagnosis = diagnose(kind, {
    ...finding,
    place,
    evidence: [
      ...evidenceOf(finding.evidence),
      { name: 'request', value: `${asked.method} ${asked.path.split('?', 1)[0]}` },
      { name: 'answer', value: `${code} ${message}`.trim() },
      ...(retry ? [{ name: retryAfterEvidence, value: `${retry} s` }] : []),
    ],
  });
  return new ApiError(
    diagnosis,
    { status: code, reason: status.reason || reasonOfCode(code), body },
    {
      handling: handling ?? (code >= 500 || code === 429 ? 'retryable' : 'stalled'),
      ...(retry === undefined ? {} : { retryAfter: retry * 1000 }),
    },
  );
}

const explanations: Record<number, Explain> = {
  400: badRequest,
  401: (_status, _message, asked) => ({
    kind: kinds.clusterUnauthorized,
    message: `The API server at ${asked.server} does not accept the credential: it is missing, wrong, expired or revoked`,
    remedies: ['Rotate the token or client certificate of the cluster'],
    handling: 'retryable',
  }),
  403: forbidden,
  404: notFound,
  409: conflict,
  410: (_status, message) => ({
    kind: kinds.watchExpired,
    message: `The resource version asked for is too old: ${message}`,
    remedies: ['List again; this happens by itself'],
    handling: 'retryable',
  }),
  422: invalid,
  429: tooMany,
  500: serverFailure,
  502: serverFailure,
  503: serverFailure,
  504: serverFailure,
};

function unexpected(code: number, message: string): Explained {
  return code >= 500
    ? {
        kind: kinds.clusterError,
        message: `The API server failed with ${code}: ${message || 'no text'}`,
        handling: 'retryable',
      }
    : {
        kind: kinds.requestRefused,
        message: `The API server refused the request with ${code}: ${message || 'no text'}`,
      };
}

function badRequest(_status: Status, message: string, { server }: Asked): Explained | undefined {
  if (message.includes('HTTP request to an HTTPS server')) {
    const isSecure = server.startsWith('https:');
    return {
      kind: kinds.clusterTlsFailed,
      message: isSecure
        ? 'What answers for the API server ends TLS, and goes on to it without: the API server speaks TLS'
        : 'The API server speaks TLS, and the server URL says http',
      remedies: [
        isSecure
          ? 'Have the proxy or load balancer at the server URL speak TLS to the API server, or pass connections on as they are'
          : 'Write the server URL with https://',
      ],
    };
  }
  const fields = [...message.matchAll(/(unknown|duplicate) field "([^"]+)"/g)];
  const first = fields[0];
  if (!first) return undefined;
  return {
    kind: kinds.fieldUnknown,
    message: fields
      .map(([, what, field]) => `${what === 'unknown' ? 'Unknown' : 'Duplicate'} field ${field}`)
      .join('; '),
    ...(first[2] ? { field: first[2] } : {}),
    remedies: ['Correct the name of the field, or remove it; a field of a newer schema needs a newer cluster or CRD'],
  };
}

function notFound(status: Status, message: string, asked: Asked): Explained {
  const { details } = status;
  if (details?.kind === 'namespaces' && details.name && details.name === asked.namespace) {
    if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(details.name))
      return {
        kind: kinds.namespaceMissing,
        message: `Namespace ${JSON.stringify(details.name)} does not exist and never can: it is no valid name`,
        remedies: ['Correct the namespace: at most 63 lower case letters, digits and hyphens'],
      };
    return {
      kind: kinds.namespaceMissing,
      message: `Namespace ${details.name} does not exist`,
      remedies: [{ text: 'Create the namespace first', paste: `kubectl create namespace ${details.name}` }],
    };
  }
  if (!details?.name) {
    return {
      kind: kinds.kindNotServed,
      message: `The cluster does not serve ${asked.path.split('?', 1)[0]}`,
      remedies: ['Install the CustomResourceDefinition or API service that serves it'],
    };
  }
  return { kind: kinds.objectNotFound, message: message || `${asked.object} does not exist` };
}

function conflict(status: Status, message: string, asked: Asked): Explained {
  if (status.reason === 'AlreadyExists') {
    return { kind: kinds.objectExists, message: message || `${asked.object} exists already` };
  }
  const managed = (status.details?.causes ?? []).filter((cause) => cause.reason === 'FieldManagerConflict');
  if (managed.length > 0) {
    const byManager = new Map<string, string[]>();
    for (const cause of managed) {
      const manager = /^conflict with (.*)$/s.exec(cause.message ?? '')?.[1] ?? cause.message ?? '';
      byManager.set(manager, [...(byManager.get(manager) ?? []), cause.field ?? '']);
    }
    const owners = [...byManager].map(([manager, fields]) => `${manager} owns ${fields.join(', ')}`);
    const field = managed[0]?.field;
    return {
      kind: kinds.fieldManagerConflict,
      message: `Other field managers own what was applied: ${owners.join('; ')}`,
      ...(field ? { field } : {}),
      evidence: [...byManager].map(([manager, fields]) => ({ name: manager, value: fields.join('\n') })),
      remedies: [
        'Remove the fields from Git and leave them to the other manager',
        { text: 'Take the fields over: apply with force', loses: 'what the other manager has set' },
      ],
    };
  }
  return {
    kind: kinds.objectChanged,
    message: `Somebody else changed ${asked.object ?? 'the object'} since it was read${message ? `: ${message}` : ''}`,
    handling: 'retryable',
  };
}

function invalid(status: Status, message: string, asked: Asked): Explained {
  const causes = status.details?.causes ?? [];
  const isImmutable = (text = '') =>
    /immutable|may not be changed|updates to \S+ spec for fields other than|is forbidden: updates|cannot be changed|cannot change|may not change once set/i.test(
      text,
    );
  const fixed = causes.find((cause) => isImmutable(cause.message));
  const list = causes.map(
    (cause) => `${cause.field && cause.field !== '<nil>' ? `${cause.field}: ` : ''}${cause.message ?? ''}`,
  );
  const field = (fixed ?? causes[0])?.field;
  const remedies: Remedy[] = fixed ? replacements(asked) : correctionsOf(causes);
  return {
    kind: fixed ? kinds.immutableField : kinds.objectInvalid,
    message: fixed
      ? `${field} cannot be changed on the existing ${asked.object ?? 'object'}`
      : list.length > 0
        ? `${asked.object ?? 'The object'} is invalid: ${list.join('; ')}`
        : message,
    ...(field && field !== '<nil>' ? { field } : {}),
    evidence: causes.map((cause) => ({ name: cause.field || 'object', value: cause.message ?? cause.reason ?? '' })),
    remedies,
  };
}

/** What can be done about a field that cannot be changed. A definition is never replaced lightly: all its objects go with it. */
function replacements({ object = '' }: Asked): Remedy[] {
  if (object.includes('CustomResourceDefinition'))
    return [
      { text: 'Undo the change of this field, or give the new definition another group or name' },
      {
        text: 'Save the objects of the definition, delete the definition, and create both again',
        loses: 'every object of this kind in the cluster, and what its controllers made of them',
      },
    ];
  return [
    {
      text: 'Replace the object: delete it and create it again (sync option Replace=true,Force=true on this object), or give the new one another name',
      loses: 'what belongs to the object: its pods, addresses or data',
    },
  ];
}

function tooMany(_status: Status, message: string): Explained {
  if (message.includes('disruption budget')) {
    const budget = /disruption budget (\S+) needs/.exec(message)?.[1];
    return {
      kind: kinds.evictionBlocked,
      message: budget ? `PodDisruptionBudget ${budget} does not allow the eviction now` : message,
      remedies: ['Wait until more pods are healthy, or loosen the PodDisruptionBudget'],
      handling: 'retryable',
    };
  }
  return {
    kind: kinds.clusterBusy,
    message: `The API server asks to slow down${message ? `: ${message}` : ''}`,
    remedies: [
      'Wait; the request is tried again by itself. If it stays, look at the priority levels of the API server',
    ],
    handling: 'retryable',
  };
}

function serverFailure(_status: Status, message: string, asked: Asked): Explained | undefined {
  const webhook = /failed calling webhook "([^"]+)": (.*)$/s.exec(message);
  if (webhook) return webhookFailure(webhook[1] ?? '', webhook[2] ?? '');
  const patch = webhookPatchFailure(message);
  if (patch) return patch;
  const conversion = /conversion webhook for (\S+), Kind=(\S+) failed: (.*)$/s.exec(message);
  if (conversion) {
    const [, apiVersion = '', kind = '', reason = ''] = conversion;
    return conversionFailure(`${apiVersion} ${kind}`, reason);
  }
  const undeclared = [...message.matchAll(/(\.\S+): field not declared in schema/g)].map(([, field = '']) =>
    field.slice(1),
  );
  if (undeclared.length > 0) {
    return {
      kind: kinds.fieldUnknown,
      message: undeclared.map((field) => `Unknown field ${field}`).join('; '),
      field: undeclared[0] ?? '',
      remedies: ['Correct the name of the field, or remove it; a field of a newer schema needs a newer cluster or CRD'],
      handling: 'stalled',
    };
  }
  const group = /^\/apis\/([^/]+)\/([^/?]+)/.exec(asked.path);
  const unable = /currently unable to handle the request|service unavailable|error trying to reach service/i.test(
    message,
  );
  if (group && unable) {
    const name = `${group[2]}.${group[1]}`;
    return {
      kind: kinds.apiGroupUnavailable,
      message: `The server behind the API group ${group[1]}/${group[2]} does not answer`,
      evidence: { APIService: name },
      remedies: [
        { text: 'See why the API service is down, and restore its pods', paste: `kubectl describe apiservice ${name}` },
      ],
      handling: 'retryable',
    };
  }
  return undefined;
}

function evidenceOf(evidence: Finding['evidence']): { name: string; value: string }[] {
  if (!evidence) return [];
  if (Array.isArray(evidence)) return evidence;
  return Object.entries(evidence).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: String(value) }],
  );
}

function isStatus(body: unknown): body is Status {
  return typeof body === 'object' && body !== null && (body as Status).kind === 'Status';
}
