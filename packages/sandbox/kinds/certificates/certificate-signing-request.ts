import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type FieldErrors, isDnsLabel, isDnsSubdomain, type Strategy, timestamp } from '@tiphys/apimachinery';
import { humanDuration } from '@tiphys/kubernetes';
import {
  BadCertificateRequest,
  parseCertificateRequest,
  type RequestCondition,
  type SigningRequest,
} from '@tiphys/pki';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, numberAt, textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { requestState } from './request-state.ts';

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

const DECISIONS = ['Approved', 'Denied'];

const FINAL = [...DECISIONS, 'Failed'];

export const certificateSigningRequest: Strategy = {
  generation: false,
  statusSubresource: true,
  nameRule: () => [],
  prepareCreate(object, { user }) {
    const { spec } = object as SigningRequest;
    for (const field of ['username', 'uid', 'groups', 'extra']) delete (spec as Record<string, unknown>)[field];
    Object.assign(spec, {
      username: user.name,
      ...(user.uid ? { uid: user.uid } : {}),
      groups: [...user.groups],
      ...(user.extra ? { extra: user.extra } : {}),
    });
  },
  prepareUpdate(object, old, { subresource, server }) {
    object.spec = old.spec;
    if (subresource !== 'approval') return;
    const { conditions = [] } = (object as SigningRequest).status ?? {};
    const dated = withTimes(conditions, old as SigningRequest, timestamp(server.clock));
    const { conditions: _, ...rest } = (old as SigningRequest).status ?? {};
    object.status = { ...rest, ...(dated.length ? { conditions: dated } : {}) };
  },
  prepareStatus(object, old, { server }) {
    const { status } = object as SigningRequest;
    if (status?.conditions)
      status.conditions = withTimes(status.conditions, old as SigningRequest, timestamp(server.clock));
  },
  validate(object, errors) {
    validateRequest(object as SigningRequest, undefined, errors);
  },
  validateUpdate(object, old, errors, { subresource }) {
    errors.causes.length = 0;
    validateRequest(object as SigningRequest, old as SigningRequest, errors);
    validateChange(object as SigningRequest, old as SigningRequest, subresource, errors);
  },
  validateStatus(object, old, errors) {
    validateRequest(object as SigningRequest, old as SigningRequest, errors);
    validateChange(object as SigningRequest, old as SigningRequest, 'status', errors);
  },
  fields: (object) => ({ 'spec.signerName': String((object as SigningRequest).spec?.signerName ?? '') }),
};

/** Times that are missing are now; a condition that stays as it was keeps the time since when it is so. */
function withTimes(conditions: readonly RequestCondition[], old: SigningRequest, now: string): RequestCondition[] {
  return conditions.map((condition) => {
    const same = old.status?.conditions?.find(
      ({ type, status }) => type === condition.type && status === condition.status,
    );
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime || now,
      lastTransitionTime: condition.lastTransitionTime || same?.lastTransitionTime || now,
    };
  });
}

function validateRequest(object: SigningRequest, old: SigningRequest | undefined, errors: FieldErrors): void {
  const { request = '', usages, signerName = '', expirationSeconds } = object.spec;
  try {
    parseCertificateRequest(Buffer.from(request, 'base64').toString());
  } catch (error) {
    if (!(error instanceof BadCertificateRequest)) throw error;
    errors.invalid('spec.request', request, error.message);
  }
  if (!usages?.length) errors.required('spec.usages');
  (usages ?? []).forEach((usage, index) => {
    if (!USAGES.includes(usage)) errors.notSupported(`spec.usages[${index}]`, usage, USAGES);
  });
  (usages ?? []).forEach((usage, index) => {
    if (usages?.indexOf(usage) !== index) errors.duplicate(`spec.usages[${index}]`, usage);
  });
  if (signerName === 'kubernetes.io/legacy-unknown' && !old)
    errors.invalid('spec.signerName', signerName, 'the legacy signerName is not allowed via this API version');
  else validateSignerName(signerName, errors);
  if (expirationSeconds !== undefined && expirationSeconds < 600)
    errors.invalid(
      'spec.expirationSeconds',
      expirationSeconds,
      'may not specify a duration less than 600 seconds (10 minutes)',
    );
  validateConditions(object, errors);
  validateCertificate(object.status?.certificate ?? '', errors);
}

