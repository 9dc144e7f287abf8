import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Client } from '@tiphys/kubernetes';
import { kinds } from '../state/diagnoses.ts';
import { own } from '../state/names.ts';
import type { Finding } from '../state/state.ts';
import type { Decision } from './decisions.ts';
import type { Need } from './rights.ts';

const packed = promisify(gzip);
const unpacked = promisify(gunzip);

/** What a candidate says of itself. */
export interface CandidateReport {
  readonly version: string;
  /** Counts the reports. */
  readonly number: number;
  /** Complete rounds over all applications. */
  readonly rounds: number;
  readonly compared: number;
  readonly of: number;
  /** Share of the memory that it may take; absent where nothing bounds it. */
  readonly memory?: number;
  readonly problems: readonly Finding[];
  readonly needs: readonly Need[];
  /** Of its API, on all addresses of its pod. */
  readonly port: number;
  readonly decisions: Readonly<Record<string, Decision>>;
}

/** Bytes that an object of Kubernetes may have, less what is around the report. */
const largest = 900_000;
const largestUnpacked = 64 << 20;

const ref = (namespace: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: own.report });

/** Writes the report into the ConfigMap that was made for it. */
export async function writeReport(client: Client, namespace: string, report: CandidateReport): Promise<void> {
  const text = await textOf(report);
  if (text.length <= largest) return await store(client, namespace, text);
  const message = `The decisions over ${report.of} applications take ${text.length} bytes, and a ConfigMap holds ${largest}: new versions have to be tried elsewhere`;
  const problems = [...report.problems, { code: kinds.reportTooLarge.code, message }];
  await store(client, namespace, await textOf({ ...report, problems, decisions: {} }));
}

async function textOf(report: CandidateReport): Promise<string> {
  return (await packed(JSON.stringify(report))).toString('base64');
}

async function store(client: Client, namespace: string, text: string): Promise<void> {
  await client.patch(ref(namespace), 'merge', { binaryData: { report: text } }, { fieldManager: 'tiphys-candidate' });
}

/** The last report; undefined if there is none that could be read: another version may write otherwise. */
export async function readReport(client: Client, namespace: string): Promise<CandidateReport | undefined> {
  const configMap = await client.find(ref(namespace));
  const text = ((configMap?.binaryData ?? {}) as Record<string, string>).report;
  if (!text) return undefined;
  try {
    const bytes = await unpacked(Buffer.from(text, 'base64'), { maxOutputLength: largestUnpacked });
    const report = JSON.parse(bytes.toString('utf8')) as CandidateReport;
    return typeof report.number === 'number' && typeof report.decisions === 'object' ? report : undefined;
  } catch {
    return undefined;
  }
}
