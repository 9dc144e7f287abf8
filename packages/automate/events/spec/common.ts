/** Names a key of a Secret or a ConfigMap of the object's namespace. */
export interface KeySelector {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface TlsConfig {
  readonly caCertSecret?: KeySelector;
  readonly clientCertSecret?: KeySelector;
  readonly clientKeySecret?: KeySelector;
  readonly insecureSkipVerify?: boolean;
  readonly enabled?: boolean;
}

export interface BasicAuth {
  readonly username?: KeySelector;
  readonly password?: KeySelector;
}

export interface SaslConfig {
  readonly mechanism?: string;
  readonly userSecret?: KeySelector;
  readonly passwordSecret?: KeySelector;
}

export interface NatsAuth {
  readonly basic?: BasicAuth;
  readonly token?: KeySelector;
  readonly nkey?: KeySelector;
  readonly credential?: KeySelector;
}

export interface SchemaRegistry {
  readonly url: string;
  readonly schemaId: number;
  readonly auth?: BasicAuth;
}

/** Tries with growing waits. `duration` is a Go duration or nanoseconds. */
export interface Backoff {
  readonly duration?: string | number;
  readonly factor?: string | number;
  readonly jitter?: string | number;
  readonly steps?: number;
}

export interface S3Artifact {
  readonly endpoint: string;
  readonly bucket: { readonly name: string; readonly key?: string };
  readonly region?: string;
  readonly insecure?: boolean;
  readonly accessKey?: KeySelector;
  readonly secretKey?: KeySelector;
  readonly events?: readonly string[];
  readonly filter?: { readonly prefix?: string; readonly suffix?: string };
  readonly metadata?: Readonly<Record<string, string>>;
  readonly caCertificate?: KeySelector;
}

export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly serviceAccountName?: string;
  readonly container?: Readonly<Record<string, unknown>>;
  readonly volumes?: readonly unknown[];
  readonly [key: string]: unknown;
}

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}