function validateSignerName(name: string, errors: FieldErrors): void {
  const at = 'spec.signerName';
  if (!name) {
    errors.required(at);
    return;
  }
  const [domain = '', path = '', ...more] = name.split('/');
  if (!name.includes('/') || more.length) {
    errors.invalid(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
    return;
  }
  if (domain.length > 253) errors.tooLong(at, 253);
  const labels = domain.split('.');
  const bad = labels.find((label) => isDnsLabel(label).length);
  if (bad !== undefined)
    for (const text of isDnsLabel(bad)) errors.invalid(at, domain, `validating label ${JSON.stringify(bad)}: ${text}`);
  if (labels.length < 2) errors.invalid(at, domain, 'should be a domain with at least two segments separated by dots');
  const part = path.split('.').find((label) => isDnsSubdomain(label).length);
  if (part !== undefined)
    for (const text of isDnsSubdomain(part))
      errors.invalid(at, path, `validating label ${JSON.stringify(part)}: ${text}`);
}

function validateConditions({ status }: SigningRequest, errors: FieldErrors): void {
  const seen = new Set<string>();
  (status?.conditions ?? []).forEach((condition, index) => {
    const at = `status.conditions[${index}]`;
    if (!condition.type) errors.required(`${at}.type`);
    const allowed = FINAL.includes(condition.type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (!condition.status) errors.required(`${at}.status`);
    else if (!allowed.includes(condition.status)) errors.notSupported(`${at}.status`, condition.status, allowed);
    const other = DECISIONS.find((type) => type !== condition.type);
    if (DECISIONS.includes(condition.type) && other && seen.has(other))
      errors.invalid('status.conditions', condition.type, 'Approved and Denied conditions are mutually exclusive');
    if (seen.has(condition.type)) errors.duplicate(`${at}.type`, condition.type);
    seen.add(condition.type);
  });
}

function validateCertificate(certificate: string, errors: FieldErrors): void {
  const problem = certificate ? certificateProblem(Buffer.from(certificate, 'base64').toString()) : undefined;
  if (problem !== undefined) errors.invalid('status.certificate', '<certificate data>', problem);
}

function certificateProblem(text: string): string | undefined {
  const blocks = [...text.matchAll(/-----BEGIN ([^-]+)-----((?:(?!-----)[\s\S])*)-----END \1-----/g)];
  if (!blocks.length) return 'must contain at least one CERTIFICATE PEM block';
  const other = blocks.find(([, type]) => type !== 'CERTIFICATE');
  if (other) return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(other[1])}`;
  for (const [block] of blocks) {
    try {
      new X509Certificate(block);
    } catch (error) {
      return `x509: malformed certificate: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return undefined;
}

function validateChange(object: SigningRequest, old: SigningRequest, subresource: string, errors: FieldErrors): void {
  const at = 'status.conditions';
  const of = ({ status }: SigningRequest, type: string) =>
    (status?.conditions ?? []).filter((condition) => condition.type === type);
  for (const type of FINAL)
    if (of(object, type).length < of(old, type).length)
      errors.forbidden(at, `updates may not remove a condition of type ${JSON.stringify(type)}`);
  if (subresource !== 'approval')
    for (const type of DECISIONS) {
      const [now, before] = [of(object, type), of(old, type)];
      if (now.length > before.length)
        errors.forbidden(at, `updates may not add a condition of type ${JSON.stringify(type)}`);
      else if (now.length === before.length && subresource !== 'status' && !isDeepStrictEqual(now, before))
        errors.forbidden(at, `updates may not modify a condition of type ${JSON.stringify(type)}`);
    }
  const [now = '', before = ''] = [object.status?.certificate, old.status?.certificate];
  if (now === before) return;
  if (subresource !== 'status') errors.forbidden('status.certificate', 'updates may not set certificate content');
  else if (before) errors.forbidden('status.certificate', 'updates may not modify existing certificate content');
}

export const certificateSigningRequests: BuiltinKind = {
  strategy: certificateSigningRequest,
  cells: (o, now) => [
    name(o),
    age(o, now),
    textAt(o, 'spec.signerName', '<none>'),
    textAt(o, 'spec.username'),
    at(o, 'spec.expirationSeconds') ? humanDuration(numberAt(o, 'spec.expirationSeconds') * 1000) : '<none>',
    requestState(o as SigningRequest),
  ],
};
