/** Where a fact was found: a file of a repository, an object of a cluster, a field of either, or a remote host. */
export interface Place {
  /** Path inside the repository, or of a local file, with `/`. */
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
  /** `group/Kind namespace/name`, as the field writes it; the core group and cluster scope leave their part out. */
  readonly object?: string;
  /** Path of the field inside the object, such as `spec.template.spec.containers[0].image`. */
  readonly field?: string;
  /** Repository URL or host, without credentials and query. */
  readonly remote?: string;
  /** Git revision that was read. */
  readonly revision?: string;
}

/** One thing that was seen: a name, what it was, and where and when if that is not the diagnosis' own. */
export interface Evidence {
  readonly name: string;
  readonly value: string;
  readonly place?: Place;
  /** ISO 8601. */
  readonly at?: string;
}

/** One thing to do about it. */
export interface Remedy {
  /** An imperative sentence. */
  readonly text: string;
  /** A command or a snippet of YAML that can be pasted as it is. */
  readonly paste?: string;
  /** What will be lost by following it; absent if nothing. */
  readonly loses?: string;
}

/** What went wrong, why, how we know, and what to do. Plain data: it is stored in status and sent over the API. */
export interface Diagnosis {
  /** Stable name of the kind of failure, CamelCase: `RevisionNotFound`. Listed in docs/diagnoses.md. */
  readonly code: string;
  /** Identifier of the cause in the catalogue of failures, such as `R9`; equals `code` where the catalogue has none. */
  readonly cause: string;
  /** One sentence that states the cause itself, not its symptom. */
  readonly message: string;
  readonly place?: Place;
  readonly evidence: readonly Evidence[];
  readonly remedies: readonly Remedy[];
  /** What led to this one, nearest first. */
  readonly causes?: readonly Diagnosis[];
}

/** The registry entry of one kind of failure. */
export interface DiagnosisKind {
  readonly code: string;
  readonly cause: string;
  /** What it means, for docs/diagnoses.md. */
  readonly summary: string;
}

/** What a place that diagnoses has to say; lists default to empty. */
export interface Finding {
  readonly message: string;
  readonly place?: Place;
  readonly evidence?: readonly Evidence[] | Readonly<Record<string, string | number | undefined>>;
  readonly remedies?: readonly (Remedy | string)[];
  readonly causes?: readonly Diagnosis[];
}

const registry = new Map<string, DiagnosisKind>();

/**
 * Declares a kind of failure, once, at module level of the package that finds it.
 * Throws if another kind has the same code.
 */
export function defineDiagnosis(code: string, summary: string, cause: string = code): DiagnosisKind {
  if (registry.has(code)) throw new Error(`Diagnosis ${code} is declared twice`);
  const kind = Object.freeze({ code, cause, summary });
  registry.set(code, kind);
  return kind;
}

/** All kinds declared so far, sorted by code: the source of docs/diagnoses.md. */
export function diagnosisKinds(): DiagnosisKind[] {
  return [...registry.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
}

/** Builds a diagnosis of a kind. Credentials in URLs are removed from every text. */
export function diagnose(kind: DiagnosisKind, finding: Finding): Diagnosis {
  return {
    code: kind.code,
    cause: kind.cause,
    message: redact(finding.message),
    ...(finding.place ? { place: placeOf(finding.place) } : {}),
    evidence: evidenceList(finding.evidence),
    remedies: (finding.remedies ?? []).map(remedyOf),
    ...(finding.causes?.length ? { causes: finding.causes } : {}),
  };
}

/** Remedies quote what was given too; the example of a URL with credentials (`user:password@host`) stays. */
function remedyOf(remedy: Remedy | string): Remedy {
  if (typeof remedy === 'string') return { text: redactAll(remedy) };
  const { text, paste, loses } = remedy;
  return {
    ...remedy,
    text: redactAll(text),
    ...(paste === undefined ? {} : { paste: redactAll(paste) }),
    ...(loses === undefined ? {} : { loses: redactAll(loses) }),
  };
}

const example = /:\/\/user:password@(?=host\b)/g;

function redactAll(text: string): string {
  return text.split(example).map(redact).join('://user:password@');
}

function placeOf({ remote, ...place }: Place): Place {
  return remote === undefined ? place : { ...place, remote: redact(remote) };
}

function evidenceList(evidence: Finding['evidence']): Evidence[] {
  if (!evidence) return [];
  if (Array.isArray(evidence)) return evidence.map((item: Evidence) => ({ ...item, value: redact(item.value) }));
  return Object.entries(evidence)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ name, value: redact(String(value)) }));
}

/**
 * Removes the user information of every URL in a text: `https://u:p@host/x` becomes `https://host/x`. A password may have
 * characters that end the host of a URL; what comes before the last `@` goes then.
 */
export function redact(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]{0,30}:\/\/)([^\s'"<>`]+)/gi, (_, scheme: string, rest: string) => {
    const end = userEnd(rest);
    const user = rest.slice(0, end);
    return scheme.toLowerCase() === 'ssh://' && !user.includes(':') ? scheme + rest : scheme + rest.slice(end);
  });
}

/** Where the user information ends; 0 for none. */
function userEnd(rest: string): number {
  const authority = rest.split(/[/?#]/, 1)[0] as string;
  if (authority.includes('@')) return authority.lastIndexOf('@') + 1;
  // `user:pa/ss@host`: what follows the colon is no port
  return /:(?!\d*$)/.test(authority) && !authority.startsWith('[') ? rest.lastIndexOf('@') + 1 : 0;
}

/** Whether a text is a Secret's, or could be one: a manifest whose kind cannot be seen may be that of one. */
function mayBeSecret(text: string): boolean {
  return /kind["']?\s*:\s*["']?secret\b/i.test(text) || /stringData/.test(text);
}

/** Words whose value nobody may see, unless it is only where the value is. */
const secretWords =
  /(?:password|passwd|passphrase|secret|token|credential|private_?-?key|api_?-?key|access_?-?key)s?["']?\s*[:=]\s*\S/i;

/** What is shown in place of lines that could be secret. */
const notShown = 'not shown: it may hold a secret';

/** The lines of a text that a diagnosis shows, or that they may not be shown. `text` is all of it. */
export function shownLines(lines: string, text: string): string {
  return mayBeSecret(text) || secretWords.test(lines) ? notShown : redact(lines);
}
