import { randomUUID } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { User } from '@tiphys/apimachinery';
import { privateFile } from '@tiphys/files';
import type { Clock, ObjectMeta } from '@tiphys/kubernetes';
import { parseYaml } from '@tiphys/yaml';
import type { RequestInfo } from '../request/request-info.ts';
import {
  AUDIT_LEVELS,
  type AuditDecision,
  type AuditLevel,
  type AuditPolicy,
  type AuditStage,
  decideAudit,
} from './audit-policy.ts';

export interface AuditOptions {
  /** Gets every event as one line of JSON (audit.k8s.io/v1), without the newline; a text is the path of a file to append to. */
  readonly log: string | ((line: string) => void);
  /** One level for all requests, or the text of an audit.k8s.io/v1 Policy in YAML; `Metadata` when absent. */
  readonly policy?: string;
}

/** Writes down who did what, as kube-apiserver's audit log does. */
export class AuditLog {
  readonly #policy: AuditPolicy;
  readonly #write: (line: string) => void;
  readonly #clock: Clock;
  #file: number | undefined;

  constructor({ log, policy = 'Metadata' }: AuditOptions, clock: Clock) {
    this.#clock = clock;
    this.#policy = readPolicy(policy);
    if (typeof log !== 'string') {
      this.#write = log;
      return;
    }
    privateFile(log);
    this.#file = openSync(log, 'a', 0o600);
    // what is cut off by the end of the server ends after its log
    this.#write = (line) => void (this.#file !== undefined && writeSync(this.#file, `${line}\n`));
  }

