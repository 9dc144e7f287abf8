import * as kinds from './diagnoses.ts';
import type { Explained } from './refusal.ts';

/** A webhook that could not be called: its certificate (C3), or anything else (C4). */
export function webhookFailure(name: string, reason: string): Explained {
  const certificate = /x509:|tls:|certificate/.test(reason);
  const evidence = { webhook: name, error: reason };
  const find = {
    text: 'Find the webhook and its service',
    paste: `kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o json | jq '.items[] | {name: .metadata.name, webhooks: [.webhooks[] | select(.name=="${name}") | .clientConfig | {service, url}]}'`,
  };
  if (certificate) {
    return {
      kind: kinds.webhookCertificate,
      message: `Admission webhook ${name} has a bad certificate: ${reason.replace(/^.*?(x509:|tls:)/s, '$1')}`,
      evidence,
      remedies: [
        'Renew the certificate of the webhook, or the caBundle in its configuration (this is not the connection to the cluster)',
        find,
      ],
      handling: 'retryable',
    };
  }
  return {
    kind: kinds.webhookUnavailable,
    message: `Admission webhook ${name} could not be called and its failurePolicy is Fail: ${reason.replace(/^failed to call webhook: /, '')}`,
    evidence,
    remedies: ['Start the server of the webhook (in an earlier wave), or set failurePolicy: Ignore', find],
    handling: 'retryable',
  };
}

/** The webhook that converts a custom resource between its versions could not be called: its certificate (C3), or anything else (C4). */
export function conversionFailure(kind: string, reason: string): Explained {
  const certificate = /x509:|tls:|certificate/.test(reason);
  return {
    kind: certificate ? kinds.webhookCertificate : kinds.webhookUnavailable,
    message: certificate
      ? `The conversion webhook of ${kind} has a bad certificate: ${reason}`
      : `The conversion webhook of ${kind} could not be called, so that its objects can neither be read nor written in this version: ${reason}`,
    evidence: { 'conversion webhook of': kind, error: reason },
    remedies: [
      certificate
        ? 'Renew the certificate of the webhook, or the caBundle in spec.conversion of the CustomResourceDefinition (this is not the connection to the cluster)'
        : 'Start the operator that serves the webhook, or correct spec.conversion of the CustomResourceDefinition',
    ],
    handling: 'retryable',
  };
}

/** A denial by an admission webhook or policy; undefined if the message tells of none. */
export function webhookDenial(message: string): Explained | undefined {
  const webhook = /admission webhook "([^"]+)" denied the request(?:: |\.? ?)(.*)$/s.exec(message);
  if (webhook) {
    return {
      kind: kinds.admissionDenied,
      message: `Admission webhook ${webhook[1]} denied it: ${webhook[2] || 'without explanation'}`,
      evidence: { webhook: webhook[1] },
      remedies: ['Change the object to what the webhook asks for, or change its policy'],
    };
  }
  const policy = /ValidatingAdmissionPolicy '([^']+)' with binding '([^']+)' denied request: (.*)$/s.exec(message);
  if (!policy) return undefined;
  return {
    kind: kinds.admissionDenied,
    message: `ValidatingAdmissionPolicy ${policy[1]} (binding ${policy[2]}) denied it: ${policy[3]}`,
    evidence: { policy: policy[1], binding: policy[2] },
    remedies: [
      (policy[3] ?? '').includes("' resulted in error: ")
        ? 'Correct the expression of the policy, which fails on this object: it reads a field that the object lacks (has() tells whether a field is there); or give the object that field'
        : 'Change the object to what the policy asks for, or change the policy',
    ],
  };
}
