import * as kinds from '../diagnoses.ts';
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
      remedies: [`${certificateRemedy(reason)} (this is not the connection to the cluster)`, find],
      handling: 'retryable',
    };
  }
  return {
    kind: kinds.webhookUnavailable,
    message: `Admission webhook ${name} could not be called and its failurePolicy is Fail: ${reason.replace(/^failed to call webhook: /, '')}`,
    evidence,
    remedies: [callRemedy(reason), find],
    handling: 'retryable',
  };
}

/** What mends a certificate that an API server refuses, by Go's words for what is wrong with it. */
function certificateRemedy(reason: string): string {
  if (/has expired|not yet valid/.test(reason))
    return 'Renew the certificate of the webhook, and see why nobody did: cert-manager, or the job that makes it';
  if (/is valid for|IP SANs|Common Name|not valid for any names/.test(reason))
    return 'Issue the certificate of the webhook for the name that is called: SERVICE.NAMESPACE.svc, or the host of its url';
  if (/unknown authority|signed by/.test(reason))
    return 'Set caBundle of the webhook to the authority that signed its certificate (with cert-manager: the annotation cert-manager.io/inject-ca-from)';
  return 'Renew the certificate of the webhook, or the caBundle in its configuration';
}

/** What mends a webhook that gives no answer that can be used. */
function callRemedy(reason: string): string {
  const orIgnore = ', or set failurePolicy: Ignore';
  if (/deadline exceeded|timed out|i\/o timeout/.test(reason))
    return `See why the server of the webhook is slow or cannot be reached from the API server (pods, network policies, firewall), raise timeoutSeconds${orIgnore}`;
  if (/HTTP response to HTTPS client/.test(reason))
    return 'Let the server of the webhook speak TLS, or correct the port in its configuration';
  if (/no such host/.test(reason)) return `Correct the host in clientConfig.url of the webhook${orIgnore}`;
  if (/service "[^"]*" not found|no such service/.test(reason))
    return `Install the service that clientConfig.service names (in an earlier wave), or delete the configuration of a webhook that is not used any more`;
  if (
    /json parse error|invalid webhook response|expected (?:webhook )?response|error on the server|response\.uid/.test(
      reason,
    )
  )
    return `Read the log of the server of the webhook: it answers, with an error or with what is no AdmissionReview; mend it${orIgnore}`;
  return `Start the server of the webhook (in an earlier wave)${orIgnore}`;
}

/**
 * The patch of a mutating webhook that does not fit the object: the API server names neither. Undefined if the message tells of
 * none.
 */
export function webhookPatchFailure(message: string): Explained | undefined {
  const patch =
    /(?:Internal error occurred: )?((?:add|remove|replace|move|copy|test|testing)\b.{0,40} (?:operation does not apply|failed): .*|error in (?:add|remove) for path: .*)$/s.exec(
      message,
    );
  if (!patch) return undefined;
  return {
    kind: kinds.webhookUnavailable,
    message: `A mutating webhook answers with a patch that does not fit the object: ${patch[1]}`,
    evidence: { error: message },
    remedies: [
      {
        text: 'Find the webhook among those that change objects of this kind, and mend its patch, or set failurePolicy: Ignore',
        paste: 'kubectl get mutatingwebhookconfigurations -o yaml',
      },
    ],
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
