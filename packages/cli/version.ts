import packageJson from './package.json' with { type: 'json' };

export const version: string = packageJson.version;

/** The release of Argo CD whose API this one equals; what the `argocd` CLI compares itself with. */
export const argocdVersion = 'v3.5.1';
