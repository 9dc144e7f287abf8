/** How the API and the page are served: paths, headers, and what is asked of requests. */
export interface ServedAs {
  /** Path prefix of everything, without slashes at its ends; empty for none. */
  readonly rootPath: string;
  /** Path under which a proxy shows the page. */
  readonly baseHref: string;
  readonly frameOptions: string;
  /** Directives that take the place of those of the page of the same name. */
  readonly contentSecurityPolicy: string;
  /** Content types of requests that change something, in lower case. */
  readonly contentTypes: readonly string[];
  /** Nobody logs in, and everybody may do everything. */
  readonly authDisabled: boolean;
  /** No TLS, whatever certificate there is. */
  readonly insecure: boolean;
  /** Requests of UI extensions are handed on to their backends. */
  readonly proxyExtensions: boolean;
}

/** Keys of argocd-cmd-params-cm by the variable that its manifests hand them to the process in; that one comes first. */
const variables = {
  'server.rootpath': 'ARGOCD_SERVER_ROOTPATH',
  'server.basehref': 'ARGOCD_SERVER_BASEHREF',
  'server.x.frame.options': 'ARGOCD_SERVER_X_FRAME_OPTIONS',
  'server.content.security.policy': 'ARGOCD_SERVER_CONTENT_SECURITY_POLICY',
  'server.api.content.types': 'ARGOCD_API_CONTENT_TYPES',
  'server.disable.auth': 'ARGOCD_SERVER_DISABLE_AUTH',
  'server.insecure': 'ARGOCD_SERVER_INSECURE',
  'server.enable.proxy.extension': 'ARGOCD_SERVER_ENABLE_PROXY_EXTENSION',
} as const;

export type ServedAsKey = keyof typeof variables;

/** For a server of one caller on this machine: no paths and no TLS, and a token of its own. */
export const servedToOne: Partial<Record<ServedAsKey, string>> = {
  'server.rootpath': '',
  'server.basehref': '',
  'server.disable.auth': 'false',
  'server.insecure': 'true',
};

/** What the environment says of these keys; what it says nothing of is absent. */
export function servedAsOf(env: Readonly<Record<string, string | undefined>>): Partial<Record<ServedAsKey, string>> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([key, variable]) => (env[variable] ? [[key, env[variable]]] : [])),
  );
}

/** Argo CD's defaults where neither says anything; a root path is the base of the page too, as upstream. */
export function servedAs(
  fixed: Partial<Record<ServedAsKey, string>>,
  parameters: Readonly<Record<string, string>>,
): ServedAs {
  const text = (key: ServedAsKey) => (fixed[key] ?? parameters[key] ?? '').trim();
  const rootPath = text('server.rootpath').replace(/^\/+|(?<!\/)\/+$/g, '');
  return {
    rootPath,
    baseHref: rootPath ? `/${rootPath}/` : pathOf(text('server.basehref')),
    frameOptions: text('server.x.frame.options') || 'sameorigin',
    contentSecurityPolicy: text('server.content.security.policy'),
    contentTypes: contentTypesOf(text('server.api.content.types')),
    authDisabled: text('server.disable.auth') === 'true',
    insecure: text('server.insecure') === 'true',
    proxyExtensions: text('server.enable.proxy.extension') === 'true',
  };
}

/** What of a list with `;` is a content type; JSON alone where none is, as nobody could change anything any more, this setting neither. */
function contentTypesOf(text: string): readonly string[] {
  const types = text
    .split(';')
    .map((type) => type.trim().toLowerCase())
    .filter((type) => /^[\w.+-]+\/[\w.+-]+$/.test(type));
  return types.length > 0 ? types : ['application/json'];
}

/** One slash at both ends. */
function pathOf(text: string): string {
  const path = text.replace(/^\/+|(?<!\/)\/+$/g, '');
  return path ? `/${path}/` : '/';
}
