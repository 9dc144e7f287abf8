import type { Application } from '@tiphys/api';
import { type Output, paint } from '../../terminal/output.ts';

interface Notice {
  readonly code: string;
  readonly message: string;
  readonly evidence?: readonly { readonly name: string; readonly value: string }[];
  readonly remedies?: readonly { readonly text: string; readonly paste?: string; readonly loses?: string }[];
}

/** What is worth knowing of generated values, and makes no condition. */
const codes = ['GeneratedValuesDiffer', 'GeneratedCertificateExpires', 'LookupRefused'];

/** Prints what is worth knowing of an application although nothing is wrong: render noise, certificates, refused lookups. */
export function printNotices(output: Output, { status }: Application): void {
  for (const notice of (status?.diagnoses ?? []) as unknown as Notice[]) {
    if (!codes.includes(notice.code)) continue;
    output.out(`\n${paint(output, 'cyan', notice.code)}: ${notice.message}`);
    for (const { name, value } of notice.evidence ?? []) output.out(`  ${name}: ${value}`);
    for (const { text, paste, loses } of notice.remedies ?? [])
      output.out(`  → ${text}${paste ? `: ${paste}` : ''}${loses ? ` (loses ${loses})` : ''}`);
  }
}