  /** Begins the record of a request; undefined where the policy wants none. */
  begin(
    request: IncomingMessage,
    response: ServerResponse,
    info: RequestInfo,
    user: User | undefined,
  ): AuditRecord | undefined {
    const decision = decideAudit(this.#policy, info, user);
    if (decision.level === 'None') return undefined;
    return new AuditRecord({ request, response, info, user, decision, clock: this.#clock, write: this.#write });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

function readPolicy(text: string): AuditPolicy {
  if ((AUDIT_LEVELS as readonly string[]).includes(text)) return { rules: [{ level: text as AuditLevel }] };
  const policy = parseYaml(text) as (AuditPolicy & { kind?: string; apiVersion?: string }) | null;
  if (policy?.kind !== 'Policy' || !policy.apiVersion?.startsWith('audit.k8s.io/') || !policy.rules?.length)
    throw new Error(
      `The audit policy is neither one of ${AUDIT_LEVELS.join(', ')} nor a Policy of audit.k8s.io/v1 with rules. Give one of them.`,
    );
  for (const { level } of policy.rules)
    if (!AUDIT_LEVELS.includes(level))
      throw new Error(
        `The audit policy has a rule with the level ${JSON.stringify(level)}; levels are ${AUDIT_LEVELS.join(', ')}.`,
      );
  return policy;
}

interface RecordOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: RequestInfo;
  readonly user: User | undefined;
  readonly decision: AuditDecision;
  readonly clock: Clock;
  readonly write: (line: string) => void;
}

/** The events of one request. */
export class AuditRecord {
  readonly #options: RecordOptions;
  readonly #id: string;
  readonly #received: string;
  readonly #annotations = new Map<string, string>();
  readonly #chunks: Buffer[] = [];
  #impersonated: User | undefined;
  #body: unknown;
  #status: object | undefined;

  constructor(options: RecordOptions) {
    this.#options = options;
    const given = options.request.headers['audit-id'];
    this.#id = typeof given === 'string' && given.length <= 64 ? given : randomUUID();
    options.response.setHeader('audit-id', this.#id);
    this.#received = microseconds(options.clock);
    this.#emit('RequestReceived', this.#received);
    if (options.decision.level === 'RequestResponse' && options.info.verb !== 'watch') this.#listen();
    let complete = false;
    const finish = () => {
      if (!complete) this.#emit('ResponseComplete', microseconds(options.clock));
      complete = true;
    };
    options.response.on('finish', finish);
    options.response.on('close', finish);
  }

  /** The user that the request acts as. */
  impersonate(user: User): void {
    this.#impersonated = user;
  }

  annotate(key: string, value: string): void {
    this.#annotations.set(key, value);
  }

  /** The parsed body of the request. */
  requested(body: unknown): void {
    this.#body = body;
  }

  /** The Status of a request that failed. */
  failed(status: object): void {
    this.#status = status;
  }

  /** The headers of a watch have been sent. */
  started(): void {
    this.#emit('ResponseStarted', microseconds(this.#options.clock));
  }

  #listen(): void {
    const { response } = this.#options;
    const end = response.end.bind(response);
    response.end = ((...args: Parameters<typeof end>) => {
      const [chunk] = args as unknown as [unknown];
      if (Buffer.isBuffer(chunk)) this.#chunks.push(chunk);
      else if (typeof chunk === 'string') this.#chunks.push(Buffer.from(chunk));
      return end(...args);
    }) as typeof response.end;
  }

  #emit(stage: AuditStage, time: string): void {
    const { request, response, info, user, decision, write } = this.#options;
    if (decision.omitted.has(stage)) return;
    const complete = stage !== 'RequestReceived';
    const objects = stage === 'ResponseComplete' && decision.level !== 'Metadata';
    write(
      JSON.stringify({
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level: decision.level,
        auditID: this.#id,
        stage,
        requestURI: request.url,
        verb: info.verb,
        user: userOf(user),
        ...(this.#impersonated ? { impersonatedUser: userOf(this.#impersonated) } : {}),
        sourceIPs: [request.socket.remoteAddress?.replace(/^::ffff:/, '')],
        userAgent: request.headers['user-agent'],
        ...(info.resourceRequest ? { objectRef: this.#reference() } : {}),
        ...(complete ? { responseStatus: responseStatus(this.#status, response.statusCode) } : {}),
        ...(objects && this.#body !== undefined ? { requestObject: this.#shown(this.#body) } : {}),
        ...(objects && decision.level === 'RequestResponse' ? this.#response() : {}),
        requestReceivedTimestamp: this.#received,
        stageTimestamp: time,
        ...(this.#annotations.size && complete
          ? { annotations: Object.fromEntries([...this.#annotations].sort()) }
          : {}),
      }),
    );
  }

  #reference(): object {
    const { info } = this.#options;
    const { metadata } = (this.#body ?? {}) as { metadata?: ObjectMeta };
    const name = info.name || metadata?.name;
    return {
      resource: info.plural,
      ...(info.namespace ? { namespace: info.namespace } : {}),
      ...(name ? { name } : {}),
      ...(metadata?.uid ? { uid: metadata.uid } : {}),
      ...(info.group ? { apiGroup: info.group } : {}),
      apiVersion: info.version,
      ...(metadata?.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {}),
      ...(info.subresource ? { subresource: info.subresource } : {}),
    };
  }

  #response(): object {
    const text = Buffer.concat(this.#chunks).toString();
    if (!text.startsWith('{')) return {};
    return { responseObject: this.#shown(JSON.parse(text)) };
  }

  #shown(value: unknown): unknown {
    if (!this.#options.decision.omitManagedFields || typeof value !== 'object' || value === null) return value;
    const { metadata, items, ...rest } = value as { metadata?: { managedFields?: unknown }; items?: unknown[] };
    const { managedFields: _, ...kept } = metadata ?? {};
    return {
      ...rest,
      ...(metadata ? { metadata: kept } : {}),
      ...(items ? { items: items.map((item) => this.#shown(item)) } : {}),
    };
  }
}

function responseStatus(status: object | undefined, code: number): object {
  if (!status) return { metadata: {}, code };
  const { kind: _, apiVersion: __, ...rest } = status as Record<string, unknown>;
  return rest;
}

function userOf(user: User | undefined): object {
  if (!user) return {};
  return {
    username: user.name,
    ...(user.uid ? { uid: user.uid } : {}),
    groups: user.groups,
    ...(user.extra ? { extra: user.extra } : {}),
  };
}

function microseconds(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace(/(\.\d{3})Z$/, '$1000Z');
}
