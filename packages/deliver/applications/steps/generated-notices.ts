import { X509Certificate } from 'node:crypto';
import type { Application } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import type { Comparison } from '@tiphys/engine';
import type { RecordedValue } from '@tiphys/helm';
import { describeKey } from '@tiphys/kubernetes';
import type { UsedValues } from '../sources/generated-values.ts';

const generatedValuesDiffer = defineDiagnosis(
  'GeneratedValuesDiffer',
  'Live objects hold other generated values than the recorded ones; this counts as no drift',
  'M10',
);
const generatedCertificateExpires = defineDiagnosis(
  'GeneratedCertificateExpires',
  'A certificate that a chart generated expires soon, or has expired',
);

const maxListed = 20;

/** Tells of generated fields that live holds with other values: after an adoption, a loss of records or an edit by hand. */
export function generatedNoise({ metadata }: Application, { resources }: Comparison): Diagnosis[] {
  const noisy = resources.filter(({ noise }) => noise?.length);
  if (noisy.length === 0) return [];
  const fields = noisy.reduce((sum, { noise = [] }) => sum + noise.length, 0);
  const evidence = noisy
    .slice(0, maxListed)
    .map(({ key, noise = [] }) => ({ name: describeKey(key), value: noise.map(({ path }) => path).join(', ') }));
  const are = fields === 1 ? 'field holds' : 'fields hold';
  return [
    diagnose(generatedValuesDiffer, {
      message: `${fields} generated ${are} another value than the recorded one; this is no drift, and no automated sync changes it`,
      evidence,
      remedies: [
        'Leave it: live values stay as they are',
        {
          text: 'Or apply the recorded values',
          paste: `argocd app sync ${metadata.name}`,
          loses: 'the live values of these fields; their users must take up the new ones',
        },
      ],
    }),
  ];
}

const day = 86_400_000;

/** Tells of recorded certificates whose last fifth, and at most 30 days, has begun: nothing renews them by itself. */
export function expiringCertificates({ metadata }: Application, used: UsedValues, now: number): Diagnosis[] {
  const soon = [...used.values()].flat().flatMap((value) => {
    const validity = validityOf(value);
    if (!validity) return [];
    const warning = Math.min((validity.to - validity.from) / 5, 30 * day);
    return now < validity.to - warning ? [] : [{ value, to: validity.to }];
  });
  if (soon.length === 0) return [];
  const first = Math.min(...soon.map(({ to }) => to));
  const at = new Date(first).toISOString();
  return [
    diagnose(generatedCertificateExpires, {
      message: `${soon.length === 1 ? 'A generated certificate' : `${soon.length} generated certificates`} ${first <= now ? 'expired' : 'will expire'} on ${at.slice(0, 10)}`,
      evidence: soon.slice(0, maxListed).map(({ value, to }) => ({
        name: `${value.function} in ${value.template}:${value.line}`,
        value: new Date(to).toISOString(),
      })),
      remedies: [
        {
          text: 'Generate the values anew, and sync them',
          paste: `tiphys app rotate-generated ${metadata.name}`,
          loses: 'all generated values of the application, passwords too; choose objects with --resource',
        },
      ],
    }),
  ];
}

const validities = new WeakMap<RecordedValue, { readonly from: number; readonly to: number } | null>();

function validityOf(recorded: RecordedValue): { readonly from: number; readonly to: number } | undefined {
  const known = validities.get(recorded);
  if (known !== undefined) return known ?? undefined;
  const { value } = recorded;
  const text = typeof value === 'object' && 'Cert' in value ? value.Cert : undefined;
  let validity: { readonly from: number; readonly to: number } | null = null;
  if (text?.startsWith('-----BEGIN CERTIFICATE')) {
    const { validFrom, validTo } = new X509Certificate(text);
    validity = { from: Date.parse(validFrom), to: Date.parse(validTo) };
  }
  validities.set(recorded, validity);
  return validity ?? undefined;
}
